//! Which metadata LLVM's assembler accepts.
//!
//! Problem: loaders rely on entries that a hand-written file may lack. Method: tables of the entries of a kernel and of
//! an argument; entries not named there may hold anything. Invariant: what is refused is what llvm-mc 19 refuses.
//! Source: LLVM 19 `AMDGPUMetadataVerifier`, each row tried with llvm-mc.

use super::msgpack::Value;
use super::yaml::Step;

/// Why metadata is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum RuleError {
    #[error("`{key}` is missing in {place}; LLVM requires it")]
    Missing { key: &'static str, place: &'static str },
    #[error("`{key}` in {place} must be {want}{found}")]
    Wrong {
        key: &'static str,
        place: &'static str,
        want: &'static str,
        found: &'static str,
    },
    #[error("{place} must be a map")]
    NoMap { place: &'static str },
}

/// What an entry holds.
#[derive(Clone, Copy)]
enum Want {
    Int,
    Bool,
    Text,
    OneOf(&'static [&'static str]),
    Ints(usize),
    Texts,
    List(&'static [Rule], &'static str),
}

/// Key, whether it must be there, what it holds.
type Rule = (&'static str, bool, Want);

const ROOT: &[Rule] = &[
    ("amdhsa.version", true, Want::Ints(2)),
    ("amdhsa.printf", false, Want::Texts),
    ("amdhsa.kernels", true, Want::List(KERNEL, "a kernel of the metadata")),
];

const LANGUAGES: &[&str] = &["OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"];

const KERNEL: &[Rule] = &[
    (".name", true, Want::Text),
    (".symbol", true, Want::Text),
    (".language", false, Want::OneOf(LANGUAGES)),
    (".language_version", false, Want::Ints(2)),
    (".args", false, Want::List(ARGUMENT, "an argument of the metadata")),
    (".reqd_workgroup_size", false, Want::Ints(3)),
    (".workgroup_size_hint", false, Want::Ints(3)),
    (".vec_type_hint", false, Want::Text),
    (".device_enqueue_symbol", false, Want::Text),
    (".kernarg_segment_size", true, Want::Int),
    (".group_segment_fixed_size", true, Want::Int),
    (".private_segment_fixed_size", true, Want::Int),
    (".uses_dynamic_stack", false, Want::Bool),
    (".workgroup_processor_mode", false, Want::Int),
    (".kernarg_segment_align", true, Want::Int),
    (".wavefront_size", true, Want::Int),
    (".sgpr_count", true, Want::Int),
    (".vgpr_count", true, Want::Int),
    (".max_flat_workgroup_size", true, Want::Int),
    (".sgpr_spill_count", false, Want::Int),
    (".vgpr_spill_count", false, Want::Int),
    (".uniform_work_group_size", false, Want::Int),
];

const ACCESS: &[&str] = &["read_only", "write_only", "read_write"];
const SPACES: &[&str] = &["private", "global", "constant", "local", "generic", "region"];

const ARGUMENT: &[Rule] = &[
    (".name", false, Want::Text),
    (".type_name", false, Want::Text),
    (".size", true, Want::Int),
    (".offset", true, Want::Int),
    (".value_kind", true, Want::OneOf(VALUE_KINDS)),
    (".pointee_align", false, Want::Int),
    (".address_space", false, Want::OneOf(SPACES)),
    (".access", false, Want::OneOf(ACCESS)),
    (".actual_access", false, Want::OneOf(ACCESS)),
    (".is_const", false, Want::Bool),
    (".is_restrict", false, Want::Bool),
    (".is_volatile", false, Want::Bool),
    (".is_pipe", false, Want::Bool),
];

const VALUE_KINDS: &[&str] = &[
    "by_value",
    "global_buffer",
    "dynamic_shared_pointer",
    "sampler",
    "image",
    "pipe",
    "queue",
    "hidden_block_count_x",
    "hidden_block_count_y",
    "hidden_block_count_z",
    "hidden_group_size_x",
    "hidden_group_size_y",
    "hidden_group_size_z",
    "hidden_remainder_x",
    "hidden_remainder_y",
    "hidden_remainder_z",
    "hidden_global_offset_x",
    "hidden_global_offset_y",
    "hidden_global_offset_z",
    "hidden_grid_dims",
    "hidden_none",
    "hidden_printf_buffer",
    "hidden_hostcall_buffer",
    "hidden_heap_v1",
    "hidden_default_queue",
    "hidden_completion_action",
    "hidden_multigrid_sync_arg",
    "hidden_dynamic_lds_size",
    "hidden_private_base",
    "hidden_shared_base",
    "hidden_queue_ptr",
];

/// Checks metadata.
///
/// # Errors
/// The first entry LLVM's assembler refuses, and the way to it: keys and, for items of lists, their numbers.
pub fn check(metadata: &Value) -> Result<(), (RuleError, Vec<Step>)> {
    let mut path = Vec::new();
    check_map(metadata, ROOT, "the metadata", &mut path).map_err(|e| (e, path))
}

/// On an error the path leads to the entry, or to the map that lacks one.
fn check_map(map: &Value, rules: &[Rule], place: &'static str, path: &mut Vec<Step>) -> Result<(), RuleError> {
    if !matches!(map, Value::Map(_)) {
        return Err(RuleError::NoMap { place });
    }
    for &(key, required, want) in rules {
        match map.get(key) {
            Some(value) => {
                path.push(Step::Key(key.to_owned()));
                check_value(value, key, want, place, path)?;
                path.pop();
            }
            None if required => return Err(RuleError::Missing { key, place }),
            None => {}
        }
    }
    Ok(())
}

fn check_value(
    value: &Value,
    key: &'static str,
    want: Want,
    place: &'static str,
    path: &mut Vec<Step>,
) -> Result<(), RuleError> {
    let items = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|a| a.iter().all(fits));
    let int = |v: &Value| matches!(v, Value::Int(_));
    let (ok, want) = match want {
        Want::Int => (int(value), "an integer"),
        Want::Bool => (matches!(value, Value::Bool(_)), "true or false"),
        Want::Text => (
            value.as_str().is_some(),
            "text; write `!str ` before text that looks like a number or a boolean",
        ),
        Want::OneOf(names) => (
            value.as_str().is_some_and(|s| names.contains(&s)),
            "one of the words LLVM knows for it",
        ),
        Want::Ints(n) => (
            items(int) && value.as_array().is_some_and(|a| a.len() == n),
            if n == 2 {
                "a list of 2 integers"
            } else {
                "a list of 3 integers"
            },
        ),
        Want::Texts => (items(|v| v.as_str().is_some()), "a list of texts"),
        Want::List(rules, inner) => match value.as_array() {
            Some(all) => {
                for (i, v) in all.iter().enumerate() {
                    path.push(Step::Item(i));
                    check_map(v, rules, inner, path)?;
                    path.pop();
                }
                return Ok(());
            }
            None => (false, "a list"),
        },
    };
    if ok {
        return Ok(());
    }
    let found = match value {
        Value::Bool(_) => "; this is a boolean in YAML, as are y, n, on, off and the like",
        _ => "",
    };
    Err(RuleError::Wrong {
        key,
        place,
        want,
        found,
    })
}
