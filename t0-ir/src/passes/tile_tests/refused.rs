//! What cannot be done, and what is said about it.

use super::gemm::Gemm;
use crate::build::Builder;
use crate::func::{Access, Func, Param, ParamKind, Value};
use crate::op::{LoopHints, OpKind, Pred};
use crate::passes::{lower_tiles, pipeline_lds};
use crate::ty::{Role, Scalar, TileTy, Ty};

/// Builds `for i in 0..a.cols().step_by(32)` with two stages and one carried value, around what the closure builds.
fn looping(body: impl FnOnce(&mut Builder, Value, Value) -> Value) -> Func {
    let mat = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Mat(Scalar::F16, access),
    };
    let mut b = Builder::new(Func::new(
        "k",
        64,
        vec![mat("a", Access::Read), mat("c", Access::Write)],
    ));
    let (lo, step) = (b.u32(0), b.u32(32));
    let hints = LoopHints {
        stages: 2,
        turns: false,
        unroll: false,
    };
    b.for_([lo, Value(2), step], hints, &[lo], |b, i, c| vec![body(b, i, c[0])]);
    b.finish()
}

fn load(b: &mut Builder, mat: u32, row: Value, col: Value) -> Value {
    let args: Vec<Value> = (4 * mat..4 * mat + 4).map(Value).chain([row, col]).collect();
    let ty = TileTy {
        elem: Scalar::F16,
        rows: 16,
        cols: 32,
    };
    b.op1_as(OpKind::TileLoad { transposed: false }, &args, Ty::LdsTile(ty))
}

fn pipeline_error(mut f: Func) -> String {
    pipeline_lds::run(&mut f).unwrap_err().to_string()
}

fn lower_error(mut f: Func) -> String {
    lower_tiles::run(&mut f).unwrap_err().to_string()
}

#[test]
fn too_much_lds() {
    assert_eq!(
        pipeline_error(Gemm::new([256, 128, 64], [4, 2], 2).build()),
        "this loop cannot be pipelined: 2 stages of 49152 bytes are 98304 bytes of LDS, a workgroup has 65536; \
         `ta` is 256×64 bf16: 256 rows of 128 bytes = 32768 bytes; \
         `tb` is 128×64 bf16: 128 rows of 128 bytes = 16384 bytes; use `stages = 1` or smaller tiles"
    );
    assert_eq!(
        pipeline_error(Gemm::new([128, 128, 48], [4, 2], 3).build()),
        "this loop cannot be pipelined: 3 stages of 28672 bytes are 86016 bytes of LDS, a workgroup has 65536; \
         `ta` is 128×48 bf16: 128 rows padded to 112 bytes = 14336 bytes; \
         `tb` is 128×48 bf16: 128 rows padded to 112 bytes = 14336 bytes; use at most 2 stages, or smaller tiles"
    );
}

#[test]
fn nothing_to_pipeline() {
    assert_eq!(
        pipeline_error(looping(|_, _, c| c)),
        "this loop cannot be pipelined: it loads no tile; load tiles with `Lds::load` in the loop, or remove `#[pipeline]`"
    );
}

#[test]
fn load_under_a_condition() {
    let f = looping(|b, i, c| {
        let cond = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[i, Value(1)]);
        b.if_(
            cond,
            &[],
            |b| {
                load(b, 0, c, i);
                vec![]
            },
            |_| vec![],
        );
        c
    });
    assert_eq!(
        pipeline_error(f),
        "this loop cannot be pipelined: a tile is loaded under a condition or in an inner loop; loaded here; \
         load the tile in every iteration, at the top level of the loop"
    );
}

