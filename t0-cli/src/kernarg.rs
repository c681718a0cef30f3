//! The argument block of a launch from the command line.
//!
//! Problem: arguments come in order, the block has offsets, hidden arguments and, for t0's own kernels, sizes next to
//! every buffer. Method: the metadata says what goes where; without metadata every argument is naturally aligned.
//! t0's kernels may be given either every word, or one argument for each Rust parameter: the sizes (`x.len`, `x.rows`,
//! `x.cols`, `x.stride`) then follow from the array's shape.
//! Source of the hidden arguments: LLVM AMDGPUUsage, "Code Object V5 Metadata".

use crate::spec::Elem;
use crate::types::Named;
use t0_backend_rdna3::object::{Arg, ArgKind, KernelMetadata};

/// What one `--arg` passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A value: its type and bytes.
    Value(Elem, Vec<u8>),
    /// A value's bytes, whatever its type.
    Bytes(Vec<u8>),
    /// A buffer.
    Buffer {
        /// Its GPU address.
        address: u64,
        /// NumPy's descriptor of its elements, such as `<f4`.
        descriptor: String,
        /// Dimensions of the array in it.
        shape: Vec<u64>,
    },
}

/// Grid and group of the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Workgroups.
    pub groups: [u32; 3],
    /// Work-items of a workgroup.
    pub group_size: [u32; 3],
    /// LDS bytes the kernel declares; the dynamic ones begin behind them.
    pub static_lds: u32,
    /// Dynamic LDS bytes.
    pub dynamic_lds: u32,
}

impl Geometry {
    /// Dimensions in use: the last one with more than one work-item.
    pub fn dims(&self) -> u32 {
        let used = (1..3).rev().find(|&d| self.groups[d] != 1 || self.group_size[d] != 1);
        used.map_or(1, |d| d as u32 + 1)
    }
}

/// Why the arguments do not fit the kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernargError {
    /// Too many or too few.
    #[error("the kernel takes {}, {given} given with --arg", takes(.args))]
    Count {
        /// How many there are.
        given: usize,
        /// What the kernel takes.
        args: Vec<Arg>,
    },
    /// A wrong size.
    #[error("argument {index}{} has {size} bytes, {given} bytes given; use a type of that size", called(.name))]
    Size {
        /// Its number from 0.
        index: usize,
        /// Its name; empty when the compiler did not say.
        name: String,
        /// Its bytes.
        size: u32,
        /// The bytes of the value.
        given: usize,
    },
    /// A wrong type.
    #[error("argument {index}{} is {wanted}, {given} was given; {help}", called(.name))]
    Type {
        /// Its number from 0.
        index: usize,
        /// Its name; empty when the compiler did not say.
        name: String,
        /// The type of the parameter.
        wanted: String,
        /// The type of the argument.
        given: String,
        /// The way out.
        help: String,
    },
    /// An address that is none.
    #[error("argument {index}{} is a buffer; pass in:, out: or inout:, or u64: for an address of your own", called(.name))]
    NotBuffer {
        /// Its number from 0.
        index: usize,
        /// Its name; empty when the compiler did not say.
        name: String,
    },
    /// An LDS address outside of the dynamic part.
    #[error(
        "argument {index}{} points to LDS, which begins behind the {declared} bytes the kernel declares and has the {dynamic} of --lds: \
         {given} is outside of it; write u32:{declared}, or more for what comes behind other arrays of that part",
        called(.name)
    )]
    Local {
        /// Its number from 0.
        index: usize,
        /// Its name; empty when the compiler did not say.
        name: String,
        /// LDS bytes the kernel declares.
        declared: u32,
        /// Dynamic LDS bytes.
        dynamic: u32,
        /// The address.
        given: u32,
    },
    /// A size that cannot be told.
    #[error(
        "`{name}` wants a matrix, the array has {dims} dimensions; give a 2-dimensional array or every word by itself"
    )]
    NotMatrix {
        /// The size's name.
        name: String,
        /// Dimensions of the array.
        dims: usize,
    },
    /// A length beyond 32 bits.
    #[error("`{name}` would be {value}, more than 32 bits hold; give a smaller array")]
    Large {
        /// The size's name.
        name: String,
        /// What it would be.
        value: u64,
    },
    /// More bytes than the kernel's block has.
    #[error("the arguments take {given} bytes, the kernel's argument block has {size}; check their number and types")]
    Block {
        /// The bytes of the arguments.
        given: usize,
        /// The bytes of the block.
        size: u32,
    },
}

