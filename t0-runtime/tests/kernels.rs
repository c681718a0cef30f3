//! Real kernels through the whole line: code object, kernel arguments, AQL ring, doorbell, simulated card, signal.
#![allow(clippy::unwrap_used)]

mod common;

use common::{assemble, SAXPY, STRAY};
use t0_runtime::{Access, Error, Gpu, Module};

fn saxpy_kernel(gpu: &Gpu) -> t0_runtime::Kernel {
    Module::load(gpu, &assemble("saxpy", SAXPY, 40))
        .unwrap()
        .kernel("saxpy")
        .unwrap()
}

#[test]
fn saxpy_of_awkward_lengths() {
    let gpu = Gpu::simulated().unwrap();
    let q = gpu.queue().unwrap();
    let kernel = saxpy_kernel(&gpu);
    for n in [0usize, 1, 31, 32, 33, 255, 256, 257, 1009, 5000] {
        let xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let ys: Vec<f32> = (0..n).map(|i| 1000.0 - i as f32).collect();
        let (x, y) = (gpu.upload(&xs).unwrap(), gpu.upload(&ys).unwrap());
        let mut args = q.args(&kernel);
        args.scalar(2.0f32);
        args.buffer("x", &x, Access::Read).unwrap();
        args.buffer("y", &y, Access::Write).unwrap();
        args.grid_lanes("y", n).unwrap();
        q.submit(&kernel, args).unwrap();
        let want: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 2.0f32.mul_add(*x, *y)).collect();
        assert_eq!(y.to_vec().unwrap(), want, "length {n}");
        assert_eq!(x.to_vec().unwrap(), xs);
    }
}

#[test]
fn raw_dispatch_with_a_duration() {
    let gpu = Gpu::simulated().unwrap();
    let q = gpu.queue().unwrap();
    let kernel = saxpy_kernel(&gpu);
    let (x, y) = (gpu.upload(&[1.0f32; 300]).unwrap(), gpu.upload(&[1.0f32; 300]).unwrap());
    let mut kernarg = Vec::new();
    kernarg.extend(3.0f32.to_le_bytes());
    kernarg.extend([0; 4]);
    for b in [&x, &y] {
        kernarg.extend(b.va().to_le_bytes());
        kernarg.extend(300u64.to_le_bytes());
    }
    let s = q.dispatch(&kernel, [2, 1, 1], [256, 1, 1], &kernarg).unwrap();
    s.wait().unwrap();
    assert!(s.is_done());
    assert!(s.duration().unwrap().as_secs() < 60);
    assert_eq!(y.to_vec().unwrap(), [4.0; 300]);
    let e = q.dispatch(&kernel, [2, 1, 1], [128, 1, 1], &kernarg).unwrap_err();
    assert!(
        e.to_string()
            .contains("compiled for workgroups of [256, 1, 1], not [128, 1, 1]"),
        "{e}"
    );
    let e = q.dispatch(&kernel, [2, 1, 1], [256, 1, 1], &[0; 41]).unwrap_err();
    assert!(matches!(e, Error::Kernarg { want: 40, got: 41, .. }), "{e}");
    let e = q.dispatch(&kernel, [1 << 24, 1, 1], [256, 1, 1], &kernarg).unwrap_err();
    assert!(matches!(e, Error::Grid { .. }), "{e}");
}

#[test]
fn a_stray_store_names_kernel_and_buffer_and_loses_the_device() {
    let gpu = Gpu::simulated().unwrap();
    let q = gpu.queue().unwrap();
    let kernel = Module::load(&gpu, &assemble("stray", STRAY, 16))
        .unwrap()
        .kernel("stray")
        .unwrap();
    let y = gpu.alloc::<u32>(1000).unwrap();
    let mut args = q.args(&kernel);
    args.buffer("y", &y, Access::Write).unwrap();
    args.grid_lanes("y", y.len()).unwrap();
    q.submit(&kernel, args).unwrap();
    let e = y.to_vec().unwrap_err();
    assert!(matches!(&e, Error::Fault { kernel, .. } if kernel == "stray"), "{e}");
    assert!(
        e.to_string().contains("96 bytes past the end of `y` (4000 bytes"),
        "{e}"
    );
    assert!(matches!(y.to_vec(), Err(Error::DeviceLost { .. })));
    assert!(matches!(gpu.upload(&[1u8]), Err(Error::DeviceLost { .. })));
    assert!(matches!(gpu.queue(), Err(Error::DeviceLost { .. })));
    assert!(matches!(q.wait(), Err(Error::DeviceLost { .. })));
    Gpu::simulated().unwrap().upload(&[1u8]).unwrap();
}

#[test]
fn module_errors_name_what_there_is() {
    let gpu = Gpu::simulated().unwrap();
    let file = assemble("saxpy", SAXPY, 40);
    let e = Module::load(&gpu, &file)
        .unwrap()
        .kernel("sgemm")
        .unwrap_err()
        .to_string();
    assert!(e.contains("sgemm") && e.contains("saxpy"), "{e}");
    assert!(matches!(Module::load(&gpu, b"text"), Err(Error::Object(_))));
    let other = Gpu::simulated().unwrap();
    let q = other.queue().unwrap();
    let kernel = Module::load(&gpu, &file).unwrap().kernel("saxpy").unwrap();
    assert!(matches!(
        q.dispatch(&kernel, [1; 3], [256, 1, 1], &[0; 40]),
        Err(Error::OtherDevice { .. })
    ));
}
