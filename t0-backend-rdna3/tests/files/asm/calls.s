	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.hidden	mix                             ; -- Begin function mix
	.globl	mix
	.p2align	2
	.type	mix,@function
mix:                                    ; @mix
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mul_lo_u32 v1, 0x9e3779b1, v1
	v_alignbit_b32 v2, v0, v0, 27
	s_delay_alu instid0(VALU_DEP_1)
	v_xad_u32 v0, v1, v0, v2
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	mix, .Lfunc_end0-mix
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 40
; NumSgprs: 32
; NumVgprs: 3
; ScratchSize: 0
; MemoryBound: 0
	.text
	.hidden	mix64                           ; -- Begin function mix64
	.globl	mix64
	.p2align	2
	.type	mix64,@function
mix64:                                  ; @mix64
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v3, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[4:5], null, 0x4c957f2d, v0, v[2:3]
	v_mul_lo_u32 v2, 0x4c957f2d, v1
	v_mul_lo_u32 v3, 0x5851f42d, v0
	v_lshrrev_b64 v[0:1], 29, v[0:1]
	v_xor_b32_e32 v0, v4, v0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add3_u32 v2, v2, v5, v3
	v_xor_b32_e32 v1, v2, v1
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	mix64, .Lfunc_end1-mix64
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 80
; NumSgprs: 32
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
	.text
	.hidden	swap_if                         ; -- Begin function swap_if
	.globl	swap_if
	.p2align	2
	.type	swap_if,@function
swap_if:                                ; @swap_if
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	flat_load_b32 v4, v[0:1]
	flat_load_b32 v5, v[2:3]
	s_mov_b32 s0, exec_lo
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmpx_gt_u32_e64 v4, v5
	s_cbranch_execz .LBB2_2
; %bb.1:
	flat_store_b32 v[0:1], v5
	flat_store_b32 v[2:3], v4
.LBB2_2:
	s_or_b32 exec_lo, exec_lo, s0
	s_waitcnt lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end2:
	.size	swap_if, .Lfunc_end2-swap_if
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 68
; NumSgprs: 32
; NumVgprs: 6
; ScratchSize: 0
; MemoryBound: 0
	.text
	.hidden	many                            ; -- Begin function many
	.globl	many
	.p2align	2
	.type	many,@function
many:                                   ; @many
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_clause 0x1
	scratch_load_b32 v2, off, s32 offset:44
	scratch_load_b32 v11, off, s32 offset:48
	v_cvt_u32_f64_e32 v9, v[9:10]
	v_cvt_u32_f32_e32 v4, v4
	v_mad_u64_u32 v[6:7], null, v1, 3, v[0:1]
	v_mul_u32_u24_e32 v1, 5, v3
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v0, v4, 7
	v_add3_u32 v0, v6, v1, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add3_u32 v0, v0, v5, v8
	v_mul_lo_u32 v1, v9, 11
	v_add3_u32 v0, v0, v1, v26
	v_mul_lo_u32 v1, v30, 13
	s_waitcnt vmcnt(1)
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add3_u32 v0, v0, v14, v2
	s_waitcnt vmcnt(0)
	v_add3_u32 v0, v0, v11, v1
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	many, .Lfunc_end3-many
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 132
; NumSgprs: 33
; NumVgprs: 31
; ScratchSize: 56
; MemoryBound: 0
	.text
	.hidden	make                            ; -- Begin function make
	.globl	make
	.p2align	2
	.type	make,@function
make:                                   ; @make
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s2, s33
	s_mov_b32 s33, s32
	s_xor_saveexec_b32 s0, -1
	scratch_store_b32 off, v9, s33          ; 4-byte Folded Spill
	s_mov_b32 exec_lo, s0
	v_writelane_b32 v9, s30, 0
	v_dual_mov_b32 v7, v1 :: v_dual_mov_b32 v8, v0
	v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, 0
	s_add_i32 s32, s32, 16
	v_writelane_b32 v9, s31, 1
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, mix@rel32@lo+4
	s_addc_u32 s1, s1, mix@rel32@hi+12
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_3) | instid1(VALU_DEP_2)
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 1
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v1, 2
	v_mov_b32_e32 v0, v7
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_dual_mov_b32 v5, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 3
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v6, v0 :: v_dual_mov_b32 v1, 4
	v_mov_b32_e32 v0, v7
	scratch_store_b128 v8, v[3:6], off
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 5
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v1, 6
	v_mov_b32_e32 v0, v7
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v5, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 7
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v6, v0 :: v_dual_mov_b32 v1, 8
	v_mov_b32_e32 v0, v7
	scratch_store_b128 v8, v[3:6], off offset:16
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 9
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v1, 10
	v_mov_b32_e32 v0, v7
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v5, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 11
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v6, v0 :: v_dual_mov_b32 v1, 12
	v_mov_b32_e32 v0, v7
	scratch_store_b128 v8, v[3:6], off offset:32
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 13
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v1, 14
	v_mov_b32_e32 v0, v7
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v5, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 15
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v6, v0 :: v_dual_mov_b32 v1, 16
	v_mov_b32_e32 v0, v7
	scratch_store_b128 v8, v[3:6], off offset:48
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 17
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v1, 18
	v_mov_b32_e32 v0, v7
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v5, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 19
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v6, v0 :: v_dual_mov_b32 v1, 20
	v_mov_b32_e32 v0, v7
	scratch_store_b128 v8, v[3:6], off offset:64
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v3, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 21
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v1, 22
	v_mov_b32_e32 v0, v7
	s_swappc_b64 s[30:31], s[0:1]
	v_dual_mov_b32 v5, v0 :: v_dual_mov_b32 v0, v7
	v_mov_b32_e32 v1, 23
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_2)
	v_mov_b32_e32 v6, v0
	v_readlane_b32 s31, v9, 1
	v_readlane_b32 s30, v9, 0
	scratch_store_b128 v8, v[3:6], off offset:80
	s_xor_saveexec_b32 s0, -1
	scratch_load_b32 v9, off, s33           ; 4-byte Folded Reload
	s_mov_b32 exec_lo, s0
	s_add_i32 s32, s32, -16
	s_mov_b32 s33, s2
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end4:
	.size	make, .Lfunc_end4-make
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 604
; NumSgprs: 34
; NumVgprs: 10
; ScratchSize: 16
; MemoryBound: 0
	.text
	.hidden	pick                            ; -- Begin function pick
	.globl	pick
	.p2align	2
	.type	pick,@function
