//! Every ready kernel against a reference on the CPU: awkward shapes, gaps between rows, guard bands, poisoned outputs, optimised
//! against plain code.

use t0::prelude::*;
use t0::testing::{KernelTest, Tolerance, Values};
use t0_kernels::{
    conv3x3, edges, gelu, gemm, gemm_nn, gemm_tn, histogram, layernorm, reduce, rmsnorm, saxpy, saxpy_rows,
    scan_blocks, softmax, transpose,
};

#[kernel_test(cases = 40)]
fn saxpy_is_right(t: &mut KernelTest) {
    let n = t.shape("n", 0..=2000);
    let a = t.scalar::<f32>("a");
    let x = t.input::<f32>("x", n);
    let mut y = t.inout::<f32>("y", n);
    t.launch(saxpy { a, x: &x, y: &mut y });
    t.expect(&y, |i| y.before()[i] + a * x[i], Tolerance::EXACT);
}

#[kernel(group = 256)]
fn copy_rows(x: &Mat<f32>, y: &mut Waves<[f32]>) {
    for (r, out) in y {
        for (c, o) in out.lanes_mut() {
            *o = x[r][c];
        }
    }
}

#[kernel_test(cases = 16)]
fn saxpy_rows_is_right(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=33), t.shape("cols", 0..=257));
    let a = t.scalar_of::<f32>("a", Values::Between(-4.0, 4.0));
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Between(-30.0, 30.0));
    let before = t.input_mat_of::<f32>("before", rows, cols, Values::Between(-30.0, 30.0));
    let mut y = t.output_mat::<f32>("y", rows, cols);
    t.launch(copy_rows { x: &before, y: &mut y });
    t.launch(saxpy_rows { a, x: &x, y: &mut y });
    t.expect_mat(&y, |r, c| before[(r, c)] + a * x[(r, c)], Tolerance::EXACT);
}

#[kernel_test(cases = 24)]
fn gelu_is_right(t: &mut KernelTest) {
    let n = t.shape("n", 0..=2000);
    let x = t.input_of::<f32>("x", n, Values::Between(-12.0, 12.0));
    let mut y = t.output::<f32>("y", n);
    t.launch(gelu { x: &x, y: &mut y });
    let want = |i: usize| {
        let v = f64::from(x[i]);
        let u = (2.0 / std::f64::consts::PI).sqrt() * (v + 0.044715 * v * v * v);
        (v / (1.0 + (-2.0 * u).exp())) as f32
    };
    // The exponent is rounded to f32, and up to 150 in size.
    t.expect(&y, want, Tolerance::relative(6e-5).or_absolute(1e-37));
}

#[kernel_test(cases = 24)]
fn histogram_counts_each_element_once(t: &mut KernelTest) {
    let n = t.shape("n", 0..=5000);
    let x = t.input::<u32>("x", n);
    let mut bins = t.inout::<u32>("bins", 256);
    t.launch(histogram { x: &x, bins: &mut bins });
    let counted = |i: usize| x.data().iter().filter(|v| **v as usize % 256 == i).count() as u32;
    t.expect(&bins, |i| bins.before()[i].wrapping_add(counted(i)), Tolerance::EXACT);
}

#[kernel_test(cases = 24)]
fn scan_blocks_sums_up(t: &mut KernelTest) {
    let n = t.shape("n", 0..=2000);
    let x = t.input::<u32>("x", n);
    let mut y = t.output::<u32>("y", n);
    let mut totals = t.output::<u32>("totals", n.div_ceil(256));
    t.launch(scan_blocks {
        x: &x,
        y: &mut y,
        totals: &mut totals,
    });
    let sum = |part: &[u32]| part.iter().fold(0, |s: u32, v| s.wrapping_add(*v));
    t.expect(&y, |i| sum(&x.data()[i / 256 * 256..=i]), Tolerance::EXACT);
    let block = |b: usize| sum(&x.data()[b * 256..n.min(b * 256 + 256)]);
    t.expect(&totals, block, Tolerance::EXACT);
}

#[kernel_test(cases = 40)]
fn reduce_adds_once_per_element(t: &mut KernelTest) {
    let n = t.shape("n", 0..=2000);
    let x = t.input_of::<f32>("x", n, Values::Whole(-6, 8));
    let mut total = t.inout_of::<f32>("total", 1, Values::Whole(-100, 100));
    t.launch(reduce {
        x: &x,
        total: &mut total,
    });
    t.expect(
        &total,
        |i| total.before()[i] + x.data().iter().sum::<f32>(),
        Tolerance::EXACT,
    );
}

