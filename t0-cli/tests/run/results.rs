//! Kernels that run as they should: results, types, chips, counts.

use crate::*;

#[test]
fn a_kernel_runs_and_its_output_is_written() {
    let c = Case::new("run");
    let line =
        "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg in:@x.npy --arg f32:2 --arg u32:100 --json";
    let ran = c.run(line);
    let v = json(&ran);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert_eq!(
        (v["device"].as_str(), v["findings"].as_array().unwrap().len()),
        (Some("sim"), 0)
    );
    // 4 waves of 25 instructions: each has a lane below n, so none takes the branch.
    assert_eq!(v["wave_instructions"].as_u64(), Some(4 * 25));
    assert!(v["seconds"].as_f64().unwrap() > 0.0);
    let (shape, y) = load(&c.dir.join("o.npy"));
    assert_eq!(shape, [100]);
    assert_eq!(y, (0..100).map(|i| 0.5 + 2.0 * i as f32).collect::<Vec<_>>());
    assert_eq!(load(&c.dir.join("y.npy")).1, [0.5; 100]);
    let text = c.run(&line.replace(" --json", " --count"));
    assert!(
        text.out.starts_with("sim: ") && text.out.contains("100 wave instructions"),
        "{}",
        text.out
    );
    assert!(text.err.contains("simulated Radeon RX 7900 XTX"), "{}", text.err);
}

#[test]
fn dynamic_lds_and_fills() {
    let c = Case::new("lds");
    let ran = c.run("--kernel dyn --grid 1 --block 64 --lds 256 --arg out:@a.npy:f32:2x64 --arg u32:0");
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let (shape, y) = load(&c.dir.join("a.npy"));
    assert_eq!(shape, [2, 64]);
    assert_eq!(y[..64], (0..64).rev().map(|i| i as f32).collect::<Vec<_>>());
    assert!(
        y[64..].iter().all(|v| v.to_bits() == u32::MAX),
        "what nobody wrote is poison"
    );
    let ran = c.run("--kernel dyn --grid 1 --block 64 --lds 256 --arg out:@b.npy:f32:2x64:-3 --arg u32:0");
    assert_eq!(
        (ran.status, load(&c.dir.join("b.npy")).1[64..].to_vec()),
        (0, vec![-3.0; 64])
    );
    let ran = c.run("--kernel dyn --grid 0 --block 64 --arg out:@c.npy:f32:3x2:7 --arg u32:0 --json");
    // A grid of no workgroups executes nothing; outputs keep their FILL.
    assert_eq!((ran.status, json(&ran)["wave_instructions"].as_u64()), (0, Some(0)));
    let empty = std::fs::read(c.dir.join("c.npy")).unwrap();
    assert_eq!(empty[empty.len() - 24..], 7f32.to_le_bytes().repeat(6));
}