pick:                                   ; @pick
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_add_nc_u32_e32 v6, 16, v0
	v_add_nc_u32_e32 v10, 32, v0
	v_add_nc_u32_e32 v14, 48, v0
	v_add_nc_u32_e32 v18, 64, v0
	v_add_nc_u32_e32 v22, 0x50, v0
	s_clause 0x5
	scratch_load_b128 v[2:5], v0, off
	scratch_load_b128 v[6:9], v6, off
	scratch_load_b128 v[10:13], v10, off
	scratch_load_b128 v[14:17], v14, off
	scratch_load_b128 v[18:21], v18, off
	scratch_load_b128 v[22:25], v22, off
	v_mul_hi_u32 v0, 0xaaaaaaab, v1
	s_waitcnt vmcnt(5)
	scratch_store_b128 off, v[2:5], s32
	s_waitcnt vmcnt(4)
	scratch_store_b128 off, v[6:9], s32 offset:16
	s_waitcnt vmcnt(3)
	scratch_store_b128 off, v[10:13], s32 offset:32
	s_waitcnt vmcnt(2)
	scratch_store_b128 off, v[14:17], s32 offset:48
	s_waitcnt vmcnt(1)
	scratch_store_b128 off, v[18:21], s32 offset:64
	s_waitcnt vmcnt(0)
	scratch_store_b128 off, v[22:25], s32 offset:80
	v_lshrrev_b32_e32 v0, 4, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v0, v0, 24
	v_sub_nc_u32_e32 v0, v1, v0
	s_delay_alu instid0(VALU_DEP_1)
	v_lshl_add_u32 v0, v0, 2, s32
	scratch_load_b32 v0, v0, off
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end5:
	.size	pick, .Lfunc_end5-pick
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 212
; NumSgprs: 33
; NumVgprs: 26
; ScratchSize: 100
; MemoryBound: 0
	.text
	.protected	chains                  ; -- Begin function chains
	.globl	chains
	.p2align	8
	.type	chains,@function
chains:                                 ; @chains
; %bb.0:
	s_clause 0x1
	s_load_b32 s4, s[2:3], 0x2c
	s_load_b32 s5, s[2:3], 0x18
	v_and_b32_e32 v3, 0x3ff, v0
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_delay_alu instid0(VALU_DEP_1) | instid1(SALU_CYCLE_1)
	v_mad_u64_u32 v[17:18], null, s15, s4, v[3:4]
	s_mov_b32 s4, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_gt_u32_e64 s5, v17
	s_cbranch_execz .LBB6_6
; %bb.1:
	s_load_b64 s[4:5], s[2:3], 0x10
	v_mov_b32_e32 v18, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[31:32], 2, v[17:18]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v1, vcc_lo, s4, v31
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v2, vcc_lo, s5, v32, vcc_lo
	s_load_b128 s[4:7], s[2:3], 0x0
	s_mov_b32 s3, 0
	s_mov_b32 s2, exec_lo
	global_load_b32 v6, v[1:2], off
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v1, 7, v6
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_ne_u32_e32 0, v1
	s_cbranch_execz .LBB6_5
; %bb.2:
	v_mov_b32_e32 v4, v0
	s_mov_b32 s8, 0
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, mix@rel32@lo+4
	s_addc_u32 s11, s11, mix@rel32@hi+12
.LBB6_3:                                ; =>This Inner Loop Header: Depth=1
	v_dual_mov_b32 v0, v6 :: v_dual_mov_b32 v1, s8
	s_swappc_b64 s[30:31], s[10:11]
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mov_b32_e32 v6, v0
	s_add_i32 s8, s8, 1
	v_and_b32_e32 v0, 7, v6
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_cmp_ge_u32_e32 vcc_lo, s8, v0
	s_or_b32 s3, vcc_lo, s3
	s_and_not1_b32 exec_lo, exec_lo, s3
	s_cbranch_execnz .LBB6_3
; %bb.4:
	s_or_b32 exec_lo, exec_lo, s3
	v_mov_b32_e32 v0, v4
.LBB6_5:
	s_or_b32 exec_lo, exec_lo, s2
	s_load_b64 s[0:1], s[0:1], 0x4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_4) | instid1(SALU_CYCLE_1)
	v_bfe_u32 v2, v0, 10, 10
	v_bfe_u32 v0, v0, 20, 10
	v_mov_b32_e32 v7, 0
	s_waitcnt lgkmcnt(0)
	s_lshr_b32 s0, s0, 16
	s_mul_i32 s0, s0, s1
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v1, s0, v3
	v_mad_u32_u24 v1, v2, s1, v1
	v_lshrrev_b32_e32 v2, 12, v6
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, mix64@rel32@lo+4
	s_addc_u32 s1, s1, mix64@rel32@hi+12
	v_add_lshl_u32 v8, v1, v0, 2
	v_lshlrev_b64 v[0:1], 20, v[6:7]
	v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v17
	s_delay_alu instid0(VALU_DEP_3)
	v_add_nc_u32_e32 v7, 0x800, v8
	v_add_nc_u32_e32 v9, 0x400, v8
	s_swappc_b64 s[30:31], s[0:1]
	v_mov_b32_e32 v2, v6
	s_swappc_b64 s[30:31], s[0:1]
	v_lshlrev_b64 v[2:3], 3, v[17:18]
	ds_store_b32 v8, v6 offset:2048
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, mix@rel32@lo+4
	s_addc_u32 s1, s1, mix@rel32@hi+12
	v_add_co_u32 v2, vcc_lo, s6, v2
	v_add_co_ci_u32_e32 v3, vcc_lo, s7, v3, vcc_lo
	global_store_b64 v[2:3], v[0:1], off
	v_dual_mov_b32 v0, v6 :: v_dual_mov_b32 v1, 1
	s_swappc_b64 s[30:31], s[0:1]
	ds_store_b32 v8, v0 offset:1024
	v_dual_mov_b32 v0, v6 :: v_dual_mov_b32 v1, 2
	s_swappc_b64 s[30:31], s[0:1]
	s_mov_b64 s[2:3], src_shared_base
	ds_store_b32 v8, v0
	v_dual_mov_b32 v0, v7 :: v_dual_mov_b32 v1, s3
	v_dual_mov_b32 v2, v9 :: v_dual_mov_b32 v3, s3
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, swap_if@rel32@lo+4
	s_addc_u32 s7, s7, swap_if@rel32@hi+12
	s_delay_alu instid0(SALU_CYCLE_1)
	s_swappc_b64 s[30:31], s[6:7]
	v_mov_b32_e32 v0, v9
	v_mov_b32_e32 v2, v8
	s_swappc_b64 s[30:31], s[6:7]
	v_mov_b32_e32 v0, v7
	v_mov_b32_e32 v2, v9
	s_swappc_b64 s[30:31], s[6:7]
	v_cvt_f64_u32_e32 v[9:10], v17
	ds_load_b32 v0, v8 offset:2048
	ds_load_2addr_stride64_b32 v[1:2], v8 offset1:4
	v_dual_mov_b32 v12, 0 :: v_dual_add_nc_u32 v27, 1, v17
	v_cvt_f32_ubyte0_e32 v4, v17
	v_mov_b32_e32 v13, 0
	s_delay_alu instid0(VALU_DEP_3)
	v_dual_mov_b32 v19, v17 :: v_dual_mov_b32 v28, v27
	v_mov_b32_e32 v30, v27
	v_mov_b32_e32 v20, v17
	v_mov_b32_e32 v21, v17
	v_mov_b32_e32 v22, v17
	v_mov_b32_e32 v23, v17
	v_mov_b32_e32 v24, v17
	v_mov_b32_e32 v25, v17
	v_mov_b32_e32 v26, v17
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, many@rel32@lo+4
	s_addc_u32 s1, s1, many@rel32@hi+12
	s_add_i32 s2, s32, 48
	s_add_i32 s3, s32, 32
	s_add_i32 s6, s32, 16
	s_waitcnt lgkmcnt(1)
	v_lshrrev_b32_e32 v5, 1, v0
	s_waitcnt lgkmcnt(0)
	v_lshrrev_b32_e32 v6, 2, v2
	v_mov_b32_e32 v29, v27
	v_and_b32_e32 v3, 0xffff, v2
	v_dual_mov_b32 v7, v2 :: v_dual_mov_b32 v8, v1
	s_delay_alu instid0(VALU_DEP_4)
	v_dual_mov_b32 v5, v17 :: v_dual_add_nc_u32 v34, v6, v5
	v_mov_b32_e32 v6, v0
	v_dual_mov_b32 v11, v0 :: v_dual_mov_b32 v14, v2
	v_dual_mov_b32 v15, v1 :: v_dual_mov_b32 v16, 0
	scratch_store_b128 off, v[27:30], s32
	v_lshrrev_b32_e32 v33, 3, v1
	scratch_store_b32 off, v1, s2
	scratch_store_b128 off, v[27:30], s3
	scratch_store_b128 off, v[27:30], s6
	s_swappc_b64 s[30:31], s[0:1]
	v_add3_u32 v2, v34, v33, v0
	v_add_co_u32 v0, vcc_lo, s4, v31
	v_add_co_ci_u32_e32 v1, vcc_lo, s5, v32, vcc_lo
	global_store_b32 v[0:1], v2, off
