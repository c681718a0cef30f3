//! Kernel metadata: what a launcher must know that the descriptor does not say.
//!
//! Problem: argument kinds, offsets and register counts travel with the code in a MessagePack note that HIP, ROCr and
//! tools read. Method: typed structs with the keys of code object v5. Invariant: what [`KernelMetadata::to_value`]
//! writes, [`KernelMetadata::from_value`] reads back equal; unknown keys of foreign compilers are skipped.
//! Source: LLVM AMDGPUUsage, "Code Object V5 Metadata".

use super::msgpack::Value;
use super::ObjectError;

/// What an argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgKind {
    /// The bytes themselves.
    ByValue,
    /// The address of a buffer in global memory.
    GlobalBuffer,
    /// The LDS offset of dynamically sized LDS.
    DynamicLds,
    /// Another kind of code object v5, by its name (`hidden_block_count_x`, `image`, …).
    Other(String),
}

impl ArgKind {
    /// The value of `.value_kind`.
    pub fn name(&self) -> &str {
        match self {
            ArgKind::ByValue => "by_value",
            ArgKind::GlobalBuffer => "global_buffer",
            ArgKind::DynamicLds => "dynamic_shared_pointer",
            ArgKind::Other(name) => name,
        }
    }

    fn from_name(name: &str) -> ArgKind {
        match name {
            "by_value" => ArgKind::ByValue,
            "global_buffer" => ArgKind::GlobalBuffer,
            "dynamic_shared_pointer" => ArgKind::DynamicLds,
            other => ArgKind::Other(other.to_owned()),
        }
    }

    /// Whether the launcher fills it in by itself instead of the user.
    pub fn is_hidden(&self) -> bool {
        matches!(self, ArgKind::Other(name) if name.starts_with("hidden_"))
    }
}

/// One argument in the kernel argument block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// Its name in the source; empty when the compiler did not say.
    pub name: String,
    /// Its type in the source; empty when the compiler did not say.
    pub type_name: String,
    /// Bytes from the start of the argument block.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// What it is.
    pub kind: ArgKind,
}

impl Arg {
    /// An argument passed as its bytes.
    pub fn by_value(name: &str, type_name: &str, offset: u32, size: u32) -> Arg {
        Arg {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            offset,
            size,
            kind: ArgKind::ByValue,
        }
    }

    /// The 8-byte address of a global buffer.
    pub fn buffer(name: &str, type_name: &str, offset: u32) -> Arg {
        Arg {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            offset,
            size: 8,
            kind: ArgKind::GlobalBuffer,
        }
    }

    fn to_value(&self) -> Value {
        let mut entries = Vec::new();
        match self.kind {
            ArgKind::GlobalBuffer => entries.push((".address_space", "global".into())),
            ArgKind::DynamicLds => entries.push((".address_space", "local".into())),
            _ => {}
        }
        if !self.name.is_empty() {
            entries.push((".name", self.name.as_str().into()));
        }
        entries.push((".offset", self.offset.into()));
        entries.push((".size", self.size.into()));
        if !self.type_name.is_empty() {
            entries.push((".type_name", self.type_name.as_str().into()));
        }
        entries.push((".value_kind", self.kind.name().into()));
        Value::map(entries)
    }

    fn from_value(v: &Value) -> Option<Arg> {
        let text = |key| v.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Arg {
            name: text(".name"),
            type_name: text(".type_name"),
            offset: number(v, ".offset")?,
            size: number(v, ".size")?,
            kind: ArgKind::from_name(v.get(".value_kind")?.as_str()?),
        })
    }
}

/// An array in LDS: lets tools name an LDS offset. Key `.t0_lds`, our own; other readers skip it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LdsVariable {
    /// Its name in the source, or the compiler's for a tile.
    pub name: String,
    /// Bytes from the start of the workgroup's LDS.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// Bytes of an element; 0 when elements do not lie one after the other.
    pub element: u32,
}

impl LdsVariable {
    fn to_value(&self) -> Value {
        Value::map(vec![
            (".element_size", self.element.into()),
            (".name", self.name.as_str().into()),
            (".offset", self.offset.into()),
            (".size", self.size.into()),
        ])
    }

    fn from_value(v: &Value) -> Option<LdsVariable> {
        Some(LdsVariable {
            name: v.get(".name")?.as_str()?.to_owned(),
            offset: number(v, ".offset")?,
            size: number(v, ".size")?,
            element: number(v, ".element_size")?,
        })
    }
}

fn number(v: &Value, key: &str) -> Option<u32> {
    u32::try_from(v.get(key)?.as_u64()?).ok()
}

