use super::*;

/// A body that launches nothing: a property of draws.
fn outcome(body: fn(&mut KernelTest), seed: u64) -> Outcome {
    let mut runner = Runner {
        gpu: Gpu::simulated().unwrap(),
        checked: false,
        body,
    };
    let first = (0..64).map(|n| runner.case(&Case::default(), Some((seed_of(seed, &n.to_string()), n)), Aim::Verdict));
    let first = first.into_iter().find(|o| o.failure.is_some()).unwrap();
    shrink(first, BUDGET, &mut |case| runner.case(case, None, Aim::Verdict)).0
}

fn text(body: fn(&mut KernelTest)) -> String {
    let texts: Vec<String> = [1, 2, 3]
        .map(|seed| {
            let best = outcome(body, seed);
            let lowest = |name: &str| best.drawn.get(name).map_or(0, |d| d.lowest);
            best.case.clone().short(lowest).to_string()
        })
        .into();
    assert!(texts.iter().all(|t| *t == texts[0]), "{texts:?}");
    texts[0].clone()
}

#[test]
fn sizes_and_values_become_small() {
    assert_eq!(
        text(|t| {
            let n = t.shape("n", 0..=2000);
            if n > 40 {
                t.fail("too long");
            }
        }),
        "n=41"
    );
    assert_eq!(
        text(|t| {
            let n = t.shape("n", 2..=500);
            let x = t.input_of::<i32>("x", n, Values::Whole(-9, 9));
            let _a = t.scalar::<f32>("a");
            if x.data().iter().any(|&v| v > 5) {
                t.fail("large");
            }
        }),
        "x=0:6"
    );
    assert_eq!(
        text(|t| {
            let n = t.shape("n", 0..=300);
            let x = t.input::<f32>("x", n);
            if x.data().iter().any(|v| v.is_nan()) {
                t.fail("NaN");
            }
        }),
        "n=1 x=0:nan"
    );
    // a panic of the test is a failure like any other
    assert_eq!(
        text(|t| {
            let (rows, cols) = (t.shape("rows", 0..=9), t.shape("cols", 1..=9));
            let m = t.input_mat_of::<u8>("m", rows, cols, Values::Whole(1, 2));
            assert!(m.stride() < cols + 2 || rows < 3, "gap");
        }),
        "m.gap=2 rows=3"
    );
}

#[test]
fn the_first_shapes_are_the_awkward_ones() {
    let gpu = Gpu::simulated().unwrap();
    let mut seen = Vec::new();
    for n in 0..12 {
        let mut t = KernelTest::new(&gpu, Case::default(), Some((5, n)), (false, Aim::Verdict)).unwrap();
        seen.push(t.shape("n", 1..=300));
    }
    assert_eq!(seen, [1, 2, 3, 5, 7, 16, 17, 31, 32, 33, 63, 64]);
}

#[test]
fn wrong_draws_are_said() {
    let gpu = Gpu::simulated().unwrap();
    let fails = |case: &str, body: fn(&mut KernelTest)| {
        let mut t = KernelTest::new(&gpu, Case::parse(case).unwrap(), None, (false, Aim::Verdict)).unwrap();
        body(&mut t);
        t.done.failure.unwrap_or_default()
    };
    let twice = |t: &mut KernelTest| {
        t.shape("n", 0..=3);
        t.scalar::<u32>("n");
    };
    assert_eq!(
        fails("", twice),
        "two draws are called `n`; give each a name of its own"
    );
    let one = |t: &mut KernelTest| {
        t.shape("n", 0..=3);
    };
    assert_eq!(fails("n=x", one), "`n=x`: a size is a whole number");
    assert_eq!(fails("n=1", one), "");
    let value = |t: &mut KernelTest| drop(t.input::<u8>("x", 3));
    assert_eq!(fails("x=1:300", value), "`x`: `300` is not a value of its type");
    let name = |t: &mut KernelTest| {
        t.scalar::<u8>("a b");
    };
    assert!(fails("", name).contains("is no name for a draw"));
}

#[test]
fn a_report_is_a_test() {
    fn body(t: &mut KernelTest) {
        let n = t.shape("n", 0..=2000);
        let x = t.input_of::<u32>("x", n, Values::Whole(0, 5));
        if n > 2 && x[2] > 3 {
            t.fail("x[2] is too large");
        }
    }
    let best = outcome(body, 1);
    let text = report("body", &Plan::cases(64), &best, [4, 64, 30], 0x1f);
    let want = "body fails: x[2] is too large\n\n\
        case 4 of 64, made smaller in 30 steps (T0_TEST_SEED=0x1f draws the same ones); as a test:\n\n\
        #[t0::kernel_test(case = \"n=3 x=2:4\")]\n\
        fn body_n3(t: &mut t0::testing::KernelTest) {\n    body(t)\n}\n";
    assert_eq!(text, want);
    let text = report("body", &Plan::cases(64).checked(), &best, [4, 64, 30], 0x1f);
    assert!(text.contains("(case = \"n=3 x=2:4\", checked)]\n"), "{text}");
}
