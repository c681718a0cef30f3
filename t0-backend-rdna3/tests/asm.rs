//! The assembler and the disassembler for files against LLVM's.
//!
//! `files/asm/*.s` hold a source and, in comments at the end, the loaded sections of what llvm-mc-19 and ld.lld-19 make
//! of it (`//= NAME ADDRESS`, then hex); `T0_BLESS=1` asks the tools again. Names that end in `_w64` are wave64 code.
//! `files/asm/errors.txt` pins what is refused and with which words. Tests named `live` need LLVM 19 and do nothing
//! without it.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use t0_backend_rdna3::asm::{assemble, AsmOptions};
use t0_backend_rdna3::dis::{disassemble, Options};
use t0_backend_rdna3::object::view::ObjectView;
use t0_backend_rdna3::object::CodeObject;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/asm")
}

fn sources() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "s"))
        .map(|p| {
            (
                p.file_stem().unwrap().to_str().unwrap().to_owned(),
                std::fs::read_to_string(&p).unwrap(),
            )
        })
        .collect();
    all.sort();
    assert!(all.len() >= 6, "the sources are missing");
    all
}

/// Address and bytes of the loaded sections.
type Sections = BTreeMap<String, (u64, Vec<u8>)>;

fn sections(file: &[u8]) -> Sections {
    let view = ObjectView::parse(file).unwrap();
    let loaded = view
        .sections
        .into_iter()
        .filter(|s| s.is_loaded() && s.name != ".relro_padding");
    loaded.map(|s| (s.name, (s.address, s.data))).collect()
}

fn recorded(source: &str) -> Sections {
    let mut out = Sections::new();
    let mut last = String::new();
    for line in source.lines().filter_map(|l| l.strip_prefix("//= ")) {
        if let Some(hex) = line.strip_prefix(": ") {
            let bytes = (0..hex.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap());
            out.get_mut(&last).unwrap().1.extend(bytes);
        } else {
            let (name, address) = line.split_once(' ').unwrap();
            out.insert(name.to_owned(), (u64::from_str_radix(address, 16).unwrap(), Vec::new()));
            last = name.to_owned();
        }
    }
    out
}

fn ours(name: &str, source: &str) -> Vec<u8> {
    assemble(source, &AsmOptions::default())
        .unwrap_or_else(|e| panic!("{name}.s:{}", e[0]))
        .file
}

fn tool(name: &str) -> Option<Command> {
    let found = Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    found.then(|| Command::new(name))
}

/// What llvm-mc and ld.lld make of a source; `None` without the tools.
fn llvm(name: &str, source: &str, dir: &Path) -> Option<Result<PathBuf, String>> {
    let (mut mc, mut lld) = (tool("llvm-mc-19")?, tool("ld.lld-19")?);
    let [s, o, co] = ["s", "o", "co"].map(|e| dir.join(format!("{name}.{e}")));
    std::fs::write(&s, source).unwrap();
    let wave = if name.ends_with("_w64") {
        "+wavefrontsize64"
    } else {
        "+wavefrontsize32"
    };
    mc.args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-filetype=obj"])
        .arg(format!("-mattr={wave}"));
    let ran = mc.arg(&s).arg("-o").arg(&o).output().unwrap();
    if !ran.status.success() {
        return Some(Err(String::from_utf8_lossy(&ran.stderr).into_owned()));
    }
    let ran = lld.arg("-shared").arg(&o).arg("-o").arg(&co).output().unwrap();
    let ok = ran.status.success();
    Some(if ok {
        Ok(co)
    } else {
        Err(String::from_utf8_lossy(&ran.stderr).into_owned())
    })
}

fn scratch(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn differences(name: &str, got: &Sections, want: &Sections) {
    let names = |s: &Sections| s.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(got), names(want), "{name}");
    for (section, (address, bytes)) in want {
        assert_eq!(got[section].0, *address, "{name}: address of {section}");
        let at = got[section].1.iter().zip(bytes).position(|(a, b)| a != b);
        assert!(
            at.is_none() && got[section].1.len() == bytes.len(),
            "{name}: {section} differs at byte {at:?}"
        );
    }
}

#[test]
fn files_equal_those_of_llvm() {
    let bless = std::env::var_os("T0_BLESS").is_some();
    for (name, source) in sources() {
        if bless {
            record(&name, &source);
            continue;
        }
        differences(&name, &sections(&ours(&name, &source)), &recorded(&source));
    }
}