#[kernel_test(cases = 24)]
fn softmax_fills_its_rows(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=33), t.shape("cols", 0..=1009));
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Between(-30.0, 30.0));
    let mut y = t.output_mat::<f32>("y", rows, cols);
    t.launch(softmax { x: &x, y: &mut y });
    let of_row = |r| {
        let max = x.row(r).iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exp = x.row(r).iter().map(|v| f64::from(v - max).exp());
        (max, exp.sum::<f64>())
    };
    let rows: Vec<(f32, f64)> = (0..rows).map(of_row).collect();
    let want = |r: usize, c: usize| (f64::from(x[(r, c)] - rows[r].0).exp() / rows[r].1) as f32;
    t.expect_mat(&y, want, Tolerance::relative(4e-6).or_absolute(1e-37));
}

#[kernel_test(cases = 16)]
fn rmsnorm_normalises_its_rows(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=33), t.shape("cols", 0..=1009));
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Between(-30.0, 30.0));
    let weight = t.input_of::<f32>("weight", cols, Values::Between(-2.0, 2.0));
    let mut y = t.output_mat::<f32>("y", rows, cols);
    t.launch(rmsnorm {
        eps: 1e-5,
        x: &x,
        weight: &weight,
        y: &mut y,
    });
    let scale = |r: usize| {
        let squares = x.row(r).iter().map(|v| f64::from(*v).powi(2));
        1.0 / (squares.sum::<f64>() / cols as f64 + 1e-5).sqrt()
    };
    let scales: Vec<f64> = (0..rows).map(scale).collect();
    let want = |r: usize, c: usize| (f64::from(x[(r, c)]) * scales[r] * f64::from(weight[c])) as f32;
    t.expect_mat(&y, want, Tolerance::relative(4e-6).or_absolute(1e-37));
}

#[kernel_test(cases = 16)]
fn layernorm_normalises_its_rows(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=33), t.shape("cols", 0..=1009));
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Between(-30.0, 30.0));
    let weight = t.input_of::<f32>("weight", cols, Values::Between(-2.0, 2.0));
    let bias = t.input_of::<f32>("bias", cols, Values::Between(-2.0, 2.0));
    let mut y = t.output_mat::<f32>("y", rows, cols);
    t.launch(layernorm {
        eps: 0.5,
        x: &x,
        weight: &weight,
        bias: &bias,
        y: &mut y,
    });
    let of_row = |r: usize| {
        let n = cols as f64;
        let mean = x.row(r).iter().map(|v| f64::from(*v)).sum::<f64>() / n;
        let squares = x.row(r).iter().map(|v| (f64::from(*v) - mean).powi(2));
        (mean, 1.0 / (squares.sum::<f64>() / n + 0.5).sqrt())
    };
    let of: Vec<(f64, f64)> = (0..rows).map(of_row).collect();
    let want = |r: usize, c: usize| {
        let (mean, scale) = of[r];
        ((f64::from(x[(r, c)]) - mean) * scale * f64::from(weight[c]) + f64::from(bias[c])) as f32
    };
    // The mean of up to 1009 elements of up to 30 is off by some units of its last place, and so are the differences.
    t.expect_mat(&y, want, Tolerance::relative(1e-5).or_absolute(6e-4));
}

#[kernel_test(cases = 24)]
fn transpose_moves_every_element(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=129), t.shape("cols", 0..=129));
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Between(-30.0, 30.0));
    let mut y = t.output::<f32>("y", rows * cols);
    t.launch(transpose { x: &x, y: &mut y });
    t.expect(&y, |i| x[(i % rows, i / rows)], Tolerance::EXACT);
}

#[kernel_test(cases = 16)]
fn conv3x3_weighs_the_neighbours(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=65), t.shape("cols", 0..=257));
    // Small integers: every sum is exact in f32.
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Whole(-100, 100));
    let weight = t.input_of::<f32>("weight", 9, Values::Whole(-9, 9));
    let mut y = t.output_mat::<f32>("y", rows, cols);
    t.launch(conv3x3 {
        x: &x,
        weight: &weight,
        y: &mut y,
    });
    let want = |r: usize, c: usize| {
        let p = |k: usize| {
            let r = (r + k / 3).saturating_sub(1).min(rows - 1);
            x[(r, (c + k % 3).saturating_sub(1).min(cols - 1))] * weight[k]
        };
        (0..9).map(p).sum()
    };
    t.expect_mat(&y, want, Tolerance::EXACT);
}

#[kernel_test(cases = 24)]
fn edges_agrees_with_the_filter_on_the_cpu(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=129), t.shape("cols", 0..=257));
    let x = t.input_mat::<u8>("x", rows, cols);
    let mut y = t.output_mat::<u8>("y", rows, cols);
    t.launch(edges { x: &x, y: &mut y });
    let sobel = |r: usize, c: usize| {
        let p = |dr: isize, dc: isize| {
            let r = r.saturating_add_signed(dr).min(rows - 1);
            i32::from(x[(r, c.saturating_add_signed(dc).min(cols - 1))])
        };
        let gx = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
        let gy = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
        ((gx * gx + gy * gy) as f32).sqrt() as u8
    };
    t.expect_mat(&y, sobel, Tolerance::EXACT);
}