#[test]
fn place_must_be_known_ahead() {
    let way_out = "compute the place from the loop's index and values from outside the loop";
    let carried = looping(|b, i, c| {
        load(b, 0, c, i);
        b.op1(OpKind::Add, &[c, i])
    });
    assert_eq!(
        pipeline_error(carried),
        format!("this loop cannot be pipelined: a tile's place depends on a variable that changes from iteration to iteration; this tile; {way_out}")
    );
    let memory = looping(|b, i, c| {
        let h = b.op1_as(OpKind::Load, &[Value(0), i], Ty::Scalar(Scalar::F16));
        let row = b.op1_as(OpKind::Cast, &[h], Ty::U32);
        load(b, 0, row, i);
        c
    });
    assert_eq!(
        pipeline_error(memory),
        format!("this loop cannot be pipelined: a tile's place is read from memory inside the loop; here; this tile; {way_out}")
    );
    let chosen = looping(|b, i, c| {
        let cond = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[i, Value(1)]);
        let row = b.if_(cond, &[Ty::U32], |_| vec![i], |_| vec![Value(1)])[0];
        load(b, 0, row, i);
        c
    });
    assert_eq!(
        pipeline_error(chosen),
        format!("this loop cannot be pipelined: a tile's place is chosen by an `if` or a loop inside the loop; here; this tile; {way_out}")
    );
}

#[test]
fn the_matrix_must_not_be_written() {
    let writing = |mat: u32| {
        looping(move |b, i, c| {
            load(b, mat, Value(1), i);
            let zero = b.f32(0.0);
            let acc = b.op1_as(OpKind::FragSplat, &[zero], Ty::Frag(Role::Acc, Scalar::F32));
            b.op0(OpKind::TileStore, &[Value(4), Value(5), Value(6), Value(7), i, i, acc]);
            c
        })
    };
    assert_eq!(
        pipeline_error(writing(1)),
        "this loop cannot be pipelined: it may write the matrix it loads tiles from; written here; \
         loaded here, one iteration ahead; remove `#[pipeline]`, or write to another matrix"
    );
    pipeline_lds::run(&mut writing(0)).unwrap();
}

#[test]
fn tiles_stay_where_they_are() {
    let mut b = Builder::new(Func::new(
        "k",
        64,
        vec![Param {
            name: "a".into(),
            kind: ParamKind::Mat(Scalar::F16, Access::Read),
        }],
    ));
    let zero = b.u32(0);
    let cond = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[Value(1), Value(2)]);
    let (x, y) = (load(&mut b, 0, zero, zero), load(&mut b, 0, Value(1), zero));
    let t = b.op1(OpKind::Select, &[cond, x, y]);
    b.op1_as(OpKind::TileFrag, &[t, zero, zero], Ty::Frag(Role::Input, Scalar::F16));
    assert_eq!(
        lower_error(b.finish()),
        "a tile in LDS cannot be carried through a loop, an `if` or a choice: where it lies must be known when the kernel is compiled; \
         load the tile where it is used, or carry its fragments"
    );
}

#[test]
fn fragment_outside_its_tile() {
    let frag = |block: u32, k: u32| {
        looping(move |b, i, c| {
            let t = load(b, 0, c, i);
            let (block, k) = (b.u32(block), b.u32(k));
            b.op1_as(OpKind::TileFrag, &[t, block, k], Ty::Frag(Role::Input, Scalar::F16));
            c
        })
    };
    assert_eq!(
        lower_error(frag(1, 0)),
        "the 16×16 fragment at block 1, k = 0 lies outside a tile of 16×32 f16; blocks go up to 0, k up to 16"
    );
    assert_eq!(
        lower_error(frag(0, 17)),
        "the 16×16 fragment at block 0, k = 17 lies outside a tile of 16×32 f16; blocks go up to 0, k up to 16"
    );
    lower_tiles::run(&mut frag(0, 16)).unwrap();
}

#[test]
fn transposed_rows_without_whole_chunks() {
    let f = looping(|b, i, c| {
        let args: Vec<Value> = (0..4).map(Value).chain([i, i]).collect();
        let ty = TileTy {
            elem: Scalar::F16,
            rows: 20,
            cols: 32,
        };
        b.op1_as(OpKind::TileLoad { transposed: true }, &args, Ty::LdsTile(ty));
        c
    });
    let said = "the transposed of a tile of 32×20 f16 cannot be loaded: a row of 40 bytes is no whole number of 16-byte chunks; take 16 or 24 columns";
    assert_eq!(pipeline_error(f.clone()), said);
    assert_eq!(lower_error(f), said);
}