/// Writes what LLVM makes of a source to its end.
fn record(name: &str, source: &str) {
    let body = source.split("//= ").next().unwrap().trim_end().to_owned() + "\n";
    let file = llvm(name, &body, &scratch("bless"))
        .expect("blessing needs llvm-mc-19 and ld.lld-19")
        .unwrap();
    let mut text = body + "\n";
    for (section, (address, bytes)) in sections(&std::fs::read(file).unwrap()) {
        text += &format!("//= {section} {address:x}\n");
        for chunk in bytes.chunks(48) {
            text += &format!(
                "//= : {}\n",
                chunk.iter().map(|b| format!("{b:02x}")).collect::<String>()
            );
        }
    }
    std::fs::write(folder().join(format!("{name}.s")), text).unwrap();
}

#[test]
fn our_loader_reads_the_files() {
    for (name, source) in sources() {
        let object = CodeObject::parse(&ours(&name, &source)).unwrap();
        let kernels = source.matches(".end_amdhsa_kernel").count();
        assert_eq!(object.kernels.len(), kernels, "{name}");
        assert_eq!(
            object.abi_version,
            if source.contains("_version 6") { 4 } else { 3 },
            "{name}"
        );
    }
}

fn dis(file: &[u8], symbolize: bool) -> t0_backend_rdna3::dis::Disassembly {
    let options = Options {
        symbolize,
        ..Options::default()
    };
    disassemble(&ObjectView::parse(file).unwrap(), &options).unwrap()
}

#[test]
fn disassembly_assembles_to_the_same_file() {
    for (name, source) in sources() {
        let file = ours(&name, &source);
        for symbolize in [false, true] {
            let text = dis(&file, symbolize);
            assert!(!text.unknown_reached, "{name}");
            let again = ours(&format!("disassembly of {name}"), &text.to_string());
            differences(&name, &sections(&again), &sections(&file));
        }
    }
}

#[test]
fn lines_cover_the_bytes_once() {
    for (name, source) in sources() {
        let file = ours(&name, &source);
        let view = ObjectView::parse(&file).unwrap();
        let text = dis(&file, false);
        for s in view.sections.iter().filter(|s| s.is_code()) {
            let codes = text
                .lines
                .iter()
                .filter_map(|l| l.code.as_ref())
                .filter(|c| c.section == s.name);
            let bytes: Vec<u8> = codes.flat_map(|c| c.bytes.clone()).collect();
            assert_eq!(bytes, s.data, "{name}: {}", s.name);
        }
    }
}

#[test]
fn one_kernel_alone_assembles() {
    let (name, source) = sources().into_iter().find(|s| s.0 == "calls").unwrap();
    let file = ours(&name, &source);
    let object = CodeObject::parse(&file).unwrap();
    for k in &object.kernels {
        let options = Options {
            kernel: Some(&k.name),
            ..Options::default()
        };
        let text = disassemble(&ObjectView::parse(&file).unwrap(), &options)
            .unwrap()
            .to_string();
        let alone = CodeObject::parse(&ours(&k.name, &text)).unwrap();
        assert_eq!(alone.kernels.len(), 1, "{}", k.name);
        assert_eq!(alone.code(&alone.kernels[0]), object.code(k), "{}", k.name);
        let descriptor = |d: t0_backend_rdna3::object::KernelDescriptor| t0_backend_rdna3::object::KernelDescriptor {
            entry_offset: 0,
            ..d
        };
        assert_eq!(descriptor(alone.kernels[0].descriptor), descriptor(k.descriptor));
    }
}

#[test]
fn waves_of_both_sizes_in_one_file() {
    // Without an option each kernel's descriptor decides; llvm-mc reads the two halves with one -mattr each.
    let kernel = |name: &str, code: &str, wave32: u32| {
        format!(
            "{name}:\n{code}\n s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel {name}\n.amdhsa_next_free_vgpr 2\n\
             .amdhsa_next_free_sgpr 8\n.amdhsa_wavefront_size32 {wave32}\n.end_amdhsa_kernel\n.text\n.p2align 8\n"
        )
    };
    let source = kernel("a", "v_cmp_eq_u32_e32 vcc_lo, v0, v1", 1) + &kernel("b", "v_cmp_eq_u32_e32 vcc, v0, v1", 0);
    let file = ours("waves", &source);
    let text = dis(&file, false).to_string();
    let lines: Vec<&str> = text.lines().filter(|l| l.contains("v_cmp")).collect();
    assert!(
        lines[0].contains("vcc_lo, v0") && lines[1].contains("vcc, v0"),
        "{text}"
    );
    differences("waves", &sections(&ours("again", &text)), &sections(&file));
    let forced = AsmOptions {
        wave_size: Some(32),
        ..AsmOptions::default()
    };
    assert_eq!(assemble(&source, &forced).unwrap_err().len(), 1);
}

