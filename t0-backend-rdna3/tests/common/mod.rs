//! What several tests need.

use t0_backend_rdna3::mir::MFunc;
use t0_backend_rdna3::object;
use t0_backend_rdna3::passes::legalize::legalize;
use t0_backend_rdna3::select::{select, Entry};
use t0_backend_rdna3::target::GFX1100;
use t0_ir::analysis::uniform::{Uniform, Uniformity};
use t0_ir::testing::{random_case, Options as Random};
use t0_ir::{OpKind, Scalar, Value};

/// A random kernel up to register allocation.
pub fn random(seed: u64) -> MFunc {
    let allow = |k: &OpKind, a: Scalar, _: Scalar| a.bytes() < 8 && !matches!(k, OpKind::Div);
    let options = Random {
        ops: 50,
        allow: &allow,
        ..Random::default()
    };
    let f = random_case(seed, &options).func;
    let uniform = Uniform::of(&f);
    let known = (0..f.values.len() as u32)
        .map(|v| uniform.value(Value(v)) <= Uniformity::Wave)
        .collect();
    let resources = object::Resources {
        kernarg_bytes: 64,
        dispatch_ptr: true,
        ..object::Resources::default()
    };
    let sgprs = object::initial_sgprs(&resources, &GFX1100).unwrap();
    let mut m = select(&f, known, &Entry { sgprs }).unwrap();
    legalize(&mut m);
    m
}