/// What keeps a kernel's metadata from being read: the first entry that is missing or has a value it cannot have.
pub(super) fn wrong_entry(kernel: &Value) -> ObjectError {
    let name = kernel.get(".name").and_then(Value::as_str);
    let name = name.map_or_else(|| "a kernel without name".to_owned(), |n| format!("kernel `{n}`"));
    let needed = [
        ".kernarg_segment_size",
        ".group_segment_fixed_size",
        ".private_segment_fixed_size",
    ];
    let args = kernel.get(".args").and_then(Value::as_array).unwrap_or_default();
    let of_args = args.iter().enumerate().find_map(|(i, arg)| {
        let number = |key| wrong(arg, key, NUMBER, number(arg, key).is_some());
        let kind = arg.get(".value_kind").and_then(Value::as_str).is_some();
        let (key, what) = number(".offset")
            .or_else(|| number(".size"))
            .or_else(|| wrong(arg, ".value_kind", "a text", kind))?;
        Some((key, what, format!("argument {i} of {name}")))
    });
    let is_text = |key| kernel.get(key).and_then(Value::as_str).is_some();
    let found = [".name", ".symbol"]
        .into_iter()
        .find_map(|key| wrong(kernel, key, "a text", is_text(key)))
        .or_else(|| {
            let number = |key| wrong(kernel, key, NUMBER, number(kernel, key).is_some());
            let optional = |key| number(key).filter(|_| kernel.get(key).is_some());
            let needed = needed.into_iter().find_map(number);
            needed.or_else(|| OPTIONAL.into_iter().find_map(optional))
        })
        .or_else(|| {
            let size = kernel.get(".reqd_workgroup_size")?;
            wrong(
                kernel,
                ".reqd_workgroup_size",
                "a list of three numbers of 32 bits without sign",
                group_size(size).is_some(),
            )
        })
        .map(|(key, what)| (key, what, name.clone()))
        .or(of_args);
    let (key, what, kernel) = found.unwrap_or((".args", "has `.args` that are no list".to_owned(), name));
    ObjectError::MetadataEntry { kernel, key, what }
}

/// What numbers of the metadata must be.
const NUMBER: &str = "a number of 32 bits without sign";

/// Numbers of a kernel that may be missing.
const OPTIONAL: [&str; 7] = [
    ".kernarg_segment_align",
    ".wavefront_size",
    ".sgpr_count",
    ".vgpr_count",
    ".sgpr_spill_count",
    ".vgpr_spill_count",
    ".max_flat_workgroup_size",
];

/// Work-items of a workgroup in x, y, z.
fn group_size(v: &Value) -> Option<[u32; 3]> {
    let size: Option<Vec<u32>> = v.as_array()?.iter().map(|v| u32::try_from(v.as_u64()?).ok()).collect();
    size?.try_into().ok()
}

/// What is wrong with an entry that must be `want`, unless it is.
fn wrong(map: &Value, key: &'static str, want: &str, is_right: bool) -> Option<(&'static str, String)> {
    let what = match map.get(key) {
        _ if is_right => return None,
        None => format!("lacks `{key}`"),
        Some(Value::Int(n)) => format!("has `{key}: {n}`, which must be {want}"),
        Some(Value::Str(t)) => format!("has `{key}: {t}`, which must be {want}"),
        Some(_) => format!("has a `{key}` that is not {want}"),
    };
    Some((key, what))
}

/// The metadata of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelMetadata {
    /// The kernel's name.
    pub name: String,
    /// The descriptor's symbol: the name with `.kd`.
    pub symbol: String,
    /// Bytes of the argument block, hidden arguments included.
    pub kernarg_bytes: u32,
    /// Alignment of the argument block in bytes.
    pub kernarg_align: u32,
    /// Static LDS bytes of a workgroup.
    pub lds_bytes: u32,
    /// Scratch bytes of one work-item.
    pub scratch_bytes: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// SGPRs used, VCC included.
    pub sgprs: u32,
    /// VGPRs used.
    pub vgprs: u32,
    /// SGPR and VGPR spills in this order.
    pub spills: [u32; 2],
    /// Most work-items of a workgroup, where it is said.
    pub max_group_size: Option<u32>,
    /// The workgroup size the kernel was compiled for, if only that one is right.
    pub required_group_size: Option<[u32; 3]>,
    /// Whether workgroups may use both CUs of a WGP, where it is said.
    pub wgp_mode: Option<bool>,
    /// The arguments in order.
    pub args: Vec<Arg>,
    /// The arrays in LDS, when the compiler says where they are.
    pub lds: Vec<LdsVariable>,
}

/// Work-items a workgroup can have (LLVM AMDGPUUsage, `.max_flat_workgroup_size`).
pub const MOST_ITEMS: u32 = 1024;

