//! The opcode tables: every opcode LLVM 19 knows is a row of that name and number, and its example decodes to its text.

use super::judge::unhex;
use t0_backend_rdna3::isa::{decode, Family, Opcode, Row};
use t0_backend_rdna3::target::{Target, GFX1100, GFX1150, TARGETS};

const GFX1100_ROWS: &str = include_str!("gfx1100_opcodes.tsv");
/// What gfx1150 adds.
const GFX1150_ROWS: &str = include_str!("gfx1150_opcodes.tsv");

struct Line {
    family: &'static str,
    code: u32,
    name: &'static str,
    example: &'static str,
    bytes: Vec<u8>,
}

fn lines(table: &'static str) -> Vec<Line> {
    let line = |l: &'static str| {
        let [family, code, name, example, hex] = l.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {l}");
        };
        Line {
            family,
            code: code.parse().unwrap(),
            name,
            example,
            bytes: unhex(hex),
        }
    };
    table.lines().filter(|l| !l.starts_with('#')).map(line).collect()
}

/// Family of a row as the tables call it: its natural form, and VOP3 for the 64-bit form of shorter ones.
fn names(row: &Row) -> Vec<(&'static str, u32)> {
    let natural = match row.family {
        Family::Sop1 => "SOP1",
        Family::Sop2 => "SOP2",
        Family::Sopc => "SOPC",
        Family::Sopk => "SOPK",
        Family::Sopp => "SOPP",
        Family::Smem => "SMEM",
        Family::Vop1 => "VOP1",
        Family::Vop2 => "VOP2",
        Family::Vopc => "VOPC",
        Family::Vop3 | Family::Vop3sd => "VOP3",
        Family::Vop3p => "VOP3P",
        Family::Vopdx => "VOPDX",
        Family::Vopdy => "VOPDY",
        Family::Ds => "DS",
        Family::Flat if row.name.starts_with("global") => "GLOBAL",
        Family::Flat if row.name.starts_with("scratch") => "SCRATCH",
        Family::Flat => "FLAT",
        Family::Mubuf => "MUBUF",
        Family::Mtbuf => "MTBUF",
        Family::Mimg => "MIMG",
        Family::Ldsdir => "LDSDIR",
        Family::Vinterp => "VINTERP",
        Family::Exp => "EXP",
    };
    let long = row.e64_code().map(|code| ("VOP3", code));
    std::iter::once((natural, row.code)).chain(long).collect()
}

fn check(target: &Target, table: Vec<Line>, errors: &mut Vec<String>) {
    for l in table {
        let plain = l
            .name
            .strip_suffix("_e32")
            .or(l.name.strip_suffix("_e64"))
            .unwrap_or(l.name);
        let row = Opcode::all().find(|op| {
            let row = op.row();
            row.name == plain && names(row).contains(&(l.family, l.code))
        });
        if row.is_none() {
            errors.push(format!("{}: no row {} {} {}", target.name, l.family, l.code, l.name));
        }
        match decode(&l.bytes, target) {
            Ok((inst, size)) if size == l.bytes.len() && inst.to_string() == l.example => {
                let op = row.unwrap_or(inst.op);
                if inst.op != op && inst.vopd_y.map(Opcode::Vopdy) != Some(op) {
                    errors.push(format!(
                        "{}: `{}` is another row, {}",
                        target.name,
                        l.example,
                        inst.op.name()
                    ));
                }
            }
            Ok((inst, _)) => errors.push(format!("{}: `{}` decodes to `{inst}`", target.name, l.example)),
            Err(e) => errors.push(format!("{}: `{}`: {e}", target.name, l.example)),
        }
    }
}

#[test]
fn every_opcode_is_a_row() {
    let mut errors = Vec::new();
    assert_eq!(lines(GFX1100_ROWS).len(), 1478);
    for target in TARGETS {
        check(target, lines(GFX1100_ROWS), &mut errors);
    }
    check(&GFX1150, lines(GFX1150_ROWS), &mut errors);
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn what_gfx1150_adds_is_refused_before() {
    for l in lines(GFX1150_ROWS) {
        assert!(decode(&l.bytes, &GFX1100).is_err(), "{}", l.example);
    }
}