#[test]
fn lines_end_in_every_way() {
    // llvm-mc takes a carriage return for the end of a line, except in strings.
    let source = ".data\n.byte 1 ; comment\n.byte 2 // comment\n# 1 \"x.c\"\n.ascii \"a;b\" /* c */\n.byte 3\n";
    let want = sections(&ours("lines", source));
    for end in ["\r", "\r\n"] {
        differences("lines", &sections(&ours("lines", &source.replace('\n', end))), &want);
    }
    let text = ours("string", ".data\n.ascii \"a\rb\"\n");
    assert_eq!(sections(&text)[".data"].1, b"a\rb");
}

#[test]
fn long_chains_of_symbols_have_an_end() {
    // llvm-mc: 7 in both directions.
    let up: String = (0..5000).map(|i| format!(".set a{i}, a{}\n", i + 1)).collect();
    let down: String = (0..5000).rev().map(|i| format!(".set a{i}, a{}\n", i + 1)).collect();
    let want = sections(&ours("seven", ".data\n.long 7\n"));
    for source in [
        up + ".set a5000, 7\n.data\n.long a0\n",
        ".set a5000, 7\n".to_owned() + &down + ".data\n.long a0\n",
    ] {
        differences("chain", &sections(&ours("chain", &source)), &want);
    }
    // A value with 2^60 addresses in it is refused, not counted out.
    let twice: String = (0..60).map(|i| format!(".set b{}, b{i}+b{i}\n", i + 1)).collect();
    assert!(assemble(&format!("x:\n.set b0, x\n{twice}.long b60\n"), &AsmOptions::default()).is_err());
    let terms = "x+".repeat(100_000) + "x";
    assert!(assemble(&format!("x: .long {terms}\n"), &AsmOptions::default()).is_err());
}

#[test]
fn what_a_file_says_is_kept() {
    let made = assemble(
        ".print \"hello\"\n.warning \"careful\"\n.warning\n",
        &AsmOptions::default(),
    )
    .unwrap();
    let said: Vec<_> = made
        .notes
        .iter()
        .map(|n| (n.line, n.is_warning, n.text.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (1, false, "hello"),
            (2, true, "careful"),
            (3, true, "the file says `.warning`")
        ]
    );
}

#[test]
fn damaged_files_never_panic() {
    let (name, source) = sources().into_iter().find(|s| s.0 == "data").unwrap();
    let file = ours(&name, &source);
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize
    };
    let mut read = 0;
    for _ in 0..3000 {
        let mut broken = file.clone();
        for _ in 0..1 + random() % 4 {
            let at = random() % broken.len();
            broken[at] = random() as u8;
        }
        if random() % 4 == 0 {
            broken.truncate(random() % file.len());
        }
        if let Ok(view) = ObjectView::parse(&broken) {
            read += 1;
            let text = disassemble(
                &view,
                &Options {
                    symbolize: true,
                    ..Options::default()
                },
            )
            .unwrap()
            .to_string();
            let _ = assemble(&text, &AsmOptions::default());
        }
    }
    assert!(read > 500, "{read} of 3000 could be read");
}

/// Blocks of errors.txt: `-- title`, source lines, `=> error` lines.
fn error_blocks() -> Vec<(String, String, Vec<String>)> {
    let text = std::fs::read_to_string(folder().join("errors.txt")).unwrap();
    let mut out: Vec<(String, String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("-- ") {
            out.push((title.to_owned(), String::new(), Vec::new()));
        } else if let Some(block) = out.last_mut() {
            match line.strip_prefix("=> ") {
                Some(error) => block.2.push(error.to_owned()),
                None => block.1 += &format!("{line}\n"),
            }
        }
    }
    assert!(out.len() > 30);
    out
}

