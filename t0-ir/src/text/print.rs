//! Printing a function.

use std::fmt::Write;

use crate::eval::Const;
use crate::func::{Access, Func, OpId, ParamKind, Region, Span, Value};
use crate::op::OpKind;
use crate::ty::Scalar;

/// A function as text.
pub fn print(func: &Func) -> String {
    let mut out = String::new();
    header(&mut out, func);
    let args: Vec<String> = func.body.args.iter().map(|&v| definition(func, v)).collect();
    line(&mut out, format_args!("body {}{{", list(&args)));
    operations(&mut out, func, &func.body, 1);
    line(&mut out, format_args!("}}"));
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

fn header(out: &mut String, func: &Func) {
    let place = span(func.span);
    line(
        out,
        format_args!("kernel {} group {}{place}", word(&func.name), func.group),
    );
    for p in &func.params {
        let kind = match p.kind {
            ParamKind::Scalar(s) => s.to_string(),
            ParamKind::Slice(s, a) => format!("slice {s} {}", access(a)),
            ParamKind::Mat(s, a) => format!("mat {s} {}", access(a)),
        };
        line(out, format_args!("param {} {kind}", word(&p.name)));
    }
    for f in &func.files {
        line(out, format_args!("file {f:?}"));
    }
    for a in &func.lds {
        let tile = match (a.tile, a.swizzled) {
            (true, true) => " tile swizzled",
            (true, false) => " tile",
            (false, true) => " swizzled",
            (false, false) => "",
        };
        let elem = a.elem.map_or(String::new(), |e| format!(" of {e}"));
        let (bytes, align, slots) = (a.bytes, a.align, a.slots);
        line(
            out,
            format_args!("lds {:?} {bytes} align {align} slots {slots}{elem}{tile}", a.name),
        );
    }
    for s in &func.sites {
        line(out, format_args!("site {:?} {}{}", s.of, s.bound.name(), span(s.span)));
    }
}

fn access(a: Access) -> &'static str {
    match a {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic",
    }
}

/// A name as it is if it is a plain word, else in quotes.
fn word(name: &str) -> String {
    if plain(name) {
        name.to_string()
    } else {
        format!("{name:?}")
    }
}

pub(super) fn plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

fn list(items: &[String]) -> String {
    let mut text = items.join(", ");
    if !text.is_empty() {
        text.push(' ');
    }
    text
}

fn value(func: &Func, v: Value) -> String {
    match func.values.get(v.0 as usize).and_then(|i| i.name.as_deref()) {
        Some(name) => format!("%{}.{}", word(name), v.0),
        None => format!("%{}", v.0),
    }
}

fn definition(func: &Func, v: Value) -> String {
    format!("{}:{}", value(func, v), func.ty(v))
}

fn operations(out: &mut String, func: &Func, region: &Region, depth: usize) {
    for &id in &region.ops {
        operation(out, func, id, depth);
    }
}

fn operation(out: &mut String, func: &Func, id: OpId, depth: usize) {
    let op = func.op(id);
    let indent = "  ".repeat(depth);
    let results: Vec<String> = op.results.iter().map(|&v| definition(func, v)).collect();
    let mut text = list(&results);
    if !text.is_empty() {
        text.push_str("= ");
    }
    text.push_str(op.kind.row().name);
    let attrs = op.kind.attrs();
    if !attrs.is_empty() {
        let _ = write!(text, "[{}]", attrs.join(", "));
    }
    if let OpKind::Const { ty, bits } = op.kind {
        let _ = write!(text, " {}", print_const(Const { ty, bits }));
    }
    let args: Vec<String> = op.args.iter().map(|&v| value(func, v)).collect();
    if !args.is_empty() {
        text.push(' ');
        text.push_str(&args.join(", "));
    }
    let span = span(op.span);
    if op.regions.is_empty() {
        line(out, format_args!("{indent}{text}{span}"));
        return;
    }
    for (i, r) in op.regions.iter().enumerate() {
        let head = if i == 0 { format!("{text} ") } else { String::new() };
        let args: Vec<String> = r.args.iter().map(|&v| definition(func, v)).collect();
        let args = if args.is_empty() {
            String::new()
        } else {
            format!(" {}", args.join(", "))
        };
        let open = if i == 0 { indent.as_str() } else { "" };
        line(out, format_args!("{open}{head}{{{args}"));
        operations(out, func, r, depth + 1);
        let _ = write!(out, "{indent}}}");
        out.push_str(if i + 1 < op.regions.len() { " " } else { "" });
    }
    line(out, format_args!("{span}"));
}

fn span(s: Span) -> String {
    if s == Span::default() {
        String::new()
    } else {
        format!(" @{}:{}:{}", s.file, s.line, s.column)
    }
}

/// A constant as the text form writes it: a decimal number that reads back to the same bits, or the bits as `0x…` (NaN).
pub fn print_const(c: Const) -> String {
    match c.ty {
        Scalar::Bool => (c.bits != 0).to_string(),
        t if !t.is_float() => c.int().to_string(),
        _ if c.is_nan() => format!("{:#x}", c.bits),
        Scalar::F64 => format!("{:?}", c.float()),
        _ => format!("{:?}", c.float() as f32),
    }
}
