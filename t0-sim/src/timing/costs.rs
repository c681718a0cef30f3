//! The constants of the cycle model, each with its source.
//!
//! Problem: a model is worth what its constants are worth. Method: every time, rate and size the model uses is a row of one table with
//! unit, value and where it comes from; [`Costs::varied`] changes one of them, which is how the docs show what the result
//! depends on. Invariant: but for the geometry (banks, lines, ways, SIMDs, which stand
//! with their sources where they are used), nothing in `timing` has a number about the card that is not a row here.
//!
//! Sources by short name:
//! - `SQTT`: issue gaps of a real RX 7900 XTX, decoded from the thread traces tinygrad publishes
//!   (`extra/sqtt/examples/gfx1100`, MIT). Kept in `tests/timing/gaps.txt`.
//! - `FIT`: 133 loop slopes of rocBLAS kernels on gfx1100; a fit, not a measurement.
//! - `LLVM`, `ACO`: the tables of LLVM 19's `SISchedule.td` and of Mesa's `aco_statistics.cpp`.
//! - `MAN`: the RDNA3 instruction set manual.
//! - `CC`: Chips and Cheese, "Latency Testing is Hard (RDNA 3 Power Saving)", 2023-06-14.
//! - `SEB`: S. Vince, "Optimizing Matrix Multiplication on RDNA3", 2025.
//! - `AMD`: data sheet of the RX 7900 XTX.
//!
//! UNVERIFIED(hw): the constants whose source is [`Source::Assumed`] are guesses with a reason.

