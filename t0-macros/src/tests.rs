//! The macro never panics on any tokens, its output is always Rust, and it reports everything it refuses.
#![allow(clippy::unwrap_used)]

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::{device, kernel};

/// Functions of all kinds: kernels, ordinary Rust far outside the subset, odd corners of the grammar.
const CORPUS: &[&str] = &[
    "pub fn saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>) { for (i, y) in y { *y += a * x[i]; } }",
    "fn gemm<const BM: usize, const BN: usize>(a: &Mat<bf16>, c: &mut Groups<Tile<f32, BM, BN>>) { for (at, c) in c { \
     let mut acc = Acc::<f32, BM, BN>::zero(); #[pipeline(stages = 2)] for k in (0..a.cols()).step_by(32) { \
     let ta = Lds::load(a.tile::<BM, 32>(at.row, k)); #[unroll] for kk in (0..32).step_by(16) { \
     for (i, j, d) in acc.frags_mut() { *d = wmma(ta.frag(i, kk), ta.frag(j, kk), *d); } } } c.store(acc); } }",
    "fn f(x: &[f32], y: &mut Lanes<f32>) { 'outer: for (i, y) in y { let mut n = 0; loop { n += 1; if x[n] > 1.0 { continue 'outer; } \
     if n > i { break; } while n < 3 && x[n] < 2.0 { n += 2; } } let v = match n { 0 | 1 => 1.0, 2..=5 if i > 3 => 2.0, k => k as f32 }; \
     if v > 3.0 { return; } *y = v; } }",
    "fn g(y: &mut Lanes<u32>) { let a = [1u32, 2, 3]; let (b, c) = (a[0], 4u32); for (_, y) in y { let p = P { x: b, y: c }; \
     *y = p.x << 3 | !p.y; } }",
    "fn h<T: Clone, 'a>(v: Vec<String>) -> Result<u8, Box<dyn Error>> { let s = v.iter().map(|x| x.len()).sum::<usize>(); \
     println!(\"{s}\"); let Some(q) = v.first() else { return Err(\"no\".into()) }; if let Ok(z) = q.parse::<u8>() { Ok(z?) } else { unsafe { *ptr } } }",
    "async unsafe extern \"C\" fn k(&self, (a, b): (u8, i8), ..) -> ! { async { x.await }; loop { break 'a 5; } }",
    "fn m(x: &[Atomic<u32>]) { x[0].fetch_add(1, Relaxed, Device); let c = |a, b| a + b; c(1, 2); Foo(3); <T as A>::b(); \
     x = y; (a, b) = (b, a); _ = 3; a.0.1 = 2; r#match.r#type = 1; x?; yield 3; const { 1 }; 'l: { break 'l; } &raw const x; 0..; ..=3; }",
    "fn lits() { let _ = (1u128, 340282366920938463463374607431768211456, 1e400f32, 'c', b'b', \"s\", b\"b\", c\"c\", -1i8, 0xffu8, 1_000.5, 1f32, 2.0f16); }",
    "fn n<const N: char, const M: usize>(y: &mut Waves<[f32]>) where f32: Copy { let t = [0.0; M * 2 - { 3 } / 0]; let u: [f32; N] = t; fn inner() {} \
     struct S; use a::b; const K: usize = 3; static Q: u8 = 1; impl S {} macro_rules! z { () => {} } z!(); }",
    "fn pats(a @ 1: u8, ref b: u8, &(c, ..): &(u8, u8), Foo { x, .. }: Foo, [p, q]: [u8; 2], _: u8) { match a { -1 => 1, ..=3 => 2, 4.. => 3, A::B => 4, K => 5, x @ 6 => 7, (1, 2) => 8, _ if b => 9 } }",
    "#[doc = \"x\"] #[inline] pub(in crate::a) const fn e() {}",
    "fn k(k: f32, a: &[f32], it: usize, v: u32, stage: &mut Lanes<f32>) { for (item, args) in stage { let consts = a[item] + k; let __t_1 = consts; *args = __t_1; } }",
    "struct NotAFunction { x: u8 }",
    "fn unfinished(x: &[f32]) { x[ }",
    "",
    "mod m { } fn two() {} fn three() {}",
];

const ARGS: &[&str] = &[
    "group = 256",
    "group = 96, grid = x.len() * 2",
    "group = 100",
    "grid = 3",
    "",
    "group",
    "group = 32, group = 32",
    "frob = 1",
    "group = N + 1",
    "= = =",
];

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

fn tokens(s: &str) -> TokenStream {
    s.parse().unwrap_or_default()
}