/// A parameter's name behind its number, if it has one.
fn called(name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    format!(" (`{name}`)")
}

fn takes(args: &[Arg]) -> String {
    if args.is_empty() {
        return "no arguments".to_owned();
    }
    let name = |(i, a): (usize, &Arg)| match (a.name.as_str(), a.type_name.as_str()) {
        ("", "") => format!("argument {i}: {} of {} bytes", a.kind.name(), a.size),
        ("", ty) => format!("argument {i}: {ty} ({}, {} bytes)", a.kind.name(), a.size),
        (name, ty) => format!("{name}: {ty} ({}, {} bytes)", a.kind.name(), a.size),
    };
    let list: Vec<String> = args.iter().enumerate().map(name).collect();
    format!("{} arguments: {}", args.len(), list.join(", "))
}

/// The argument block.
///
/// Errors: arguments that do not fit the kernel.
pub fn pack(
    metadata: Option<&KernelMetadata>,
    block_bytes: u32,
    pieces: &[Piece],
    geometry: &Geometry,
) -> Result<Vec<u8>, KernargError> {
    let Some(metadata) = metadata else {
        return pack_in_order(block_bytes, pieces);
    };
    let mut block = vec![0; block_bytes.max(metadata.kernarg_bytes) as usize];
    let visible: Vec<&Arg> = metadata.args.iter().filter(|a| !a.kind.is_hidden()).collect();
    let is_size = |a: &Arg| a.name.contains('.');
    let parameters = visible.iter().filter(|a| !is_size(a)).count();
    let fill_sizes = pieces.len() == parameters && parameters < visible.len();
    if !fill_sizes && pieces.len() != visible.len() {
        let args = visible.into_iter().cloned().collect();
        return Err(KernargError::Count {
            given: pieces.len(),
            args,
        });
    }
    let mut given = pieces.iter().enumerate();
    let mut shape: &[u64] = &[];
    for arg in visible {
        if fill_sizes && is_size(arg) {
            put(&mut block, arg, &size_of(arg, shape)?.to_le_bytes())?;
            continue;
        }
        let Some((index, piece)) = given.next() else { break };
        if let Piece::Buffer { shape: s, .. } = piece {
            shape = s;
        }
        put(&mut block, arg, &bytes_of(index, arg, piece, geometry)?)?;
    }
    for arg in metadata.args.iter().filter(|a| a.kind.is_hidden()) {
        put(&mut block, arg, &hidden(arg, geometry))?;
    }
    Ok(block)
}

fn put(block: &mut [u8], arg: &Arg, bytes: &[u8]) -> Result<(), KernargError> {
    let size = block.len() as u32;
    let (start, end) = (arg.offset as usize, arg.offset as usize + bytes.len());
    let place = block
        .get_mut(start..end)
        .ok_or(KernargError::Block { given: end, size })?;
    place.copy_from_slice(bytes);
    Ok(())
}

fn bytes_of(index: usize, arg: &Arg, piece: &Piece, g: &Geometry) -> Result<Vec<u8>, KernargError> {
    let name = arg.name.clone();
    let bytes = match piece {
        Piece::Value(_, bytes) | Piece::Bytes(bytes) => bytes.clone(),
        Piece::Buffer { address, .. } => address.to_le_bytes().to_vec(),
    };
    let is_buffer = arg.kind == ArgKind::GlobalBuffer;
    if is_buffer && (bytes.len() != 8 || matches!(piece, Piece::Value(e, _) if !matches!(e, Elem::U64 | Elem::I64))) {
        return Err(KernargError::NotBuffer { index, name });
    }
    check_type(index, arg, piece, g)?;
    check_local(index, arg, &bytes, g)?;
    let ours = Named::of(arg).is_some_and(Named::may_be_narrow);
    let narrow = ours && !is_buffer && matches!(piece, Piece::Value(..)) && bytes.len() <= arg.size as usize;
    if narrow || bytes.len() == arg.size as usize {
        Ok(bytes)
    } else {
        Err(KernargError::Size {
            index,
            name,
            size: arg.size,
            given: bytes.len(),
        })
    }
}

