//! Row loops compiled twice: for the host's 256-bit vector units, and for any host.
//!
//! The compiler may only use instructions every host of the target has, which on x86-64 are 128 bits wide and know no
//! fused multiply-add, no variable shifts and no rounding. [`wide!`] gives a method of [`super::lanes::Lanes`] a
//! second body with those instructions allowed and chooses by what the host has. Both bodies come from one text, and
//! Rust never contracts `a * b + c`, so they give the same bits.

/// True when the host has the instructions [`wide!`] compiles for.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
}

/// Methods of `Lanes` (the first argument stands for `self`) in both versions.
macro_rules! wide {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident($x:ident $(, $arg:ident: $ty:ty)* $(,)?) -> $ret:ty $body:block)*) => {$(
        $(#[$meta])*
        #[inline(never)]
        #[allow(unsafe_code)]
        $vis fn $name(&mut self $(, $arg: $ty)*) -> $ret {
            #[inline(always)]
            fn body($x: &mut Lanes<'_> $(, $arg: $ty)*) -> $ret $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
                fn avx2(x: &mut Lanes<'_> $(, $arg: $ty)*) -> $ret {
                    body(x $(, $arg)*)
                }
                if super::wide::avx2() {
                    // SAFETY: the host has the features the function needs, by the line above.
                    return unsafe { avx2(self $(, $arg)*) };
                }
            }
            body(self $(, $arg)*)
        }
    )*};
}
pub(super) use wide;
