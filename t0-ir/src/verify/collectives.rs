//! Collectives are reached by all lanes they speak of, and what must be uniform is: told in the user's words.

use crate::analysis::uniform::{Uniform, Uniformity};
use crate::diag::{Diag, Diags};
use crate::eval::Const;
use crate::func::{Func, Op, OpId, Region, Value};
use crate::op::{Convergent, OpKind, Rmw};

pub(super) fn check(func: &Func, u: &Uniform, diags: &mut Diags) {
    region(func, u, &func.body, diags);
}

fn region(func: &Func, u: &Uniform, r: &Region, diags: &mut Diags) {
    for &id in &r.ops {
        control(func, u, id, diags);
        operands(func, u, func.op(id), diags);
        step(func, u, func.op(id), diags);
        for inner in &func.op(id).regions {
            region(func, u, inner, diags);
        }
    }
}

/// The widest level a collective tolerates.
fn tolerated(c: Convergent) -> Uniformity {
    match c {
        Convergent::No => Uniformity::Lane,
        Convergent::Wave => Uniformity::Wave,
        Convergent::Group => Uniformity::Group,
    }
}

fn control(func: &Func, u: &Uniform, id: OpId, diags: &mut Diags) {
    let op = func.op(id);
    let need = op.kind.row().convergent;
    let control = u.control(id);
    if control.level <= tolerated(need) {
        return;
    }
    let who = if need == Convergent::Group { "workgroup" } else { "wave" };
    let mut diag = Diag::new(
        op.span,
        format!("`{}` needs every lane of the {who} here", users_word(&op.kind)),
    );
    if let Some((owner, cause)) = control.by {
        let differs = level_word(control.level);
        let what = match func.op(owner).kind {
            OpKind::If => format!("the condition here differs from {differs}"),
            OpKind::For { .. } => format!("the number of rounds of this loop differs from {differs}"),
            _ => format!("the condition of this loop differs from {differs}"),
        };
        diag = diag.note_at(func.op(owner).span, what);
        diag = with_source(func, u, cause, diag);
    }
    let branch = control
        .by
        .is_none_or(|(owner, _)| matches!(func.op(owner).kind, OpKind::If));
    let help = match (need, control.level) {
        (Convergent::Group, _) if branch => {
            "put it before or behind the condition (a `for` over an owned part is one: lanes without an element stay outside), \
             or make the condition the same for the whole workgroup"
        }
        (Convergent::Group, _) => "move it out of the loop, or let all waves of the workgroup make the same number of rounds",
        _ => "move it out of the condition (lanes without data can take part with a neutral value), or make the condition \
              the same for the whole wave",
    };
    diags.push(diag.help(help));
}

fn operands(func: &Func, u: &Uniform, op: &Op, diags: &mut Diags) {
    let (range, most) = match op.kind {
        OpKind::TileLoad { .. } | OpKind::TileFetch { .. } => (0..6, Uniformity::Group),
        OpKind::LoadChunk { .. } => (2..3, Uniformity::Wave),
        OpKind::TileCommit { .. } => (1..2, Uniformity::Group),
        OpKind::TileFrag => (1..3, Uniformity::Wave),
        OpKind::TileStore => (0..6, Uniformity::Wave),
        OpKind::WaveBroadcast => (1..2, Uniformity::Wave),
        _ => return,
    };
    let Some(&bad) = op.args[range].iter().find(|&&a| u.value(a) > most) else {
        return;
    };
    let who = if most == Uniformity::Group { "workgroup" } else { "wave" };
    let what = match op.kind {
        OpKind::WaveBroadcast => "lane number",
        OpKind::TileFrag => "block and k",
        _ => "place in the matrix",
    };
    let word = users_word(&op.kind);
    let diag = Diag::new(
        op.span,
        format!("`{word}` needs the same {what} in every lane of the {who}"),
    );
    diags.push(with_source(func, u, bad, diag));
}

/// A `for` whose step is a constant goes up.
fn step(func: &Func, u: &Uniform, op: &Op, diags: &mut Diags) {
    let (OpKind::For { .. }, Some(&by)) = (&op.kind, op.args.get(2)) else {
        return;
    };
    if let Some(OpKind::Const { ty, bits }) = u.def(by).map(|id| &func.op(id).kind) {
        let step = Const::new(*ty, *bits).int();
        if step <= 0 {
            diags.push(Diag::new(op.span, format!("this loop has a step of {step}")).help("use a step of at least 1"));
        }
    }
}

fn level_word(level: Uniformity) -> &'static str {
    if level == Uniformity::Lane {
        "lane to lane"
    } else {
        "wave to wave"
    }
}

/// Adds where a value's level comes from, when the operation has a place of its own.
fn with_source(func: &Func, u: &Uniform, v: Value, diag: Diag) -> Diag {
    match u.source(func, v).map(|id| func.op(id)) {
        Some(op) if op.span.line != 0 => {
            let text = format!(
                "because {} differs from {}",
                source_word(&op.kind),
                level_word(u.value(v))
            );
            diag.note_at(op.span, text)
        }
        _ => diag,
    }
}

fn source_word(kind: &OpKind) -> &'static str {
    match kind {
        OpKind::LaneId => "the lane's number",
        OpKind::LocalId => "the work-item's index",
        OpKind::WaveId => "the wave's number",
        OpKind::Load | OpKind::LoadChunk { .. } => "the loaded value",
        OpKind::LdsLoad { .. } => "the value loaded from LDS",
        OpKind::Atomic { .. } | OpKind::AtomicLoad { .. } | OpKind::LdsAtomic { .. } | OpKind::LdsAtomicLoad { .. } => {
            "the value an atomic returns"
        }
        OpKind::WaveScan { .. } | OpKind::WaveShuffle | OpKind::WaveShuffleXor { .. } | OpKind::WavePerm { .. } => {
            "what a lane gets from others"
        }
        _ => "this value",
    }
}

/// What the user wrote to get this operation.
pub(crate) fn users_word(kind: &OpKind) -> &'static str {
    match kind {
        OpKind::WaveReduce { op } => match op {
            Rmw::Add => "wave::sum",
            Rmw::Min => "wave::min",
            Rmw::Max => "wave::max",
            Rmw::And => "wave::and",
            Rmw::Or => "wave::or",
            Rmw::Xor => "wave::xor",
            Rmw::Swap => "wave::reduce",
        },
        OpKind::WaveScan { .. } => "wave::scan",
        OpKind::WaveShuffle => "wave::shuffle",
        OpKind::WaveShuffleXor { .. } => "wave::shuffle_xor",
        OpKind::WaveBallot => "wave::ballot",
        OpKind::WaveBroadcast => "wave::broadcast",
        OpKind::Barrier => "group::barrier",
        OpKind::TileLoad { .. } | OpKind::TileFetch { .. } | OpKind::TileCommit { .. } | OpKind::LoadChunk { .. } => {
            "Lds::load"
        }
        OpKind::TileFrag | OpKind::LdsFragLoad { .. } => "frag",
        OpKind::TileStore => "store",
        OpKind::FragSplat => "Acc::zero",
        _ => kind.row().name,
    }
}
