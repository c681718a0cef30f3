//! Code objects against independent judges: descriptors byte by byte as llvm-mc 19 makes them (recorded here, and live
//! when the tool is on PATH), our files read by llvm-readelf and llvm-objdump, clang's files read by us.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use t0_backend_rdna3::object::descriptor::{Denorm, Round, DESCRIPTOR_BYTES};
use t0_backend_rdna3::object::*;
use t0_backend_rdna3::target::GFX1100;
use t0_ir::source::Extent;
use t0_ir::Scope;

/// The configurations compared, with the bytes llvm-mc 19.1.7 gives for the directives of [`assembly`].
fn configurations() -> Vec<(Resources, &'static str)> {
    let r = Resources::default;
    let flush = FloatMode {
        round_32: Round::Zero,
        round_16_64: Round::Up,
        denorm_32: Denorm::FlushBoth,
        denorm_16_64: Denorm::FlushOutput,
        dx10_clamp: false,
        ieee_mode: false,
    };
    vec![
        (Resources { vgprs: 8, sgprs: 16, kernarg_bytes: 24, ..r() }, "0000000000000000180000000000000000000000000000000000000000000000000000000000000000000000000000000000af609a0300000804000000000000"),
        (Resources { vgprs: 9, sgprs: 30, kernarg_bytes: 24, workgroup_ids: [true, false, false], ..r() }, "0000000000000000180000000000000000000000000000000000000000000000000000000000000000000000000000000100af609e0000000804000000000000"),
        (Resources { vgprs: 256, sgprs: 106, lds_bytes: 65536, kernarg_bytes: 128, wgp_mode: false, work_item_dims: 3, ..r() }, "0000010000000000800000000000000000000000000000000000000000000000000000000000000000000000000000001f00af409a1300000804000000000000"),
        (Resources { vgprs: 97, sgprs: 40, scratch_bytes: 64, kernarg_bytes: 8, work_item_dims: 2, workgroup_ids: [true, true, false], ..r() }, "0000000040000000080000000000000000000000000000000000000000000000000000000000000000000000000000000c00af609d0900000804000000000000"),
        (Resources { vgprs: 1, sgprs: 1, wave_size: 64, kernarg_bytes: 264, ..r() }, "0000000000000000080100000000000000000000000000000000000000000000000000000000000000000000000000000000af60840300000800000000000000"),
        (Resources { vgprs: 130, sgprs: 1, wave_size: 64, wgp_mode: false, float_mode: flush, ..r() }, "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020700440800300000000000000000000"),
        (Resources { workgroup_ids: [false; 3], ..r() }, "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000af60200000000004000000000000"),
    ]
}

/// A one-instruction kernel `k` with the directives that say what `r` says.
fn assembly(r: &Resources) -> String {
    let quirk = r.wave_size == 32;
    let ids = r.workgroup_ids.map(u32::from);
    let used = if r.kernarg_bytes > 0 { 2 } else { 0 };
    let users = if quirk { 16 - ids.iter().sum::<u32>() } else { used };
    let f = r.float_mode;
    let directives = [
        ("next_free_vgpr", r.vgprs),
        ("next_free_sgpr", r.sgprs),
        ("group_segment_fixed_size", r.lds_bytes),
        ("private_segment_fixed_size", r.scratch_bytes),
        ("enable_private_segment", u32::from(r.scratch_bytes > 0)),
        ("kernarg_size", r.kernarg_bytes),
        ("user_sgpr_kernarg_segment_ptr", u32::from(r.kernarg_bytes > 0)),
        ("user_sgpr_count", users),
        ("wavefront_size32", u32::from(r.wave_size == 32)),
        ("system_sgpr_workgroup_id_x", ids[0]),
        ("system_sgpr_workgroup_id_y", ids[1]),
        ("system_sgpr_workgroup_id_z", ids[2]),
        ("system_vgpr_workitem_id", r.work_item_dims - 1),
        ("float_round_mode_32", f.round_32 as u32),
        ("float_round_mode_16_64", f.round_16_64 as u32),
        ("float_denorm_mode_32", f.denorm_32 as u32),
        ("float_denorm_mode_16_64", f.denorm_16_64 as u32),
        ("dx10_clamp", u32::from(f.dx10_clamp)),
        ("ieee_mode", u32::from(f.ieee_mode)),
        ("workgroup_processor_mode", u32::from(r.wgp_mode)),
    ];
    let mut s = String::from(".amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n.text\n.p2align 8\nk:\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n");
    for (name, value) in directives {
        s.push_str(&format!(".amdhsa_{name} {value}\n"));
    }
    s.push_str(".end_amdhsa_kernel\n");
    s
}

