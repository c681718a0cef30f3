//! The kernel a command looks at, and a launch of it for the cycle model.
//!
//! A registered kernel gets made-up arguments of a size that can be chosen; a kernel of a code object those of the command line,
//! in the words of `t0 run`. The launch runs on the simulated card as far as the model needs (`Timing::Sampled`), and nothing
//! of what it computes is kept.

use crate::arrays::{Guarded, Input};
use crate::device::{check_target, Device, DeviceKind, Options, Timing};
use crate::error::{read_file, CliError};
use crate::kernarg::{pack, Geometry, Piece};
use crate::registry;
use crate::run::{check_launch, launch, only_kernel};
use crate::spec::{parse_block, parse_bytes, parse_dims, Elem, Spec};
use std::path::Path;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::{CodeObject, Kernel};
use t0_backend_rdna3::target::{Target, GFX1100};
use t0_ir::stage::KernelEntry;
use t0_ir::{ParamKind, Scalar};
use t0_runtime::Buffer;
use t0_sim::timing::Recording;

/// What to look at.
#[derive(Debug, clap::Args)]
pub struct What {
    /// A kernel of `t0 kernels` with its compile-time arguments, such as 'gemm::<128,128,32>', or the file of a code object
    #[arg(value_name = "KERNEL|F.co")]
    what: String,
    /// The kernel of the code object; not needed when there is only one
    #[arg(long)]
    kernel: Option<String>,
    /// For registered kernels: rows and columns of every matrix; arrays have that many elements squared [default: 4096]
    #[arg(long, value_parser = parse_size, allow_hyphen_values = true)]
    size: Option<u32>,
    /// Workgroups: X, X,Y or X,Y,Z
    #[arg(long, value_parser = parse_dims, allow_hyphen_values = true)]
    grid: Option<[u32; 3]>,
    /// Work-items of a workgroup: X, X,Y or X,Y,Z
    #[arg(long, value_parser = parse_block, allow_hyphen_values = true)]
    block: Option<[u32; 3]>,
    /// Bytes of dynamic LDS besides what the kernel declares
    #[arg(long, default_value = "0", value_parser = parse_bytes, allow_hyphen_values = true)]
    lds: u32,
    /// Arguments of a code object's kernel, in order, as for `t0 run`; nothing is written to files, so that
    /// `out:NAME:f32:4096:1` is an input without a file, too: 4096 times 1
    #[arg(long = "arg", value_name = "SPEC")]
    args: Vec<Spec>,
}

/// Rows and columns when nobody says.
const SIZE: u32 = 4096;

fn parse_size(s: &str) -> Result<u32, String> {
    let size = s.parse().ok().filter(|n| (1..=16384).contains(n));
    size.ok_or_else(|| format!("`{s}` is no size; write 1 to 16384"))
}

/// A kernel in its code object.
pub struct Work {
    /// The name to show.
    pub name: String,
    file: Vec<u8>,
    object: CodeObject,
    symbol: String,
    entry: Option<(&'static KernelEntry, Vec<i64>)>,
    /// All kernels of the code object are looked at.
    all: bool,
    /// Work-items of a workgroup and dynamic LDS bytes of the launch, where the command line says so.
    sized: Option<(u32, u32)>,
}

/// A launch the model can look at.
pub struct Launched {
    /// What was kept of it.
    pub recording: Recording,
    /// How it was launched, in words.
    pub with: String,
}

impl What {
    /// The same for another kernel, of the same name if that is a code object.
    pub fn other(&self, what: &str) -> What {
        let mut other = What {
            what: what.to_owned(),
            kernel: None,
            size: self.size,
            grid: None,
            block: None,
            lds: 0,
            args: Vec::new(),
        };
        if other.is_file() {
            other.kernel.clone_from(&self.kernel);
        }
        other
    }

    /// Whether the command line asks for a launch: its size, its grid or its arguments.
    pub fn asks_for_launch(&self) -> bool {
        self.size.is_some() || self.grid.is_some() || !self.args.is_empty()
    }