/// An address in the dynamic part of the LDS is in there, or right behind it.
fn check_local(index: usize, arg: &Arg, bytes: &[u8], g: &Geometry) -> Result<(), KernargError> {
    let (true, Ok(word)) = (arg.kind == ArgKind::DynamicLds, bytes.try_into()) else {
        return Ok(());
    };
    let given = u32::from_le_bytes(word);
    if (g.static_lds..=g.static_lds.saturating_add(g.dynamic_lds)).contains(&given) {
        return Ok(());
    }
    Err(KernargError::Local {
        index,
        name: arg.name.clone(),
        declared: g.static_lds,
        dynamic: g.dynamic_lds,
        given,
    })
}

/// Compares an argument's type with the parameter's where both are known.
fn check_type(index: usize, arg: &Arg, piece: &Piece, g: &Geometry) -> Result<(), KernargError> {
    let wrong = |wanted: &str, given: String, help: String| {
        Err(KernargError::Type {
            index,
            name: arg.name.clone(),
            wanted: wanted.to_owned(),
            given,
            help,
        })
    };
    let array = |descriptor: &str| format!("an array of {}", Elem::dtype_of(descriptor));
    if arg.kind == ArgKind::DynamicLds {
        let given = match piece {
            Piece::Value(Elem::U32 | Elem::I32, _) | Piece::Bytes(_) => return Ok(()),
            Piece::Value(elem, _) => elem.to_string(),
            Piece::Buffer { descriptor, .. } => array(descriptor),
        };
        let help = format!("write u32:{}, and its bytes in --lds", g.static_lds);
        return wrong("memory of the workgroup (local)", given, help);
    }
    let Some(named) = Named::of(arg) else { return Ok(()) };
    match piece {
        Piece::Bytes(_) => Ok(()),
        // An address of one's own.
        Piece::Value(..) if arg.kind == ArgKind::GlobalBuffer => Ok(()),
        Piece::Value(elem, _) if named.takes(*elem) => Ok(()),
        Piece::Value(elem, _) => wrong(&arg.type_name, elem.to_string(), named.value_help(arg.size)),
        Piece::Buffer { .. } if arg.kind != ArgKind::GlobalBuffer && named.holds_address() => Ok(()),
        Piece::Buffer { descriptor, .. } if arg.kind != ArgKind::GlobalBuffer => {
            wrong(&arg.type_name, array(descriptor), named.value_help(arg.size))
        }
        Piece::Buffer { descriptor, .. } if named.takes_array(descriptor) => Ok(()),
        Piece::Buffer { descriptor, .. } => wrong(&arg.type_name, array(descriptor), named.array_help()),
    }
}

/// The size word of this name for an array of this shape.
fn size_of(arg: &Arg, shape: &[u64]) -> Result<u32, KernargError> {
    let elements = shape.iter().fold(1u64, |n, &d| n.saturating_mul(d));
    let field = arg.name.rsplit('.').next().unwrap_or_default();
    let value = match (field, shape) {
        ("len", _) => elements,
        ("rows", [rows, _]) => *rows,
        ("cols" | "stride", [_, cols]) => *cols,
        _ => {
            return Err(KernargError::NotMatrix {
                name: arg.name.clone(),
                dims: shape.len(),
            })
        }
    };
    u32::try_from(value).map_err(|_| KernargError::Large {
        name: arg.name.clone(),
        value,
    })
}