.LBB6_6:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel chains
		.amdhsa_group_segment_fixed_size 3072
		.amdhsa_private_segment_fixed_size 56
		.amdhsa_kernarg_size 288
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 35
		.amdhsa_next_free_sgpr 33
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 0
		.amdhsa_shared_vgpr_count 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end6:
	.size	chains, .Lfunc_end6-chains
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 816
; NumSgprs: 35
; NumVgprs: 35
; ScratchSize: 56
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 3072 bytes/workgroup (compile time only)
; SGPRBlocks: 4
; VGPRBlocks: 4
; NumSGPRsForWavesPerEU: 35
; NumVGPRsForWavesPerEU: 35
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 1
; COMPUTE_PGM_RSRC2:USER_SGPR: 15
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 2
	.text
	.protected	structs                 ; -- Begin function structs
	.globl	structs
	.p2align	8
	.type	structs,@function
structs:                                ; @structs
; %bb.0:
	s_clause 0x1
	s_load_b32 s2, s[0:1], 0x24
	s_load_b32 s3, s[0:1], 0x10
	s_movk_i32 s32, 0xd0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[26:27], null, s15, s2, v[0:1]
	s_mov_b32 s2, exec_lo
	v_cmpx_gt_u32_e64 s3, v26
	s_cbranch_execz .LBB7_2
; %bb.1:
	s_load_b128 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v27, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[28:29], 2, v[26:27]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v0, vcc_lo, s6, v28
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v1, vcc_lo, s7, v29, vcc_lo
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, make@rel32@lo+4
	s_addc_u32 s7, s7, make@rel32@hi+12
	global_load_b32 v10, v[0:1], off
	s_waitcnt vmcnt(0)
	v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, v10
	s_swappc_b64 s[30:31], s[6:7]
	v_mul_hi_u32 v0, 0xaaaaaaab, v26
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, pick@rel32@lo+4
	s_addc_u32 s9, s9, pick@rel32@hi+12
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshrrev_b32_e32 v0, 4, v0
	v_mul_lo_u32 v0, v0, 24
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_sub_nc_u32_e32 v0, v26, v0
	v_lshl_add_u32 v0, v0, 2, 0
	scratch_load_b32 v1, v0, off
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v1, 5, v1
	scratch_store_b32 v0, v1, off
	v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, v10
	s_swappc_b64 s[30:31], s[8:9]
	s_delay_alu instid0(VALU_DEP_1)
	v_dual_mov_b32 v27, v0 :: v_dual_mov_b32 v0, 0x60
	v_mov_b32_e32 v1, v26
	s_swappc_b64 s[30:31], s[6:7]
	v_lshl_add_u32 v1, v26, 2, v26
	v_mov_b32_e32 v0, 0x60
	s_swappc_b64 s[30:31], s[8:9]
	s_delay_alu instid0(VALU_DEP_1)
	v_add_nc_u32_e32 v2, v0, v27
	v_add_co_u32 v0, vcc_lo, s4, v28
	v_add_co_ci_u32_e32 v1, vcc_lo, s5, v29, vcc_lo
	global_store_b32 v[0:1], v2, off
.LBB7_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel structs
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 308
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 30
		.amdhsa_next_free_sgpr 34
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 0
		.amdhsa_shared_vgpr_count 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end7:
	.size	structs, .Lfunc_end7-structs
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 328
; NumSgprs: 36
; NumVgprs: 30
; ScratchSize: 308
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 4
; VGPRBlocks: 3
; NumSGPRsForWavesPerEU: 36
; NumVGPRsForWavesPerEU: 30
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 1
; COMPUTE_PGM_RSRC2:USER_SGPR: 15
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.hidden	ackermann                       ; -- Begin function ackermann
	.globl	ackermann
	.p2align	2
	.type	ackermann,@function
ackermann:                              ; @ackermann
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_mov_b32 s0, s33
	s_mov_b32 s33, s32
	s_or_saveexec_b32 s1, -1
	scratch_store_b32 off, v41, s33 offset:4 ; 4-byte Folded Spill
	s_mov_b32 exec_lo, s1
	v_writelane_b32 v41, s0, 5
	scratch_store_b32 off, v40, s33         ; 4-byte Folded Spill
	v_mov_b32_e32 v40, v0
	s_add_i32 s32, s32, 16
	v_writelane_b32 v41, s30, 0
	v_writelane_b32 v41, s31, 1
	v_writelane_b32 v41, s34, 2
	s_mov_b32 s34, exec_lo
	v_writelane_b32 v41, s35, 3
	s_mov_b32 s35, 0
	v_writelane_b32 v41, s36, 4
	v_cmpx_ne_u32_e32 0, v40
	s_cbranch_execnz .LBB8_2
	s_branch .LBB8_5
	.p2align	6
