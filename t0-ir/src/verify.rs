//! Is a function well-formed, and may its collectives be where they are?
//!
//! Three layers, each only run when the one before found nothing. *Structure*: every value is defined once and before its
//! uses, regions and terminators are as the operation wants them. *Types*: one arm per operation (`types.rs`). *Meaning*:
//! collectives are reached by all lanes they speak of, operands that must be uniform are (`collectives.rs`), LDS fits.
//! The first two layers speak of compiler bugs unless the function came from a text file; the third speaks to the user.

mod collectives;
mod types;

pub(crate) use types::elements;

use crate::analysis::uniform::Uniform;
use crate::diag::{Diag, Diags};
use crate::func::{Func, OpId, Region, Span, Value};
use crate::op::{Arity, OpKind};

/// Most LDS a workgroup can have, in bytes (RDNA3 ISA manual, section 2.3: 64 KiB per workgroup).
pub const LDS_LIMIT: u32 = 65536;

/// Everything: [`structure`], [`collectives`] and [`limits`].
///
/// # Errors
/// All findings of the first layer that has any.
pub fn verify(func: &Func) -> Result<(), Diags> {
    structure(func)?;
    let mut diags = Diags::default();
    collectives::check(func, &Uniform::of(func), &mut diags);
    diags.into_result()?;
    limits(func)
}

/// Structure and types.
///
/// # Errors
/// All findings.
pub fn structure(func: &Func) -> Result<(), Diags> {
    let mut s = Structure {
        func,
        defined: vec![false; func.values.len()],
        ever: vec![false; func.values.len()],
        placed: vec![false; func.ops.len()],
        diags: Diags::default(),
    };
    s.signature();
    s.region(&func.body, Span::default());
    s.diags.into_result()?;
    let mut diags = Diags::default();
    types::check(func, &mut diags);
    diags.into_result()
}

/// Collectives under divergent control and operands that must be uniform. The function must pass [`structure`].
///
/// # Errors
/// All findings.
pub fn collectives(func: &Func) -> Result<(), Diags> {
    let mut diags = Diags::default();
    collectives::check(func, &Uniform::of(func), &mut diags);
    diags.into_result()
}

/// Group size and LDS size.
///
/// # Errors
/// All findings, with the arithmetic.
pub fn limits(func: &Func) -> Result<(), Diags> {
    let mut diags = Diags::default();
    let at = first_span(func);
    if func.group == 0 || func.group > 1024 || func.group % 32 != 0 {
        diags.push(
            Diag::new(at, format!("a workgroup cannot have {} work-items", func.group))
                .help("use a multiple of 32 from 32 to 1024"),
        );
    }
    let total: u64 = func.lds.iter().map(|a| u64::from(a.bytes)).sum();
    let padded = if total > u64::from(LDS_LIMIT) {
        total
    } else {
        u64::from(func.lds_bytes())
    };
    if padded > u64::from(LDS_LIMIT) {
        let parts: Vec<String> = func
            .lds
            .iter()
            .map(|a| match a.slots {
                0 | 1 => format!("`{}` {}", a.name, a.bytes),
                n => format!("`{}` {} x {}", a.name, n, a.bytes / n),
            })
            .collect();
        diags.push(
            Diag::new(
                at,
                format!(
                    "`{}` needs {padded} bytes of LDS, but a workgroup has {LDS_LIMIT}",
                    func.name
                ),
            )
            .note(format!("{} = {padded} bytes", parts.join(" + ")))
            .help("use smaller tiles or fewer pipeline stages"),
        );
    }
    diags.into_result()
}

fn first_span(func: &Func) -> Span {
    func.body
        .ops
        .iter()
        .map(|&id| func.op(id).span)
        .find(|s| s.line != 0)
        .unwrap_or_default()
}

struct Structure<'a> {
    func: &'a Func,
    defined: Vec<bool>,
    ever: Vec<bool>,
    placed: Vec<bool>,
    diags: Diags,
}

impl Structure<'_> {
    fn error(&mut self, span: Span, message: String) {
        self.diags.push(Diag::new(span, message));
    }

    fn signature(&mut self) {
        let want: Vec<_> = self.func.params.iter().flat_map(|p| p.kind.values()).collect();
        let args = &self.func.body.args;
        let in_range = args.iter().all(|a| (a.0 as usize) < self.func.values.len());
        let got: Vec<_> = if in_range {
            args.iter().map(|&a| self.func.ty(a)).collect()
        } else {
            Vec::new()
        };
        if want != got {
            self.error(
                Span::default(),
                "the body's arguments are not those of the parameters".into(),
            );
        }
    }

    fn define(&mut self, v: Value, span: Span) {
        match self.ever.get(v.0 as usize) {
            None => self.error(span, format!("%{} does not exist", v.0)),
            Some(true) => self.error(span, format!("%{} is defined twice", v.0)),
            Some(false) => {
                self.ever[v.0 as usize] = true;
                self.defined[v.0 as usize] = true;
            }
        }
    }

    fn region(&mut self, region: &Region, span: Span) {
        let mut here: Vec<Value> = region.args.clone();
        for &a in &region.args {
            self.define(a, span);
        }
        for (i, &id) in region.ops.iter().enumerate() {
            let Some(op) = self.func.ops.get(id.0 as usize) else {
                self.error(span, format!("operation {} does not exist", id.0));
                continue;
            };
            if std::mem::replace(&mut self.placed[id.0 as usize], true) {
                self.error(op.span, format!("`{}` stands in two places", op.kind.row().name));
                continue;
            }
            let last = i + 1 == region.ops.len();
            if matches!(op.kind, OpKind::Yield | OpKind::Condition) && !last {
                self.error(
                    op.span,
                    format!("`{}` is not the last operation of its region", op.kind.row().name),
                );
            }
            self.op(id);
            here.extend(&op.results);
            for &r in &op.results {
                self.define(r, op.span);
            }
        }
        for v in here {
            if let Some(d) = self.defined.get_mut(v.0 as usize) {
                *d = false;
            }
        }
    }

    fn op(&mut self, id: OpId) {
        let func = self.func;
        let op = func.op(id);
        let name = op.kind.row().name;
        for a in &op.args {
            if !self.defined.get(a.0 as usize).copied().unwrap_or(false) {
                self.error(op.span, format!("`{name}` uses %{}, which is not defined here", a.0));
            }
        }
        if let Arity::Exactly(n) = op.kind.row().arity {
            if op.args.len() != n {
                self.error(op.span, format!("`{name}` takes {n} operands, not {}", op.args.len()));
            }
        }
        let terminators: &[OpKind] = match op.kind {
            OpKind::If => &[OpKind::Yield, OpKind::Yield],
            OpKind::For { .. } => &[OpKind::Yield],
            OpKind::While => &[OpKind::Condition, OpKind::Yield],
            _ => &[],
        };
        if op.regions.len() != terminators.len() {
            let (n, m) = (terminators.len(), op.regions.len());
            self.error(op.span, format!("`{name}` has {n} regions, not {m}"));
        }
        for (region, want) in op.regions.iter().zip(terminators) {
            self.region(region, op.span);
            let ends = region.ops.last().and_then(|t| func.ops.get(t.0 as usize));
            if ends.map(|t| &t.kind) != Some(want) {
                let want = want.row().name;
                self.error(op.span, format!("a region of `{name}` does not end in `{want}`"));
            }
        }
    }
}
