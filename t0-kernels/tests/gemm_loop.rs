//! What stands in the main loop of the matrix product: it decides how fast the product is.
#![allow(clippy::unwrap_used, missing_docs)]

use t0::ir::OpKind;
use t0::prelude::*;
use t0::{Gpu, SimOptions};
use t0_backend_rdna3::flow::Flow;
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_kernels::{gemm, gemm_nn, gemm_tn};

/// Stores of transposed tiles go to as many banks at a time as others.
#[test]
fn no_bank_conflicts() {
    let options = SimOptions {
        timing: true,
        ..SimOptions::default()
    };
    let gpu = Gpu::simulated_with(&options).unwrap();
    let queue = gpu.queue().unwrap();
    let x = gpu.alloc_mat_zeroed::<bf16>(256, 256).unwrap();
    let mut c = gpu.alloc_mat::<f32>(256, 256).unwrap();
    let (a, b) = (&x, &x);
    queue.launch(gemm_nn::<128, 128, 32> { a, b, c: &mut c }).unwrap();
    queue.launch(gemm_tn::<128, 128, 32> { a, b, c: &mut c }).unwrap();
    queue.launch(gemm_tn::<64, 64, 64> { a, b, c: &mut c }).unwrap();
    gpu.wait().unwrap();
    let cards = gpu.cards().unwrap();
    assert_eq!(cards.len(), 3);
    for card in cards {
        let conflicts = card.modelled.unwrap().bank_conflicts;
        assert!(conflicts.lds_passes > 0);
        assert_eq!(conflicts.lds, 0, "{}", card.kernel);
    }
}

/// The listing of a product with 128×128 tiles, and the instructions of its main loop.
fn main_loop<K: Kernel>() -> (Listing, Vec<(Class, String)>) {
    let func = K::stage().unwrap();
    assert!(func.ops.iter().any(|o| matches!(o.kind, OpKind::TileLoad { .. })));
    let done = compile(&func, &GFX1100, &Options::default()).unwrap();
    let object = CodeObject::parse(&done.code_object).unwrap();
    let listing = Listing::new(&object, &object.kernels[0]);
    let flow = Flow::new(&listing.entries);
    let body = |l| {
        let spans = flow.spans(l).into_iter();
        let entries = spans.flat_map(|(a, b)| &listing.entries[a..=b]);
        entries.map(|e| (e.class.unwrap(), e.text.clone())).collect::<Vec<_>>()
    };
    let products = |l: &Vec<(Class, String)>| l.iter().filter(|e| e.0 == Class::Wmma).count();
    let longest = flow.loops.iter().map(body).max_by_key(products).unwrap();
    (listing, longest)
}

/// `per_product`: the most instructions of the loop for each matrix product, in hundredths; `perms`: byte permutations.
fn little_but_products<K: Kernel>(per_product: usize, perms: usize) {
    let (listing, body) = main_loop::<K>();
    let count = |what: &dyn Fn(Class) -> bool| body.iter().filter(|e| what(e.0)).count();
    let wmma = count(&|c| c == Class::Wmma);
    let text: Vec<&str> = body.iter().map(|e| e.1.as_str()).collect();
    // Two tiles of 16 products for each of the eight waves.
    assert_eq!(wmma, 32, "{text:#?}");
    assert_eq!(count(&Class::is_valu) - wmma, perms, "{text:#?}");
    let permutes = |t: &&&str| t.starts_with("v_perm_b32_e64_dpp");
    assert_eq!(text.iter().filter(permutes).count(), perms, "{text:#?}");
    assert_eq!(count(&|c| c == Class::Barrier), 2, "{text:#?}");
    assert!(
        100 * body.len() <= per_product * wmma,
        "{} instructions\n{text:#?}",
        body.len()
    );
    assert_eq!(listing.scratch_bytes, 0);
    assert!(listing.vgprs <= 240, "{} VGPRs", listing.vgprs);
    let narrow =
        |t: &&str| t.starts_with("ds_load") && !t.starts_with("ds_load_b128") || t.starts_with("buffer_load_u");
    assert!(!text.iter().any(narrow), "{text:#?}");
}

#[test]
fn rows_along_k() {
    little_but_products::<gemm<'_, 128, 128, 32>>(390, 0);
}

/// A tile of B is eight permutations a lane.
#[test]
fn rows_of_b_across_k() {
    little_but_products::<gemm_nn<'_, 128, 128, 32>>(460, 16);
}

#[test]
fn rows_of_both_across_k() {
    little_but_products::<gemm_tn<'_, 128, 128, 32>>(525, 32);
}

#[test]
fn operands_of_products_begin_in_different_banks() {
    let loops = [
        main_loop::<gemm<'_, 128, 128, 32>>(),
        main_loop::<gemm_nn<'_, 128, 128, 32>>(),
        main_loop::<gemm_tn<'_, 128, 128, 32>>(),
    ];
    for (_, text) in loops.iter().flat_map(|l| &l.1).filter(|e| e.0 == Class::Wmma) {
        let first = |group: &str| group.split(':').next().unwrap().parse::<u32>().unwrap();
        let banks: Vec<u32> = text.split("v[").skip(1).map(|g| first(g) % 4).collect();
        let [d, a, b, c] = banks[..] else { panic!("{text}") };
        assert!(d == c && a != b && a != c && b != c, "{text}");
    }
}
