//! `t0 card`, `t0 run --timing` and the page of `t0 isa` from outside.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, NO_MEMORY};
use serde_json::Value;

#[test]
fn a_card_says_what_a_kernel_takes_and_where_its_time_goes() {
    let ran = t0(&["card", "saxpy", "--size", "512"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    for expected in [
        "saxpy for gfx1100, workgroups of 256, wave32",
        "occupancy: 16 waves/SIMD, limited by waves\n",
        "modelled: ",
        "t0-kernels/src/vector.rs:10 *y += a * x[i];",
        "change first:\n  1. ",
        "launched with a = 1, x: [262144] f32, y: [262144] f32, grid [1024, 1, 1] (y)",
    ] {
        assert!(ran.out.contains(expected), "{expected} is missing in\n{}", ran.out);
    }
}

#[test]
fn a_card_as_json() {
    let v = json(&t0(&["card", "gemm::<64,64,32>", "--size", "256", "--json"]));
    let resources = &v["resources"];
    for name in ["vgpr", "sgpr", "lds", "waves_per_simd"] {
        assert!(resources[name].as_u64().unwrap() > 0, "{name}: {resources}");
    }
    assert!(v["cycles"].as_u64().unwrap() > 1000 && v["basis"] == "modelled");
    for unit in ["wmma", "valu", "lds", "vmem", "salu"] {
        let share = v["utilisation"][unit].as_f64().unwrap();
        assert!(share > 0.0 && share <= 1.0, "{unit}: {share}");
    }
    let shares: f64 = v["waits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w[1].as_f64().unwrap())
        .sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
    let stall = &v["stalls"][0];
    assert!(
        stall["instruction"].is_string()
            && stall["line"].as_u64().unwrap() > 1
            && stall["share"].as_f64().unwrap() > 0.0
    );
    assert!(v["bank_conflicts"]["lds_passes"].as_u64().unwrap() > 0);
    assert!(v["limiter"].is_string() && !v["advice"].as_array().unwrap().is_empty());
    // 2 · 256³ operations, by the model's own time.
    let flops = v["tflops"].as_f64().unwrap() * 1e12 * v["seconds"].as_f64().unwrap();
    assert!((flops / (2.0 * 256f64.powi(3)) - 1.0).abs() < 0.01, "{flops}");
    let l = &v["loops"][0];
    assert!(
        l["wmma"].as_u64().unwrap() > 0 && l["cycles_per_round"].as_f64().unwrap() > 32.0,
        "{l}"
    );
}

#[test]
fn a_card_of_a_code_object_needs_a_launch_for_its_times() {
    let dir = folder("card");
    let file = dir.join("k.co");
    let file = file.to_str().unwrap();
    assert_eq!(t0(&["build", "saxpy", "-o", file]).status, 0);
    let v = json(&t0(&["card", file, "--json"]));
    assert!(v["resources"]["vgpr"].as_u64().unwrap() > 0);
    assert!(
        v.get("cycles").is_none() && v.get("utilisation").is_none(),
        "nobody has launched it: {v}"
    );
    let text = t0(&["card", file]).out;
    assert!(
        text.contains("not launched: cycles, utilisation and stalls are unknown"),
        "{text}"
    );

    let arrays = [
        "--arg",
        "f32:2",
        "--arg",
        "out:x.npy:f32:4096:1",
        "--arg",
        "out:y.npy:f32:4096:1",
    ];
    let launch = [&["card", file, "--grid", "16", "--block", "256", "--json"][..], &arrays].concat();
    let v = json(&t0(&launch));
    assert!(v["cycles"].as_u64().unwrap() > 1000 && v["groups"] == 16, "{v}");
    // The occupancy is that of the launch, with its dynamic LDS: one group of 8 waves on each CU's 64 KB.
    assert_eq!(v["resources"]["group_size"], 256);
    let v = json(&t0(&[&launch[..], &["--lds", "40000"]].concat()));
    let r = &v["resources"];
    assert_eq!((&r["lds"], &r["limited_by"]), (&40000.into(), &"lds".into()), "{r}");
    let ran = t0(&["card", file, "--grid", "16"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("needs --grid, --block and an --arg for each argument"),
        "{}",
        ran.err
    );
}

#[test]
fn a_card_has_no_zero_for_what_nobody_knows_and_no_loop_where_nothing_goes_round() {
    let dir = folder("nothing");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("k.s"), NO_MEMORY).unwrap();
    assert_eq!(t0(&["asm", &path("k.s"), "-o", &path("k.co")]).err, "");
    let launch = ["card", &path("k.co"), "--grid", "4", "--block", "64"];
    let v = json(&t0(&[&launch[..], &["--json"]].concat()));
    assert!(
        v["cycles"].as_u64().unwrap() > 0 && v["resources"]["group_size"] == 64,
        "{v}"
    );
    for name in ["beyond_l2", "from_dram", "coalescing"] {
        assert!(v.get(name).is_none(), "{name}: it has no memory to speak of: {v}");
    }
    let roofline = v["roofline"].as_object().unwrap();
    assert!(
        !roofline.contains_key("flop_per_byte") && !roofline.contains_key("memory_tflops"),
        "{v}"
    );
    let loops = v["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 1, "{loops:?}");
    // .Ltop to the branch that closes it, and the rare part behind s_endpgm.
    assert_eq!(loops[0]["spans"], serde_json::json!([[4, 24], [32, 36]]));
    assert_eq!((&loops[0]["valu"], &loops[0]["instructions"]), (&2.into(), &8.into()));
    let text = t0(&launch).out;
    assert!(
        text.contains("loop 0x4 to 0x18 and 0x20 to 0x24: 8 instructions"),
        "{text}"
    );
    for word in ["misses of the L0", "LDS passes", "memory allows"] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
}

#[test]
fn a_card_refuses_what_it_cannot_have() {
    let check = |args: &[&str], expected: &str| {
        let ran = t0(args);
        assert!(ran.status == 2 && ran.err.contains(expected), "{args:?}: {}", ran.err);
    };
    check(&["card", "nothing"], "there is no kernel `nothing`");
    check(&["card", "saxpy", "--size", "0"], "`0` is no size; write 1 to 16384");
    check(&["card", "saxpy", "--block", "64"], "--size sets its arguments");
    check(
        &["card", "softmax", "--size", "1", "--arg", "u32:1"],
        "are for code objects",
    );
    check(&["trace", "missing.co", "-o", "t.json"], "missing.co");
    check(&["isa", "saxpy", "--diff", "reduce"], "--diff is for --format html");
}

#[test]
fn a_run_with_timing_tells_cycles() {
    let dir = folder("timing");
    let file = dir.join("k.co");
    let file = file.to_str().unwrap();
    assert_eq!(t0(&["build", "saxpy", "-o", file]).status, 0);
    let out = format!("out:{}:f32:256:1", dir.join("y.npy").display());
    let x = format!("out:{}:f32:256:1", dir.join("x.npy").display());
    let run = [
        "run", file, "--grid", "1", "--block", "256", "--arg", "f32:2", "--arg", &x, "--arg", &out,
    ];
    let v = json(&t0(&[&run[..], &["--timing", "--json"]].concat()));
    assert!(
        v["cycles"].as_u64().unwrap() > 5000 && v["timing"]["basis"] == "modelled",
        "{v}"
    );
    let v = json(&t0(&[&run[..], &["--json"]].concat()));
    assert!(v.get("cycles").is_none() && v.get("timing").is_none(), "{v}");
}

/// The document in a page.
fn data(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    let (text, _) = rest.split_once("</script>").unwrap();
    assert!(!text.contains('<'), "it could end the element it stands in");
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_page_carries_everything_it_shows() {
    let dir = folder("page");
    let path = dir.join("k.html");
    let path = path.to_str().unwrap();
    let ran = t0(&[
        "isa",
        "gemm::<64,64,32>",
        "--size",
        "128",
        "--format",
        "html",
        "-o",
        path,
    ]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let page = std::fs::read_to_string(path).unwrap();
    // Self-contained: nothing in it asks for another file.
    for wanted in ["http:", "https:", "src=", "url(", "@import", "fetch("] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(wanted), "{wanted} in the page");
    }
    let document = data(&page);
    let (v, help) = (&document["kernels"][0], &document["help"]);
    let all = v["instructions"].as_array().unwrap();
    assert!(all.len() > 100 && v["timed"] == true);
    assert_eq!(document["kernels"].as_array().unwrap().len(), 1);
    let bytes: usize = all.iter().map(|i| i["bytes"].as_str().unwrap().len() / 2).sum();
    let summary = v["summary"].as_str().unwrap();
    assert!(
        summary.contains(&format!("no spills, {bytes} bytes of code; ")),
        "{summary}"
    );
    let waits: Vec<&Value> = all.iter().filter(|i| i["opcode"] == "s_waitcnt").collect();
    assert!(waits.iter().all(|i| i["why"].is_string()), "every wait has a reason");
    assert!(waits.iter().any(|i| i["why"].as_str().unwrap().contains("needs what")));
    for i in all {
        let bits: u64 = i["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| span(f[2].as_str().unwrap()))
            .sum();
        assert_eq!(
            bits,
            4 * i["bytes"].as_str().unwrap().len() as u64,
            "the fields are all bits: {i}"
        );
        assert!(
            help[i["opcode"].as_str().unwrap()]["what"].is_string(),
            "no help for {i}"
        );
    }
    assert!(all.iter().all(|i| i["group"].is_string() && i.get("error").is_none()));
    let of = |start: &str, group: &str| {
        let named = all.iter().filter(|i| i["text"].as_str().unwrap().starts_with(start));
        let (n, fits) = named.fold((0, true), |(n, fits), i| (n + 1, fits && i["group"] == group));
        assert!(n > 0 && fits, "{start} is {group}");
    };
    for (start, group) in [
        ("v_wmma", "wmma"),
        ("ds_", "lds"),
        ("buffer_", "vmem"),
        ("s_waitcnt", "sync"),
        ("s_cbranch", "branch"),
    ] {
        of(start, group);
    }
    // Blocks hold every instruction once, in order.
    let blocks = v["blocks"].as_array().unwrap();
    let mut next = 0;
    for b in blocks {
        assert_eq!(b["from"].as_u64().unwrap(), next, "{b}");
        let last = all.iter().find(|i| i["offset"] == b["to"]).unwrap();
        next = b["to"].as_u64().unwrap() + last["bytes"].as_str().unwrap().len() as u64 / 2;
        assert!(b["next"]
            .as_array()
            .unwrap()
            .iter()
            .all(|n| n.as_u64().unwrap() < blocks.len() as u64));
    }
    assert!(blocks.iter().any(|b| b["depth"] == 1), "the loop over k");
    let source = v["sources"][0]["lines"].to_string();
    assert!(source.contains("wmma(ta.frag(i, kk)") && !v["loops"].as_array().unwrap().is_empty());
}

/// Bits of `31:26`.
fn span(bits: &str) -> u64 {
    let (last, first) = bits.split_once(':').unwrap();
    last.parse::<u64>().unwrap() - first.parse::<u64>().unwrap() + 1
}

#[test]
fn a_page_shows_what_is_different_between_two_builds() {
    let path = folder("diff").join("k.html");
    let path = path.to_str().unwrap();
    let ran = t0(&[
        "isa",
        "gemm::<64,64,32>",
        "--size",
        "64",
        "--format",
        "html",
        "--diff",
        "gemm::<64,64,16>",
        "-o",
        path,
    ]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let v = &data(&std::fs::read_to_string(path).unwrap())["kernels"][0];
    let count = |change: Option<&str>| {
        let all = v["instructions"].as_array().unwrap().iter();
        all.filter(|i| i.get("change").and_then(Value::as_str) == change)
            .count()
    };
    let listed = |kernel| {
        json(&t0(&["isa", kernel, "--json"]))["instructions"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(None) + count(Some("add")), listed("gemm::<64,64,32>"));
    assert_eq!(count(None) + count(Some("del")), listed("gemm::<64,64,16>"));
    assert!(count(Some("add")) > 0 && count(Some("del")) > 0 && count(None) > 50);
}

/// Two kernels that take 104 VGPRs, of which 100 and 1 are live: 12 waves a SIMD, and with 96 there would be 16.
const TWO_KERNELS: &str = r#"
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text
.globl wide
.p2align 8
.type wide,@function
wide:
.set n, 0
.rept 100
  v_mov_b32 v[n], 0
  .set n, n+1
.endr
.set n, 0
.rept 99
  v_add_f32 v[n+1], v[n+1], v[n]
  .set n, n+1
.endr
  s_endpgm
.Lend1:
.size wide, .Lend1-wide
.globl narrow
.p2align 8
.type narrow,@function
narrow:
  v_mov_b32 v0, 0
  v_mov_b32 v1, v0
  s_endpgm
.Lend2:
.size narrow, .Lend2-narrow
.rodata
.p2align 6
.amdhsa_kernel wide
  .amdhsa_next_free_vgpr 104
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel narrow
  .amdhsa_next_free_vgpr 104
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
"#;

#[test]
fn a_page_has_all_kernels_of_a_code_object() {
    let dir = folder("kernels");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("two.s"), TWO_KERNELS).unwrap();
    let ran = t0(&["asm", &path("two.s"), "-o", &path("two.co")]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let page = |more: &[&str]| {
        let args = ["isa", &path("two.co"), "--format", "html", "-o", &path("two.html")];
        let ran = t0(&[&args[..], more].concat());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        data(&std::fs::read_to_string(path("two.html")).unwrap())
    };
    let v = page(&[]);
    let names: Vec<&str> = v["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|k| k["kernel"].as_str().unwrap())
        .collect();
    // By name.
    assert_eq!(names, ["narrow", "wide"]);
    for k in v["kernels"].as_array().unwrap() {
        assert_eq!(
            k["next_wave"],
            serde_json::json!({"vgprs": 96, "from": 12, "waves": 16})
        );
        assert_eq!(k["timed"], false);
        let summary = k["summary"].as_str().unwrap();
        assert!(
            !summary.contains("spills"),
            "it has no metadata: nobody knows: {summary}"
        );
    }
    let live = |k: usize| {
        let all = v["kernels"][k]["instructions"].as_array().unwrap().iter();
        all.map(|i| i["live_vgpr"].as_u64().unwrap()).max().unwrap()
    };
    assert_eq!((live(0), live(1)), (1, 100));
    let one = page(&["--kernel", "narrow"]);
    assert_eq!(one["kernels"].as_array().unwrap().len(), 1);
    let same = page(&["--diff", &path("two.co")]);
    let changes = same.to_string().matches("\"change\"").count();
    assert_eq!(changes, 0, "each kernel is compared with that of its name");
    let ran = t0(&["isa", &path("two.co")]);
    assert!(
        ran.status == 2 && ran.err.contains("choose one with --kernel"),
        "{}",
        ran.err
    );
}

/// The recorded code objects of `t0 bench model` are what clang makes of their source, where it is there.
#[test]
fn the_kernels_of_the_validation_are_those_of_their_source() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/model");
    let out = folder("sgemm");
    for (name, mode) in [("sgemm.co", None), ("sgemm_cu.co", Some("-mcumode"))] {
        let made = out.join(name);
        let ran = std::process::Command::new("clang-19")
            .args("-target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O3 -cl-std=CL2.0".split(' '))
            .args(mode)
            .arg(dir.join("sgemm.cl"))
            .arg("-o")
            .arg(&made)
            .status();
        let Ok(status) = ran else {
            eprintln!("clang-19 is not installed: nothing compared");
            return;
        };
        assert!(status.success());
        assert!(
            std::fs::read(made).unwrap() == std::fs::read(dir.join(name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn a_card_has_the_formats_of_a_listing() {
    let run = |args: &[&str]| t0(&[&["card", "saxpy", "--size", "64"][..], args].concat());
    let as_json = run(&["--format", "json"]);
    assert_eq!(as_json.out, run(&["--json"]).out);
    assert!(json(&as_json)["cycles"].as_u64().unwrap() > 1000);
    assert_eq!(run(&["--format", "text"]).out, run(&[]).out);
    let both = run(&["--json", "--format", "text"]);
    assert!(both.status == 2 && both.err.contains("another format"), "{}", both.err);
    let help = t0(&["card", "--help"]).out;
    assert!(
        help.contains("docs/timing.md, \"Words of a card\"") && help.contains("`out:NAME:f32:4096:1`"),
        "{help}"
    );
    // Every word of a card is explained.
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/timing.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let words = docs
        .split("## Words of a card")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let card = json(&as_json);
    let waits = card["waits"].as_array().unwrap().iter().map(|w| w[0].as_str().unwrap());
    let busy = card["utilisation"].as_object().unwrap().keys().map(String::as_str);
    for word in waits.chain(busy) {
        let word = word.replace('_', " ");
        assert!(words.contains(&format!("`{word}`")), "{word} is not explained");
    }
}

#[test]
fn a_listing_of_a_launch_tells_what_each_instruction_costs() {
    let text = t0(&["isa", "saxpy", "--size", "64"]).out;
    let load = text.lines().find(|l| l.contains("buffer_load_b32")).unwrap();
    assert!(load.contains(" | issued "), "{load}");
    let wait = text.lines().find(|l| l.contains("s_waitcnt vmcnt")).unwrap();
    assert!(
        wait.contains(", vmcnt ")
            && wait.contains("; vmcnt: `v_mul_f32_e32 v1, s0, v1` at 0x")
            && wait.contains(" needs what"),
        "{wait}"
    );
    assert!(!t0(&["isa", "saxpy"]).out.contains(" | "), "nobody asked for a launch");

    let v = json(&t0(&["isa", "saxpy", "--size", "64", "--json"]));
    let all = v["instructions"].as_array().unwrap();
    let wait = all
        .iter()
        .find(|i| i["text"].as_str().unwrap().starts_with("s_waitcnt vmcnt"))
        .unwrap();
    // 64 · 64 elements, 32 a wave, 256 a workgroup; of 16 workgroups on 48 WGPs one is played back.
    assert_eq!(wait["issued"], 8);
    assert!(
        wait["stall"].as_f64().unwrap() > 0.0 && wait["why"].is_string(),
        "{wait}"
    );
    assert!(
        wait["stalls"].as_array().unwrap().iter().any(|s| s["why"] == "vmcnt"),
        "{wait}"
    );
    let v = json(&t0(&["isa", "saxpy", "--json"]));
    assert!(v["instructions"][0].get("issued").is_none(), "{v}");
}

#[test]
fn a_trace_of_no_cycles_is_refused() {
    let ran = t0(&["trace", "saxpy", "--size", "64", "--cycles", "0", "-o", "never.json"]);
    assert!(ran.status == 2 && ran.err.contains("0 is not in"), "{}", ran.err);
}

#[test]
fn a_code_object_for_another_chip_than_asked_for_is_refused() {
    let dir = folder("other-chip");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let file = path("k.co");
    assert_eq!(t0(&["build", "saxpy", "--target", "gfx1102", "-o", &file]).status, 0);
    for command in [
        &["card", &file][..],
        &["isa", &file],
        &["isa", &file, "--format", "html"],
        &["isa", "saxpy", "--format", "html", "--diff", &file],
        &["trace", &file, "-o", &path("t.json")],
        &["check", &file],
        &["dis", &file],
    ] {
        let ran = t0(&[command, &["--target", "gfx1103"]].concat());
        let expected = format!("{file} is for gfx1102, --target says gfx1103");
        assert!(
            ran.status == 2 && ran.err.contains(&expected),
            "{command:?}: {}",
            ran.err
        );
    }
    assert_eq!(t0(&["check", &file, "--target", "gfx1102"]).status, 0);

    // Whose model it is stands where the chip is another one, and only there.
    let card = |chip: &str| t0(&["card", "saxpy", "--size", "64", "--target", chip]).out;
    let remark = "model: of the RX 7900 XTX (gfx1100), gfx1102 has other units";
    assert!(card("gfx1102").contains(remark), "{}", card("gfx1102"));
    assert!(!card("gfx1100").contains("model: "), "{}", card("gfx1100"));
    let listing = t0(&["isa", "saxpy", "--size", "64", "--target", "gfx1102"]).out;
    assert!(listing.contains("modelled of an RX 7900 XTX (gfx1100)\n"), "{listing}");
    let v = json(&t0(&["card", "saxpy", "--size", "64", "--target", "gfx1102", "--json"]));
    assert_eq!((&v["model"], &v["target"]), (&"RX 7900 XTX".into(), &"gfx1102".into()));
}

#[test]
fn no_input_is_overwritten() {
    let dir = folder("overwritten");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (file, npy) = (path("k.co"), path("x.npy"));
    assert_eq!(t0(&["build", "saxpy", "-o", &file]).status, 0);
    std::fs::write(&npy, "never read").unwrap();
    std::os::unix::fs::symlink(&file, path("link")).unwrap();
    let input = format!("in:{npy}");
    let before = std::fs::read(&file).unwrap();
    for (command, output) in [
        (&["isa", &file][..], &file),
        (&["isa", &file], &path("link")),
        (&["isa", "saxpy", "--format", "html", "--diff", &file], &file),
        (&["isa", &file, "--arg", &input], &npy),
        (&["trace", &file, "--arg", &input], &npy),
        (&["trace", &file], &path("link")),
        (&["asm", &file], &file),
    ] {
        let ran = t0(&[command, &["-o", output]].concat());
        let expected = format!("-o {output}: that file is read");
        assert!(
            ran.status == 2 && ran.err.contains(&expected),
            "{command:?}: {}",
            ran.err
        );
    }
    assert!(std::fs::read(&file).unwrap() == before);
    assert_eq!(std::fs::read(&npy).unwrap(), b"never read");
    assert_eq!(t0(&["isa", "saxpy", "-o", "-"]).out, t0(&["isa", "saxpy"]).out);
}

/// The command in a folder, with a variable of the environment.
fn t0_in(dir: &std::path::Path, variable: (&str, &str), args: &[&str]) -> (i32, String, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_t0"))
        .args(args)
        .current_dir(dir)
        .env(variable.0, variable.1)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

#[test]
fn a_file_is_found_whatever_it_is_called() {
    let dir = folder("names");
    let none = ("T0_CHECKED", "0");
    for name in ["mykernel", "a::b", "softmax"] {
        let path = dir.join(name);
        assert_eq!(t0(&["build", "saxpy", "-o", path.to_str().unwrap()]).status, 0);
    }
    for name in ["mykernel", "a::b", "./softmax"] {
        let (status, out, err) = t0_in(&dir, none, &["card", name]);
        assert_eq!((status, err.as_str()), (0, ""), "{name}");
        assert!(
            out.starts_with("saxpy for gfx1100") && out.contains("not launched"),
            "{out}"
        );
    }
    // The registered kernel of the name comes first, and says so.
    let (status, out, err) = t0_in(&dir, none, &["isa", "softmax"]);
    assert!(status == 0 && out.starts_with("; kernel softmax "), "{out}");
    assert_eq!(err, "note: softmax is the registered kernel; ./softmax is the file\n");
    let (status, _, err) = t0_in(&dir, none, &["card", "nokernel"]);
    assert!(status == 2 && err.contains("there is no kernel `nokernel`"), "{err}");
}

#[test]
fn what_the_environment_asks_for_is_answered() {
    let dir = folder("environment-of-cards");
    for command in [
        &["card", "saxpy", "--size", "64"][..],
        &["isa", "saxpy", "--size", "64"],
        &["trace", "saxpy", "--size", "64", "-o", "t.json"],
        &["bench", "sim"],
    ] {
        if command[0] != "bench" {
            let (status, _, err) = t0_in(&dir, ("T0_CHECKED", "1"), command);
            assert!(
                status == 0 && err.contains("this is `saxpy` without checked indices"),
                "{err}"
            );
        }
        let (status, _, err) = t0_in(&dir, ("T0_DEVICE", "toaster"), command);
        assert!(
            status == 2 && err.contains("T0_DEVICE is \"toaster\""),
            "{command:?}: {err}"
        );
    }
    let (status, _, err) = t0_in(&dir, ("T0_CHECKED", "maybe"), &["card", "saxpy"]);
    assert!(status == 2 && err.contains("T0_CHECKED"), "{err}");
}

#[test]
fn two_equal_builds_have_no_difference() {
    let dir = folder("equal");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let page = |what: &str, before: &str| {
        let ran = t0(&["isa", what, "--format", "html", "--diff", before, "-o", &path("k.html")]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        data(&std::fs::read_to_string(path("k.html")).unwrap())
    };
    assert_eq!(page("saxpy", "saxpy")["kernels"][0]["same"], true);
    let v = page("gemm::<64,64,32>", "gemm::<64,64,16>");
    assert_eq!(v["kernels"][0]["same"], false);
    // The same instructions with other registers are another build.
    std::fs::write(path("a.s"), NO_MEMORY).unwrap();
    std::fs::write(path("b.s"), NO_MEMORY.replace("vgpr 8", "vgpr 200")).unwrap();
    for name in ["a", "b"] {
        let (source, file) = (path(&format!("{name}.s")), path(&format!("{name}.co")));
        assert_eq!(t0(&["asm", &source, "-o", &file]).err, "");
    }
    assert_eq!(page(&path("a.co"), &path("b.co"))["kernels"][0]["same"], false);
    assert_eq!(page(&path("a.co"), &path("a.co"))["kernels"][0]["same"], true);
    // A kernel that the build before does not have.
    std::fs::write(path("two.s"), TWO_KERNELS).unwrap();
    assert_eq!(t0(&["asm", &path("two.s"), "-o", &path("two.co")]).err, "");
    let v = page(&path("two.co"), &path("a.co"));
    let k = &v["kernels"][0];
    assert!(
        k["compared"] == true && k["before"].is_null() && k["same"] == false,
        "{k}"
    );
}

#[test]
fn the_page_counts_the_waits_the_card_counts() {
    let dir = folder("shares");
    let path = dir.join("k.html");
    let work = ["gemm::<64,64,32>", "--size", "512"];
    let page = ["--format", "html", "-o", path.to_str().unwrap()];
    assert_eq!(t0(&[&["isa"], &work[..], &page].concat()).err, "");
    let v = &data(&std::fs::read_to_string(&path).unwrap())["kernels"][0];
    let card = json(&t0(&[&["card"], &work[..], &["--json"]].concat()));
    let mut compared = 0;
    for line in card["stalls_by_line"].as_array().unwrap() {
        let files = v["sources"].as_array().unwrap().iter();
        let file = files.clone().find(|f| f["name"] == line["file"]).unwrap();
        let rows = file["lines"].as_array().unwrap();
        let row = rows.iter().find(|r| r["number"] == line["line"]).unwrap();
        let share = format!("{:.1}%", 100.0 * line["share"].as_f64().unwrap());
        assert_eq!(row["stall"], share.as_str(), "{line}");
        compared += 1;
    }
    assert!(compared > 3, "{card}");
    let busy = v["instructions"].as_array().unwrap().iter().filter(|i| {
        let all = i["stalls"].as_array().into_iter().flatten();
        all.clone().any(|s| s["why"] == "unit busy")
    });
    assert!(busy.count() > 0, "nobody waits for a unit: nothing was tested");
}

#[test]
fn text_that_is_not_what_was_compiled_is_not_shown() {
    let dir = folder("changed");
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../t0-kernels/src/vector.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let copy = dir.join("t0-kernels/src/vector.rs");
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    // Sources are looked for from the current folder upwards.
    let seen = |text: &str, args: &[&str]| {
        std::fs::write(&copy, text).unwrap();
        let (status, out, err) = t0_in(&dir, ("T0_CHECKED", "0"), args);
        assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
        out
    };
    let statement = "*y += a * x[i];";
    assert!(source.contains(statement));
    assert_eq!(
        t0(&["build", "saxpy", "-o", dir.join("k.co").to_str().unwrap()]).status,
        0
    );
    let works = [
        &["isa", "saxpy"][..],
        &["isa", "k.co"],
        &["isa", "k.co", "--format", "html"],
        &["card", "saxpy", "--size", "64"],
        &["check", "k.co", "--json"],
    ];
    let changed = [
        // The body, its parameters, and where they stand.
        source.replacen(statement, "*y -= b / x[i];", 1),
        source.replacen("a: f32, x: &[f32]", "x: &[f32], a: f32", 1),
        format!("\n{source}"),
        "nothing".to_owned(),
    ];
    for work in works {
        let as_it_was = seen(&source, work);
        assert!(!as_it_was.contains("source changed"), "{as_it_was}");
        // Elsewhere in the file anything may change.
        let below = format!("{source}\n// more\n");
        assert_eq!(seen(&below, work), as_it_was);
        if work[0] == "check" {
            continue;
        }
        assert!(as_it_was.contains(statement), "{work:?}: {as_it_was}");
        for text in &changed {
            let out = seen(text, work);
            let remark = "source changed since the build";
            assert!(
                out.contains(remark) && out.contains("t0-kernels/src/vector.rs"),
                "{work:?}: {out}"
            );
            for wrong in [statement, "*y -= b", "nothing\"", "fn saxpy("] {
                assert!(!out.contains(wrong), "{work:?} shows {wrong}: {out}");
            }
        }
    }
    let v: Value = serde_json::from_str(&seen(&changed[0], &["card", "saxpy", "--size", "64", "--json"])).unwrap();
    assert_eq!(v["changed_files"], serde_json::json!(["t0-kernels/src/vector.rs"]));
    assert_eq!(v["stalls_by_line"][0]["changed"], true);
    let v: Value = serde_json::from_str(&seen(&changed[0], &["isa", "saxpy", "--json"])).unwrap();
    assert_eq!(v["changed_files"], serde_json::json!(["t0-kernels/src/vector.rs"]));
}

#[test]
fn a_kernel_of_a_code_object_is_compared_with_a_registered_one() {
    let dir = folder("across");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    assert_eq!(t0(&["build", "saxpy", "-o", &path("k.co")]).status, 0);
    let html = path("k.html");
    let page = ["--kernel", "saxpy", "--diff", "saxpy", "--format", "html", "-o", &html];
    assert_eq!(t0(&[&["isa", &path("k.co")], &page[..]].concat()).err, "");
    let v = data(&std::fs::read_to_string(&html).unwrap());
    assert_eq!(v["kernels"][0]["same"], true);
}

#[test]
fn a_trace_on_standard_output_is_all_there_is() {
    let v = json(&t0(&["trace", "saxpy", "--size", "1", "-o", "-"]));
    assert!(v["traceEvents"].as_array().unwrap().len() > 10, "{v}");
}
