//! Types as the twin sees them: data, evaluated while staging.

use half::{bf16, f16};

use crate::func::{Access, ParamKind};
use crate::ty::Scalar;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum TyDesc {
    /// A scalar; `usize` is `u32`.
    Scalar(Scalar),
    /// `[T]`.
    Slice(Box<TyDesc>),
    /// `[T; N]`.
    Array(Box<TyDesc>, u64),
    /// `(A, B)`; `()` is empty.
    Tuple(Vec<TyDesc>),
    /// `&T` or `&mut T`.
    Ref(Box<TyDesc>),
    /// A type of the device vocabulary by its name, with its arguments.
    Named(&'static str, Vec<TArg>),
    /// Not needed, or not known to staging (`_`, the user's structs).
    Infer,
}

/// A generic argument.
#[derive(Clone, Debug, PartialEq)]
pub enum TArg {
    /// A type.
    Ty(TyDesc),
    /// A number (`true` is 1).
    Const(i64),
}

impl TyDesc {
    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            TyDesc::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// Type argument `n` of a named type.
    pub(crate) fn ty_arg(&self, n: usize) -> Option<&TyDesc> {
        match self {
            TyDesc::Named(_, args) => match args.get(n) {
                Some(TArg::Ty(t)) => Some(t),
                _ => None,
            },
            _ => None,
        }
    }

    /// Number argument `n` of a named type.
    pub(crate) fn const_arg(&self, n: usize) -> Option<i64> {
        match self {
            TyDesc::Named(_, args) => match args.get(n) {
                Some(TArg::Const(c)) => Some(*c),
                _ => None,
            },
            _ => None,
        }
    }

    /// Name of a named type.
    pub(crate) fn named(&self) -> Option<&'static str> {
        match self {
            TyDesc::Named(n, _) => Some(n),
            _ => None,
        }
    }

    /// The kind of kernel parameter a value of this type is, if it can be one.
    pub fn param_kind(&self) -> Option<ParamKind> {
        let to = match self {
            TyDesc::Scalar(s) => return Some(ParamKind::Scalar(*s)),
            TyDesc::Ref(to) => to,
            _ => return None,
        };
        let first = to.ty_arg(0);
        match (&**to, to.named()) {
            (TyDesc::Slice(e), _) => match (e.scalar(), e.named()) {
                (Some(s), _) => Some(ParamKind::Slice(s, Access::Read)),
                (None, Some("Atomic")) => Some(ParamKind::Slice(e.ty_arg(0)?.scalar()?, Access::Atomic)),
                _ => None,
            },
            (_, Some("Mat")) => Some(ParamKind::Mat(first?.scalar()?, Access::Read)),
            (_, Some("Lanes")) => Some(ParamKind::Slice(first?.scalar()?, Access::Write)),
            (_, Some("Waves")) => match first? {
                TyDesc::Slice(e) => Some(ParamKind::Mat(e.scalar()?, Access::Write)),
                _ => None,
            },
            (_, Some("Groups")) => Some(ParamKind::Mat(first?.ty_arg(0)?.scalar()?, Access::Write)),
            _ => None,
        }
    }
}

/// A Rust type that staging knows.
pub trait Described {
    /// Its description.
    fn desc() -> TyDesc;
}

/// A Rust constant that can be lifted into a kernel.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot use a constant of type `{Self}`",
    label = "not a constant of the device",
    note = "numbers, `bool`, arrays of them, and markers such as `Relaxed` can be used"
)]
pub trait Lift {
    /// Its type and bits, or its marker's name.
    fn lift(self) -> Lifted;
}

/// A lifted constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Lifted {
    /// A scalar constant.
    Scalar(Scalar, u64),
    /// An array of constants.
    Array(Vec<Lifted>),
    /// A marker.
    Mark(&'static str),
}

macro_rules! scalars {
    ($($t:ty, $s:ident, $x:ident => $bits:expr;)*) => { $(
        impl Described for $t {
            fn desc() -> TyDesc {
                TyDesc::Scalar(Scalar::$s)
            }
        }
        impl Lift for $t {
            fn lift(self) -> Lifted {
                let $x = self;
                Lifted::Scalar(Scalar::$s, $bits)
            }
        }
    )* };
}

scalars! {
    bool, Bool, x => u64::from(x);
    i8, I8, x => u64::from(x as u8);
    i16, I16, x => u64::from(x as u16);
    i32, I32, x => u64::from(x as u32);
    i64, I64, x => x as u64;
    isize, I32, x => u64::from(x as u32);
    u8, U8, x => u64::from(x);
    u16, U16, x => u64::from(x);
    u32, U32, x => u64::from(x);
    u64, U64, x => x;
    usize, U32, x => u64::from(u32::try_from(x).unwrap_or(u32::MAX));
    f16, F16, x => u64::from(x.to_bits());
    bf16, Bf16, x => u64::from(x.to_bits());
    f32, F32, x => u64::from(x.to_bits());
    f64, F64, x => x.to_bits();
}

impl<T: Described> Described for [T] {
    fn desc() -> TyDesc {
        TyDesc::Slice(Box::new(T::desc()))
    }
}

impl<T: Described, const N: usize> Described for [T; N] {
    fn desc() -> TyDesc {
        TyDesc::Array(Box::new(T::desc()), N as u64)
    }
}

impl<T: Described + ?Sized> Described for &T {
    fn desc() -> TyDesc {
        TyDesc::Ref(Box::new(T::desc()))
    }
}

impl<T: Described + ?Sized> Described for &mut T {
    fn desc() -> TyDesc {
        TyDesc::Ref(Box::new(T::desc()))
    }
}

macro_rules! tuples {
    ($(($($t:ident),*);)*) => { $(
        impl<$($t: Described),*> Described for ($($t,)*) {
            fn desc() -> TyDesc {
                TyDesc::Tuple(vec![$($t::desc()),*])
            }
        }
    )* };
}

tuples! { (A, B); (A, B, C); (A, B, C, D); (A, B, C, D, E); (A, B, C, D, E, F); }

impl<T: Lift, const N: usize> Lift for [T; N] {
    fn lift(self) -> Lifted {
        Lifted::Array(self.into_iter().map(Lift::lift).collect())
    }
}

/// Describes any type: `(&Probe::<T>::NEW).desc()` is `T::desc()` where `T: Described`, else [`TyDesc::Infer`]
/// (method lookup finds the inherent method first, the trait's on the reference second).
pub struct Probe<T: ?Sized>(std::marker::PhantomData<fn(&T)>);

impl<T: ?Sized> Probe<T> {
    /// The only value.
    pub const NEW: Probe<T> = Probe(std::marker::PhantomData);
}

impl<T: Described + ?Sized> Probe<T> {
    /// The description of `T`.
    pub fn desc(&self) -> TyDesc {
        T::desc()
    }
}

/// What [`Probe`] falls back to.
pub trait UnknownTy {
    /// Nothing is known of the type.
    fn desc(&self) -> TyDesc {
        TyDesc::Infer
    }
}

impl<T: ?Sized> UnknownTy for Probe<T> {}

/// Describes the type of a struct's field, from a closure that is never called: `field_ty(|s: &S| &s.field)`.
pub fn field_ty<S: ?Sized, T: ?Sized>(_: fn(&S) -> &T) -> Probe<T> {
    Probe::NEW
}