#[test]
fn refusals_say_where_and_why() {
    let bless = std::env::var_os("T0_BLESS").is_some();
    let mut text =
        String::from("Sources that are refused, and with which words. llvm-mc-19 or ld.lld-19 refuse them, too.\n");
    for (title, source, want) in error_blocks() {
        let got = match assemble(&source, &AsmOptions::default()) {
            Ok(_) => vec!["accepted".to_owned()],
            Err(e) => e.iter().map(ToString::to_string).collect(),
        };
        if !bless {
            assert_eq!(got, want, "{title}");
        }
        assert_ne!(got, ["accepted"], "{title}");
        text += &format!("-- {title}\n{source}");
        got.iter().for_each(|e| text += &format!("=> {e}\n"));
    }
    if bless {
        std::fs::write(folder().join("errors.txt"), text).unwrap();
    }
}

#[test]
fn refusals_are_llvms_live() {
    let dir = scratch("refusals");
    for (i, (title, source, _)) in error_blocks().into_iter().enumerate() {
        // Marked blocks are refused by t0 only.
        if title.ends_with('*') {
            continue;
        }
        let Some(result) = llvm(&format!("e{i}"), &source, &dir) else {
            return;
        };
        assert!(result.is_err(), "llvm-mc accepts {title}");
    }
}

#[test]
fn clang_output_live() {
    let dir = scratch("clang");
    let Some(objdump) = tool("llvm-objdump-19").and(tool("clang-19")) else {
        return;
    };
    drop(objdump);
    for level in ["0", "2", "3"] {
        for wave in ["32", "64"] {
            let name = format!("kernels_o{level}_w{wave}");
            let s = dir.join(format!("{name}.clang.s"));
            let mut clang = Command::new("clang-19");
            clang.args([
                "-x",
                "cl",
                "-cl-std=CL2.0",
                "--target=amdgcn-amd-amdhsa",
                "-mcpu=gfx1100",
                "-nogpulib",
                "-S",
            ]);
            if wave == "64" {
                clang.arg("-mwavefrontsize64");
            }
            let ran = clang
                .arg(format!("-O{level}"))
                .arg(folder().join("kernels.cl"))
                .arg("-o")
                .arg(&s)
                .output()
                .unwrap();
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            let source = std::fs::read_to_string(&s).unwrap();
            let Some(reference) = llvm(&name, &source, &dir) else {
                return;
            };
            let reference = reference.unwrap();
            let theirs = std::fs::read(&reference).unwrap();
            differences(&name, &sections(&ours(&name, &source)), &sections(&theirs));
            let text = dis(&theirs, false);
            differences(&name, &sections(&ours(&name, &text.to_string())), &sections(&theirs));
            same_text(&name, &text, &reference, wave);
            // Straight from the compiler, descriptors count SGPRs in bits that llvm-mc leaves 0.
            let co = dir.join(format!("{name}.clang.co"));
            let args: Vec<_> = clang.get_args().map(|a| a.to_owned()).collect();
            let keep = |a: &&std::ffi::OsString| *a != "-S" && **a != *s.as_os_str();
            let mut direct = Command::new("clang-19");
            let ran = direct.args(args.iter().filter(keep)).arg(&co).output().unwrap();
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            let theirs = std::fs::read(&co).unwrap();
            let text = dis(&theirs, false).to_string();
            let made = assemble(&text, &AsmOptions::default()).unwrap();
            differences(&name, &sections(&made.file), &sections(&theirs));
            let all = CodeObject::parse(&theirs).unwrap().kernels.len();
            assert_eq!(made.kernels.len(), all, "{name}");
        }
    }
}