.LBB8_1:                                ;   in Loop: Header=BB8_2 Depth=1
	s_or_b32 exec_lo, exec_lo, s36
	v_dual_mov_b32 v1, v0 :: v_dual_add_nc_u32 v40, -1, v40
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_cmp_eq_u32_e32 vcc_lo, 0, v40
	s_or_b32 s35, vcc_lo, s35
	s_and_not1_b32 exec_lo, exec_lo, s35
	s_cbranch_execz .LBB8_4
.LBB8_2:                                ; =>This Inner Loop Header: Depth=1
	v_mov_b32_e32 v0, 1
	s_mov_b32 s36, exec_lo
	v_cmpx_ne_u32_e32 0, v1
	s_cbranch_execz .LBB8_1
; %bb.3:                                ;   in Loop: Header=BB8_2 Depth=1
	v_dual_mov_b32 v0, v40 :: v_dual_add_nc_u32 v1, -1, v1
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, ackermann@rel32@lo+4
	s_addc_u32 s1, s1, ackermann@rel32@hi+12
	s_delay_alu instid0(SALU_CYCLE_1)
	s_swappc_b64 s[30:31], s[0:1]
	s_branch .LBB8_1
.LBB8_4:
	s_or_b32 exec_lo, exec_lo, s35
	v_mov_b32_e32 v1, v0
.LBB8_5:
	s_or_b32 exec_lo, exec_lo, s34
	scratch_load_b32 v40, off, s33          ; 4-byte Folded Reload
	v_add_nc_u32_e32 v0, 1, v1
	v_readlane_b32 s36, v41, 4
	v_readlane_b32 s35, v41, 3
	v_readlane_b32 s34, v41, 2
	v_readlane_b32 s31, v41, 1
	v_readlane_b32 s30, v41, 0
	v_readlane_b32 s0, v41, 5
	s_or_saveexec_b32 s1, -1
	scratch_load_b32 v41, off, s33 offset:4 ; 4-byte Folded Reload
	s_mov_b32 exec_lo, s1
	s_add_i32 s32, s32, -16
	s_mov_b32 s33, s0
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end8:
	.size	ackermann, .Lfunc_end8-ackermann
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 304
; NumSgprs: 39
; NumVgprs: 42
; ScratchSize: 16
; MemoryBound: 0
	.text
	.protected	recursion               ; -- Begin function recursion
	.globl	recursion
	.p2align	8
	.type	recursion,@function
recursion:                              ; @recursion
; %bb.0:
	s_clause 0x1
	s_load_b32 s2, s[0:1], 0x1c
	s_load_b32 s3, s[0:1], 0x8
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s15, s2, v[0:1]
	s_mov_b32 s2, exec_lo
	v_cmpx_gt_u32_e64 s3, v1
	s_cbranch_execz .LBB9_2
; %bb.1:
	v_mul_hi_u32 v0, 0xaaaaaaab, v1
	v_mul_hi_u32 v2, 0xcccccccd, v1
	s_load_b64 s[0:1], s[0:1], 0x0
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, ackermann@rel32@lo+4
	s_addc_u32 s3, s3, ackermann@rel32@hi+12
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshrrev_b32_e32 v0, 1, v0
	v_lshrrev_b32_e32 v3, 2, v2
	v_mov_b32_e32 v2, 0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshl_add_u32 v0, v0, 1, v0
	v_lshl_add_u32 v4, v3, 2, v3
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_sub_nc_u32_e32 v0, v1, v0
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_1) | instid1(VALU_DEP_3)
	v_sub_nc_u32_e32 v1, v1, v4
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v42, vcc_lo, s0, v2
	s_delay_alu instid0(VALU_DEP_4)
	v_add_co_ci_u32_e32 v43, vcc_lo, s1, v3, vcc_lo
	s_swappc_b64 s[30:31], s[2:3]
	global_store_b32 v[42:43], v0, off
.LBB9_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel recursion
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_kernarg_size 272
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 44
		.amdhsa_next_free_sgpr 37
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 0
		.amdhsa_shared_vgpr_count 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end9:
	.size	recursion, .Lfunc_end9-recursion
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 212
; NumSgprs: 39
; NumVgprs: 44
; ScratchSize: 16
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 4
; VGPRBlocks: 5
; NumSGPRsForWavesPerEU: 39
; NumVGPRsForWavesPerEU: 44
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 1
; COMPUTE_PGM_RSRC2:USER_SGPR: 15
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.hidden	plus_                           ; -- Begin function plus_
	.globl	plus_
	.p2align	2
	.type	plus_,@function
plus_:                                  ; @plus_
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_add_nc_u32_e32 v0, v1, v0
	s_setpc_b64 s[30:31]
.Lfunc_end10:
	.size	plus_, .Lfunc_end10-plus_
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 12
; NumSgprs: 32
; NumVgprs: 2
; ScratchSize: 0
; MemoryBound: 0
	.text
	.hidden	minus_                          ; -- Begin function minus_
	.globl	minus_
	.p2align	2
	.type	minus_,@function
minus_:                                 ; @minus_
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_sub_nc_u32_e32 v0, v0, v1
	s_setpc_b64 s[30:31]
.Lfunc_end11:
	.size	minus_, .Lfunc_end11-minus_
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 12
; NumSgprs: 32
; NumVgprs: 2
; ScratchSize: 0
; MemoryBound: 0
	.text
	.hidden	times_                          ; -- Begin function times_
	.globl	times_
	.p2align	2
	.type	times_,@function
times_:                                 ; @times_
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mul_lo_u32 v0, v1, v0
	s_setpc_b64 s[30:31]
.Lfunc_end12:
	.size	times_, .Lfunc_end12-times_
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 16
; NumSgprs: 32
; NumVgprs: 2
; ScratchSize: 0
; MemoryBound: 0
	.text
	.hidden	shift_                          ; -- Begin function shift_
	.globl	shift_
	.p2align	2
	.type	shift_,@function
shift_:                                 ; @shift_
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_lshlrev_b32_e32 v0, v1, v0
	s_setpc_b64 s[30:31]
.Lfunc_end13:
	.size	shift_, .Lfunc_end13-shift_
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 12
; NumSgprs: 32
; NumVgprs: 2
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	pointers                ; -- Begin function pointers
	.globl	pointers
	.p2align	8
	.type	pointers,@function