/// Where a constant comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Measured on a card, by whom.
    Measured(&'static str),
    /// Documented, where.
    Documented(&'static str),
    /// Chosen so that the model meets published measurements: which.
    Fitted(&'static str),
    /// Nobody says; why this value.
    Assumed(&'static str),
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name in [`Costs`].
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Value.
    pub value: u32,
    /// Where it comes from.
    pub source: Source,
    /// What it is.
    pub what: &'static str,
}

macro_rules! costs {
    ($($name:ident: $value:literal $unit:literal $source:ident($why:literal) $what:literal;)*) => {
        /// The constants. Times are in shader clocks.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Costs {
            $(#[doc = $what] pub $name: u32,)*
        }

        /// All constants.
        pub const CONSTANTS: &[Constant] = &[$(Constant {
            name: stringify!($name),
            unit: $unit,
            value: $value,
            source: Source::$source($why),
            what: $what,
        },)*];

        impl Default for Costs {
            fn default() -> Costs {
                Costs { $($name: $value,)* }
            }
        }

        impl Costs {
            /// The constants with one of them set; `None` if there is none of this name.
            pub fn varied(&self, name: &str, value: u32) -> Option<Costs> {
                let mut out = self.clone();
                match name {
                    $(stringify!($name) => out.$name = value,)*
                    _ => return None,
                }
                Some(out)
            }
        }
    };
}

costs! {
    clock_mhz: 2400 "MHz" Measured("SEB and torch runs on the RX 7900 XTX sit at 2.3 to 2.4 GHz under load; boost is 2.5")
        "Shader clock under load.";
    launch: 458 "cycles" Measured("SQTT: 355 to 562 from WAVESTART to the first instruction")
        "From the start of a wave to its first instruction, instruction fetch included.";
    restart: 60 "cycles" Assumed("a wave whose code is in the instruction cache starts earlier than the first ones")
        "The same when the code was fetched before.";
    array_wave: 1 "cycles" Fitted("SQTT: waves of one SIMD share a miss and wait 1273 to 1322 cycles for it, so they start about 16 apart, which is this for the 16 SIMDs of a shader array. rocprofiler-compute calls more than one wave a cycle several shader engines at once, which would be 2")
        "From one wave that a shader array of four WGPs gets to the next.";
    dispatch: 5000 "cycles" Assumed("about 2 us between the packet and the first wave; HIP needs 2.6 us a launch")
        "From the packet to the first wave, and from the last wave to the signal.";
    wave_end: 293 "cycles" Measured("SQTT: 252 to 344 from the last store to WAVEEND")
        "From a store to its acknowledgement.";

    valu: 5 "cycles" Measured("SQTT: chains of v_add_f32")
        "Result of a 32-bit VALU instruction to its use by another.";
    valu64: 6 "cycles" Documented("LLVM and ACO, 64-bit integer") "The same for 64-bit integers.";
    valu64_issue: 2 "cycles" Measured("SQTT: v_lshlrev_b64") "Cycles a 64-bit integer instruction holds the VALU.";
    mul: 8 "cycles" Documented("LLVM and ACO, quarter-rate multiplications") "Latency of 32-bit integer products.";
    mul_issue: 4 "cycles" Documented("ACO; quarter rate") "Cycles they hold the VALU.";
    trans: 10 "cycles" Documented("LLVM and ACO") "Latency of transcendental functions.";
    trans_issue: 4 "cycles" Documented("ACO; quarter rate") "Cycles they hold the transcendental unit.";
    f64: 38 "cycles" Documented("LLVM gfx11; ACO has 22") "Latency of f64.";
    f64_issue: 16 "cycles" Documented("ACO; 1/16 of the f32 rate, 1.9 TFLOP/s") "Cycles f64 holds the VALU.";
    wmma_issue: 32 "cycles" Measured("rate of 256 FLOP per cycle and SIMD: 122.9 TFLOP/s at 2.5 GHz; 100.5 measured of bf16")
        "Cycles a WMMA of f16, bf16 or iu8 holds the VALU.";
    wmma_iu4_issue: 16 "cycles" Documented("ACO: half of the others") "The same for iu4.";
    wmma_bank: 2 "cycles" Measured("llvm/llvm-project issue 204254 on gfx1151: 34 instead of 32 cycles")
        "More when two of A, B and C of a WMMA begin in the same VGPR bank.";
    wmma: 4 "cycles" Documented("ACO: latency 36, issue 32") "Result of a WMMA after it has left the VALU.";
    carry: 1 "cycles" Measured("SQTT: v_add_co to v_add_co_ci") "VCC or an SGPR from VALU to VALU.";
    valu_to_lds: 18 "cycles" Measured("SQTT: 17 to 18") "VALU to an LDS instruction on one of its registers.";
    valu_to_vmem: 19 "cycles" Measured("SQTT: 18 to 20") "VALU to an instruction of global memory on one of its registers.";
    valu_to_salu: 7 "cycles" Measured("SQTT: v_add_co_ci to s_mov exec")
        "A lane mask or scalar that the VALU writes, to the scalar unit.";
    valu_to_branch: 17 "cycles" Measured("SQTT: v_cmpx to s_cbranch_execz, 16 to 18") "The same to a branch on it.";
    salu: 2 "cycles" Measured("SQTT: chains of s_add and s_mov") "SALU result to its use.";
    scc: 1 "cycles" Measured("SQTT: s_add_u32 to s_addc_u32") "SCC to its use.";
    branch: 3 "cycles" Measured("SQTT: next instruction after a branch that is not taken") "A branch that is not taken.";
    branch_taken: 16 "cycles" Assumed("the code behind a taken branch has to be fetched again; LLVM says 32, ACO 3 to issue")
        "A branch that is taken.";
    after_lds: 7 "cycles" Measured("SQTT: ds_load, s_waitcnt, v_add") "LDS instruction to the next VALU instruction of its wave.";
    after_memory: 3 "cycles" Measured("SQTT: ds_load or global_load to s_waitcnt or s_clause")
        "Memory instruction to the next s_waitcnt, s_clause and so on of its wave.";
    wait: 1 "cycles" Measured("SQTT: 1 to 2") "An s_waitcnt that is satisfied to the next instruction.";
    barrier: 16 "cycles" Measured("SQTT: custom_lds_sync") "Last wave at a barrier to the next instruction.";

    smem: 40 "cycles" Assumed("a hit of the scalar cache; ACO says 30, and two waits show 40") "Scalar load that hits.";
    smem_issue: 10 "cycles" Measured("SQTT: s_load to s_load of a wave") "From one scalar load of a wave to the next.";
    smem_return: 1 "cycles" Fitted("SQTT: waves that share a miss do not meet at the VALU afterwards")
        "Cycles the scalar cache takes to hand data to a wave.";
    lds_load: 31 "cycles" Measured("SQTT: ds_load_b32, 31 to 32") "LDS load of one pass to its data.";
    lds_wide: 2 "cycles" Fitted("SQTT: ds_load_b128 takes 37") "More for each further dword of a lane.";
    lds_store: 33 "cycles" Measured("SQTT: ds_store_b32") "LDS store to its acknowledgement.";
    lds_store_bytes: 32 "bytes" Fitted("SQTT: behind another wave's, a ds_store_b32 of 32 lanes takes 38 instead of 33, of 16 lanes 36")
        "Bytes a cycle on the way of stores from the registers to the LDS, after one cycle for the addresses.";
    lds_lane: 31 "cycles" Assumed("as a load: permutations go the same way") "Permutations through the LDS.";
    lds_atomic: 38 "cycles" Assumed("a load and a store") "LDS atomics.";
    lds_wgp: 170 "percent" Fitted("FIT: 64 bytes a cycle and CU (200) fit better in WGP mode than the manual's 128 (100); SEB kernel 2, bound by the LDS, gives 170")
        "How long LDS data take when workgroups use both CUs, against CU mode.";

    vmem_address: 2 "lines" Fitted("SQTT: loads of 16 lines each return 3 to 30 cycles apart, 6 in the median") "Cache lines a CU looks up in a cycle.";
    vmem_queue: 512 "cycles" Assumed("the traces show no wave that waits for room") "Work that may queue up before a CU's address unit.";
    l0: 90 "cycles" Assumed("between the LDS and the L2") "Vector load that hits the L0.";
    l0_bytes: 64 "bytes" Assumed("64 bytes a cycle, as on RDNA2") "Bytes the L0 gives a CU in a cycle.";
    l0_size: 32768 "bytes" Documented("LLVM, RDNA3 32 KB a CU") "Size of the L0.";
    l2: 200 "cycles" Fitted("FIT: about 200 cycles, at the edge of what was tried") "Vector load that hits the L2.";
    l2_bytes: 40 "bytes" Fitted("FIT: about 40 bytes a cycle and CU") "Bytes a CU gets from the L2 in a cycle.";
    mall: 360 "cycles" Measured("CC: 150 ns, vector loads") "Vector load that hits the Infinity Cache.";
    mall_scalar: 308 "cycles" Measured("CC: 128.4 ns, scalar loads") "Scalar load that hits the Infinity Cache.";
    mall_bytes: 1400 "bytes" Documented("AMD: 3.5 TB/s peak effective bandwidth") "Bytes a cycle, all CUs.";
    mall_size: 96 "MiB" Documented("AMD, data sheet") "Size of the Infinity Cache.";
    l2_size: 6 "MiB" Documented("AMD, data sheet") "Size of the L2.";
    dram: 700 "cycles" Assumed("twice the Infinity Cache") "Vector load from DRAM.";
    dram_bytes: 360 "bytes" Documented("AMD: 960 GB/s, of which about 90 % are reached") "Bytes a cycle, all CUs.";
    atomic: 1 "cycles" Assumed("a slice of the L2 does one atomic instruction's work on 64 bytes a cycle; nobody publishes it")
        "Atomics of one dword, from one lane to the next, of any waves.";
    l2_slices: 24 "slices" Assumed("AMD's RDNA white paper: four for each memory controller of 64 bits, of which the card has six")
        "Parts of the L2 that do atomics side by side.";
    cold_smem: 1317 "cycles" Measured("SQTT: first s_load of a launch, 1273 to 1322") "First scalar load from a page.";
    cold_vmem: 1555 "cycles" Measured("SQTT: first global_load of a launch, 1439 to 1588") "First vector load from a page.";
}

impl Costs {
    /// The constants nobody has measured or documented.
    pub fn unsourced() -> impl Iterator<Item = &'static Constant> {
        CONSTANTS.iter().filter(|c| matches!(c.source, Source::Assumed(_)))
    }
}
