//! What stands in the main loop of the matrix product: it decides how fast the product is.
#![allow(clippy::unwrap_used, missing_docs)]

use t0::ir::OpKind;
use t0::Kernel;
use t0_backend_rdna3::flow::Flow;
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_kernels::gemm;

/// The listing of the product with 128×128 tiles, and the instructions of its main loop.
fn main_loop() -> (Listing, Vec<(Class, String)>) {
    let func = gemm::<128, 128, 32>::stage().unwrap();
    assert!(func.ops.iter().any(|o| matches!(o.kind, OpKind::TileLoad)));
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

#[test]
fn little_but_products() {
    let (listing, body) = main_loop();
    let count = |what: &dyn Fn(Class) -> bool| body.iter().filter(|e| what(e.0)).count();
    let wmma = count(&|c| c == Class::Wmma);
    let text: Vec<&str> = body.iter().map(|e| e.1.as_str()).collect();
    // Two tiles of 16 products for each of the eight waves.
    assert_eq!(wmma, 32, "{text:#?}");
    assert_eq!(count(&Class::is_valu) - wmma, 0, "{text:#?}");
    assert_eq!(count(&|c| c == Class::Barrier), 2, "{text:#?}");
    assert!(10 * body.len() <= 39 * wmma, "{} instructions\n{text:#?}", body.len());
    assert_eq!(listing.scratch_bytes, 0);
    assert!(listing.vgprs <= 240, "{} VGPRs", listing.vgprs);
    assert!(!text.iter().any(|t| t.starts_with("ds_load_u16")), "{text:#?}");
}

#[test]
fn operands_of_products_begin_in_different_banks() {
    let (_, body) = main_loop();
    for (_, text) in body.iter().filter(|e| e.0 == Class::Wmma) {
        let first = |group: &str| group.split(':').next().unwrap().parse::<u32>().unwrap();
        let banks: Vec<u32> = text.split("v[").skip(1).map(|g| first(g) % 4).collect();
        let [d, a, b, c] = banks[..] else { panic!("{text}") };
        assert!(d == c && a != b && a != c && b != c, "{text}");
    }
}
