//! Random functions of the kernel language, as text. They are ordinary Rust as well, and mean the same: sums wrap by name, divisors are
//! not 0, shifts stay below the width, floats stay numbers.

/// Pseudo-random numbers.
struct Rng(t0::ir::testing::Rng);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.0.one_in(n)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    U32,
    I32,
    U16,
    U8,
    U64,
    F32,
    Bool,
}

use Ty::{Bool, F32, I32, U16, U32, U64, U8};

impl Ty {
    fn name(self) -> &'static str {
        ["u32", "i32", "u16", "u8", "u64", "f32", "bool"][self as usize]
    }
    fn bits(self) -> usize {
        [32, 32, 16, 8, 64, 32, 1][self as usize]
    }
}

/// Types of variables, the frequent ones more than once.
const TYPES: [Ty; 10] = [U32, U32, U32, I32, I32, U16, U8, U64, F32, Bool];

struct Var {
    name: String,
    ty: Ty,
    /// May be assigned.
    mutable: bool,
}

struct Gen {
    rng: Rng,
    vars: Vec<Var>,
    next: usize,
    out: String,
    indent: usize,
    loops: usize,
}

/// The body of a function of `a: u32` and `b: u32` that returns a `u32`: some statements, and all there is mixed.
pub fn body(seed: u64, statements: usize) -> String {
    let var = |name: &str| Var {
        name: name.into(),
        ty: U32,
        mutable: false,
    };
    let mut g = Gen {
        rng: Rng(t0::ir::testing::Rng::new(seed)),
        vars: vec![var("a"), var("b")],
        next: 0,
        out: String::new(),
        indent: 2,
        loops: 0,
    };
    for _ in 0..statements {
        g.statement(0);
    }
    let mut result = String::from("0u32");
    for k in 0..g.vars.len() {
        let name = g.vars[k].name.clone();
        let bits = match g.vars[k].ty {
            F32 => format!("{name}.to_bits()"),
            U64 => format!("({name} ^ ({name} >> 32)) as u32"),
            U32 => name,
            _ => format!("{name} as u32"),
        };
        result = format!("{result}.wrapping_mul(31).wrapping_add({bits})");
    }
    g.line(&result);
    g.out
}

impl Gen {
    fn line(&mut self, text: &str) {
        self.out += &"    ".repeat(self.indent);
        self.out += text;
        self.out.push('\n');
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.below(all.len())]
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn declare(&mut self, ty: Ty, mutable: bool, value: &str) {
        let name = self.fresh();
        let m = if mutable { "mut " } else { "" };
        self.line(&format!("let {m}{name}: {} = {value};", ty.name()));
        self.vars.push(Var { name, ty, mutable });
    }

