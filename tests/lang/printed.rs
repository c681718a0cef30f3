#[t0::kernel_test(case = "n=38")]
fn adds_one_n38(t: &mut t0::testing::KernelTest) {
    adds_one(t)
}