impl KernelMetadata {
    /// Why no workgroup is right for the kernel: its largest size is none, or smaller than the one it requires; and what would be
    /// right. Without an answer the metadata is sound.
    pub fn impossible_group(&self) -> Option<(String, &'static str)> {
        let most = self.max_group_size.unwrap_or(MOST_ITEMS);
        if most == 0 || most > MOST_ITEMS {
            let what = format!("workgroups of {most} work-items at most, which must be 1 to {MOST_ITEMS}");
            return Some((what, "a .max_flat_workgroup_size of 1 to 1024"));
        }
        let required = self
            .required_group_size?
            .iter()
            .fold(1u64, |n, &d| n.saturating_mul(d.into()));
        (required == 0 || required > most.into()).then(|| {
            let what = format!("workgroups that must have {required} work-items and can have 1 to {most}");
            (
                what,
                "a .max_flat_workgroup_size that is not below the product of .reqd_workgroup_size",
            )
        })
    }

    /// The bytes of an argument block of so many that no argument covers: nobody writes them. None where the metadata has no
    /// arguments at all.
    pub fn padding(&self, bytes: u32) -> Vec<std::ops::Range<u32>> {
        let mut all: Vec<_> = self
            .args
            .iter()
            .map(|a| a.offset..a.offset.saturating_add(a.size))
            .collect();
        all.sort_by_key(|r| r.start);
        let mut holes = Vec::new();
        let mut end = if all.is_empty() { bytes } else { 0 };
        for arg in all.into_iter().chain(std::iter::once(bytes..bytes)) {
            let hole = end..arg.start.min(bytes);
            end = end.max(arg.end);
            if !hole.is_empty() {
                holes.push(hole);
            }
        }
        holes
    }

    /// As the map of `amdhsa.kernels`.
    pub fn to_value(&self) -> Value {
        let mut entries = Vec::new();
        if !self.args.is_empty() {
            entries.push((".args", Value::Array(self.args.iter().map(Arg::to_value).collect())));
        }
        entries.extend([
            (".group_segment_fixed_size", self.lds_bytes.into()),
            (".kernarg_segment_align", self.kernarg_align.into()),
            (".kernarg_segment_size", self.kernarg_bytes.into()),
        ]);
        if let Some(most) = self.max_group_size {
            entries.push((".max_flat_workgroup_size", most.into()));
        }
        entries.extend([
            (".name", self.name.as_str().into()),
            (".private_segment_fixed_size", self.scratch_bytes.into()),
        ]);
        if let Some(size) = self.required_group_size {
            entries.push((
                ".reqd_workgroup_size",
                Value::Array(size.into_iter().map(Value::from).collect()),
            ));
        }
        entries.extend([
            (".sgpr_count", self.sgprs.into()),
            (".sgpr_spill_count", self.spills[0].into()),
            (".symbol", self.symbol.as_str().into()),
        ]);
        if !self.lds.is_empty() {
            entries.push((
                ".t0_lds",
                Value::Array(self.lds.iter().map(LdsVariable::to_value).collect()),
            ));
        }
        entries.extend([
            (".uses_dynamic_stack", false.into()),
            (".vgpr_count", self.vgprs.into()),
            (".vgpr_spill_count", self.spills[1].into()),
            (".wavefront_size", self.wave_size.into()),
        ]);
        if let Some(on) = self.wgp_mode {
            entries.push((".workgroup_processor_mode", u32::from(on).into()));
        }
        Value::map(entries)
    }

    /// From the map of `amdhsa.kernels`; `None` when a key that every compiler writes is missing or has a wrong type.
    pub fn from_value(v: &Value) -> Option<KernelMetadata> {
        // A key that is there must be right.
        let optional = |key| v.get(key).map_or(Some(0), |_| number(v, key));
        let said = |key| v.get(key).map_or(Some(None), |_| number(v, key).map(Some));
        let args = match v.get(".args") {
            Some(args) => args.as_array()?.iter().map(Arg::from_value).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        let lds = v.get(".t0_lds").and_then(Value::as_array).into_iter().flatten();
        let lds = lds.filter_map(LdsVariable::from_value).collect();
        let required_group_size = v
            .get(".reqd_workgroup_size")
            .map_or(Some(None), |size| group_size(size).map(Some))?;
        Some(KernelMetadata {
            name: v.get(".name")?.as_str()?.to_owned(),
            symbol: v.get(".symbol")?.as_str()?.to_owned(),
            kernarg_bytes: number(v, ".kernarg_segment_size")?,
            kernarg_align: optional(".kernarg_segment_align")?,
            lds_bytes: number(v, ".group_segment_fixed_size")?,
            scratch_bytes: number(v, ".private_segment_fixed_size")?,
            wave_size: optional(".wavefront_size")?,
            sgprs: optional(".sgpr_count")?,
            vgprs: optional(".vgpr_count")?,
            spills: [optional(".sgpr_spill_count")?, optional(".vgpr_spill_count")?],
            max_group_size: said(".max_flat_workgroup_size")?,
            required_group_size,
            wgp_mode: number(v, ".workgroup_processor_mode").map(|n| n == 1),
            args,
            lds,
        })
    }
}