pointers:                               ; @pointers
; %bb.0:
	s_clause 0x1
	s_load_b32 s2, s[0:1], 0x24
	s_load_b32 s3, s[0:1], 0x10
	s_mov_b32 s33, s15
	s_mov_b32 s32, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s2, s2, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s33, s2, v[0:1]
	s_mov_b32 s2, exec_lo
	v_cmpx_gt_u32_e64 s3, v1
	s_cbranch_execz .LBB14_10
; %bb.1:
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, plus_@rel32@lo+4
	s_addc_u32 s3, s3, plus_@rel32@hi+12
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_dual_mov_b32 v5, s3 :: v_dual_and_b32 v2, 3, v1
	v_mov_b32_e32 v4, s2
	s_mov_b32 s2, exec_lo
	v_cmpx_lt_i32_e32 0, v2
	s_cbranch_execz .LBB14_7
; %bb.2:
	s_mov_b32 s3, exec_lo
                                        ; implicit-def: $vgpr4_vgpr5
	v_cmpx_ne_u32_e32 1, v2
	s_xor_b32 s3, exec_lo, s3
; %bb.3:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, times_@rel32@lo+4
	s_addc_u32 s5, s5, times_@rel32@hi+12
	v_cmp_eq_u32_e32 vcc_lo, 2, v2
	v_dual_mov_b32 v3, s5 :: v_dual_mov_b32 v4, s4
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, shift_@rel32@lo+4
	s_addc_u32 s7, s7, shift_@rel32@hi+12
	s_delay_alu instid0(VALU_DEP_1) | instid1(SALU_CYCLE_1)
	v_cndmask_b32_e32 v5, s7, v3, vcc_lo
	v_cndmask_b32_e32 v4, s6, v4, vcc_lo
; %bb.4:
	s_and_not1_saveexec_b32 s3, s3
; %bb.5:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, minus_@rel32@lo+4
	s_addc_u32 s5, s5, minus_@rel32@hi+12
	s_delay_alu instid0(SALU_CYCLE_1)
	v_dual_mov_b32 v4, s4 :: v_dual_mov_b32 v5, s5
; %bb.6:
	s_or_b32 exec_lo, exec_lo, s3
.LBB14_7:
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_4) | instid1(VALU_DEP_1)
	s_or_b32 exec_lo, exec_lo, s2
	s_load_b128 s[36:39], s[0:1], 0x0
	v_mov_b32_e32 v2, 0
	s_add_u32 s34, s0, 24
	s_addc_u32 s35, s1, 0
	v_lshlrev_b64 v[40:41], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_add_co_u32 v2, vcc_lo, s38, v40
	v_add_co_ci_u32_e32 v3, vcc_lo, s39, v41, vcc_lo
	s_mov_b32 s38, exec_lo
	global_load_b32 v2, v[2:3], off
.LBB14_8:                               ; =>This Inner Loop Header: Depth=1
	v_readfirstlane_b32 s0, v4
	v_readfirstlane_b32 s1, v5
	s_mov_b32 s39, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_eq_u64_e64 s[0:1], v[4:5]
	s_waitcnt vmcnt(0)
	v_dual_mov_b32 v31, v0 :: v_dual_mov_b32 v0, v2
	s_mov_b64 s[8:9], s[34:35]
	s_mov_b32 s12, s33
	s_swappc_b64 s[30:31], s[0:1]
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v3, v0
                                        ; implicit-def: $vgpr4_vgpr5
                                        ; implicit-def: $vgpr0
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr1
	s_xor_b32 exec_lo, exec_lo, s39
	s_cbranch_execnz .LBB14_8
; %bb.9:
	s_mov_b32 exec_lo, s38
	v_add_co_u32 v0, vcc_lo, s36, v40
	v_add_co_ci_u32_e32 v1, vcc_lo, s37, v41, vcc_lo
	global_store_b32 v[0:1], v3, off
.LBB14_10:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel pointers
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 1
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 42
		.amdhsa_next_free_sgpr 40
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 0
		.amdhsa_shared_vgpr_count 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end14:
	.size	pointers, .Lfunc_end14-pointers
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 392
; NumSgprs: 42
; NumVgprs: 42
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 5
; VGPRBlocks: 5
; NumSGPRsForWavesPerEU: 42
; NumVGPRsForWavesPerEU: 42
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 1
; COMPUTE_PGM_RSRC2:USER_SGPR: 15
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.p2alignl 7, 3214868480
	.fill 96, 4, 3214868480
	.hidden	__oclc_ABI_version              ; @__oclc_ABI_version
	.type	__oclc_ABI_version,@object
	.section	.rodata,"a",@progbits
	.weak	__oclc_ABI_version
	.p2align	2, 0x0
__oclc_ABI_version:
	.long	500                             ; 0x1f4
	.size	__oclc_ABI_version, 4

	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'ulong*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .offset:         16
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 3072
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           chains
    .private_segment_fixed_size: 56
    .sgpr_count:     35
    .sgpr_spill_count: 0
    .symbol:         chains.kd
    .uses_dynamic_stack: false
    .vgpr_count:     35
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         28
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         36
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         38
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         40
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         42
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         44
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         46
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         88
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 280
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           structs
    .private_segment_fixed_size: 308
    .sgpr_count:     36
    .sgpr_spill_count: 0
    .symbol:         structs.kd
    .uses_dynamic_stack: false
    .vgpr_count:     30
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         28
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         30
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         32
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         34
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         36
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         38
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         56
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         80
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           recursion
    .private_segment_fixed_size: 16
    .sgpr_count:     39
    .sgpr_spill_count: 0
    .symbol:         recursion.kd
    .uses_dynamic_stack: false
    .vgpr_count:     44
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         24
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         28
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         36
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         38
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         40
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         42
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         44
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         46
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         64
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         88
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 280
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           pointers
    .private_segment_fixed_size: 0
    .sgpr_count:     42
    .sgpr_spill_count: 0
    .symbol:         pointers.kd
    .uses_dynamic_stack: true
    .vgpr_count:     42
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

