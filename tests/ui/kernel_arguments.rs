use t0::prelude::*;

#[kernel(group = 256, checked = true)]
fn a_word(y: &mut Lanes<f32>) {}

#[kernel(group = 256, checked, checked)]
fn twice(y: &mut Lanes<f32>) {}

#[kernel(group = 256, chekced)]
fn misspelt(y: &mut Lanes<f32>) {}

fn main() {}