    /// Compiles or reads the kernel.
    ///
    /// Errors: no such kernel or file, what is no code object, or one for another chip than `target`.
    pub fn open(&self, target: Option<Target>) -> Result<Work, CliError> {
        let path = Path::new(&self.what);
        if !self.is_file() {
            if self.kernel.is_some() || !self.args.is_empty() || self.block.is_some() {
                let text = "--kernel, --block and --arg are for code objects; a registered kernel has its own workgroup, and --size sets its arguments";
                return Err(CliError::Usage(text.into()));
            }
            let built = registry::build(&self.what, &target.unwrap_or(GFX1100))?;
            if path.is_file() {
                eprintln!("note: {0} is the registered kernel; ./{0} is the file", self.what);
            }
            return Ok(Work {
                name: built.name,
                file: built.file,
                object: built.object,
                symbol: built.symbol,
                entry: Some((built.entry, built.consts)),
                all: false,
                sized: None,
            });
        }
        let in_file = |source| CliError::Object {
            path: path.to_owned(),
            source,
        };
        let (file, object) = self.read(target)?;
        let symbol = match &self.kernel {
            Some(name) => object.kernel(name).map_err(in_file)?.name.clone(),
            None => only_kernel(&object, path)?.name.clone(),
        };
        Ok(Work {
            name: symbol.clone(),
            file,
            object,
            symbol,
            entry: None,
            all: false,
            sized: self
                .block
                .map(|b| (b.iter().fold(1, |n: u32, k| n.saturating_mul(*k)), self.lds)),
        })
    }

    /// The same, without asking which kernel when a code object has several and none is to be launched; see [`Work::listings`].
    pub fn open_all(&self, target: Option<Target>) -> Result<Work, CliError> {
        let asked = self.kernel.is_some() || self.grid.is_some() || self.block.is_some() || !self.args.is_empty();
        if asked || !self.is_file() {
            return self.open(target);
        }
        let (file, object) = self.read(target)?;
        let first = object.kernels.first().map(|k| k.name.clone());
        match (first, object.kernels.len()) {
            (Some(symbol), 2..) => Ok(Work {
                name: symbol.clone(),
                file,
                object,
                symbol,
                entry: None,
                all: true,
                sized: None,
            }),
            _ => self.open(target),
        }
    }

    /// The files the command line names for reading.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let what = self.is_file().then(|| Path::new(&self.what));
        what.into_iter().chain(self.args.iter().filter_map(Spec::input_path))
    }

    /// It is a file when it looks like one, or when there is one and no kernel of that name; `./saxpy` looks like one.
    fn is_file(&self) -> bool {
        let path = Path::new(&self.what);
        let looks_like_file = path.extension().is_some() || self.what.contains('/');
        looks_like_file && !self.what.contains("::") || path.is_file() && !registry::is_known(&self.what)
    }

    fn read(&self, target: Option<Target>) -> Result<(Vec<u8>, CodeObject), CliError> {
        let path = Path::new(&self.what);
        let file = read_file(path)?;
        let object = CodeObject::parse(&file).map_err(|source| CliError::Object {
            path: path.to_owned(),
            source,
        })?;
        check_target(target, &object.target, path)?;
        Ok((file, object))
    }

    /// Launches it; `None` for a kernel of a code object without grid and block.
    ///
    /// Errors: arguments that do not fit, a kernel that faults.
    pub fn launch(&self, work: &Work) -> Result<Option<Launched>, CliError> {
        // The simulated card it is in any case, but a mistyped name is told here, too.
        DeviceKind::from_environment()?;
        let device = Device::simulated(
            "the cycle model needs it",
            &Options {
                timing: Timing::Sampled,
                target: Some(work.object.target),
                ..Options::default()
            },
        )?;
        match (&work.entry, self.grid, self.block) {
            (Some((entry, consts)), ..) => self.launch_entry(work, &device, entry, consts).map(Some),
            (None, Some(grid), Some(block)) => self.launch_object(work, &device, grid, block).map(Some),
            (None, None, None) if self.args.is_empty() => Ok(None),
            _ => {
                let text = "a launch of a code object's kernel needs --grid, --block and an --arg for each argument; without all of them only its code is looked at";
                Err(CliError::Usage(text.into()))
            }
        }
    }

    fn launch_object(
        &self,
        work: &Work,
        device: &Device,
        grid: [u32; 3],
        block: [u32; 3],
    ) -> Result<Launched, CliError> {
        let mut inputs: Vec<Input> = self.args.iter().map(Input::read).collect::<Result<_, _>>()?;
        let buffers = inputs
            .iter_mut()
            .map(|i| Guarded::new(&device.gpu, i))
            .collect::<Result<Vec<_>, _>>()?;
        let pieces: Vec<Piece> = inputs.iter().zip(&buffers).map(|(i, b)| i.piece(b.as_ref())).collect();
        let with = format!("grid {grid:?}, workgroups of {block:?}");
        self.start(work, device, (grid, block), &pieces, with)
    }

    fn launch_entry(
        &self,
        work: &Work,
        device: &Device,
        entry: &KernelEntry,
        consts: &[i64],
    ) -> Result<Launched, CliError> {
        let n = u64::from(self.size.unwrap_or(SIZE));
        let mut buffers: Vec<Buffer<u8>> = Vec::new();
        let mut pieces = Vec::new();
        let mut words = Vec::new();
        let mut grid = self.grid.map(|g| (g, "given"));
        for p in entry.params {
            let (shape, scalar) = match p.kind {
                ParamKind::Scalar(s) => {
                    let value = if is_float(s) { 1 } else { n };
                    words.push(format!("{} = {value}", p.name));
                    pieces.push(Piece::Value(elem(s), number(s, value)));
                    continue;
                }
                ParamKind::Slice(s, _) => (vec![n * n], s),
                ParamKind::Mat(s, _) => (vec![n, n], s),
            };
            let bytes = shape.iter().product::<u64>().saturating_mul(u64::from(scalar.bytes()));
            if bytes >= 1 << 32 {
                let text = format!(
                    "`{}` would have {bytes} bytes, more than a launch takes; choose a smaller --size",
                    p.name
                );
                return Err(CliError::Usage(text));
            }
            let buffer = device.gpu.upload(&contents(scalar, bytes as usize))?;
            words.push(format!("{}: {shape:?} {}", p.name, scalar.name()));
            if grid.is_none() {
                grid = grid_of(p.ty, entry, consts, n).map(|g| (g, p.name));
            }
            pieces.push(Piece::Buffer {
                address: buffer.va(),
                descriptor: elem(scalar).descriptor().to_owned(),
                shape,
            });
            buffers.push(buffer);
        }
        // What `grid = …` says is host code; most often it is the length of an array.
        let (grid, from) = grid.unwrap_or((
            [(n * n).div_ceil(entry.group.into()) as u32, 1, 1],
            "a work-item for each element, assumed",
        ));
        words.push(format!("grid {grid:?} ({from})"));
        self.start(work, device, (grid, [entry.group, 1, 1]), &pieces, words.join(", "))
    }

    fn start(
        &self,
        work: &Work,
        device: &Device,
        (grid, block): ([u32; 3], [u32; 3]),
        pieces: &[Piece],
        with: String,
    ) -> Result<Launched, CliError> {
        let kernel = work.kernel()?;
        check_launch(&work.object, kernel, block, self.lds)?;
        let geometry = Geometry {
            groups: grid,
            group_size: block,
            static_lds: kernel.descriptor.group_segment_bytes,
            dynamic_lds: self.lds,
        };
        let kernarg = pack(
            kernel.metadata.as_ref(),
            kernel.descriptor.kernarg_bytes,
            pieces,
            &geometry,
        )
        .map_err(|e| CliError::Usage(e.to_string()))?;
        let (_, fault) = launch(device, &work.file, kernel, None, &geometry, &kernarg)?;
        if let Some(e) = fault {
            return Err(e.into());
        }
        let recording = device
            .recording()
            .ok_or_else(|| CliError::Usage("nothing was launched: the grid has a 0".into()))?;
        Ok(Launched { recording, with })
    }
}