fn hidden(arg: &Arg, g: &Geometry) -> Vec<u8> {
    let axis = match arg.kind.name().as_bytes().last() {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    };
    let value: u64 = match arg.kind.name() {
        name if name.starts_with("hidden_block_count_") => g.groups[axis].into(),
        name if name.starts_with("hidden_group_size_") => g.group_size[axis].into(),
        "hidden_grid_dims" => g.dims().into(),
        "hidden_dynamic_lds_size" => g.dynamic_lds.into(),
        // Upper halves of the apertures' addresses, as the runtime's queues have them.
        "hidden_shared_base" => 0x1_0000,
        "hidden_private_base" => 0x2_0000,
        // Remainders and the global offset are 0: the grid starts at 0 and has whole groups. Services of the HIP
        // runtime (host calls, device heap, queues of its own) are absent.
        _ => 0,
    };
    let mut bytes = value.to_le_bytes().to_vec();
    bytes.resize(arg.size as usize, 0);
    bytes
}

fn pack_in_order(block_bytes: u32, pieces: &[Piece]) -> Result<Vec<u8>, KernargError> {
    let mut block = Vec::new();
    for p in pieces {
        let bytes = match p {
            Piece::Value(_, bytes) | Piece::Bytes(bytes) => bytes.clone(),
            Piece::Buffer { address, .. } => address.to_le_bytes().to_vec(),
        };
        // A structure is aligned by what divides its size.
        let align = 1 << bytes.len().trailing_zeros().min(4);
        block.resize(block.len().next_multiple_of(align), 0);
        block.extend(bytes);
    }
    if block_bytes > 0 && block.len() > block_bytes as usize {
        return Err(KernargError::Block {
            given: block.len(),
            size: block_bytes,
        });
    }
    block.resize(block.len().max(block_bytes as usize), 0);
    Ok(block)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    const G: Geometry = Geometry {
        groups: [3, 4, 1],
        group_size: [64, 1, 1],
        static_lds: 0,
        dynamic_lds: 512,
    };

    fn u32s(block: &[u8]) -> Vec<u32> {
        block
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    fn metadata(bytes: u32, args: Vec<Arg>) -> KernelMetadata {
        KernelMetadata {
            kernarg_bytes: bytes,
            args,
            ..KernelMetadata::default()
        }
    }

    fn value(v: u32) -> Piece {
        Piece::Value(Elem::U32, v.to_le_bytes().to_vec())
    }

    fn buffer(address: u64, shape: &[u64]) -> Piece {
        Piece::Buffer {
            address,
            descriptor: "<f4".into(),
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn types_are_checked_where_the_metadata_names_them() {
        let check = |arg: Arg, piece: &Piece| bytes_of(0, &arg, piece, &G);
        let scalar = |ty| Arg::by_value("a", ty, 0, 4);
        let value = |text: &str| match text.parse().unwrap() {
            Spec::Value(elem, bytes) => Piece::Value(elem, bytes),
            Spec::Bytes(bytes) => Piece::Bytes(bytes),
            other => panic!("{other:?}"),
        };
        let array = |descriptor: &str| Piece::Buffer {
            address: 16,
            descriptor: descriptor.into(),
            shape: vec![1],
        };
        for (ty, text) in [
            ("f32", "f32:2"),
            ("bf16", "bf16:2"),
            ("bool", "u32:1"),
            ("bool", "u8:1"),
            ("float", "f32:1"),
        ] {
            assert!(check(scalar(ty), &value(text)).is_ok(), "{ty} {text}");
        }
        // A structure takes all of its bytes or none.
        let packet = || Arg::by_value("a", "packet", 0, 8);
        assert!(check(packet(), &value("i64:-1")).is_ok());
        let e = check(packet(), &value("i32:-1")).unwrap_err().to_string();
        assert_eq!(
            e,
            "argument 0 (`a`) has 8 bytes, 4 bytes given; use a type of that size"
        );
        for (ty, text) in [("float", "u32:1"), ("float", "f16:1"), ("int", "f32:1")] {
            assert!(check(scalar(ty), &value(text)).is_err(), "{ty} {text}");
        }
        let long = Arg::by_value("", "long", 0, 8);
        let e = check(long.clone(), &value("i32:-1")).unwrap_err().to_string();
        assert_eq!(e, "argument 0 is long, i32 was given; write i64:VALUE");
        // An address travels as an integer, not as anything else; bytes as they are fit everywhere.
        assert!(check(long, &array("<f4")).is_ok());
        let e = check(scalar("float"), &array("<f4")).unwrap_err().to_string();
        assert_eq!(
            e,
            "argument 0 (`a`) is float, an array of float32 was given; write f32:VALUE"
        );
        for ty in ["float", "f32", "uint", "packet"] {
            assert!(check(scalar(ty), &value("hex:0000803f")).is_ok(), "{ty}");
        }
        let wide = Arg::by_value("v", "float4", 0, 16);
        let e = check(wide, &value("f32:1")).unwrap_err().to_string();
        assert_eq!(
            e,
            "argument 0 (`v`) is float4, f32 was given; write hex: and its 16 bytes in memory order"
        );
        let local = Arg {
            kind: ArgKind::DynamicLds,
            ..Arg::by_value("l", "float*", 0, 4)
        };
        assert!(check(local.clone(), &value("u32:0")).is_ok());
        let e = check(local, &value("f32:0")).unwrap_err().to_string();
        assert!(
            e.contains("(local), f32 was given; write u32:0, and its bytes in --lds"),
            "{e}"
        );
        let e = check(Arg::buffer("", "", 0), &value("f64:1")).unwrap_err().to_string();
        assert!(e.starts_with("argument 0 is a buffer; pass in:"), "{e}");
        let e = check(scalar("f32"), &value("u32:2")).unwrap_err().to_string();
        assert_eq!(e, "argument 0 (`a`) is f32, u32 was given; write f32:VALUE");
        for (ty, text) in [
            ("i32", "u32:1"),
            ("u32", "i32:1"),
            ("f16", "bf16:1"),
            ("bf16", "u16:1"),
            ("bool", "f32:1"),
        ] {
            assert!(check(scalar(ty), &value(text)).is_err(), "{ty} {text}");
        }
        for (ty, d) in [
            ("f32", "<f4"),
            ("bf16", "<u2"),
            ("f16", "<f2"),
            ("u8", "|u1"),
            ("u8", "|b1"),
            ("bool", "|b1"),
            ("float*", "<f4"),
            ("packet*", "<i8"),
        ] {
            assert!(check(Arg::buffer("x", ty, 0), &array(d)).is_ok(), "{ty} {d}");
        }
        for (ty, d) in [
            ("f32", "<f8"),
            ("bf16", "<f2"),
            ("f16", "<u2"),
            ("u32", "<i4"),
            ("u8", "|i1"),
            ("float*", "|b1"),
            ("float*", "<c8"),
        ] {
            assert!(check(Arg::buffer("x", ty, 0), &array(d)).is_err(), "{ty} {d}");
        }
        let e = check(Arg::buffer("x", "bf16", 0), &array("<f4"))
            .unwrap_err()
            .to_string();
        let text = "argument 0 (`x`) is bf16, an array of float32 was given; pass an array of dtype uint16, which carries bf16 bits in NumPy";
        assert_eq!(e, text);
        assert!(check(Arg::buffer("x", "f32", 0), &value("u64:4096")).is_ok());
    }

    #[test]
    fn local_pointers_lie_behind_what_the_kernel_declares() {
        let local = Arg {
            kind: ArgKind::DynamicLds,
            ..Arg::by_value("l", "uint*", 0, 4)
        };
        let g = Geometry { static_lds: 128, ..G };
        for at in [128, 640] {
            assert!(bytes_of(0, &local, &value(at), &g).is_ok(), "{at}");
        }
        for at in [0, 127, 641, 99999] {
            let e = bytes_of(0, &local, &value(at), &g).unwrap_err().to_string();
            assert_eq!(
                e,
                format!(
                    "argument 0 (`l`) points to LDS, which begins behind the 128 bytes the kernel declares and has the 512 of --lds: {at} is \
                     outside of it; write u32:128, or more for what comes behind other arrays of that part"
                )
            );
        }
        assert!(bytes_of(0, &local, &Piece::Bytes(vec![0; 4]), &g).is_err());
    }

    #[test]
    fn metadata_places_every_argument() {
        let m = metadata(
            24,
            vec![
                Arg::by_value("a", "f32", 0, 4),
                Arg::buffer("x", "f32", 8),
                Arg::by_value("n", "u32", 16, 4),
            ],
        );
        let a = Piece::Value(Elem::F32, vec![7, 0, 0, 0]);
        let block = pack(Some(&m), 24, &[a, buffer(0x1_0000_0002, &[5]), value(9)], &G).unwrap();
        assert_eq!(u32s(&block), [7, 0, 2, 1, 9, 0]);
    }

    #[test]
    fn sizes_follow_from_shapes() {
        let word = |name: &str, offset| Arg::by_value(name, "u32", offset, 4);
        let m = metadata(
            48,
            vec![
                Arg::by_value("a", "bf16", 0, 4),
                Arg::buffer("x", "f32", 8),
                word("x.len", 16),
                Arg::buffer("c", "f32", 24),
                word("c.rows", 32),
                word("c.cols", 36),
                word("c.stride", 40),
                word("c.len", 44),
            ],
        );
        let pieces = [
            Piece::Value(Elem::Bf16, vec![1, 2]),
            buffer(16, &[6]),
            buffer(32, &[3, 5]),
        ];
        let block = pack(Some(&m), 48, &pieces, &G).unwrap();
        assert_eq!(u32s(&block), [0x0201, 0, 16, 0, 6, 0, 32, 0, 3, 5, 5, 15]);
        let flat = [pieces[0].clone(), pieces[1].clone(), buffer(32, &[15])];
        assert_eq!(
            pack(Some(&m), 48, &flat, &G).unwrap_err(),
            KernargError::NotMatrix {
                name: "c.rows".into(),
                dims: 1
            }
        );
        let text = pack(Some(&m), 48, &pieces[..2], &G).unwrap_err().to_string();
        assert!(
            text.starts_with("the kernel takes 8 arguments: a: bf16 (by_value, 4 bytes), x: f32"),
            "{text}"
        );
    }

    #[test]
    fn hidden_arguments_are_filled_in() {
        let hidden = |name: &str, offset, size| Arg {
            name: String::new(),
            type_name: String::new(),
            offset,
            size,
            kind: ArgKind::Other(name.to_owned()),
        };
        let m = metadata(
            40,
            vec![
                Arg::by_value("", "uint", 0, 4),
                hidden("hidden_block_count_x", 8, 4),
                hidden("hidden_block_count_y", 12, 4),
                hidden("hidden_group_size_x", 16, 2),
                hidden("hidden_group_size_y", 18, 2),
                hidden("hidden_remainder_x", 20, 2),
                hidden("hidden_grid_dims", 24, 2),
                hidden("hidden_dynamic_lds_size", 28, 4),
                hidden("hidden_private_base", 32, 4),
                hidden("hidden_shared_base", 36, 4),
            ],
        );
        let block = pack(Some(&m), 40, &[value(1)], &G).unwrap();
        assert_eq!(u32s(&block), [1, 0, 3, 4, 64 | 1 << 16, 0, 2, 512, 0x2_0000, 0x1_0000]);
    }

    #[test]
    fn misfits_are_named() {
        let m = metadata(16, vec![Arg::buffer("x", "f32", 0), Arg::by_value("n", "u32", 8, 4)]);
        let error = |pieces: &[Piece]| pack(Some(&m), 16, pieces, &G).unwrap_err();
        assert!(matches!(
            error(&[value(1), value(2)]),
            KernargError::NotBuffer { index: 0, .. }
        ));
        assert!(matches!(
            error(&[buffer(1, &[]), buffer(2, &[])]),
            KernargError::Type { index: 1, .. }
        ));
        assert!(matches!(error(&[buffer(1, &[])]), KernargError::Count { given: 1, .. }));
    }

    #[test]
    fn without_metadata_arguments_are_aligned_in_order() {
        let block = pack(
            None,
            24,
            &[value(1), buffer(2, &[]), Piece::Value(Elem::U8, vec![3])],
            &G,
        )
        .unwrap();
        assert_eq!(u32s(&block), [1, 0, 2, 0, 3, 0]);
        assert!(matches!(
            pack(None, 8, &[buffer(2, &[]), value(1)], &G),
            Err(KernargError::Block { given: 12, size: 8 })
        ));
    }
}