//= .dynamic 4a80
//= : 060000000000000068150000000000000b0000000000000018000000000000000500000000000000d816000000000000
//= : 0a000000000000005100000000000000f5feff6f00000000401600000000000004000000000000008816000000000000
//= : 00000000000000000000000000000000
//= .dynstr 16d8
//= : 00636861696e7300636861696e732e6b64007374727563747300737472756374732e6b6400726563757273696f6e0072
//= : 6563757273696f6e2e6b6400706f696e7465727300706f696e746572732e6b6400
//= .dynsym 1568
//= : 000000000000000000000000000000000000000000000000080000001103060040170000000000004000000000000000
//= : 1a00000011030600801700000000000040000000000000002f00000011030600c0170000000000004000000000000000
//= : 4500000011030600001800000000000040000000000000000100000012030700002e0000000000003003000000000000
//= : 12000000120307000032000000000000480100000000000025000000120307000035000000000000d400000000000000
//= : 3c0000001203070000370000000000008801000000000000
//= .gnu.hash 1640
//= : 0200000001000000020000001a000000000340040000000000212022000800bb010000000500000078d1bf201a88e021
//= : fc254956972d2d257aad5ef65c1710af7eb080e5594ef635
//= .hash 1688
//= : 090000000900000007000000040000000000000006000000000000000200000005000000080000000000000000000000
//= : 0000000001000000000000000000000003000000000000000000000000000000
//= .note 200
//= : 070000005413000020000000414d44475055000083ae616d646873612e6b65726e656c7394de0011a52e61726773dc00
//= : 1185ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e
//= : 616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657285ae2e616464726573735f7370
//= : 616365a6676c6f62616ca72e6f666673657408a52e73697a6508aa2e747970655f6e616d65a6756c6f6e672aab2e7661
//= : 6c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f7370616365a6676c6f62616ca92e69
//= : 735f636f6e7374c3a72e6f666673657410a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e76616c7565
//= : 5f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657418a52e73697a6504aa2e747970655f6e616d65a4
//= : 75696e74ab2e76616c75655f6b696e64a862795f76616c756583a72e6f666673657420a52e73697a6504ab2e76616c75
//= : 655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7883a72e6f666673657424a52e73697a6504ab2e7661
//= : 6c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7983a72e6f666673657428a52e73697a6504ab2e
//= : 76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7a83a72e6f66667365742ca52e73697a6502
//= : ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7883a72e6f66667365742ea52e73697a65
//= : 02ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7983a72e6f666673657430a52e73697a
//= : 6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7a83a72e6f666673657432a52e7369
//= : 7a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7883a72e6f666673657434a52e7369
//= : 7a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7983a72e6f666673657436a52e7369
//= : 7a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7a83a72e6f666673657448a52e7369
//= : 7a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7883a72e6f666673657450
//= : a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7983a72e6f6666
//= : 73657458a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7a83a7
//= : 2e6f666673657460a52e73697a6502ab2e76616c75655f6b696e64b068696464656e5f677269645f64696d73b92e6772
//= : 6f75705f7365676d656e745f66697865645f73697a65cd0c00b62e6b65726e6172675f7365676d656e745f616c69676e
//= : 08b52e6b65726e6172675f7365676d656e745f73697a65cd0120a92e6c616e6775616765a84f70656e434c2043b12e6c
//= : 616e67756167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a65cd0100a52e
//= : 6e616d65a6636861696e73bb2e707269766174655f7365676d656e745f66697865645f73697a6538ab2e736770725f63
//= : 6f756e7423b12e736770725f7370696c6c5f636f756e7400a72e73796d626f6ca9636861696e732e6b64b32e75736573
//= : 5f64796e616d69635f737461636bc2ab2e766770725f636f756e7423b12e766770725f7370696c6c5f636f756e7400af
//= : 2e7761766566726f6e745f73697a6520b92e776f726b67726f75705f70726f636573736f725f6d6f646501de0011a52e
//= : 61726773dc001085ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e
//= : 747970655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e61646472
//= : 6573735f7370616365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970
//= : 655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410
//= : a52e73697a6504aa2e747970655f6e616d65a475696e74ab2e76616c75655f6b696e64a862795f76616c756583a72e6f
//= : 666673657418a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7883a7
//= : 2e6f66667365741ca52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f79
//= : 83a72e6f666673657420a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e74
//= : 5f7a83a72e6f666673657424a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a
//= : 655f7883a72e6f666673657426a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f7369
//= : 7a655f7983a72e6f666673657428a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73
//= : 697a655f7a83a72e6f66667365742aa52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e
//= : 6465725f7883a72e6f66667365742ca52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e
//= : 6465725f7983a72e6f66667365742ea52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e
//= : 6465725f7a83a72e6f666673657440a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c
//= : 5f6f66667365745f7883a72e6f666673657448a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c
//= : 6f62616c5f6f66667365745f7983a72e6f666673657450a52e73697a6508ab2e76616c75655f6b696e64b66869646465
//= : 6e5f676c6f62616c5f6f66667365745f7a83a72e6f666673657458a52e73697a6502ab2e76616c75655f6b696e64b068
//= : 696464656e5f677269645f64696d73b92e67726f75705f7365676d656e745f66697865645f73697a6500b62e6b65726e
//= : 6172675f7365676d656e745f616c69676e08b52e6b65726e6172675f7365676d656e745f73697a65cd0118a92e6c616e
//= : 6775616765a84f70656e434c2043b12e6c616e67756167655f76657273696f6e920200b82e6d61785f666c61745f776f
//= : 726b67726f75705f73697a65cd0100a52e6e616d65a773747275637473bb2e707269766174655f7365676d656e745f66
//= : 697865645f73697a65cd0134ab2e736770725f636f756e7424b12e736770725f7370696c6c5f636f756e7400a72e7379
//= : 6d626f6caa737472756374732e6b64b32e757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e74
//= : 1eb12e766770725f7370696c6c5f636f756e7400af2e7761766566726f6e745f73697a6520b92e776f726b67726f7570
//= : 5f70726f636573736f725f6d6f646501de0011a52e617267739f85ae2e616464726573735f7370616365a6676c6f6261
//= : 6ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e76616c75655f6b696e64ad67
//= : 6c6f62616c5f62756666657284a72e6f666673657408a52e73697a6504aa2e747970655f6e616d65a475696e74ab2e76
//= : 616c75655f6b696e64a862795f76616c756583a72e6f666673657410a52e73697a6504ab2e76616c75655f6b696e64b4
//= : 68696464656e5f626c6f636b5f636f756e745f7883a72e6f666673657414a52e73697a6504ab2e76616c75655f6b696e
//= : 64b468696464656e5f626c6f636b5f636f756e745f7983a72e6f666673657418a52e73697a6504ab2e76616c75655f6b
//= : 696e64b468696464656e5f626c6f636b5f636f756e745f7a83a72e6f66667365741ca52e73697a6502ab2e76616c7565
//= : 5f6b696e64b368696464656e5f67726f75705f73697a655f7883a72e6f66667365741ea52e73697a6502ab2e76616c75
//= : 655f6b696e64b368696464656e5f67726f75705f73697a655f7983a72e6f666673657420a52e73697a6502ab2e76616c
//= : 75655f6b696e64b368696464656e5f67726f75705f73697a655f7a83a72e6f666673657422a52e73697a6502ab2e7661
//= : 6c75655f6b696e64b268696464656e5f72656d61696e6465725f7883a72e6f666673657424a52e73697a6502ab2e7661
//= : 6c75655f6b696e64b268696464656e5f72656d61696e6465725f7983a72e6f666673657426a52e73697a6502ab2e7661
//= : 6c75655f6b696e64b268696464656e5f72656d61696e6465725f7a83a72e6f666673657438a52e73697a6508ab2e7661
//= : 6c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7883a72e6f666673657440a52e73697a6508
//= : ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7983a72e6f666673657448a52e73
//= : 697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7a83a72e6f6666736574
//= : 50a52e73697a6502ab2e76616c75655f6b696e64b068696464656e5f677269645f64696d73b92e67726f75705f736567
//= : 6d656e745f66697865645f73697a6500b62e6b65726e6172675f7365676d656e745f616c69676e08b52e6b65726e6172
//= : 675f7365676d656e745f73697a65cd0110a92e6c616e6775616765a84f70656e434c2043b12e6c616e67756167655f76
//= : 657273696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a65cd0100a52e6e616d65a972656375
//= : 7273696f6ebb2e707269766174655f7365676d656e745f66697865645f73697a6510ab2e736770725f636f756e7427b1
//= : 2e736770725f7370696c6c5f636f756e7400a72e73796d626f6cac726563757273696f6e2e6b64b32e757365735f6479
//= : 6e616d69635f737461636bc2ab2e766770725f636f756e742cb12e766770725f7370696c6c5f636f756e7400af2e7761
//= : 766566726f6e745f73697a6520b92e776f726b67726f75705f70726f636573736f725f6d6f646501de0011a52e617267
//= : 73dc001085ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970
//= : 655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e61646472657373
//= : 5f7370616365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970655f6e
//= : 616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73
//= : 697a6504aa2e747970655f6e616d65a475696e74ab2e76616c75655f6b696e64a862795f76616c756583a72e6f666673
//= : 657418a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7883a72e6f66
//= : 667365741ca52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7983a72e
//= : 6f666673657420a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7a83
//= : a72e6f666673657424a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f78
//= : 83a72e6f666673657426a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f
//= : 7983a72e6f666673657428a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a65
//= : 5f7a83a72e6f66667365742aa52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e646572
//= : 5f7883a72e6f66667365742ca52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e646572
//= : 5f7983a72e6f66667365742ea52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e646572
//= : 5f7a83a72e6f666673657440a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66
//= : 667365745f7883a72e6f666673657448a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f6261
//= : 6c5f6f66667365745f7983a72e6f666673657450a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f67
//= : 6c6f62616c5f6f66667365745f7a83a72e6f666673657458a52e73697a6502ab2e76616c75655f6b696e64b068696464
//= : 656e5f677269645f64696d73b92e67726f75705f7365676d656e745f66697865645f73697a6500b62e6b65726e617267
//= : 5f7365676d656e745f616c69676e08b52e6b65726e6172675f7365676d656e745f73697a65cd0118a92e6c616e677561
//= : 6765a84f70656e434c2043b12e6c616e67756167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67
//= : 726f75705f73697a65cd0100a52e6e616d65a8706f696e74657273bb2e707269766174655f7365676d656e745f666978
//= : 65645f73697a6500ab2e736770725f636f756e742ab12e736770725f7370696c6c5f636f756e7400a72e73796d626f6c
//= : ab706f696e746572732e6b64b32e757365735f64796e616d69635f737461636bc3ab2e766770725f636f756e742ab12e
//= : 766770725f7370696c6c5f636f756e7400af2e7761766566726f6e745f73697a6520b92e776f726b67726f75705f7072
//= : 6f636573736f725f6d6f646501ad616d646873612e746172676574ba616d6467636e2d616d642d616d646873612d2d67
//= : 667831313030ae616d646873612e76657273696f6e920102
//= .rodata 1740
//= : 000c0000380000002001000000000000c016000000000000000000000000000000000000000000000000000000000000
//= : 0400af609f1000000a0400000000000000000000340100001801000000000000801a0000000000000000000000000000
//= : 000000000000000000000000000000000300af609f000000080400000000000000000000100000001001000000000000
//= : 401d0000000000000000000000000000000000000000000000000000000000000500af609f0000000804000000000000
//= : 00000000000000001801000000000000001f000000000000000000000000000000000000000000000000000000000000
//= : 0500af609f000000080c000000000000f4010000
//= .text 2900
//= : 000089bf01002cd7ff020200b179379e020016d600016e02010087bf000045d601010a041e4880be000089bf8002067e
//= : c10087bf047cfed6ff000a042d7f954c02002cd7ff0202002d7f954c03002cd7ff0002002df4515800003dd79d000200
//= : 0401003a930087bf020055d6020b0e040203023a1e4880be000089bf000050dc00007c04000050dc02007c057e0080be
//= : 070089bf7e00ccd4040b02000400a5bf000068dc00057c00000068dc02047c007e007e8c07fc89bf1e4880be000089bf
//= : 010085bf2c0051dc00002002300051dc0000200b092b127e040f087e067cfed60107010485060216930087bf00002cd7
//= : 040f0100000055d606030204a10087bf000055d6000b220401002cd709170100000055d600036a0401002cd71e1b0100
//= : f70789bfa20087bf000055d6001d0a04f70389bf000055d6001706041e4880be000089bf210082be2000a1bec12480be
//= : 000069dc000921000000febe090061d71e000100010110ca00010807010110ca8000000020902081090061d71f020100
//= : 004780be00ff00807cfeffff01ff0182ffffffff490187bf00499ebe000110ca070100038102027e00499ebe000110ca
//= : 820000040703007e00499ebe310187bf000110ca070100058302027e00499ebe000110ca840000060703007e000075dc
//= : 0803fc0000499ebe000110ca070100038502027e00499ebeb20087bf000110ca860000040703007e00499ebe000110ca
//= : 070100058702027e00499ebe020087bf000110ca880000060703007e100075dc0803fc0000499ebe000110ca07010003
//= : 8902027e00499ebeb20087bf000110ca8a0000040703007e00499ebe000110ca070100058b02027e00499ebe020087bf
//= : 000110ca8c0000060703007e200075dc0803fc0000499ebe000110ca070100038d02027e00499ebeb20087bf000110ca
//= : 8e0000040703007e00499ebe000110ca070100058f02027e00499ebe020087bf000110ca900000060703007e300075dc
//= : 0803fc0000499ebe000110ca070100039102027e00499ebeb20087bf000110ca920000040703007e00499ebe000110ca
//= : 070100059302027e00499ebe020087bf000110ca940000060703007e400075dc0803fc0000499ebe000110ca07010003
//= : 9502027e00499ebeb20087bf000110ca960000040703007e00499ebe000110ca070100059702027e00499ebe020087bf
//= : 00030c7e1f0060d7090301001e0060d709010100500075dc0803fc00c12480be000051dc000021090000febe20d02081
//= : 0200a1bef70389bf1e4880be000089bf90000c4aa000144ab0001c4ac000244aff002c4a50000000050085bf00005ddc
//= : 0000fc0200005ddc0600fc0600005ddc0a00fc0a00005ddc0e00fc0e00005ddc1200fc1200005ddc1600fc1600002dd7
//= : ff020200abaaaaaaf71789bf000075dc00022000f71389bf100075dc00062000f70f89bf200075dc000a2000f70b89bf
//= : 300075dc000e2000f70789bf400075dc00122000f70389bf500075dc0016200084000032910087bf00002cd700310100
//= : 0101004c010087bf000046d600058100000051dc0000fc00f70389bf1e4880be000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf010085bf010100f42c0000f8410100f4
//= : 180000f8ff000636ff0300008000a0be07fc89bf04ff048bffff0000810487bf117cfed60f080c047e0084be010087bf
//= : 7e00ccd405220200b800a5bf010104f4100000f88002247ea10087bf1f003cd78222020007fc89bf016a00d7043e0200
//= : 020087bf05400440010108f4000000f8800083be7e0082be000052dc01007c06f70389bf870c0236010087bf80029a7d
//= : 1500a5bf0003087e800088be00478abe0aff0a8050faffff0bff0b82ffffffff060110ca080000000a499ebea10087bf
//= : 00030c7e08810881870c0036a10487bf08009c7c6a03038c7e037e91f4ffa6bf7e037e8c0403007e7e027e8c000004f4
//= : 040000f8d10487bf020010d600152902000010d60029290280020e7e07fc89bf0090008500010096990087bf01002cd7
//= : 0006020001000bd6020304048c0c0432004780be00ff0080e4f9ffff01ff0182ffffffff080047d601010a0200003cd7
//= : 940c0200020110ca11010201030087bfff100e4a00080000ff10124a0004000000499ebe0603047e00499ebe02003cd7
//= : 83220200000834d808060000004780be00ff008060f9ffff01ff0182ffffffff026a00d7060402000706064000006edc
//= : 02007c00060110ca8100000000499ebe000434d808000000060110ca8200000000499ebeeb0182be000034d808000000
//= : 070110ca03000000090110ca03000202004786be06ff068074f9ffff07ff0782ffffffff090087bf06499ebe0903007e
//= : 0803047e06499ebe0703007e0903047e06499ebe112d127e0008d8d8080000000004e0d808000001800020ca81221a0c
//= : 1123087e80021a7e030087bf110110ca1b011c131b033c7e1103287e11032a7e11032c7e11032e7e1103307e1103327e
//= : 1103347e004780be00ff008034f9ffff01ff0182ffffffff20b0028120a003812090068117fc89bf81000a3207fc89bf
//= : 82040c321b033a7eff040636ffff0000020110ca01010807040087bf110120ca060b220500030c7e000110ca02010e0b
//= : 010110ca8000100f000075dc001b200083024232000069dc00010200000075dc001b0300000075dc001b060000499ebe
//= : 020055d622430204006a00d7043e02000540024000006adc00027c000000b0bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 010085bf800000f4240000f8c00000f4100000f8d00020b007fc89bf02ff028bffff0000a90087bf1a7cfed60f040004
//= : 7e0082be7e00ccd4033402004100a5bf000108f4000000f88002367ea10087bf1c003cd78234020007fc89bf006a00d7
//= : 06380200020087bf073a0240004786be06ff0680d0f7ffff07ff0782ffffffff000052dc00007c0af70389bf800010ca
//= : 0a01000006499ebe00002dd7ff340200abaaaaaa004788be08ff0880f4f9ffff09ff0982ffffffff910087bf84000032
//= : 00002cd700310100910087bf1a01004c000046d600050102000051dc0000fc01f70389bf8502024a000069dc0001fc00
//= : 800010ca0a01000008499ebe010087bf000110caff00001b600000001a03027e06499ebe010046d61a056904ff02007e
//= : 6000000008499ebe010087bf0037044a006a00d704380200053a024000006adc00027c000000b0bf000089bf210080be
//= : 2000a1bec12281be040069dc002921000100febe290061d7000a0100000069dc002821000003507e20902081290061d7
//= : 1e000100290061d71f020100290061d7220401007e00a2be290061d7230601008000a3be290061d72408010080509a7d
//= : 0b00a6bf1a00a0bf000080bf000080bf7e247e8c000120cac1502801a10487bf8050947c6a23238c7e237e910e00a5bf
//= : 8102007e7e00a4be80029a7df4ffa5bf280120cac1020000004780be00ff00804cffffff01ff0182ffffffff090087bf
//= : 00499ebeeaffa0bf7e237e8c0003027e7e227e8c000051dc000021288102004a240060d729090100230060d729070100
//= : 220060d7290501001f0060d7290301001e0060d729010100000060d7290b0100c12281be040051dc000021290100febe
//= : 20d020810000a1bef70389bf1e4880be000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 010085bf800000f41c0000f8c00000f4080000f88000a0be07fc89bf02ff028bffff0000a90087bf017cfed60f040004
//= : 7e0082be7e00ccd4030202002400a5bf00002dd7ff020200abaaaaaa02002dd7ff020200cdcccccc000004f4000000f8
//= : 004782be02ff0280e4fdffff03ff0382ffffffff120187bf81000032820406328002047e930187bf000046d600030104
//= : 040046d603050d04930187bf02003cd7820202000101004ca30187bf0109024c07fc89bf2a6a00d700040200040087bf
//= : 0106564002499ebe00006adc2a007c000000b0bf000089bf0101004a1e4880be000089bf0003004c1e4880be000089bf
//= : 00002cd7010102001e4880be000089bf010100301e4880be000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf010085bf800000f4240000f8c00000f4
//= : 100000f80f00a1be8000a0be07fc89bf02ff028bffff0000a90087bf017cfed6210400047e0082be7e00ccd403020200
//= : 5000a5bf004782be02ff02808cfeffff03ff0382ffffffff390187bf030024ca830202050202087e7e0082be8004827d
//= : 1d00a5bf7e0083be81049a7d7e03038d004784be04ff048068feffff05ff0582ffffffff8204947c050010ca04000403
//= : 004786be06ff068058feffff07ff0782ffffffff810487bf07060a0206080802033083be004784be04ff048018feffff
//= : 05ff0582ffffffff090087bf040010ca050004047e037e8cd90087bf7e027e8c000908f4000000f88002047e00982280
//= : 0180238228003cd78202020007fc89bf110187bf026a00d726500200275206407e00a6be000052dc02007c020405007e
//= : 0505027e7e00a7be010087bf7e00dad400080200f70389bf000110ca0201001f220188be21008cbe00499ebe010087bf
//= : 0003067e7e277e8df0ffa6bf2600febe006a00d7245002002552024000006adc00037c000000b0bf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf
