//! `t0 run` on kernels that clang 19 compiles while the test runs, in waves of 32 and of 64 lanes: arguments of every
//! size, the hidden arguments of code object v5, LDS of dynamic size. Without clang 19 these tests have nothing to run
//! and say so; recorded words of such kernels are in `run.rs`.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, Ran};
use npyz::WriterBuilder;
use std::path::PathBuf;
use std::process::Command;

/// OpenCL C without its library: the geometry comes from the hidden arguments (LLVM AMDGPUUsage, code object v5).
const SOURCE: &str = r#"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HIDDEN(T, at) (*(__constant T *)((__constant char *)__builtin_amdgcn_implicitarg_ptr() + (at)))
#define GROUP(d) (d == 0 ? __builtin_amdgcn_workgroup_id_x() : d == 1 ? __builtin_amdgcn_workgroup_id_y() : __builtin_amdgcn_workgroup_id_z())
#define ITEM(d) (d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y() : __builtin_amdgcn_workitem_id_z())
#define COUNT(d) HIDDEN(uint, 4 * d)
#define SIZE(d) HIDDEN(ushort, 12 + 2 * d)
#define ID(d) (GROUP(d) * SIZE(d) + ITEM(d))
__kernel void geometry(__global uint *o) {
  uint g = GROUP(0) + COUNT(0) * (GROUP(1) + COUNT(1) * GROUP(2));
  uint l = ITEM(0) + SIZE(0) * (ITEM(1) + SIZE(1) * ITEM(2));
  uint i = g * SIZE(0) * SIZE(1) * SIZE(2) + l;
  o[8 * i] = ID(0); o[8 * i + 1] = ID(1); o[8 * i + 2] = ID(2);
  o[8 * i + 3] = COUNT(0); o[8 * i + 4] = SIZE(1); o[8 * i + 5] = COUNT(2);
  o[8 * i + 6] = HIDDEN(ushort, 64);
  o[8 * i + 7] = HIDDEN(ushort, 18) + HIDDEN(ulong, 40) + __builtin_amdgcn_wavefrontsize();
}
__kernel void types(__global double *d, __global long *q, __global short *s, __global char *c, __global half *h,
                    double a, long b, short e, char f, half g) {
  uint i = ID(0);
  d[i] = d[i] * a; q[i] = q[i] + b; s[i] += e; c[i] += f; h[i] += g;
}
__kernel void reverse(__global float *y, __local float *l) {
  uint i = ITEM(0);
  l[i] = y[ID(0)];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  y[ID(0)] = l[SIZE(0) - 1 - i];
}
__kernel void scattered(__global int *y, int n) {
  volatile int a[64];
  for (int i = 0; i < 64; i++) a[i] = i * n;
  y[ID(0)] = a[(ID(0) * 7 + n) & 63];
}
__kernel void curve(__global float *y, __global const float *x) {
  uint i = ID(0);
  y[i] = __builtin_amdgcn_exp2f(x[i]);
}
struct padded { char a; int b; short c; };
__kernel void paddings(__global struct padded *y) {
  struct padded t;
  t.a = 1; t.b = 2; t.c = 3;
  y[ID(0)] = t;
}
"#;

/// The code object, or `None` without clang 19.
fn compile(dir: &std::path::Path, chip: &str, wave: u32) -> Option<PathBuf> {
    let (source, object) = (dir.join("k.cl"), dir.join("k.co"));
    std::fs::write(&source, SOURCE).unwrap();
    let mut clang = Command::new("clang-19");
    clang.args([
        "-x",
        "cl",
        "-cl-std=CL2.0",
        "-target",
        "amdgcn-amd-amdhsa",
        "-nogpulib",
        "-O2",
    ]);
    clang.args(["-Xclang", "-finclude-default-header"]);
    clang.arg(format!("-mcpu={chip}"));
    if wave == 64 {
        clang.arg("-mwavefrontsize64");
    }
    match clang.arg("-o").arg(&object).arg(&source).output() {
        Ok(out) => {
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            Some(object)
        }
        Err(e) => {
            eprintln!("not run: clang-19: {e}");
            None
        }
    }
}

struct Case {
    dir: PathBuf,
    file: String,
    wave: u32,
}

/// The test for both wave sizes, or nothing without a compiler.
fn cases(test: &str, f: impl Fn(&Case)) {
    cases_on("gfx1100", test, f);
}

