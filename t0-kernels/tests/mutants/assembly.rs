//! Bugs in assembly: what the compiler never emits, so that there is nothing to plant it into.
//!
//! Private memory and FLAT are planted into the kernel that has private memory. The rules of the errata table come from its
//! own files (`t0-backend-rdna3/tests/files/errata`): each triggering sequence becomes a kernel.

use std::path::Path;

use crate::judge::Mutant;
use crate::subjects::{assembled, SPILL};

fn mutant(case: usize, class: &'static str, what: String, text: &str, rules: &'static [&'static str]) -> Mutant {
    Mutant {
        class,
        case,
        what,
        planted: None,
        object: Ok(assembled(text)),
        rules,
        suffers: Default::default(),
        equivalent: None,
        shots: None,
        touched: Default::default(),
    }
}

/// All of them; `case` is that of the kernel in assembly.
pub fn mutants(case: usize) -> Vec<Mutant> {
    let mut out = Vec::new();
    let mut edit = |class, from: &str, to: &str, rules| {
        assert!(SPILL.contains(from));
        out.push(mutant(
            case,
            class,
            to.replace('\n', "; "),
            &SPILL.replacen(from, to, 1),
            rules,
        ));
    };
    let reload = "scratch_load_b32 v5, off, off offset:4";
    edit("spill slots overlap", reload, "scratch_load_b32 v5, off, off", &[]);
    let second = "scratch_store_b32 off, v4, off offset:4";
    edit("spill slots overlap", second, "scratch_store_b32 off, v4, off", &[]);
    edit(
        "spill slots overlap",
        second,
        "scratch_store_b32 off, v4, off offset:8",
        &["scratch-out-of-bounds"],
    );
    edit(
        "negative scratch base",
        "scratch_store_b32 off, v2, off\n",
        "v_mov_b32_e32 v6, -8\nscratch_store_b32 v6, v2, off offset:8\n",
        &["scratch-negative-base"],
    );
    edit(
        "VGPRs released early",
        "s_endpgm",
        "scratch_store_b32 off, v2, off\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\ns_endpgm",
        &["dealloc-vgprs-scratch"],
    );
    // src_shared_base is 1 << 48: eight bytes below it is no LDS address, whatever the offset.
    edit(
        "FLAT offset chooses the space",
        "global_store_b32",
        "v_mov_b32_e32 v6, -8\nv_mov_b32_e32 v7, 0xffff\nflat_load_b32 v6, v[6:7] offset:8\n\
         s_waitcnt vmcnt(0) lgkmcnt(0)\nglobal_store_b32",
        &["flat-offset"],
    );
    for s in errata() {
        if s.title == "trigger" {
            out.push(mutant(
                case,
                "hazard of the errata table",
                s.what(),
                &s.kernel(),
                s.rules,
            ));
        }
    }
    out
}

/// A sequence of the errata table's files.
pub struct Section {
    /// `trigger`, `mended` or `near miss`.
    pub title: String,
    pub rules: &'static [&'static str],
    chip: String,
    wave: u32,
    code: Vec<String>,
}

impl Section {
    fn what(&self) -> String {
        let shown: Vec<&str> = self.code.iter().map(String::as_str).collect();
        format!("{} {}", self.chip, shown.join("; "))
    }

    /// The sequence as a kernel.
    pub fn kernel(&self) -> String {
        let (chip, code) = (&self.chip, self.code.join("\n"));
        let w32 = u32::from(self.wave == 32);
        format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{chip}\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n{code}\n\
             s_endpgm\n.Lend:\n.size k, .Lend-k\n.fill 64, 4, 0xbf9f0000\n.rodata\n.p2align 6\n.amdhsa_kernel k\n\
             .amdhsa_group_segment_fixed_size 1024\n.amdhsa_private_segment_fixed_size 64\n\
             .amdhsa_enable_private_segment 1\n.amdhsa_next_free_vgpr 96\n.amdhsa_next_free_sgpr 64\n\
             .amdhsa_float_denorm_mode_32 3\n.amdhsa_user_sgpr_count 15\n.amdhsa_wavefront_size32 {w32}\n\
             .end_amdhsa_kernel\n"
        )
    }
}

/// All sequences of the errata table's files.
pub fn errata() -> Vec<Section> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../t0-backend-rdna3/tests/files/errata");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|f| sections(f)).collect()
}

fn sections(file: &Path) -> Vec<Section> {
    let name = file.file_stem().unwrap().to_str().unwrap();
    let entry = t0_backend_rdna3::errata::ERRATA.iter().find(|e| e.name == name);
    let rules = match entry {
        Some(e) => std::slice::from_ref(&e.name),
        None => panic!("{} is no rule", file.display()),
    };
    let text = std::fs::read_to_string(file).unwrap();
    let (text, _) = text.split_once("; expected:").unwrap();
    let mut out: Vec<Section> = Vec::new();
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with("test "));
    for line in lines {
        if let Some(head) = line.strip_prefix("; ") {
            let (title, place) = head.split_once(" on ").unwrap_or((head, "gfx1100 wave32"));
            let (chip, wave) = place.split_once(" wave").unwrap();
            out.push(Section {
                title: title.into(),
                rules,
                chip: chip.into(),
                wave: wave.parse().unwrap(),
                code: Vec::new(),
            });
        } else {
            out.last_mut().unwrap().code.push(line.into());
        }
    }
    out
}