/// Small integers: every sum is exact in f32, and an element of a gap would show.
fn product<const BM: usize, const BN: usize, const BK: usize>(t: &mut KernelTest, most: usize) {
    let [m, n, k] = ["m", "n", "k"].map(|name| t.shape(name, 0..=most));
    let values = Values::Whole(-4, 4);
    let a = t.input_mat_of::<bf16>("a", m, k, values);
    let bt = t.input_mat_of::<bf16>("bt", n, k, values);
    let mut c = t.output_mat::<f32>("c", m, n);
    t.launch(gemm::<BM, BN, BK> {
        a: &a,
        bt: &bt,
        c: &mut c,
    });
    let dot = |(x, y): (&[bf16], &[bf16])| x.iter().zip(y).map(|(x, y)| x.to_f32() * y.to_f32()).sum::<f32>();
    t.expect_mat(&c, |i, j| dot((a.row(i), bt.row(j))), Tolerance::EXACT);
}

#[kernel_test(cases = 16)]
fn gemm_is_exact_on_integers(t: &mut KernelTest) {
    product::<128, 128, 32>(t, 150);
}

#[kernel_test(cases = 8)]
fn gemm_of_square_tiles(t: &mut KernelTest) {
    product::<64, 64, 32>(t, 100);
}

#[kernel_test(cases = 8)]
fn gemm_of_wide_tiles(t: &mut KernelTest) {
    product::<64, 128, 16>(t, 100);
}

#[kernel_test(cases = 8)]
fn gemm_of_high_tiles(t: &mut KernelTest) {
    product::<128, 64, 48>(t, 100);
}

/// The same with b, and in `gemm_tn` a, in rows along the other axis.
fn row_major_product<const BM: usize, const BN: usize, const BK: usize>(
    t: &mut KernelTest,
    most: usize,
    a_turned: bool,
) {
    let [m, n, k] = ["m", "n", "k"].map(|name| t.shape(name, 0..=most));
    let values = Values::Whole(-4, 4);
    let b = t.input_mat_of::<bf16>("b", k, n, values);
    let mut c = t.output_mat::<f32>("c", m, n);
    let a = match a_turned {
        true => t.input_mat_of::<bf16>("a", k, m, values),
        false => t.input_mat_of::<bf16>("a", m, k, values),
    };
    let (a, b) = (&a, &b);
    match a_turned {
        true => t.launch(gemm_tn::<BM, BN, BK> { a, b, c: &mut c }),
        false => t.launch(gemm_nn::<BM, BN, BK> { a, b, c: &mut c }),
    }
    let factor = |i, x| if a_turned { a[(x, i)] } else { a[(i, x)] };
    let want = |i, j| {
        (0..k)
            .map(|x| f64::from(factor(i, x)) * f64::from(b[(x, j)]))
            .sum::<f64>() as f32
    };
    t.expect_mat(&c, want, Tolerance::EXACT);
}

#[kernel_test(cases = 16)]
fn gemm_nn_is_exact_on_integers(t: &mut KernelTest) {
    row_major_product::<128, 128, 32>(t, 150, false);
}

#[kernel_test(cases = 8)]
fn gemm_nn_of_long_tiles(t: &mut KernelTest) {
    row_major_product::<64, 64, 64>(t, 150, false);
}

#[kernel_test(cases = 8)]
fn gemm_nn_of_high_tiles(t: &mut KernelTest) {
    row_major_product::<128, 64, 48>(t, 100, false);
}

#[kernel_test(cases = 8)]
fn gemm_tn_is_exact_on_integers(t: &mut KernelTest) {
    row_major_product::<128, 128, 32>(t, 150, true);
}

#[kernel_test(cases = 8)]
fn gemm_tn_of_wide_tiles(t: &mut KernelTest) {
    row_major_product::<64, 128, 16>(t, 100, true);
}

#[kernel_test(case = "m=256 n=384 k=160 b=seed:0x1 a=seed:0x2 c.gap=1")]
fn gemm_nn_of_whole_tiles(t: &mut KernelTest) {
    row_major_product::<128, 128, 32>(t, 512, false);
}

#[kernel_test(case = "m=512 n=512 k=512 a=seed:0x1 bt=seed:0x2 c.gap=1")]
fn gemm_512(t: &mut KernelTest) {
    product::<128, 128, 32>(t, 512);
}