fn cases_on(chip: &str, test: &str, f: impl Fn(&Case)) {
    for wave in [32, 64] {
        let dir = folder(&format!("clang-{test}-{chip}-{wave}"));
        let Some(file) = compile(&dir, chip, wave) else { return };
        let file = file.to_str().unwrap().to_owned();
        f(&Case { dir, file, wave });
    }
}

impl Case {
    fn run(&self, line: &str) -> Ran {
        let at = format!("{}/", self.dir.display());
        let args: Vec<String> = line.split(' ').map(|a| a.replace('@', &at)).collect();
        let mut all = vec!["run", &self.file, "--device", "sim"];
        all.extend(args.iter().map(String::as_str));
        let ran = t0(&all);
        assert_eq!(ran.status, 0, "wave{}: {line}: {}{}", self.wave, ran.out, ran.err);
        ran
    }

    fn save<T: npyz::AutoSerialize + Copy>(&self, name: &str, data: &[T]) {
        let file = std::io::BufWriter::new(std::fs::File::create(self.dir.join(name)).unwrap());
        let options = npyz::WriteOptions::<T>::new()
            .default_dtype()
            .shape(&[data.len() as u64]);
        let mut w = options.writer(file).begin_nd().unwrap();
        w.extend(data.iter().copied()).unwrap();
        w.finish().unwrap();
    }

    fn load<T: npyz::Deserialize>(&self, name: &str) -> Vec<T> {
        let bytes = std::fs::read(self.dir.join(name)).unwrap();
        npyz::NpyFile::new(&bytes[..]).unwrap().into_vec().unwrap()
    }
}

#[test]
fn the_geometry_arrives_in_registers_and_hidden_arguments() {
    cases("geometry", |c| {
        c.run("--kernel geometry --grid 3,2,2 --block 8,4,2 --arg out:@o.npy:u32:768x8");
        let got: Vec<u32> = c.load("o.npy");
        let mut rows = got.chunks(8);
        for (gz, gy, gx) in (0..12).map(|g| (g / 6, g / 3 % 2, g % 3)) {
            for (z, y, x) in (0..64).map(|l| (l / 32, l / 8 % 4, l % 8)) {
                // Grid dimensions, a remainder and a global offset of 0, lanes of a wave.
                let want = [8 * gx + x, 4 * gy + y, 2 * gz + z, 3, 4, 2, 3, c.wave];
                assert_eq!(rows.next().unwrap(), want, "wave{}", c.wave);
            }
        }
    });
}

#[test]
fn arguments_and_arrays_of_every_size() {
    cases("types", |c| {
        let n = 0..64i64;
        c.save("d.npy", &n.clone().map(|i| i as f64).collect::<Vec<_>>());
        c.save("q.npy", &n.clone().map(|i| i << 33).collect::<Vec<_>>());
        c.save("s.npy", &n.clone().map(|i| i as i16).collect::<Vec<_>>());
        c.save("c.npy", &n.clone().map(|i| i as i8).collect::<Vec<_>>());
        c.run(
            "--kernel types --grid 1 --block 64 --arg inout:@d.npy:@d2.npy --arg inout:@q.npy:@q2.npy --arg inout:@s.npy:@s2.npy \
             --arg inout:@c.npy:@c2.npy --arg out:@h2.npy:f16:64:1.5 --arg f64:1.5 --arg i64:-5 --arg i16:-3 --arg i8:-2 --arg f16:0.25",
        );
        assert_eq!(
            c.load::<f64>("d2.npy"),
            n.clone().map(|i| 1.5 * i as f64).collect::<Vec<_>>()
        );
        assert_eq!(
            c.load::<i64>("q2.npy"),
            n.clone().map(|i| (i << 33) - 5).collect::<Vec<_>>()
        );
        assert_eq!(
            c.load::<i16>("s2.npy"),
            n.clone().map(|i| i as i16 - 3).collect::<Vec<_>>()
        );
        assert_eq!(c.load::<i8>("c2.npy"), n.map(|i| i as i8 - 2).collect::<Vec<_>>());
        let halves = std::fs::read(c.dir.join("h2.npy")).unwrap();
        let bits = half::f16::from_f32(1.75).to_le_bytes();
        assert_eq!(halves[halves.len() - 128..], bits.repeat(64)[..]);
    });
}