#[test]
fn bits_llvm_19_has_no_directive_for_stay() {
    let block = |extra: &str| {
        format!(
            "k:\n v_cmp_eq_u32 vcc, v0, v1\n s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n\
             .amdhsa_next_free_sgpr 20\n.amdhsa_wavefront_size32 0\n{extra}.end_amdhsa_kernel\n"
        )
    };
    let made = |text: &str| assemble(text, &AsmOptions::default()).unwrap();
    let rsrc1 = |file: &[u8]| CodeObject::parse(file).unwrap().kernels[0].descriptor.rsrc1;
    let plain = made(&block("")).file;
    // Of SGPRs llvm-mc writes nothing.
    assert_eq!(rsrc1(&plain) >> 6 & 0xf, 0);
    assert!(!dis(&plain, false).to_string().contains("granulated"));
    let kept = made(&block(".amdhsa_granulated_wavefront_sgpr_count 2\n")).file;
    assert_eq!(rsrc1(&kept), rsrc1(&plain) | 2 << 6);
    let text = dis(&kept, false).to_string();
    assert!(
        text.contains(".amdhsa_granulated_wavefront_sgpr_count 2 // reserved bits"),
        "{text}"
    );
    let again = made(&text);
    assert_eq!((again.file, again.kernels), (kept, vec!["k".to_owned()]));
    // What newer compilers say of prefetching, bits 9:4 of COMPUTE_PGM_RSRC3 (LLVM AMDGPUUsage).
    let kept = made(&block(".amdhsa_inst_pref_size 33\n")).file;
    let rsrc3 = CodeObject::parse(&kept).unwrap().kernels[0].descriptor.rsrc3;
    assert_eq!(rsrc3, 33 << 4);
    let text = dis(&kept, false).to_string();
    assert!(text.contains(".amdhsa_inst_pref_size 33 // LLVM 19"), "{text}");
    assert_eq!(made(&text).file, kept);
    let wide = block(".amdhsa_granulated_wavefront_sgpr_count 16\n");
    let errors = assemble(&wide, &AsmOptions::default()).unwrap_err();
    assert!(
        errors[0].to_string().contains("granulated_wavefront_sgpr_count"),
        "{}",
        errors[0]
    );
}

#[test]
fn literals_that_fit_an_inline_constant_keep_their_bytes() {
    // s_mov_b32 s0, 1 with the number as a literal, as linkers leave relocations; s_endpgm.
    let source =
        "k:\n.long 0xbe8000ff, 1\n s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n\
                  .amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n";
    let file = ours("literal", source);
    let text = dis(&file, false);
    let line = text.lines.iter().find(|l| l.text.contains("0xbe8000ff")).unwrap();
    assert_eq!(line.text, ".long 0xbe8000ff, 0x00000001");
    // llvm-objdump 19 prints `s_mov_b32 s0, 1`, which llvm-mc 19 makes four bytes of.
    assert!(
        line.comment
            .ends_with(" s_mov_b32 s0, 1, which would be assembled to other bytes"),
        "{}",
        line.comment
    );
    assert_eq!(
        line.code.as_ref().unwrap().instruction.as_deref(),
        Some("s_mov_b32 s0, 1")
    );
    differences(
        "literal",
        &sections(&ours("literal again", &text.to_string())),
        &sections(&file),
    );
}

/// Every instruction objdump prints is a line of ours with the same text; padding may be collapsed.
fn same_text(name: &str, text: &t0_backend_rdna3::dis::Disassembly, file: &Path, wave: &str) {
    let attributes = format!("--mattr=+wavefrontsize{wave}");
    let ran = Command::new("llvm-objdump-19")
        .args(["-d", &attributes])
        .arg(file)
        .output()
        .unwrap();
    let theirs = String::from_utf8(ran.stdout).unwrap();
    let ours: BTreeMap<u64, &str> = text
        .lines
        .iter()
        .filter_map(|l| l.code.as_ref())
        .filter_map(|c| Some((c.address, c.instruction.as_deref()?)))
        .collect();
    let mut compared = 0;
    for line in theirs.lines().filter(|l| l.starts_with('\t')) {
        let Some((instruction, rest)) = line.trim_start().split_once("// ") else {
            continue;
        };
        let address = u64::from_str_radix(rest.split(':').next().unwrap(), 16).unwrap();
        let instruction = instruction.trim_end();
        match ours.get(&address) {
            Some(text) => {
                assert_eq!(*text, instruction, "{name} at {address:#x}");
                compared += 1;
            }
            None => assert!(
                matches!(instruction, "s_nop 0" | "s_code_end"),
                "{name} at {address:#x}: {instruction}"
            ),
        }
    }
    assert!(compared > 300, "{name}: {compared} instructions");
}

/// A kernel whose metadata say the given of kernels.
fn with_kernels(kernels: &str) -> Vec<u8> {
    let source = format!(
        "\t.text\n\t.p2align 8\n\t.globl k\n\t.type k,@function\nk:\n\ts_nop 0\n\ts_endpgm\n\t.size k, .-k\n\t.rodata\n\
         \t.p2align 6\n\t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr 1\n\t.amdhsa_next_free_sgpr 1\n\t.end_amdhsa_kernel\n\
         \t.amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels: {kernels}\n\t.end_amdgpu_metadata\n"
    );
    ours("kernels", &source)
}

