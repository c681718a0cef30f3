//! Real kernels through the whole line: code object, kernel arguments, AQL ring, doorbell, simulated card, signal.
#![allow(clippy::unwrap_used)]

mod common;

use common::{assemble, assemble_with, SAXPY, STRAY};
use t0_backend_rdna3::object::Resources;
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

/// Every work-item keeps its number at the end of its private memory while the whole workgroup passes a barrier, then
/// stores it. Kernels of different needs share a queue, so its scratch memory grows while it is in use.
#[test]
fn private_memory_is_provided_on_demand() {
    let gpu = Gpu::simulated().unwrap();
    let q = gpu.queue().unwrap();
    for bytes in [16u32, 256, 64] {
        let last = bytes - 4;
        let text = format!(
            "s_load_b64 s[8:9], s[0:1], 0x0
            v_lshl_add_u32 v0, s13, 8, v0
            scratch_store_b32 off, v0, off offset:{last}
            s_waitcnt_vscnt null, 0
            s_barrier
            scratch_load_b32 v1, off, off offset:{last}
            v_lshlrev_b32_e32 v0, 2, v0
            s_waitcnt vmcnt(0) lgkmcnt(0)
            global_store_b32 v0, v1, s[8:9]
            s_endpgm"
        );
        let resources = Resources {
            kernarg_bytes: 16,
            scratch_bytes: bytes,
            ..Default::default()
        };
        let kernel = Module::load(&gpu, &assemble_with("keep", &text, resources))
            .unwrap()
            .kernel("keep")
            .unwrap();
        assert_eq!(kernel.scratch_bytes(), bytes);
        let y = gpu.upload(&[0u32; 256 * 20]).unwrap();
        let kernarg = [y.va(), 256 * 20].map(u64::to_le_bytes).concat();
        q.dispatch(&kernel, [20, 1, 1], [256, 1, 1], &kernarg)
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(y.to_vec().unwrap(), (0..256 * 20).collect::<Vec<u32>>());
    }
    assert!(gpu.findings().is_empty());
}

#[test]
fn accesses_outside_of_shared_memory_are_reported_once() {
    let gpu = Gpu::simulated().unwrap();
    let q = gpu.queue().unwrap();
    let text = "v_lshlrev_b32_e32 v1, 2, v0\nds_store_b32 v1, v0 offset:4\ns_endpgm";
    let resources = Resources {
        lds_bytes: 1024,
        ..Default::default()
    };
    let kernel = Module::load(&gpu, &assemble_with("reach", text, resources))
        .unwrap()
        .kernel("reach")
        .unwrap();
    q.dispatch(&kernel, [3, 1, 1], [256, 1, 1], &[])
        .unwrap()
        .wait()
        .unwrap();
    let found = gpu.findings();
    let [one] = &found[..] else { panic!("{found:?}") };
    for want in [
        "LDS write of 4 bytes at 0x400 ends outside of the workgroup's 1024 bytes: it is dropped",
        "kernel `reach",
        "ds_store_b32 v1, v0 offset:4",
        "workgroup (0, 0, 0) wave 7 lane 31",
        "3 accesses in all",
    ] {
        assert!(one.contains(want), "`{one}` lacks `{want}`");
    }
    assert!(gpu.findings().is_empty());
}
