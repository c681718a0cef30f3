use t0::prelude::*;

#[kernel(group = 32)]
pub fn wrong_elements(a: &Mat<f32>, c: &mut Groups<Tile<f32, 16, 16>>) {
    for (at, c) in c {
        let mut acc = Acc::<f32, 16, 16>::zero();
        let t = Lds::load(a.tile::<16, 16>(at.row, 0));
        acc.mma_nt(&t, &t);
        c.store(acc);
    }
}

#[kernel(group = 32)]
pub fn wrong_shape(a: &Mat<bf16>, c: &mut Groups<Tile<f32, 32, 16>>) {
    for (at, c) in c {
        let mut acc = Acc::<f32, 32, 16>::zero();
        let t = Lds::load(a.tile::<16, 16>(at.row, 0));
        acc.mma_nt(&t, &t);
        c.store(acc);
    }
}

#[kernel(group = 32)]
pub fn wrong_transposed(a: &Mat<f32>, c: &mut Groups<Tile<f32, 16, 16>>) {
    for (at, c) in c {
        let acc = Acc::<f32, 16, 16>::zero();
        let _ = Lds::load(a.tile::<16, 16>(0, at.row).transposed());
        c.store(acc);
    }
}

fn main() {}