#[test]
fn descriptors_say_what_a_kernel_is() {
    let object = CodeObject::parse(&with_kernels("[]")).unwrap();
    let names: Vec<&str> = object.kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["k"]);
    let other = "[{.name: k, .symbol: other.kd, .kernarg_segment_size: 0, .group_segment_fixed_size: 0, \
                 .private_segment_fixed_size: 0, .kernarg_segment_align: 8, .wavefront_size: 32, .sgpr_count: 1, \
                 .vgpr_count: 1, .max_flat_workgroup_size: 256}]";
    let said = CodeObject::parse(&with_kernels(other)).unwrap_err().to_string();
    assert!(
        said.contains("`other.kd`") && said.contains("correct `.symbol`"),
        "{said}"
    );
}

#[test]
fn sizes_of_functions_grow_with_their_text() {
    let text = dis(&with_kernels("[]"), false).to_string();
    assert!(text.contains("\t.size k, .-k\n"), "{text}");
    let longer = text.replace("\ts_nop 0", "\ts_nop 0\n\ts_nop 1");
    let object = CodeObject::parse(&ours("longer", &longer)).unwrap();
    let code = &object.kernels[0].code;
    assert_eq!(code.end - code.start, 12);
}

/// Sources whose pointers lead before, into, to the end of, behind and between sections, named or not.
fn pointers(random: &mut impl FnMut(u64) -> u64) -> String {
    let mut text = String::from("\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n");
    let sections = [
        ".text",
        ".section .rodata,\"a\",@progbits",
        ".section .more,\"a\",@progbits",
        ".data",
        ".section .other,\"aw\",@progbits",
        ".bss",
    ];
    for (i, s) in sections.iter().enumerate() {
        let said = [
            "",
            "\t.globl l{}\n",
            "\t.globl l{}\n\t.protected l{}\n",
            "\t.globl l{}\n\t.hidden l{}\n",
        ];
        text += &said[random(4) as usize].replace("{}", &i.to_string());
        let size = 4 * random(9);
        let name = |end: &str| {
            if end.is_empty() || i % 2 == 0 {
                format!("l{i}{end}:")
            } else {
                String::new()
            }
        };
        text += &format!("\t{s}\n{}\n\t.zero {size}\n{}\n", name(""), name("end"));
    }
    text += "\t.data\n";
    for i in 0..12 {
        let (base, by) = (random(6), random(200) as i64 - 100);
        let end = if base % 2 == 0 && random(3) == 0 { "end" } else { "" };
        text += &format!("\t.quad l{base}{end}{by:+}\n");
        if random(5) == 0 {
            text += &format!("\t.set in{i}, .-4\n");
        }
    }
    text
}

/// Every pointer comes back as the same relocation, wherever it leads.
#[test]
fn relocations_stay_what_they_are() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let dir = scratch("relocations_stay");
    for i in 0..300 {
        let name = format!("pointers{i}");
        let source = pointers(&mut random);
        let mut files = vec![ours(&name, &source)];
        if i < 12 {
            files.extend(llvm(&name, &source, &dir).map(|f| std::fs::read(f.unwrap()).unwrap()));
        }
        for file in files {
            let text = dis(&file, i % 2 == 0).to_string();
            let again = assemble(&text, &AsmOptions::default()).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
            differences(&name, &sections(&again.file), &sections(&file));
        }
    }
}

/// Words of weak symbols nobody defines stay relocations, without any relative one beside them.
#[test]
fn undefined_weak_words_are_left_to_the_loader() {
    let source = "\t.weak w\n\t.data\n\t.quad w, w+8\n\t.long 3\n";
    let file = ours("weak", source);
    let view = ObjectView::parse(&file).unwrap();
    let data = view.sections.iter().find(|s| s.name == ".data").unwrap();
    let relocations: Vec<(u32, i64)> = data.relocations.iter().map(|r| (r.kind, r.addend)).collect();
    assert_eq!(relocations, [(3, 0), (3, 8)]);
    if let Some(theirs) = llvm("weak", source, &scratch("weak")) {
        let theirs = std::fs::read(theirs.unwrap()).unwrap();
        differences("weak", &sections(&file), &sections(&theirs));
    }
    let again = ours("weak again", &dis(&file, false).to_string());
    differences("weak again", &sections(&again), &sections(&file));
}