/// A folder for one test's files, empty.
fn folder(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// What the tool printed, standard error included; `None` when it is not installed.
fn tool(name: &str, args: &[&str], dir: &Path) -> Option<String> {
    let out = match Command::new(name).args(args).current_dir(dir).output() {
        Ok(out) => out,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("{name} is not installed: not compared live");
            return None;
        }
        Err(e) => panic!("{name}: {e}"),
    };
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{name} {args:?}: {text}");
    Some(text)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn descriptors_equal_llvm_mc_recorded() {
    for (r, recorded) in configurations() {
        let d = KernelDescriptor::new(&r, &GFX1100).unwrap();
        assert_eq!(hex(&d.encode()), recorded, "{r:?}");
        assert_eq!(KernelDescriptor::decode(&d.encode()).unwrap(), d);
    }
}

#[test]
fn descriptors_equal_llvm_mc_live() {
    let dir = folder("descriptors");
    for (i, (r, _)) in configurations().iter().enumerate() {
        let (source, object) = (format!("{i}.s"), format!("{i}.o"));
        std::fs::write(dir.join(&source), assembly(r)).unwrap();
        let args = [
            "-triple=amdgcn-amd-amdhsa",
            "-mcpu=gfx1100",
            "-filetype=obj",
            &source,
            "-o",
            &object,
        ];
        // The assembler must be told about wave64 besides the directive.
        let wave = if r.wave_size == 64 {
            "-mattr=+wavefrontsize64,-wavefrontsize32"
        } else {
            "-mattr=+wavefrontsize32"
        };
        let Some(_) = tool("llvm-mc-19", &[&args[..], &[wave]].concat(), &dir) else {
            return;
        };
        let file = std::fs::read(dir.join(&object)).unwrap();
        let file = object::File::parse(&*file).unwrap();
        use object::{Object, ObjectSection};
        let rodata = file.section_by_name(".rodata").unwrap();
        let ours = KernelDescriptor::new(r, &GFX1100).unwrap().encode();
        assert_eq!(hex(&ours), hex(&rodata.data().unwrap()[..DESCRIPTOR_BYTES]), "{r:?}");
    }
}

#[test]
fn workgroup_ids_end_at_s15_on_wave32() {
    let r = Resources {
        kernarg_bytes: 8,
        ..Resources::default()
    };
    let s = initial_sgprs(&r, &GFX1100).unwrap();
    assert_eq!(
        (s.kernarg_ptr, s.workgroup_id, s.count),
        (Some(0), [Some(13), Some(14), Some(15)], 16)
    );
    let s = initial_sgprs(
        &Resources {
            workgroup_ids: [true, false, false],
            ..r.clone()
        },
        &GFX1100,
    )
    .unwrap();
    assert_eq!(
        (s.kernarg_ptr, s.workgroup_id, s.count),
        (Some(0), [Some(15), None, None], 16)
    );
    let s = initial_sgprs(&Resources { wave_size: 64, ..r }, &GFX1100).unwrap();
    assert_eq!(
        (s.kernarg_ptr, s.workgroup_id, s.count),
        (Some(0), [Some(2), Some(3), Some(4)], 5)
    );
}

#[test]
fn too_much_is_an_error_not_a_wrap() {
    let over = |r: Resources| KernelDescriptor::new(&r, &GFX1100).unwrap_err().to_string();
    let r = Resources::default;
    assert!(over(Resources { vgprs: 257, ..r() }).contains("257 VGPRs"));
    assert!(over(Resources { sgprs: 107, ..r() }).contains("107 SGPRs"));
    assert!(over(Resources {
        lds_bytes: 65537,
        ..r()
    })
    .contains("65537 bytes of LDS"));
    assert!(over(Resources { wave_size: 16, ..r() }).contains("wave size 16"));
    assert!(over(Resources {
        work_item_dims: 0,
        ..r()
    })
    .contains("0 work-item"));
}

const S_ENDPGM: [u8; 4] = 0xbfb0_0000u32.to_le_bytes();
const S_NOP: [u8; 4] = 0xbf80_0000u32.to_le_bytes();

fn two_kernels() -> Vec<KernelCode> {
    let file: Arc<str> = "src/kernels.rs".into();
    let line = |offset, line| Line {
        offset,
        file: file.clone(),
        line,
        column: 5,
    };
    let atomic = |offset, scope| AtomicOp { offset, scope };
    let first = KernelCode {
        name: "saxpy".into(),
        code: [S_NOP, S_NOP, S_ENDPGM].concat(),
        resources: Resources {
            vgprs: 5,
            sgprs: 16,
            kernarg_bytes: 40,
            ..Resources::default()
        },
        args: vec![
            Arg::by_value("a", "f32", 0, 4),
            Arg::buffer("x", "&[f32]", 8),
            Arg {
                name: "tile".into(),
                type_name: String::new(),
                offset: 16,
                size: 4,
                kind: ArgKind::DynamicLds,
            },
        ],
        lds: vec![LdsVariable {
            name: "sums".into(),
            offset: 16,
            size: 256,
            element: 4,
        }],
        max_group_size: 256,
        required_group_size: Some([256, 1, 1]),
        spills: [0, 3],
        lines: vec![line(0, 10), line(8, 12)],
        atomics: vec![atomic(0, Scope::Device), atomic(4, Scope::Group)],
        sources: vec![Piece {
            file: "src/other.rs".into(),
            extent: Extent::new((3, 7), (4, 1), "{ y\n}").unwrap(),
        }],
    };
    let second = KernelCode {
        name: "gemm::<128, 128, 32>".into(),
        code: [[S_NOP; 70].concat(), S_ENDPGM.to_vec()].concat(),
        resources: Resources {
            vgprs: 200,
            lds_bytes: 32768,
            wgp_mode: false,
            ..Resources::default()
        },
        args: vec![],
        lds: Vec::new(),
        required_group_size: None,
        spills: [0; 2],
        lines: vec![],
        atomics: vec![],
        sources: vec![],
        ..first.clone()
    };
    vec![first, second]
}

#[test]
fn what_is_written_is_read_back() {
    let kernels = two_kernels();
    let file = write(&GFX1100, &kernels).unwrap();
    assert_eq!(
        file,
        write(&GFX1100, &kernels).unwrap(),
        "the bytes depend on the input only"
    );
    let read = CodeObject::parse(&file).unwrap();
    assert_eq!(
        (read.target.name, read.abi_version, read.kernels.len()),
        ("gfx1100", 3, 2)
    );
    for (k, source) in read.kernels.iter().zip(&kernels) {
        assert_eq!(k.name, source.name);
        assert_eq!(read.code(k), source.code);
        assert_eq!(k.code.start % 256, 0);
        assert_eq!(k.descriptor_vaddr % 64, 0);
        assert_eq!(k.lines, source.lines);
        assert_eq!(k.atomics, source.atomics);
        assert_eq!(k.sources, source.sources);
        let expected = KernelDescriptor::new(&source.resources, &GFX1100).unwrap();
        assert_eq!(
            KernelDescriptor {
                entry_offset: 0,
                ..k.descriptor
            },
            expected
        );
        let m = k.metadata.as_ref().unwrap();
        assert_eq!(
            (&m.args, m.kernarg_bytes),
            (&source.args, source.resources.kernarg_bytes)
        );
        assert_eq!(
            (m.spills, m.required_group_size),
            (source.spills, source.required_group_size)
        );
    }
    let saxpy = read.kernel("saxpy").unwrap();
    assert_eq!(saxpy.line_at(4).unwrap().line, 10);
    assert_eq!(saxpy.line_at(8).unwrap().line, 12);
    // Loading keeps bytes at their addresses; 64 s_code_end follow the last instruction in the executable segment.
    let last = &read.kernels[1];
    let image = read.image(0x7000_0000);
    assert_eq!(
        &image[saxpy.code.start as usize..][..saxpy.code.end as usize - saxpy.code.start as usize],
        read.code(saxpy)
    );
    assert_eq!(
        &image[last.code.end as usize..][..256],
        [0xbf9f_0000u32.to_le_bytes(); 64].concat()
    );
    // Read-only and executable bytes share no page.
    let (r, x) = (&read.segments[0], &read.segments[1]);
    assert!(!r.executable && x.executable && !x.writable);
    assert!((r.vaddr + r.memsz - 1) / 4096 < x.vaddr / 4096);
    assert_eq!(
        read.kernel("x").unwrap_err().to_string(),
        "there is no kernel `x`; the code object has `saxpy`, `gemm::<128, 128, 32>`"
    );
}

#[test]
fn unwritable_kernels_are_refused() {
    let mut twice = two_kernels();
    twice[1].name = "saxpy".into();
    assert!(matches!(write(&GFX1100, &twice), Err(ObjectError::Name(n)) if n == "saxpy"));
    let mut odd = two_kernels();
    odd[0].code.pop();
    assert!(matches!(
        write(&GFX1100, &odd),
        Err(ObjectError::Code { bytes: 11, .. })
    ));
    assert!(matches!(write(&GFX1100, &[]), Err(ObjectError::Empty)));
    let mut large = two_kernels();
    large[1].resources.vgprs = 300;
    let text = write(&GFX1100, &large).unwrap_err().to_string();
    assert!(text.contains("gemm") && text.contains("300 VGPRs"), "{text}");
}

#[test]
fn llvm_reads_our_files() {
    let dir = folder("written");
    std::fs::write(dir.join("k.co"), write(&GFX1100, &two_kernels()).unwrap()).unwrap();
    let Some(all) = tool("llvm-readelf-19", &["--all", "k.co"], &dir) else {
        return;
    };
    assert!(!all.contains("warning") && !all.contains("error"), "{all}");
    for expected in [
        "gfx1100",
        "ABI Version:                       3",
        "NT_AMDGPU_METADATA",
        ".symbol:         saxpy.kd",
        ".value_kind:     dynamic_shared_pointer",
        ".name:           'gemm::<128, 128, 32>'",
        "DYN (Shared object file)",
    ] {
        assert!(all.contains(expected), "{expected} is missing in\n{all}");
    }
    assert!(!all.contains("Invalid AMDGPU Metadata"), "{all}");
    for symbol in ["FUNC    GLOBAL PROTECTED", "OBJECT  GLOBAL PROTECTED"] {
        assert_eq!(all.matches(symbol).count(), 4, "two kernels in two tables:\n{all}");
    }
    let Some(text) = tool("llvm-objdump-19", &["-d", "--mcpu=gfx1100", "k.co"], &dir) else {
        return;
    };
    assert!(!text.contains("warning") && !text.contains("error"), "{text}");
    assert_eq!(text.matches("s_nop 0").count(), 72, "{text}");
    assert_eq!(text.matches("s_endpgm").count(), 2, "{text}");
    // llvm-objdump decodes the descriptor back into directives and refuses reserved bits that are set.
    let Some(kd) = tool(
        "llvm-objdump-19",
        &["-D", "-j", ".rodata", "--disassemble-symbols=saxpy.kd", "k.co"],
        &dir,
    ) else {
        return;
    };
    assert!(
        kd.contains(".amdhsa_user_sgpr_kernarg_segment_ptr 1") && kd.contains(".amdhsa_kernarg_size 40"),
        "{kd}"
    );
}

const OPENCL: &str = "\
kernel void axpy(global float* y, global const float* x, float a, uint n, local float *l) {
  uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] += a * x[i];
}
kernel void two(global float* y) {
  y[__builtin_amdgcn_workgroup_id_y() * 64 + __builtin_amdgcn_workitem_id_z()] = 1;
}
";