#[test]
fn lds_of_dynamic_size() {
    cases("reverse", |c| {
        let x: Vec<f32> = (0..192).map(|i| i as f32).collect();
        c.save("x.npy", &x);
        c.run("--kernel reverse --grid 3 --block 64 --lds 256 --arg inout:@x.npy:@r.npy --arg u32:0");
        let want: Vec<f32> = x.chunks(64).flat_map(|g| g.iter().rev().copied()).collect();
        assert_eq!(c.load::<f32>("r.npy"), want);
    });
}

#[test]
fn fidelity_of_compiled_code() {
    cases("curve", |c| {
        c.save("x.npy", &(0..64).map(|i| i as f32 - 32.0).collect::<Vec<_>>());
        let v = json(
            &c.run("--kernel curve --grid 1 --block 64 --arg out:@y.npy:f32:64 --arg in:@x.npy --fidelity --json"),
        );
        let want: Vec<f32> = (0..64).map(|i| 2f32.powi(i - 32)).collect();
        assert_eq!(c.load::<f32>("y.npy"), want);
        let f = &v["fidelity"];
        assert_eq!(f["exact"], false, "{v}");
        let judged = f["opcodes"].as_array().unwrap();
        let exp = judged.iter().find(|o| o["name"] == "v_exp_f32").unwrap();
        assert_eq!(
            (exp["level"].as_str(), exp["count"].as_u64()),
            (Some("approximate"), Some(64 / u64::from(c.wave)))
        );
        let sinks: Vec<_> = f["reached"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["sink"].as_str().unwrap())
            .collect();
        assert_eq!(sinks, ["memory"], "{v}");
    });
}

/// Padding is never written; the elements it belongs to are.
#[test]
fn elements_that_are_written_in_part_are_written() {
    cases("paddings", |c| {
        let v = json(&c.run("--kernel paddings --grid 1 --block 64 --arg out:@y.npy:u32:192 --sanitize --json"));
        let rules: Vec<_> = v["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["rule"].as_str())
            .collect();
        assert!(!rules.contains(&Some("never-written")), "{v}");
    });
}

#[test]
fn private_memory_is_provided() {
    cases("private", |c| {
        c.run("--kernel scattered --grid 2 --block 64 --arg out:@y.npy:i32:128 --arg i32:3");
        let want: Vec<i32> = (0..128).map(|i| 3 * ((7 * i + 3) & 63)).collect();
        assert_eq!(c.load::<i32>("y.npy"), want);
    });
}

#[test]
fn every_chip_of_the_generation() {
    for chip in ["gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152"] {
        cases_on(chip, "chips", |c| {
            let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
            c.save("x.npy", &x);
            c.run("--kernel reverse --grid 1 --block 64 --lds 256 --arg inout:@x.npy:@r.npy --arg u32:0");
            let want: Vec<f32> = x.iter().rev().copied().collect();
            assert_eq!(c.load::<f32>("r.npy"), want, "{chip}");
        });
    }
}

#[test]
fn arguments_of_another_type_are_refused() {
    cases("refused", |c| {
        let refused = |args: &str, text: &str| {
            let at = format!("{}/", c.dir.display());
            let args: Vec<String> = args.split(' ').map(|a| a.replace('@', &at)).collect();
            let mut all = vec!["run", &c.file, "--device", "sim", "--grid", "1", "--block", "64"];
            all.extend(args.iter().map(String::as_str));
            let ran = t0(&all);
            assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
            assert!(ran.err.contains(text), "{}", ran.err);
        };
        c.save("i.npy", &[0u32; 64]);
        c.save("d.npy", &[0f64; 64]);
        // clang names types, not parameters.
        let text = "argument 1 is float*, an array of uint32 was given; pass an array of dtype float32";
        refused("--kernel curve --arg out:@y.npy:f32:64 --arg in:@i.npy", text);
        let text = "argument 0 is float*, an array of float64 was given";
        refused("--kernel curve --arg in:@d.npy --arg in:@i.npy", text);
        refused(
            "--kernel reverse --arg u64:0 --arg f32:0",
            "argument 1 is memory of the workgroup (local), f32 was given",
        );
        refused(
            "--kernel scattered --arg u64:0 --arg f32:3",
            "argument 1 is int, f32 was given; write i32:VALUE",
        );
    });
}
