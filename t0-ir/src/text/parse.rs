//! Parsing the text form.

use std::collections::HashMap;

use super::AttrSource;
use crate::build::Builder;
use crate::check::{Bound, Site};
use crate::diag::{Diag, Diags};
use crate::eval::{mask, round};
use crate::func::{Access, Func, LdsAlloc, Param, ParamKind, Region, Span, Value};
use crate::op::OpKind;
use crate::ty::{Role, Scalar, TileTy, Ty};

/// Reads a function from text. Only its form is checked: the verifier judges the rest.
///
/// # Errors
/// The first thing that is not as it should be; its span is the place in `text` (file 0).
pub fn parse(text: &str) -> Result<Func, Diags> {
    let tokens = lex(text)?;
    let mut p = Parser { tokens, at: 0 };
    Ok(p.function()?)
}

#[derive(Clone, Debug, PartialEq)]
enum Tok {
    /// Letters, digits, `_`, `.`, `-`, `+`: names, types and numbers.
    Word(String),
    Str(String),
    /// `%number` or `%name.number`.
    Value(Option<String>, u32),
    Sign(char),
    End,
}

impl Tok {
    fn show(&self) -> String {
        match self {
            Tok::Word(w) => format!("`{w}`"),
            Tok::Str(s) => format!("{s:?}"),
            Tok::Value(_, n) => format!("`%{n}`"),
            Tok::Sign(c) => format!("`{c}`"),
            Tok::End => "the end".into(),
        }
    }
}

type Tokens = Vec<(Tok, Span)>;

struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    span: Span,
}

fn lex(text: &str) -> Result<Tokens, Diag> {
    let mut lexer = Lexer {
        rest: text.chars().peekable(),
        span: Span {
            file: 0,
            line: 1,
            column: 1,
        },
    };
    let mut out = Vec::new();
    loop {
        let (tok, span) = lexer.token()?;
        let end = tok == Tok::End;
        out.push((tok, span));
        if end {
            return Ok(out);
        }
    }
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.span.line += 1;
            self.span.column = 1;
        } else {
            self.span.column += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(&c) = self.rest.peek().filter(|c| keep(**c)) {
            word.push(c);
            self.next();
        }
        word
    }

    fn token(&mut self) -> Result<(Tok, Span), Diag> {
        loop {
            let span = self.span;
            let Some(&c) = self.rest.peek() else {
                return Ok((Tok::End, span));
            };
            let tok = match c {
                c if c.is_whitespace() => {
                    self.next();
                    continue;
                }
                '/' => {
                    self.take_while(|c| c != '\n');
                    continue;
                }
                '%' => {
                    self.next();
                    self.value(span)?
                }
                '"' => {
                    self.next();
                    Tok::Str(self.string(span)?)
                }
                c if is_word(c) => Tok::Word(self.take_while(is_word)),
                c => {
                    self.next();
                    Tok::Sign(c)
                }
            };
            return Ok((tok, span));
        }
    }

    fn value(&mut self, span: Span) -> Result<Tok, Diag> {
        let bad = || Diag::new(span, "a value is written `%number` or `%name.number`");
        if self.rest.peek() == Some(&'"') {
            self.next();
            let name = self.string(span)?;
            let number = self.take_while(is_word);
            let number = number.strip_prefix('.').and_then(|n| n.parse().ok());
            return number.map(|n| Tok::Value(Some(name), n)).ok_or_else(bad);
        }
        let word = self.take_while(is_word);
        let (name, number) = match word.rsplit_once('.') {
            Some((name, number)) => (Some(name.to_string()), number),
            None => (None, word.as_str()),
        };
        number.parse().map(|n| Tok::Value(name, n)).map_err(|_| bad())
    }

    fn string(&mut self, span: Span) -> Result<String, Diag> {
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(Diag::new(span, "a string is not closed")),
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape(span)?),
                Some(c) => text.push(c),
            }
        }
    }

    /// The escapes of Rust's `{:?}`.
    fn escape(&mut self, span: Span) -> Result<char, Diag> {
        let bad = || Diag::new(span, "a string has an escape that is not one of Rust's");
        match self.next() {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('0') => Ok('\0'),
            Some(c @ ('\\' | '"' | '\'')) => Ok(c),
            Some('u') => {
                self.next();
                let hex = self.take_while(|c| c.is_ascii_hexdigit());
                self.next();
                let code = u32::from_str_radix(&hex, 16).ok();
                code.and_then(char::from_u32).ok_or_else(bad)
            }
            _ => Err(bad()),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '+')
}

struct Parser {
    tokens: Tokens,
    at: usize,
}