/// Deletes, repeats, swaps and replaces tokens at random places.
fn mutate(t: TokenStream, other: &[TokenTree], r: &mut Random) -> TokenStream {
    let mut list: Vec<TokenTree> = t.into_iter().collect();
    for _ in 0..=r.below(3) {
        if list.is_empty() {
            break;
        }
        let i = r.below(list.len());
        match r.below(6) {
            0 => {
                list.remove(i);
            }
            1 => list.insert(i, list[r.below(list.len())].clone()),
            2 => {
                let j = r.below(list.len());
                list.swap(i, j);
            }
            3 if !other.is_empty() => list[i] = other[r.below(other.len())].clone(),
            _ => {
                let groups: Vec<usize> = (0..list.len())
                    .filter(|&i| matches!(list[i], TokenTree::Group(_)))
                    .collect();
                if let (Some(&i), true) = (groups.get(r.below(groups.len())), !groups.is_empty()) {
                    if let TokenTree::Group(g) = &list[i] {
                        let inner = mutate(g.stream(), other, r);
                        list[i] = TokenTree::Group(Group::new(g.delimiter(), inner));
                    }
                }
            }
        }
    }
    list.into_iter().collect()
}

fn flatten(t: TokenStream, out: &mut Vec<TokenTree>) {
    for tree in t {
        if let TokenTree::Group(g) = &tree {
            flatten(g.stream(), out);
            if g.delimiter() == Delimiter::None {
                continue;
            }
        }
        out.push(tree);
    }
}

/// Expands both ways; what was a function gives items again.
fn check(args: &TokenStream, item: &TokenStream) {
    let is_fn = syn::parse2::<syn::ItemFn>(item.clone()).is_ok();
    for out in [
        kernel::expand(args.clone(), item.clone()),
        device::expand(TokenStream::new(), item.clone()),
    ] {
        if is_fn {
            if let Err(e) = syn::parse2::<syn::File>(out.clone()) {
                panic!("{e}\nfrom: {item}\nto: {out}");
            }
        }
    }
}

#[test]
fn never_panics_on_the_corpus() {
    for item in CORPUS {
        for args in ARGS {
            check(&tokens(args), &tokens(item));
        }
    }
}

#[test]
fn never_panics_on_mutations() {
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::new();
    CORPUS.iter().for_each(|s| flatten(tokens(s), &mut all));
    for _ in 0..4000 {
        let item = mutate(tokens(CORPUS[r.below(CORPUS.len())]), &all, &mut r);
        check(&tokens(ARGS[r.below(3)]), &item);
    }
}

/// Number of `compile_error!` calls in an expansion.
fn refusals(out: &TokenStream) -> usize {
    let mut all = Vec::new();
    flatten(out.clone(), &mut all);
    all.iter()
        .filter(|t| matches!(t, TokenTree::Ident(i) if i == "compile_error"))
        .count()
}

#[test]
fn all_refusals_are_reported_and_the_checked_copy_stays() {
    let item = quote! {
        fn k(x: &[f32], y: &mut Lanes<f32>) {
            let f = |a: f32| a;
            let v = vec![1];
            for (i, y) in y {
                x[i] = 1.0;
                *y = x[i].powf(2.0);
            }
        }
    };
    let out = kernel::expand(quote!(group = 256), item);
    assert_eq!(refusals(&out), 4, "{out}");
    let file: syn::File = syn::parse2(out).unwrap();
    assert!(matches!(&file.items[0], syn::Item::Fn(f) if f.sig.ident == "k" && f.block.stmts.len() == 3));
}

#[test]
fn what_is_in_the_subset_is_not_refused() {
    for item in [CORPUS[0], CORPUS[1], CORPUS[2], CORPUS[3], CORPUS[11]] {
        let out = kernel::expand(quote!(group = 256), tokens(item));
        assert_eq!(refusals(&out), 0, "{item}");
    }
}

/// The user's names never become names of the twin: only path segments and calls carry them.
#[test]
fn locals_are_renamed() {
    let out = device::expand(
        TokenStream::new(),
        quote!(
            fn f(stage: f32) -> f32 {
                let k = stage;
                k
            }
        ),
    );
    let file: syn::File = syn::parse2(out).unwrap();
    let twin = file.items.iter().find_map(|i| match i {
        syn::Item::Impl(i) => Some(quote!(#i).to_string()),
        _ => None,
    });
    let twin = twin.unwrap();
    assert!(twin.contains("let __k_"), "{twin}");
    assert!(!twin.contains("let k "), "{twin}");
}