    /// Statements in braces; what they declare ends with them.
    fn block(&mut self, depth: usize, head: &str) {
        self.line(head);
        self.indent += 1;
        let outer = self.vars.len();
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth + 1);
        }
        self.vars.truncate(outer);
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        let nest = depth < 3;
        match self.rng.below(14) {
            0 if nest => {
                let c = self.expr(Bool, 2);
                self.block(depth, &format!("if {c} {{"));
                if self.rng.one_in(2) {
                    self.block(depth, "} else {");
                }
                self.line("}");
            }
            1 if nest => self.for_(depth),
            2 if nest => self.while_(depth),
            3 if nest => self.match_(depth),
            4 => self.array(),
            5 if self.loops > 0 => {
                let (c, how) = (self.expr(Bool, 1), self.pick(&["break", "continue"]));
                self.line(&format!("if {c} {{ {how}; }}"));
            }
            6 if self.rng.one_in(3) => {
                let (c, e) = (self.expr(Bool, 1), self.expr(U32, 2));
                self.line(&format!("if {c} {{ return {e}; }}"));
            }
            7 => {
                let e = self.expr(U32, 2);
                match self.assigned(U32) {
                    Some(name) => {
                        let by = self.fresh();
                        self.line(&format!("let {by}: u32 = {e};"));
                        self.line(&format!("bump(&mut {name}, {by});"));
                    }
                    None => self.declare(U32, true, &e),
                }
            }
            8..=10 => self.assign(),
            _ => {
                let ty = self.pick(&TYPES);
                let (e, mutable) = (self.expr(ty, 3), !self.rng.one_in(3));
                self.declare(ty, mutable, &e);
            }
        }
    }

    fn assigned(&mut self, ty: Ty) -> Option<String> {
        let all: Vec<String> = self
            .vars
            .iter()
            .filter(|v| v.ty == ty && v.mutable)
            .map(|v| v.name.clone())
            .collect();
        (!all.is_empty()).then(|| all[self.rng.below(all.len())].clone())
    }

    fn assign(&mut self) {
        let ty = self.pick(&TYPES);
        let e = self.expr(ty, 3);
        match self.assigned(ty) {
            Some(name) if ty != F32 && ty != Bool && self.rng.one_in(2) => {
                let op = self.pick(&["^", "|", "&"]);
                self.line(&format!("{name} {op}= {e};"));
            }
            Some(name) => self.line(&format!("{name} = {e};")),
            None => self.declare(ty, true, &e),
        }
    }

    fn for_(&mut self, depth: usize) {
        let hi = match self.rng.below(3) {
            0 => format!("{}", self.rng.below(7)),
            _ => format!("({} & 7)", self.expr(U32, 1)),
        };
        let (name, lo) = (self.fresh(), self.rng.below(3));
        let how = match self.rng.below(4) {
            0 => format!("({lo}u32..{hi}).rev()"),
            1 => format!("({lo}u32..{hi}).step_by({})", 1 + self.rng.below(3)),
            _ => format!("{lo}u32..{hi}"),
        };
        self.vars.push(Var {
            name: name.clone(),
            ty: U32,
            mutable: false,
        });
        self.loops += 1;
        self.block(depth, &format!("for {name} in {how} {{"));
        self.loops -= 1;
        self.vars.pop();
        self.line("}");
    }

    fn while_(&mut self, depth: usize) {
        let name = self.fresh();
        let c = self.expr(Bool, 1);
        self.line(&format!("let mut {name}: u32 = 0;"));
        self.loops += 1;
        // Nothing else counts, so that it ends.
        let head = format!("while {name} < {} && {c} {{", 1 + self.rng.below(6));
        let count = format!("{}{name} += 1;", "    ".repeat(self.indent + 1));
        self.block(depth, &format!("{head}\n{count}"));
        self.loops -= 1;
        self.line("}");
    }

    fn match_(&mut self, depth: usize) {
        let e = self.expr(U32, 1);
        self.line(&format!("match {e} & 3 {{"));
        self.indent += 1;
        for arm in ["0 => {", "1 | 2 => {", "_ => {"] {
            self.block(depth, arm);
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
    }

    fn array(&mut self) {
        let ty = self.pick(&[U32, I32, U8, F32]);
        let all: Vec<String> = (0..4).map(|_| self.expr(ty, 1)).collect();
        let name = self.fresh();
        self.line(&format!("let mut {name}: [{}; 4] = [{}];", ty.name(), all.join(", ")));
        let (at, e) = (self.expr(U32, 1), self.expr(ty, 1));
        self.line(&format!("{name}[({at} & 3) as usize] = {e};"));
        let at = self.expr(U32, 1);
        self.declare(ty, false, &format!("{name}[({at} & 3) as usize]"));
    }

    fn literal(&mut self, ty: Ty) -> String {
        match ty {
            Bool => self.pick(&["true", "false"]).into(),
            F32 => self
                .pick(&["0.0f32", "1.0f32", "(-2.5f32)", "0.1f32", "1000.0f32", "3.0e-5f32"])
                .into(),
            I32 => self
                .pick(&[
                    "0i32",
                    "1i32",
                    "(-1i32)",
                    "7i32",
                    "(-100i32)",
                    "2147483647i32",
                    "65536i32",
                ])
                .into(),
            _ => {
                let small = self.pick(&["0", "1", "2", "3", "31", "100", "255"]);
                let large = self.pick(&["256", "1000", "65535"]);
                let n = if ty != U8 && self.rng.one_in(2) { large } else { small };
                format!("{n}{}", ty.name())
            }
        }
    }

    fn expr(&mut self, ty: Ty, depth: usize) -> String {
        let names: Vec<String> = self
            .vars
            .iter()
            .filter(|v| v.ty == ty)
            .map(|v| v.name.clone())
            .collect();
        if depth == 0 || self.rng.one_in(5) {
            return match names.len() {
                _ if self.rng.one_in(5) => self.literal(ty),
                0 => {
                    let from = self.pick(&["a", "b"]);
                    match ty {
                        Bool => format!("({from} > 100u32)"),
                        _ => format!("({from} as {})", ty.name()),
                    }
                }
                n => names[self.rng.below(n)].clone(),
            };
        }
        if self.rng.one_in(8) {
            let (c, x, y) = (
                self.expr(Bool, depth - 1),
                self.expr(ty, depth - 1),
                self.expr(ty, depth - 1),
            );
            return format!("(if {c} {{ {x} }} else {{ {y} }})");
        }
        match ty {
            Bool => self.condition(depth - 1),
            F32 => self.float(depth - 1),
            _ => self.integer(ty, depth - 1),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if self.rng.one_in(4) {
            let (x, y, op) = (
                self.expr(Bool, depth),
                self.expr(Bool, depth),
                self.pick(&["&&", "||", "^", "=="]),
            );
            return format!("({x} {op} {y})");
        }
        if self.rng.one_in(6) {
            return format!("!{}", self.expr(Bool, depth));
        }
        let (ty, op) = (
            self.pick(&[U32, I32, U16, U8, U64, F32]),
            self.pick(&["<", "<=", ">", ">=", "==", "!="]),
        );
        let (x, y) = (self.expr(ty, depth), self.expr(ty, depth));
        format!("({x} {op} {y})")
    }

    /// Never NaN or infinite: large numbers are cut off, divisors are at least 1.
    fn float(&mut self, depth: usize) -> String {
        let (x, y) = (self.expr(F32, depth), self.expr(F32, depth));
        let value = match self.rng.below(9) {
            0 => format!("({x} + {y})"),
            1 => format!("({x} - {y})"),
            2 => format!("({x} * {y})"),
            3 => format!("({x} / ({y} * {y} + 1.0f32))"),
            4 => format!("{x}.abs().sqrt()"),
            5 => format!("{x}.mul_add({y}, 0.5f32)"),
            6 => format!("{x}.floor()"),
            7 => return format!("({} as f32)", self.expr(I32, depth)),
            _ => return format!("(({} & 0xffff) as f32)", self.expr(U32, depth)),
        };
        format!("{value}.max(-1.0e9f32).min(1.0e9f32)")
    }

    fn integer(&mut self, ty: Ty, depth: usize) -> String {
        let (x, y) = (self.expr(ty, depth), self.expr(ty, depth));
        let name = ty.name();
        // Divisors are not 0; there is no code for 64-bit division.
        let divide = ty != U64;
        match self.rng.below(14) {
            0 => format!("{x}.wrapping_add({y})"),
            1 => format!("{x}.wrapping_sub({y})"),
            2 => format!("{x}.wrapping_mul({y})"),
            3 if divide => format!("{x}.wrapping_div({y} | 1)"),
            4 if divide => format!("{x}.wrapping_rem({y} | 1)"),
            5 if divide => {
                let d = self.pick(&["3", "7", "10", "48", "100"]);
                let op = self.pick(&["/", "%"]);
                format!("({x} {op} {d}{name})")
            }
            6 => {
                let (op, by) = (self.pick(&["<<", ">>"]), self.expr(U32, depth));
                format!("({x} {op} ({by} & {}))", ty.bits() - 1)
            }
            7 => format!("{x}.min({y})"),
            8 => format!("{x}.max({y})"),
            9 => {
                let from = self.pick(&[U32, I32, U16, U8, U64, F32, Bool]);
                format!("({} as {name})", self.expr(from, depth))
            }
            10 if ty == U32 => format!(
                "{x}.{}()",
                self.pick(&["count_ones", "leading_zeros", "trailing_zeros"])
            ),
            11 => format!("(!{x})"),
            _ => {
                let op = self.pick(&["&", "|", "^"]);
                format!("({x} {op} {y})")
            }
        }
    }
}