/// The function under construction and which value each number in the text is.
struct Body {
    b: Builder,
    values: HashMap<u32, Value>,
}

/// A value's definition: number, name, type.
type Def = (u32, Option<String>, Ty);

/// Attributes in brackets, and the constant after a `const`.
struct Attrs {
    items: Vec<(String, Option<u32>)>,
    constant: Option<(Scalar, u64)>,
}

impl AttrSource for Attrs {
    fn number(&mut self, key: &str) -> Option<u32> {
        let i = self.items.iter().position(|(k, n)| k == key && n.is_some())?;
        self.items.remove(i).1
    }

    fn word(&mut self, word: &str) -> bool {
        let i = self.items.iter().position(|(k, n)| k == word && n.is_none());
        i.map(|i| self.items.remove(i)).is_some()
    }

    fn constant(&mut self) -> Option<(Scalar, u64)> {
        self.constant
    }
}

impl Parser {
    fn peek(&self) -> &Tok {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn next(&mut self) -> Tok {
        let tok = self.peek().clone();
        if tok != Tok::End {
            self.at += 1;
        }
        tok
    }

    fn fail<T>(&self, want: &str) -> Result<T, Diag> {
        Err(Diag::new(
            self.span(),
            format!("expected {want}, found {}", self.peek().show()),
        ))
    }

    fn sign(&mut self, c: char) -> Result<(), Diag> {
        if *self.peek() == Tok::Sign(c) {
            self.next();
            return Ok(());
        }
        self.fail(&format!("`{c}`"))
    }

    fn is_sign(&mut self, c: char) -> bool {
        let yes = *self.peek() == Tok::Sign(c);
        if yes {
            self.next();
        }
        yes
    }

    fn is_word(&mut self, word: &str) -> bool {
        let yes = matches!(self.peek(), Tok::Word(w) if w == word);
        if yes {
            self.next();
        }
        yes
    }

    fn keyword(&mut self, word: &str) -> Result<(), Diag> {
        if self.is_word(word) {
            return Ok(());
        }
        self.fail(&format!("`{word}`"))
    }

    fn word(&mut self, what: &str) -> Result<String, Diag> {
        match self.peek().clone() {
            Tok::Word(w) => {
                self.next();
                Ok(w)
            }
            _ => self.fail(what),
        }
    }

    fn name(&mut self) -> Result<String, Diag> {
        match self.peek().clone() {
            Tok::Word(s) | Tok::Str(s) => {
                self.next();
                Ok(s)
            }
            _ => self.fail("a name"),
        }
    }

    fn number(&mut self) -> Result<u32, Diag> {
        match self.peek().clone() {
            Tok::Word(w) if w.parse::<u32>().is_ok() => {
                self.next();
                w.parse().or_else(|_| self.fail("a number"))
            }
            _ => self.fail("a number"),
        }
    }

    fn scalar(&mut self) -> Result<Scalar, Diag> {
        let found = match self.peek() {
            Tok::Word(w) => Scalar::ALL.into_iter().find(|s| s.name() == w),
            _ => None,
        };
        match found {
            Some(s) => {
                self.next();
                Ok(s)
            }
            None => self.fail("an element type"),
        }
    }

    fn ty(&mut self) -> Result<Ty, Diag> {
        let start = self.at;
        let word = self.word("a type")?;
        if let Some(s) = Scalar::ALL.into_iter().find(|s| s.name() == word) {
            return Ok(Ty::Scalar(s));
        }
        if let Some((s, n)) = word.rsplit_once('x') {
            let s = Scalar::ALL.into_iter().find(|e| e.name() == s);
            if let (Some(s), Ok(n)) = (s, n.parse()) {
                return Ok(Ty::Vec(s, n));
            }
        }
        if !matches!(&*word, "frag" | "acc" | "buf" | "staged" | "ldstile") {
            self.at = start;
            return self.fail("a type");
        }
        self.sign('<')?;
        let elem = self.scalar()?;
        let ty = match &*word {
            "frag" => Ty::Frag(Role::Input, elem),
            "acc" => Ty::Frag(Role::Acc, elem),
            "buf" => Ty::Buffer(elem),
            _ => {
                let shape = self.word("rows x columns")?;
                let dims = shape.split_once('x').map(|(r, c)| (r.parse(), c.parse()));
                let Some((Ok(rows), Ok(cols))) = dims else {
                    self.at -= 1;
                    return self.fail("a shape like `128x32`");
                };
                let t = TileTy { elem, rows, cols };
                if word == "staged" {
                    Ty::Staged(t)
                } else {
                    Ty::LdsTile(t)
                }
            }
        };
        self.sign('>')?;
        Ok(ty)
    }

    fn function(&mut self) -> Result<Func, Diag> {
        self.keyword("kernel")?;
        let name = self.name()?;
        self.keyword("group")?;
        let group = self.number()?;
        let mut func = Func::new(name, group, Vec::new());
        func.span = self.source_place()?;
        while self.is_word("param") {
            let param = self.param()?;
            func.params.push(param);
        }
        while self.is_word("file") {
            match self.next() {
                Tok::Str(s) => func.files.push(s),
                _ => return self.fail("a file name in quotes"),
            }
        }
        while self.is_word("lds") {
            let alloc = self.lds()?;
            func.new_lds(alloc);
        }
        while self.is_word("site") {
            let site = self.site()?;
            func.sites.push(site);
        }
        self.keyword("body")?;
        let mut body = Body {
            b: Builder::new(func),
            values: HashMap::new(),
        };
        let span = self.span();
        let defs = self.defs()?;
        let mut args = Vec::new();
        for (number, name, ty) in defs {
            let v = body.b.func_mut().new_value(ty, name);
            body.define(number, v, span)?;
            args.push(v);
        }
        self.sign('{')?;
        while !self.is_sign('}') {
            self.operation(&mut body)?;
        }
        if *self.peek() != Tok::End {
            return self.fail("the end");
        }
        let mut func = body.b.finish();
        func.body.args = args;
        Ok(func)
    }

    fn param(&mut self) -> Result<Param, Diag> {
        let name = self.name()?;
        let kind = if self.is_word("slice") {
            ParamKind::Slice(self.scalar()?, self.access()?)
        } else if self.is_word("mat") {
            ParamKind::Mat(self.scalar()?, self.access()?)
        } else {
            ParamKind::Scalar(self.scalar()?)
        };
        Ok(Param { name, kind })
    }

    fn access(&mut self) -> Result<Access, Diag> {
        for (word, access) in [
            ("read", Access::Read),
            ("write", Access::Write),
            ("atomic", Access::Atomic),
        ] {
            if self.is_word(word) {
                return Ok(access);
            }
        }
        self.fail("`read`, `write` or `atomic`")
    }

    fn lds(&mut self) -> Result<LdsAlloc, Diag> {
        let name = self.name()?;
        let bytes = self.number()?;
        self.keyword("align")?;
        let align = self.number()?;
        self.keyword("slots")?;
        let slots = self.number()?;
        let elem = match self.is_word("of") {
            true => Some(self.scalar()?),
            false => None,
        };
        let tile = self.is_word("tile");
        let swizzled = self.is_word("swizzled");
        Ok(LdsAlloc {
            name,
            bytes,
            align,
            slots,
            elem,
            tile,
            swizzled,
        })
    }

    fn site(&mut self) -> Result<Site, Diag> {
        let of = self.name()?;
        let word = self.word("what the index is compared with")?;
        let Some(bound) = Bound::ALL.into_iter().find(|b| b.name() == word) else {
            self.at -= 1;
            return self.fail("what the index is compared with");
        };
        let span = self.source_place()?;
        Ok(Site { span, of, bound })
    }

    /// Zero or more definitions `%1:f32, %2:u32`.
    fn defs(&mut self) -> Result<Vec<Def>, Diag> {
        let mut out = Vec::new();
        while let Tok::Value(name, number) = self.peek().clone() {
            self.next();
            self.sign(':')?;
            out.push((number, name, self.ty()?));
            if !self.is_sign(',') {
                break;
            }
        }
        Ok(out)
    }

    fn operation(&mut self, body: &mut Body) -> Result<(), Diag> {
        let start = self.span();
        let results = self.defs()?;
        if !results.is_empty() {
            self.sign('=')?;
        }
        let (kind, args) = self.kind_and_args(body, &results)?;
        let mut regions = Vec::new();
        while *self.peek() == Tok::Sign('{') {
            regions.push(self.region(body)?);
        }
        let span = self.source_place()?;
        body.b.set_span(span);
        let tys: Vec<Ty> = results.iter().map(|r| r.2).collect();
        let values = body.b.emit(kind, &args, &tys, regions);
        for ((number, name, _), v) in results.into_iter().zip(values) {
            body.b.func_mut().values[v.0 as usize].name = name;
            body.define(number, v, start)?;
        }
        Ok(())
    }

    fn kind_and_args(&mut self, body: &Body, results: &[Def]) -> Result<(OpKind, Vec<Value>), Diag> {
        let span = self.span();
        let name = self.word("an operation")?;
        let mut attrs = self.attrs()?;
        if name == "const" {
            let ty = results.first().and_then(|r| r.2.scalar());
            let Some(ty) = ty else {
                return Err(Diag::new(span, "a `const` gives one scalar"));
            };
            attrs.constant = Some((ty, self.constant(ty)?));
        }
        let kind = match OpKind::from_text(&name, &mut attrs) {
            Ok(None) => return Err(Diag::new(span, format!("there is no operation `{name}`"))),
            Err(attr) => return Err(Diag::new(span, format!("`{name}` needs its `{attr}` in brackets"))),
            Ok(Some(kind)) => kind,
        };
        if let Some((key, _)) = attrs.items.first() {
            return Err(Diag::new(span, format!("`{name}` has no attribute `{key}`")));
        }
        let mut args = Vec::new();
        while let Tok::Value(_, number) = *self.peek() {
            if self.tokens[self.at + 1].0 == Tok::Sign(':') {
                break; // the next operation's result
            }
            match body.values.get(&number) {
                Some(&v) => args.push(v),
                None => return Err(Diag::new(self.span(), format!("%{number} is not defined before this"))),
            }
            self.next();
            if !self.is_sign(',') {
                break;
            }
        }
        Ok((kind, args))
    }

    fn attrs(&mut self) -> Result<Attrs, Diag> {
        let mut items = Vec::new();
        if self.is_sign('[') {
            loop {
                let key = self.word("an attribute")?;
                let number = match self.peek() {
                    Tok::Word(_) => Some(self.number()?),
                    _ => None,
                };
                items.push((key, number));
                if !self.is_sign(',') {
                    break;
                }
            }
            self.sign(']')?;
        }
        Ok(Attrs { items, constant: None })
    }

    fn constant(&mut self, ty: Scalar) -> Result<u64, Diag> {
        let at = self.at;
        let word = self.word("a number")?;
        let bits = if let Some(hex) = word.strip_prefix("0x") {
            u64::from_str_radix(hex, 16).ok()
        } else if ty == Scalar::Bool {
            match &*word {
                "true" => Some(1),
                "false" => Some(0),
                _ => None,
            }
        } else if ty == Scalar::F64 {
            word.parse().ok().map(|x| round(ty, x).bits)
        } else if ty.is_float() {
            word.parse::<f32>().ok().map(|x| round(ty, f64::from(x)).bits)
        } else {
            let fits = |n: &i128| crate::eval::Const::new(ty, *n as u64).int() == *n;
            word.parse().ok().filter(fits).map(|n: i128| n as u64 & mask(ty))
        };
        match bits.filter(|b| b & !mask(ty) == 0) {
            Some(bits) => Ok(bits),
            None => {
                self.at = at;
                self.fail(&format!("a constant of type {ty}"))
            }
        }
    }

    fn region(&mut self, body: &mut Body) -> Result<Region, Diag> {
        self.sign('{')?;
        let span = self.span();
        // Region arguments end where an operation starts: definitions followed by `=` belong to the first operation.
        let start = self.at;
        let mut defs = self.defs()?;
        if *self.peek() == Tok::Sign('=') {
            self.at = start;
            defs = Vec::new();
        }
        let tys: Vec<Ty> = defs.iter().map(|d| d.2).collect();
        let args = body.b.begin_region(&tys);
        for ((number, name, _), v) in defs.into_iter().zip(args) {
            body.b.func_mut().values[v.0 as usize].name = name;
            body.define(number, v, span)?;
        }
        loop {
            let span = self.span();
            let end = matches!(self.peek(), Tok::Word(w) if w == "yield" || w == "condition");
            if *self.peek() == Tok::Sign('}') {
                return Err(Diag::new(span, "a region ends in `yield` or `condition`"));
            }
            if !end {
                self.operation(body)?;
                continue;
            }
            let (kind, args) = self.kind_and_args(body, &[])?;
            let place = self.source_place()?;
            body.b.set_span(place);
            let region = body.b.end_region(kind, &args);
            self.sign('}')?;
            return Ok(region);
        }
    }

    fn source_place(&mut self) -> Result<Span, Diag> {
        if !self.is_sign('@') {
            return Ok(Span::default());
        }
        let file = self.number()?;
        self.sign(':')?;
        let line = self.number()?;
        self.sign(':')?;
        let column = self.number()?;
        Ok(Span { file, line, column })
    }
}

impl Body {
    fn define(&mut self, number: u32, v: Value, span: Span) -> Result<(), Diag> {
        match self.values.insert(number, v) {
            None => Ok(()),
            Some(_) => Err(Diag::new(span, format!("%{number} is defined twice"))),
        }
    }
}