#[test]
fn types_of_other_compilers_are_compared() {
    let c = Case::new("types");
    let check = |args: &str, text: &str| {
        let ran = c.run(&format!("--kernel axpy --grid 1 --block 64 {args}"));
        assert_eq!(ran.status, 2, "{args}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(text), "{args}: {}", ran.err);
    };
    let in_x = "--arg in:@x.npy";
    check(
        &format!("{in_x} {in_x} --arg u32:2 --arg u32:1"),
        "argument 2 (`a`) is float, u32 was given; write f32:VALUE",
    );
    check(
        &format!("{in_x} {in_x} --arg f32:2 --arg f32:1"),
        "argument 3 (`n`) is uint, f32 was given; write u32:VALUE",
    );
    check(
        &format!("--arg out:@o.npy:u32:64 {in_x} --arg f32:2 --arg u32:1"),
        "argument 0 (`y`) is float*, an array of uint32 was given; pass an array of dtype float32",
    );
    check(
        &format!("--arg f64:1 {in_x} --arg f32:2 --arg u32:1"),
        "argument 0 (`y`) is a buffer",
    );
    for (name, dtype, bytes) in [("b", "|b1", 1), ("c", "<c8", 8)] {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': (4,), }}\n");
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(vec![0; 4 * bytes]);
        std::fs::write(c.dir.join(format!("{name}.npy")), &file).unwrap();
        let inout = format!("--arg inout:@{name}.npy:@o.npy {in_x} --arg f32:2 --arg u32:1");
        check(&inout, "argument 0 (`y`) is float*, an array of ");
        file.push(0);
        std::fs::write(c.dir.join(format!("{name}.npy")), &file).unwrap();
        check(&inout, "1 bytes follow the ");
    }
    // The bits of an integer are the same with and without a sign; bytes are taken as they are.
    let ran = c.run(&format!(
        "--kernel axpy --grid 1 --block 64 --arg inout:@y.npy:@o.npy {in_x} --arg hex:00000040 --arg i32:4"
    ));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(load(&c.dir.join("o.npy")).1[..5], [0.5, 2.5, 4.5, 6.5, 0.5]);
}

#[test]
fn every_chip_is_a_card_of_its_own() {
    let cards = [
        "Radeon RX 7900 XTX (gfx1100, 96 CU",
        "Radeon RX 7800 XT (gfx1101, 60 CU",
        "Radeon RX 7600 (gfx1102, 32 CU",
        "Radeon 780M (gfx1103, 12 CU",
        "Radeon 890M (gfx1150, 16 CU",
        "Radeon 8060S (gfx1151, 40 CU",
        "Radeon 860M (gfx1152, 8 CU",
    ];
    let dir = folder("run-chips");
    for (target, card) in TARGETS.iter().zip(cards) {
        let c = Case {
            dir: dir.clone(),
            file: code_object_for(&dir, target),
        };
        let line = "--kernel dyn --grid 0 --block 64 --lds 256 --arg out:@y.npy:f32:64:63 --arg u32:0";
        let ran = c.run(line);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains(&format!("simulated {card}")), "{}", ran.err);
        assert_eq!(load(&dir.join("y.npy")).1[0], 63.0, "{card}");
        assert_eq!(c.run(&format!("{line} --target {}", target.name)).status, 0);
        let other = if target.name == "gfx1101" { "gfx1100" } else { "gfx1101" };
        let ran = c.run(&format!("{line} --target {other}"));
        assert_eq!(ran.status, 2, "{}", ran.out);
        let text = format!("k.co is for {}, --target says {other}", target.name);
        assert!(ran.err.contains(&text), "{}", ran.err);
    }
}

#[test]
fn counts_and_fidelity() {
    let c = Case::new("fidelity");
    let line = "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg in:@x.npy --arg f32:2 --arg u32:100 --count --fidelity";
    let v = json(&c.run(&format!("{line} --json")));
    let number = |list: &str, name: &str| {
        let all = v["counts"][list].as_array().unwrap();
        all.iter().find(|o| o["name"] == name).and_then(|o| o["count"].as_u64())
    };
    assert_eq!(v["wave_instructions"].as_u64(), Some(100), "{v}");
    assert_eq!(number("opcodes", "global_load_b32"), Some(8), "{v}");
    assert_eq!(number("opcodes", "v_fmac_f32"), Some(4), "{v}");
    assert_eq!(number("classes", "vmem-store"), Some(4), "{v}");
    let sum: u64 = v["counts"]["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["count"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, 100);
    let f = &v["fidelity"];
    assert_eq!(
        (f["numerics"].as_str(), f["exact"].as_bool()),
        (Some("fast"), Some(true)),
        "{v}"
    );
    assert!(f["reached"].as_array().unwrap().is_empty());
    let text = c.run(line).out;
    assert!(
        text.contains("100 wave instructions") && text.contains("8 global_load_b32"),
        "{text}"
    );
    assert!(text.contains("exact: 100 wave instructions"), "{text}");
    assert!(text.contains("no approximate result reaches an address"), "{text}");
}