fn clang_file(dir: &Path) -> Option<Vec<u8>> {
    std::fs::write(dir.join("k.cl"), OPENCL).unwrap();
    let args = "-x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O2 k.cl -o k.co";
    tool("ld.lld-19", &["--version"], dir)?;
    tool("clang-19", &args.split(' ').collect::<Vec<_>>(), dir)?;
    Some(std::fs::read(dir.join("k.co")).unwrap())
}

#[test]
fn we_read_clangs_files() {
    let dir = folder("clang");
    let Some(file) = clang_file(&dir) else { return };
    let read = CodeObject::parse(&file).unwrap();
    assert_eq!(
        read.kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>(),
        ["axpy", "two"]
    );
    let axpy = &read.kernels[0];
    let m = axpy.metadata.as_ref().unwrap();
    assert_eq!(
        m.args.iter().map(|a| (a.offset, a.size)).collect::<Vec<_>>(),
        [(0, 8), (8, 8), (16, 4), (20, 4), (24, 4)]
    );
    assert_eq!(m.args[0].kind, ArgKind::GlobalBuffer);
    assert_eq!(m.args[2].kind, ArgKind::ByValue);
    assert_eq!(m.args[4].kind, ArgKind::DynamicLds);
    assert_eq!(axpy.descriptor.initial_sgprs().workgroup_id, [Some(15), None, None]);
    assert_eq!(
        read.kernels[1].descriptor.initial_sgprs().workgroup_id,
        [Some(14), Some(15), None]
    );
    assert_eq!(read.kernels[1].descriptor.work_item_dims(), 3);
    for k in &read.kernels {
        assert_eq!(
            read.code(k)[read.code(k).len() - 4..],
            S_ENDPGM,
            "the symbol bounds the code"
        );
    }
    // A file at an odd address in memory reads the same.
    let shifted = [&[0], &file[..]].concat();
    assert_eq!(CodeObject::parse(&shifted[1..]).unwrap(), read);
    // Not linked: said so.
    let object = tool(
        "clang-19",
        &"-c -x cl --target=amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib k.cl -o k.o"
            .split(' ')
            .collect::<Vec<_>>(),
        &dir,
    );
    if object.is_some() {
        let file = std::fs::read(dir.join("k.o")).unwrap();
        assert_eq!(CodeObject::parse(&file), Err(ObjectError::NotLinked));
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut files = vec![write(&GFX1100, &two_kernels()).unwrap()];
    files.extend(clang_file(&folder("damaged")));
    let mut parsed = 0u32;
    let mut refused = 0u32;
    let mut check = |bytes: &[u8]| match CodeObject::parse(bytes) {
        Ok(object) => {
            parsed += 1;
            for k in &object.kernels {
                let _ = (object.code(k), k.descriptor.initial_sgprs(), k.line_at(4));
            }
            if object.memory_bytes() < 1 << 20 {
                let _ = object.image(4096);
            }
        }
        Err(e) => {
            refused += 1;
            assert!(!e.to_string().is_empty());
        }
    };
    for file in &files {
        for len in 0..file.len() {
            check(&file[..len]);
        }
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for _ in 0..20_000 {
            let mut bytes = file.clone();
            for _ in 0..1 + next() % 4 {
                let at = next() as usize % bytes.len();
                match next() % 3 {
                    0 => bytes[at] ^= 1 << (next() % 8),
                    1 => bytes[at] = next() as u8,
                    _ => bytes[at] = if next() % 2 == 0 { 0xff } else { 0x7f },
                }
            }
            check(&bytes);
        }
    }
    assert!(
        parsed > 1000 && refused > 1000,
        "both happen: {parsed} parsed, {refused} refused"
    );
}

#[test]
fn other_files_are_named() {
    let error = |bytes: &[u8]| CodeObject::parse(bytes).unwrap_err().to_string();
    assert!(error(b"hello\0").contains("no intact ELF file"));
    assert!(error(b"\t.text\n\ts_endpgm\n").contains("`t0 asm`"));
    let mut file = write(&GFX1100, &two_kernels()).unwrap();
    file[0x30] = 0x3f; // e_flags: gfx90a
    assert_eq!(error(&file), "this code object is for machine number 0x3f (gfx90a), which t0 does not know; build it for one of gfx1100, gfx1101, gfx1102, gfx1103, gfx1150, gfx1151, gfx1152");
    file[0x30] = 0x54;
    assert!(error(&file).contains("0x54 (gfx11-generic)"), "{}", error(&file));
    // A number LLVM 19 does not know: what the metadata says.
    file[0x30] = 0xee;
    assert!(
        error(&file).contains("0xee (amdgcn-amd-amdhsa--gfx1100)"),
        "{}",
        error(&file)
    );
    file[0x12] = 62; // e_machine: x86-64
    assert!(error(&file).contains("machine 62"));
}

/// Key and value of an entry that no reader can use.
#[test]
fn wrong_metadata_is_named() {
    let text = "f:\ts_endpgm\n\t.amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: f\n    .symbol: f.kd\n\
                \x20   .kernarg_segment_size: 8\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n\
                \x20   .private_segment_fixed_size: 0\n    .wavefront_size: 32\n    .sgpr_count: 1\n    .vgpr_count: 1\n\
                \x20   .max_flat_workgroup_size: 32\n    .args:\n      - .offset: 0\n        .size: -8\n\
                \x20       .value_kind: by_value\n\t.end_amdgpu_metadata\n";
    let file = t0_backend_rdna3::asm::assemble(text, &Default::default()).unwrap().file;
    let error = CodeObject::parse(&file).unwrap_err().to_string();
    assert_eq!(
        error,
        "the metadata of argument 0 of kernel `f` has `.size: -8`, which must be a number of 32 bits without sign; correct `.size`"
    );
    // What may be missing must be right where it is there.
    for (key, was, is) in [
        (".kernarg_segment_size", "8", "99999999999"),
        (".max_flat_workgroup_size", "32", "99999999999"),
        (".vgpr_count", "1", "-1"),
    ] {
        let text = text.replace(".size: -8", ".size: 8");
        let text = text.replace(&format!("{key}: {was}"), &format!("{key}: {is}"));
        let file = t0_backend_rdna3::asm::assemble(&text, &Default::default())
            .unwrap()
            .file;
        let error = CodeObject::parse(&file).unwrap_err().to_string();
        let want = format!("the metadata of kernel `f` has `{key}: {is}`, which must be a number of 32 bits without sign; correct `{key}`");
        assert_eq!(error, want);
    }
}