impl Work {
    /// The kernel.
    ///
    /// Errors: it is not there, which would be a fault of the compiler.
    pub fn kernel(&self) -> Result<&Kernel, CliError> {
        self.object.kernel(&self.symbol).map_err(|source| CliError::Built {
            kernel: self.name.clone(),
            source,
        })
    }

    /// Listings of all kernels that are looked at.
    pub fn listings(&self) -> Result<Vec<Listing>, CliError> {
        if !self.all {
            return Ok(vec![self.listing()?]);
        }
        let of = |k| Listing::new(&self.object, k).with_source(t0_runtime::read_source);
        Ok(self.object.kernels.iter().map(of).collect())
    }

    /// Its listing with the text of its source lines, and with the occupancy of the launch.
    pub fn listing(&self) -> Result<Listing, CliError> {
        let mut listing = Listing::new(&self.object, self.kernel()?).with_source(t0_runtime::read_source);
        if let Some((group, lds)) = self.sized {
            listing = listing.launched(group, lds);
        }
        listing.kernel.clone_from(&self.name);
        Ok(listing)
    }
}

/// The grid the parameter that owns the output asks for.
fn grid_of(ty: &str, entry: &KernelEntry, consts: &[i64], n: u64) -> Option<[u32; 3]> {
    let ty: String = ty.chars().filter(|c| !c.is_whitespace()).collect();
    let groups = |n: u64| u32::try_from(n).ok();
    if ty.contains("mutLanes<") {
        return Some([groups((n * n).div_ceil(entry.group.into()))?, 1, 1]);
    }
    if ty.contains("mutWaves<") {
        return Some([groups(n.div_ceil(u64::from(entry.group / 32).max(1)))?, 1, 1]);
    }
    let tile = ty.split("Tile<").nth(1).filter(|_| ty.contains("mutGroups<"))?;
    let mut sizes = tile.trim_end_matches('>').split(',').skip(1).map(|word| {
        let named = entry
            .consts
            .iter()
            .position(|c| *c == word)
            .and_then(|k| consts.get(k).copied());
        named
            .or_else(|| word.parse().ok())
            .and_then(|v| u64::try_from(v).ok())
            .filter(|&v| v > 0)
    });
    let (rows, cols) = (sizes.next()??, sizes.next()??);
    Some([groups(n.div_ceil(cols))?, groups(n.div_ceil(rows))?, 1])
}

fn is_float(s: Scalar) -> bool {
    matches!(s, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
}

fn elem(s: Scalar) -> Elem {
    // A `bool` takes four bytes of the argument block.
    Elem::from_name(s.name()).unwrap_or(Elem::U32)
}

/// A small number in the bytes of an element.
fn number(s: Scalar, value: u64) -> Vec<u8> {
    match s {
        Scalar::F16 => half::f16::from_f32(value as f32).to_le_bytes().to_vec(),
        Scalar::Bf16 => half::bf16::from_f32(value as f32).to_le_bytes().to_vec(),
        Scalar::F32 => (value as f32).to_le_bytes().to_vec(),
        Scalar::F64 => (value as f64).to_le_bytes().to_vec(),
        other => {
            let bytes = if other == Scalar::Bool {
                4
            } else {
                other.bytes() as usize
            };
            value.to_le_bytes()[..bytes].to_vec()
        }
    }
}

/// Small whole numbers, the same again and again: what a kernel takes for an index stays in bounds.
fn contents(s: Scalar, bytes: usize) -> Vec<u8> {
    let block: Vec<u8> = (0..1024u64).flat_map(|k| number(s, k * 7 % 11)).collect();
    block.iter().copied().cycle().take(bytes).collect()
}
