//! What each class of bugs stands for: mistakes that code for these cards has had.
//!
//! Sources: the post-mortem notes of t0-gpu, a project that wrote kernels for the same card (`t0-gpu`), and reports of users of
//! other compilers and libraries, by repository and number.
//!
//! Not here, because no code object can have them or no mutant can show them:
//! * host programs that end before their queue or free code that runs: buffers and code outlive their launches by the types of
//!   `t0-runtime` (its tests); what is freed all the same is `freed buffer`;
//! * encodings of instructions and descriptors copied from other generations: compared with llvm-mc (`t0-backend-rdna3/tests`);
//! * differences between simulator and silicon: `t0-sim/src/fidelity.rs`;
//! * libraries that are silently wrong (ROCm/rocBLAS#1680): every class that ends in wrong values;
//! * a generic pointer that may be LDS or memory: the language has none; FLAT itself is `FLAT offset chooses the space`;
//! * loops skipped by the order of blocks (JuliaGPU/AMDGPU.jl#672): one iteration for all is `loop ends early`.

/// Class and what it stands for.
pub const CLASSES: &[(&str, &str)] = &[
    // Waits, barriers, hazards.
    ("drop a wait", "a load's result used before it is there; t0-gpu: stores between counted reads"),
    ("weaken a wait", "a wait that counts one too many; t0-gpu: wait arithmetic that subtracts instead of clamping"),
    ("wait of another generation", "immediates of GFX9 waits: ROCm/composable_kernel#3103"),
    ("drop a barrier", "ROCm/rocm-libraries#10893, llvm/llvm-project#207883; t0-gpu: passes that do not see barriers"),
    ("missing barrier", "the same in the IR"),
    ("skip a hazard fix", "results of transcendental and matrix instructions: mesa README-ISA, llvm/llvm-project#76143"),
    ("WMMA on a fresh result", "llvm/llvm-project#76143"),
    ("hazard of the errata table", "dual issue (llvm/llvm-project#220348, ROCm/aotriton#183), multiply-add (#57610), packed f16 (#94116), f16 class (#58167), lane masks (#138663), permlane (#78856), released VGPRs (#178401)"),
    ("missing fence", "data handed to another workgroup by a flag: ROCm/rocm-libraries#9639, cms-patatrack/pixeltrack-standalone#266"),
    ("scope too narrow", "caches that are not invalidated where another workgroup wrote: ROCm/rocm-libraries#8726"),
    // Registers.
    ("reuse a register early", "scheduling that invalidates the allocation: t0-gpu"),
    ("clobber a live register", "groups of registers broken by copy propagation; t0-gpu"),
    ("register group of WMMA", "groups of eight registers: t0-gpu; operands the wrong way round: tinygrad, tilelang#2044"),
    ("register not allocated", "virtual numbers that leak through raw assembly: t0-gpu"),
    ("reads v0", "a substituted move that reads the work-item's number: t0-gpu"),
    ("scheduled too early", "scheduling that ignores a dependence: t0-gpu"),
    ("spill slots overlap", "spill slots on top of the LDS double buffer, spills that corrupt values: t0-gpu"),
    ("shrink the scratch", "private memory the launch does not have"),
    ("negative scratch base", "llvm/llvm-project#70634, #78193, #130616"),
    ("VGPRs released early", "llvm/llvm-project#178401, #77439, #112765"),
    ("FLAT offset chooses the space", "ROCm/ROCm#4389, llvm/llvm-project#153001"),
    // Control.
    ("drop s_endpgm", "code that runs on; t0-gpu: a checker that looks for the wrong end"),
    ("jump into an instruction", "a branch with a wrong distance"),
    ("drop an EXEC restore", "lanes that stay off"),
    ("condition ignored", "masked stores with the wrong mask: t0-gpu"),
    ("access before its bounds check", "tinygrad#16801, cubecl#457, ROCm/composable_kernel#634"),
    ("stale SCC", "comparisons whose result is never kept: t0-gpu"),
    ("comparison reversed", "an immediate on the side that turns `<` into `>`: t0-gpu"),
    // Passes.
    ("CSE ignores constants", "x + 64 merged with x + 128: t0-gpu"),
    ("CSE with a key that is unknown", "a key that stands for `not known`: t0-gpu"),
    ("CSE across a barrier", "a table that barriers do not clear: t0-gpu"),
    ("LICM of what varies", "hoisting out of a loop: t0-gpu"),
    ("LICM behind the terminator", "hoisting behind the branch: t0-gpu"),
    ("copy propagation", "a copy that is none: t0-gpu"),
    ("self-update removed", "x = x + 1 removed as dead, registers not renamed: t0-gpu"),
    ("lost update", "pointer increments removed because loops had no carried values: t0-gpu"),
    ("lost increment", "a loop counter kept in a copy, so that the loop never ends: t0-gpu"),
    ("store without effect", "stores not known to have an effect: t0-gpu"),
    ("load before its store", "the same, moved instead of removed"),
    ("operands of v_perm", "order of bytes and operands: t0-gpu, llvm/llvm-project#112941, gem5#599"),
    // LDS.
    ("swap LDS buffers", "the double buffer that does not turn"),
    ("shrink the LDS", "LDS that the launch does not grow for spills: t0-gpu"),
    ("LDS missing in the launch", "the same by the host"),
    ("LDS arrays overlap", "two arrays in one place: t0-gpu"),
    ("swizzle on one side", "a swizzle after the offset instead of before: t0-gpu"),
    ("half of a tile loaded", "padding and sharing out that halve the rows: t0-gpu"),
    // Addresses and indices.
    ("offset off by one", "a field of the kernel's arguments or of a record at the wrong offset: t0-gpu"),
    ("index off by one", "the classic"),
    ("checked index off by one", "the same where the kernel checks its indices"),
    ("loop runs once too often", "`0..=n`"),
    ("loop ends early", "K that is no multiple of the tile: ROCm/composable_kernel#512, rocm-libraries#11537; a single K step: ROCm/ROCm#6349"),
    ("double-counted offset", "k_start added twice: t0-gpu"),
    ("overlapping partitions", "split-K with stride 0: t0-gpu"),
    ("split-K with stride 0", "the same for what is read"),
    ("partial results not added up", "split-K without a reduction: t0-gpu"),
    ("32-bit offset", "ROCm/triton#944, ROCm/composable_kernel#3722, triton-lang/triton#5022"),
    ("transposed stride", "iree-org/iree#22087"),
    ("stride of padded rows", "rows flattened by a helper: t0-gpu"),
    ("shift and mask for tile_k 48", "tile_k 48: t0-gpu"),
    ("wrong partner", "neighbours rotated instead of halves (RoPE): t0-gpu"),
    ("fragment layout", "ROCm/FlyDSL#485, tile-ai/tilelang#2044, ggml-org/llama.cpp#17817"),
    // Numbers.
    ("f16 accumulator", "stew675/llama-cpp-rdna-boosts#16, triton-lang/triton#3674"),
    ("bf16 cut off", "triton-lang/triton#11217"),
    ("division by a float reciprocal", "llvm/llvm-project#194829, ROCm/TheRock#7751"),
    ("shortcut of a used atomic", "llvm/llvm-project#96479"),
    ("atomic on fine-grained memory", "triton-lang/triton#10371, #10408"),
    // Descriptor and launch.
    ("descriptor bits", "WGP mode from the wrong word, rounding 3, a count of VGPRs kept in eight bits: t0-gpu; ROCm/rocm-systems#6506"),
    ("undersized output", "t0-gpu"),
    ("wrong grid", "16 workgroups for 2048: t0-gpu"),
    ("wrong workgroup size", "given again by hand at each launch: t0-gpu"),
    ("argument missing", "a host that does not pass M: t0-gpu"),
    ("freed buffer", "buffers dropped while the kernel runs: t0-gpu"),
];

/// Classes of mistakes that a compiler's passes make, so that its code without them is right.
const PASSES: &[&str] = &[
    "reuse a register early",
    "clobber a live register",
    "register group of WMMA",
    "reads v0",
    "scheduled too early",
    "drop an EXEC restore",
    "stale SCC",
    "CSE ignores constants",
    "CSE with a key that is unknown",
    "CSE across a barrier",
    "LICM of what varies",
    "copy propagation",
    "self-update removed",
    "lost update",
    "store without effect",
    "load before its store",
    "shift and mask for tile_k 48",
    "32-bit offset",
];

/// Whether a class of mistakes is one of a compiler's passes.
pub fn by_passes(class: &str) -> bool {
    PASSES.contains(&class)
}

/// What a class stands for.
pub fn stands_for(class: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(name, _)| *name == class).map(|(_, why)| *why)
}
