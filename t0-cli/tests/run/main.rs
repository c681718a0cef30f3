//! `t0 run` from outside, on the simulated card, with kernels clang 19 compiled from OpenCL (their words are recorded
//! here, so the tests need no clang).
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod findings;
mod results;
mod usage;

use common::{folder, json, t0, words, Ran};
use std::path::{Path, PathBuf};
use t0_backend_rdna3::object::{write, Arg, ArgKind, KernelCode, Line, Resources};
use t0_backend_rdna3::target::{Target, GFX1100, TARGETS};

/// `kernel void axpy(global float* y, global const float* x, float a, uint n)`:
/// `i = group * 64 + item; if (i < n) y[i] += a * x[i];`
const AXPY: [u32; 34] = [
    0xf4040080, 0xf8000010, 0xd6460000, 0x04010c0f, 0xbf89fc07, 0xbf870001, 0x7c980003, 0xbe83206a, 0xbfa50016,
    0xf4080100, 0xf8000000, 0x7e020280, 0xbf8700a1, 0xd73c0000, 0x00020082, 0xbf89fc07, 0xd7006a02, 0x00020006,
    0xbf870002, 0x40060207, 0xd7006a00, 0x00020004, 0x40020205, 0xdc520000, 0x027c0002, 0xdc520000, 0x037c0000,
    0xbf8903f7, 0x56060402, 0xdc6a0000, 0x007c0300, 0xbf800000, 0xbfb60003, 0xbfb00000,
];
/// `kernel void dyn(global float* y, local float* l)`:
/// `l[item] = item; barrier(); y[group * 64 + item] = l[63 - item];`
const DYN: [u32; 31] = [
    0xf4000080, 0xf8000008, 0x30020082, 0xf4040000, 0xf8000000, 0x7e042300, 0xd6460000, 0x04010c0f, 0xbf89fc07,
    0x4a060202, 0x4c020202, 0xd8340000, 0x00000203, 0xbf89fc07, 0xbfbd0000, 0xd8d800fc, 0x02000001, 0x7e020280,
    0xbf870091, 0xd73c0000, 0x00020082, 0xd7006a00, 0x00020000, 0xbf870002, 0x40020201, 0xbf89fc07, 0xdc6a0000,
    0x007c0200, 0xbf800000, 0xbfb60003, 0xbfb00000,
];

fn code_object(dir: &Path) -> String {
    code_object_for(dir, &GFX1100)
}

fn kernel(name: &str, code: &[u32], kernarg_bytes: u32, args: Vec<Arg>) -> KernelCode {
    KernelCode {
        name: name.to_owned(),
        code: words(code),
        resources: Resources {
            vgprs: 8,
            sgprs: 16,
            kernarg_bytes,
            workgroup_ids: [true, false, false],
            ..Resources::default()
        },
        args,
        lds: Vec::new(),
        max_group_size: 256,
        required_group_size: None,
        spills: [0; 2],
        lines: vec![Line {
            offset: 0,
            file: "axpy.cl".into(),
            line: 7,
            column: 1,
        }],
        atomics: Vec::new(),
        sources: Vec::new(),
    }
}

fn code_object_for(dir: &Path, target: &Target) -> String {
    let lds = Arg {
        name: "l".into(),
        type_name: "float*".into(),
        offset: 8,
        size: 4,
        kind: ArgKind::DynamicLds,
    };
    let axpy_args = vec![
        Arg::buffer("y", "float*", 0),
        Arg::buffer("x", "float*", 8),
        Arg::by_value("a", "float", 16, 4),
        Arg::by_value("n", "uint", 20, 4),
    ];
    let kernels = [
        kernel("axpy", &AXPY, 24, axpy_args),
        kernel("dyn", &DYN, 12, vec![Arg::buffer("y", "float*", 0), lds]),
    ];
    let path = dir.join("k.co");
    std::fs::write(&path, write(target, &kernels).unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A `.npy` file of f32 numbers, written without t0's own code.
fn save(path: &Path, data: &[f32]) {
    use npyz::WriterBuilder;
    let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let mut w = npyz::WriteOptions::<f32>::new()
        .default_dtype()
        .shape(&[data.len() as u64])
        .writer(file)
        .begin_nd()
        .unwrap();
    w.extend(data.iter().copied()).unwrap();
    w.finish().unwrap();
}

fn load(path: &Path) -> (Vec<u64>, Vec<f32>) {
    let file = npyz::NpyFile::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

struct Case {
    dir: PathBuf,
    file: String,
}

impl Case {
    fn new(test: &str) -> Case {
        let dir = folder(test);
        save(&dir.join("x.npy"), &(0..100).map(|i| i as f32).collect::<Vec<_>>());
        save(&dir.join("y.npy"), &[0.5; 100]);
        Case {
            file: code_object(&dir),
            dir,
        }
    }

    /// Runs with file names in arguments taken as names in the test's folder.
    fn run(&self, line: &str) -> Ran {
        let args: Vec<String> = line
            .split(' ')
            .map(|a| a.replace('@', &format!("{}/", self.dir.display())))
            .collect();
        let mut all = vec!["run", &self.file, "--device", "sim"];
        all.extend(args.iter().map(String::as_str));
        t0(&all)
    }
}
