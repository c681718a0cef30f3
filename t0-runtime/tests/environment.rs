//! `T0_DEVICE` and `T0_TIMEOUT`: one test, because the environment belongs to the whole process.
#![allow(clippy::unwrap_used)]

use t0_runtime::{Error, Gpu};

#[test]
fn t0_device_chooses_and_the_device_says_why() {
    std::env::set_var("T0_DEVICE", "sim");
    assert!(Gpu::open().unwrap().describe().ends_with("T0_DEVICE=sim"));
    std::env::set_var("T0_DEVICE", "cuda");
    let e = Gpu::open().unwrap_err();
    assert!(matches!(e, Error::DeviceChoice { .. }));
    assert!(e.to_string().contains("\"cuda\"; use `auto`, `sim`"), "{e}");
    std::env::set_var("T0_DEVICE", "sim");
    std::env::set_var("T0_TIMEOUT", "abc");
    let e = Gpu::open().unwrap_err().to_string();
    assert_eq!(
        e,
        "T0_TIMEOUT is `abc`; it must be a number of seconds above 0, such as 30 or 0.5"
    );
    std::env::remove_var("T0_TIMEOUT");
    let e = Gpu::open().unwrap().alloc::<u8>(usize::MAX).unwrap_err();
    assert!(matches!(e, Error::TooMuch { .. }), "{e}");
    std::env::remove_var("T0_DEVICE");
    let gpu = Gpu::open().unwrap();
    if std::path::Path::new("/dev/kfd").exists() {
        return;
    }
    let text = gpu.describe();
    assert!(
        text.contains("cannot open /dev/kfd: No such file or directory"),
        "{text}"
    );
    std::env::set_var("T0_DEVICE", "kfd");
    let e = Gpu::open().unwrap_err().to_string();
    assert!(e.contains("/dev/kfd") && e.contains("T0_DEVICE=sim"), "{e}");
}
