//! Building IR: an insertion point, result types from the operation's row, and structured control flow from closures.

use crate::func::{Func, Op, Region, Span, Value};
use crate::op::{LoopHints, OpKind, ResultRule};
use crate::ty::{Scalar, Ty};

/// Appends operations to the innermost open region of a function.
///
/// The builder does not check what it builds: the verifier does.
#[derive(Debug)]
pub struct Builder {
    func: Func,
    open: Vec<Region>,
    span: Span,
}

impl Builder {
    /// Builds at the end of the body of `func`.
    pub fn new(mut func: Func) -> Builder {
        let body = std::mem::take(&mut func.body);
        Builder {
            func,
            open: vec![body],
            span: Span::default(),
        }
    }

    /// The finished function.
    ///
    /// # Panics
    /// If a region is still open: a bug of the caller.
    pub fn finish(mut self) -> Func {
        assert_eq!(self.open.len(), 1, "builder: {} regions left open", self.open.len() - 1);
        self.func.body = self.open.remove(0);
        self.func
    }

    /// The function under construction.
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// The function under construction, to add allocations, files and names.
    pub fn func_mut(&mut self) -> &mut Func {
        &mut self.func
    }

    /// The source place of the operations built from now on.
    pub fn set_span(&mut self, span: Span) {
        self.span = span;
    }

    /// The current source place.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Appends an operation with the given result types.
    pub fn emit(&mut self, kind: OpKind, args: &[Value], results: &[Ty], regions: Vec<Region>) -> Vec<Value> {
        self.append(kind, args.to_vec(), results, regions).to_vec()
    }

    /// [`Builder::emit`] without copies: takes the operands over and lends the results.
    pub(crate) fn append(&mut self, kind: OpKind, args: Vec<Value>, results: &[Ty], regions: Vec<Region>) -> &[Value] {
        let id = self.func.new_op(kind, args, results, regions, self.span);
        self.region().ops.push(id);
        &self.func.op(id).results
    }

    /// Appends an existing operation's copy with other operands and fresh results (its regions are taken over).
    pub fn emit_like(&mut self, op: &Op, args: &[Value]) -> Vec<Value> {
        let tys: Vec<Ty> = op.results.iter().map(|&r| self.func.ty(r)).collect();
        let saved = std::mem::replace(&mut self.span, op.span);
        let out = self.emit(op.kind.clone(), args, &tys, op.regions.clone());
        self.span = saved;
        out
    }

    /// Appends an operation without result.
    pub fn op0(&mut self, kind: OpKind, args: &[Value]) {
        self.append(kind, args.to_vec(), &[], Vec::new());
    }

    /// Appends an operation whose row gives its single result's type.
    ///
    /// # Panics
    /// If the row does not (`Given` or none): a bug of the caller.
    pub fn op1(&mut self, kind: OpKind, args: &[Value]) -> Value {
        let ty = match kind.row().result {
            ResultRule::Operand(n) => self.func.ty(args[n]),
            ResultRule::Always(t) => t,
            ResultRule::Elem => Ty::Scalar(self.func.ty(args[0]).elem()),
            rule => panic!("builder: {} has result rule {rule:?}", kind.row().name),
        };
        self.append(kind, args.to_vec(), &[ty], Vec::new())[0]
    }

    /// Appends an operation with a single result of the given type.
    pub fn op1_as(&mut self, kind: OpKind, args: &[Value], ty: Ty) -> Value {
        self.append(kind, args.to_vec(), &[ty], Vec::new())[0]
    }

    /// A scalar constant from its bits.
    pub fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        self.op1_as(OpKind::Const { ty, bits }, &[], Ty::Scalar(ty))
    }

    /// A `u32` constant.
    pub fn u32(&mut self, n: u32) -> Value {
        self.constant(Scalar::U32, u64::from(n))
    }

    /// An `f32` constant.
    pub fn f32(&mut self, x: f32) -> Value {
        self.constant(Scalar::F32, u64::from(x.to_bits()))
    }

    /// Opens a region with arguments of the given types; operations go there until [`Builder::end_region`].
    pub fn begin_region(&mut self, args: &[Ty]) -> Vec<Value> {
        let args: Vec<Value> = args.iter().map(|&t| self.func.new_value(t, None)).collect();
        self.open.push(Region {
            args: args.clone(),
            ops: Vec::new(),
        });
        args
    }

    /// Ends the innermost region with a terminator (`Yield` or `Condition`) and hands it out.
    ///
    /// # Panics
    /// If only the body is open: a bug of the caller.
    pub fn end_region(&mut self, terminator: OpKind, args: &[Value]) -> Region {
        self.op0(terminator, args);
        assert!(self.open.len() > 1, "builder: end_region without begin_region");
        self.open.pop().unwrap_or_default()
    }

    /// `if cond { then } else { otherwise }`; both closures return as many values as `results` has types.
    pub fn if_(
        &mut self,
        cond: Value,
        results: &[Ty],
        then: impl FnOnce(&mut Builder) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Builder) -> Vec<Value>,
    ) -> Vec<Value> {
        self.begin_region(&[]);
        let y = then(self);
        let then = self.end_region(OpKind::Yield, &y);
        self.begin_region(&[]);
        let y = otherwise(self);
        let otherwise = self.end_region(OpKind::Yield, &y);
        self.emit(OpKind::If, &[cond], results, vec![then, otherwise])
    }

    /// `for i in (lo..hi).step_by(step)` with carried values; the closure gets `i` and the carried values and returns the next ones.
    pub fn for_(
        &mut self,
        bounds: [Value; 3],
        hints: LoopHints,
        init: &[Value],
        body: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let tys: Vec<Ty> = init.iter().map(|&v| self.func.ty(v)).collect();
        let mut arg_tys = vec![self.func.ty(bounds[0])];
        arg_tys.extend(&tys);
        let args = self.begin_region(&arg_tys);
        let next = body(self, args[0], &args[1..]);
        let region = self.end_region(OpKind::Yield, &next);
        let mut ops = bounds.to_vec();
        ops.extend(init);
        self.emit(OpKind::For { hints }, &ops, &tys, vec![region])
    }

    /// `while`: `cond` gets the carried values and returns the condition and the values passed on; `body` gets those and returns the next ones.
    pub fn while_(
        &mut self,
        init: &[Value],
        cond: impl FnOnce(&mut Builder, &[Value]) -> (Value, Vec<Value>),
        body: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let tys: Vec<Ty> = init.iter().map(|&v| self.func.ty(v)).collect();
        let args = self.begin_region(&tys);
        let (c, passed) = cond(self, &args);
        let mut terminator = vec![c];
        terminator.extend(passed);
        let before = self.end_region(OpKind::Condition, &terminator);
        let args = self.begin_region(&tys);
        let next = body(self, &args);
        let after = self.end_region(OpKind::Yield, &next);
        self.emit(OpKind::While, init, &tys, vec![before, after])
    }

    fn region(&mut self) -> &mut Region {
        let last = self.open.len() - 1; // the body is always open
        &mut self.open[last]
    }
}
