	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.protected	votes                   ; -- Begin function votes
	.globl	votes
	.p2align	8
	.type	votes,@function
votes:                                  ; @votes
; %bb.0:
	s_clause 0x2
	s_load_b32 s3, s[0:1], 0x24
	s_load_b32 s8, s[0:1], 0x10
	s_load_b128 s[4:7], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s3, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_mad_u64_u32 v[2:3], null, s2, s0, v[0:1]
	v_mov_b32_e32 v3, 0
	v_cmp_gt_u32_e32 vcc, s8, v2
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_2
; %bb.1:
	v_mov_b32_e32 v3, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[0:1], 2, v[2:3]
	v_add_co_u32 v0, s[0:1], s6, v0
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v1, s[0:1], s7, v1, s[0:1]
	global_load_b32 v3, v[0:1], off
.LBB0_2:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	v_mul_hi_u32 v0, 0xaaaaaaab, v3
	v_and_b32_e32 v4, 1, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_cmp_ne_u32_e64 s[2:3], 0, v4
	v_lshrrev_b32_e32 v0, 1, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshl_add_u32 v0, v0, 1, v0
	v_sub_nc_u32_e32 v0, v3, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	s_and_b64 s[6:7], vcc, s[0:1]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_saveexec_b64 s[0:1], s[6:7]
; %bb.3:
	v_mov_b32_e32 v0, exec_lo
	v_mov_b32_e32 v1, exec_hi
; %bb.4:
	s_or_b64 exec, exec, s[0:1]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_6
; %bb.5:
	v_lshl_add_u32 v4, v2, 1, v2
	v_mov_b32_e32 v5, 0
	v_readfirstlane_b32 s0, v3
	v_mbcnt_lo_u32_b32 v12, -1, 0
	v_mov_b32_e32 v11, s3
	v_add_nc_u32_e32 v8, 1, v4
	v_mov_b32_e32 v9, v5
	v_lshlrev_b64 v[6:7], 3, v[4:5]
	v_add_nc_u32_e32 v4, 2, v4
	v_mov_b32_e32 v10, s2
	s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[2:3], 3, v[8:9]
	v_mbcnt_hi_u32_b32 v8, -1, v12
	v_lshlrev_b64 v[4:5], 3, v[4:5]
	v_add_co_u32 v6, vcc, s4, v6
	v_add_co_ci_u32_e32 v7, vcc, s5, v7, vcc
	v_add_co_u32 v2, vcc, s4, v2
	v_add_co_ci_u32_e32 v3, vcc, s5, v3, vcc
	v_add_co_u32 v4, vcc, s4, v4
	v_mov_b32_e32 v9, s0
	v_add_co_ci_u32_e32 v5, vcc, s5, v5, vcc
	s_clause 0x2
	global_store_b64 v[6:7], v[10:11], off
	global_store_b64 v[2:3], v[0:1], off
	global_store_b64 v[4:5], v[8:9], off
.LBB0_6:
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel votes
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 13
		.amdhsa_next_free_sgpr 9
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
.Lfunc_end0:
	.size	votes, .Lfunc_end0-votes
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 380
; NumSgprs: 11
; NumVgprs: 13
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 3
; NumSGPRsForWavesPerEU: 11
; NumVGPRsForWavesPerEU: 13
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	shuffles                ; -- Begin function shuffles
	.globl	shuffles
	.p2align	8
	.type	shuffles,@function
shuffles:                               ; @shuffles
; %bb.0:
	s_clause 0x2
	s_load_b32 s3, s[0:1], 0x24
	s_load_b32 s8, s[0:1], 0x10
	s_load_b128 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v3, 7
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s3, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s2, s0, v[0:1]
	s_mov_b64 s[0:1], exec
	v_cmpx_gt_u32_e64 s8, v1
	s_cbranch_execz .LBB1_2
; %bb.1:
	v_mov_b32_e32 v2, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_add_co_u32 v2, vcc, s6, v2
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v3, vcc, s7, v3, vcc
	global_load_b32 v3, v[2:3], off
.LBB1_2:
	s_or_b64 exec, exec, s[0:1]
	v_mbcnt_lo_u32_b32 v0, -1, 0
	v_mul_lo_u32 v12, v1, 12
	v_mov_b32_e32 v13, 0
	s_waitcnt vmcnt(0)
	ds_swizzle_b32 v6, v3 offset:swizzle(SWAP,16)
	ds_swizzle_b32 v7, v3 offset:swizzle(QUAD_PERM,3,2,1,0)
	v_mbcnt_hi_u32_b32 v0, -1, v0
	s_mov_b32 s0, 0x84c03fa1
	v_mov_b32_e32 v15, v13
	v_add_nc_u32_e32 v8, 1, v3
	v_add_nc_u32_e32 v14, 4, v12
	v_and_b32_e32 v2, 32, v0
	v_mad_u32_u24 v4, v0, 5, 3
	v_lshlrev_b64 v[16:17], 2, v[12:13]
	v_add_nc_u32_e32 v12, 8, v12
	v_lshlrev_b64 v[14:15], 2, v[14:15]
	v_add_nc_u32_e32 v0, 3, v3
	v_and_or_b32 v1, v4, 31, v2
	v_add_nc_u32_e32 v10, 2, v3
	v_add_co_u32 v16, vcc, s4, v16
	v_lshlrev_b64 v[12:13], 2, v[12:13]
	s_delay_alu instid0(VALU_DEP_4)
	v_lshlrev_b32_e32 v1, 2, v1
	v_mov_b32_e32 v11, v3
	v_add_co_ci_u32_e32 v17, vcc, s5, v17, vcc
	v_permlane16_b32 v0, v3, s0, 0x27b6e5d9
	ds_bpermute_b32 v4, v1, v3
	ds_permute_b32 v5, v1, v3
	v_readlane_b32 s0, v3, 13
	v_add_co_u32 v14, vcc, s4, v14
	v_add_co_ci_u32_e32 v15, vcc, s5, v15, vcc
	s_mov_b32 s1, 0x1234567
	v_add_co_u32 v12, vcc, s4, v12
	v_mov_b32_dpp v9, v3 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_dpp v8, v3 row_shr:1 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v10, v3 quad_perm:[1,0,3,2] row_mask:0x5 bank_mask:0x6
	v_mov_b32_dpp v11, v11 dpp8:[5,7,5,3,1,7,4,2]
	v_permlanex16_b32 v1, v3, s1, 0x89abcdef op_sel:[0,1]
	v_add_co_ci_u32_e32 v13, vcc, s5, v13, vcc
	v_mov_b32_e32 v2, s0
	v_mov_b32_dpp v3, v3 row_share:5 row_mask:0xf bank_mask:0xf
	s_waitcnt lgkmcnt(0)
	s_clause 0x2
	global_store_b128 v[16:17], v[4:7], off
	global_store_b128 v[14:15], v[8:11], off
	global_store_b128 v[12:13], v[0:3], off
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel shuffles
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 18
		.amdhsa_next_free_sgpr 9
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
.Lfunc_end1:
	.size	shuffles, .Lfunc_end1-shuffles
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 432
; NumSgprs: 11
; NumVgprs: 18
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 4
; NumSGPRsForWavesPerEU: 11
; NumVGPRsForWavesPerEU: 18
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	wave_sum                ; -- Begin function wave_sum
	.globl	wave_sum
	.p2align	8
	.type	wave_sum,@function
wave_sum:                               ; @wave_sum
; %bb.0:
	s_clause 0x2
	s_load_b32 s3, s[0:1], 0x24
	s_load_b32 s8, s[0:1], 0x10
	s_load_b128 s[4:7], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s3, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_mad_u64_u32 v[1:2], null, s2, s0, v[0:1]
	v_mov_b32_e32 v0, 0
	v_cmp_gt_u32_e64 s[0:1], s8, v1
	s_delay_alu instid0(VALU_DEP_1)
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB2_2
; %bb.1:
	v_mov_b32_e32 v2, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[2:3], 2, v[1:2]
	v_add_co_u32 v2, vcc, s6, v2
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v3, vcc, s7, v3, vcc
	global_load_b32 v0, v[2:3], off
.LBB2_2:
	s_or_b64 exec, exec, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_nc_u32_dpp v0, v0, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_mov_b32 s2, 0x76543210
	s_and_b64 vcc, exec, 0
	s_waitcnt_depctr 0xfffe
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_nc_u32_dpp v0, v0, v0 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_add_nc_u32_dpp v0, v0, v0 row_half_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_nc_u32_dpp v0, v0, v0 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1
	v_mov_b32_e32 v2, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_permlanex16_b32 v2, v2, s2, 0xfedcba98
	v_add_nc_u32_e32 v0, v0, v2
	s_cbranch_vccz .LBB2_5
; %bb.3:
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execnz .LBB2_6
.LBB2_4:
	s_endpgm
.LBB2_5:
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_permlane64_b32 v2, v0
	v_add_nc_u32_e32 v0, v2, v0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB2_4
.LBB2_6:
	v_mov_b32_e32 v2, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[1:2], 2, v[1:2]
	v_add_co_u32 v1, vcc, s4, v1
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v2, vcc, s5, v2, vcc
	global_store_b32 v[1:2], v0, off
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel wave_sum
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 9
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
.Lfunc_end2:
	.size	wave_sum, .Lfunc_end2-wave_sum
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 292
; NumSgprs: 11
; NumVgprs: 4
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 11
; NumVGPRsForWavesPerEU: 4
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	divergence              ; -- Begin function divergence
	.globl	divergence
	.p2align	8
	.type	divergence,@function
divergence:                             ; @divergence
; %bb.0:
	s_clause 0x1
	s_load_b32 s3, s[0:1], 0x24
	s_load_b32 s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s2, s3, v[0:1]
	s_mov_b64 s[2:3], exec
	v_cmpx_gt_u32_e64 s4, v1
	s_cbranch_execz .LBB3_51
; %bb.1:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_mov_b32_e32 v2, 0
	s_mov_b32 s26, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[0:1], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v2, vcc, s2, v0
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v3, vcc, s3, v1, vcc
	s_mov_b64 s[2:3], 0
	global_load_b32 v2, v[2:3], off
	s_branch .LBB3_4
.LBB3_2:                                ;   in Loop: Header=BB3_4 Depth=1
	s_or_b64 exec, exec, s[4:5]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_not1_b64 s[10:11], s[8:9], exec
.LBB3_3:                                ;   in Loop: Header=BB3_4 Depth=1
	s_or_b64 exec, exec, s[6:7]
	v_mov_b32_e32 v5, s26
	s_and_b64 s[4:5], exec, s[10:11]
	s_mov_b32 s26, s12
	s_or_b64 s[2:3], s[4:5], s[2:3]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b64 exec, exec, s[2:3]
	s_cbranch_execz .LBB3_17
.LBB3_4:                                ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB3_7 Depth 2
	s_cmpk_lt_u32 s26, 0xc8
	s_mov_b64 s[10:11], 0
	s_cselect_b64 s[6:7], -1, 0
                                        ; implicit-def: $sgpr8_sgpr9
                                        ; implicit-def: $sgpr4_sgpr5
                                        ; implicit-def: $sgpr14_sgpr15
                                        ; implicit-def: $sgpr12_sgpr13
                                        ; implicit-def: $sgpr16_sgpr17
	s_set_inst_prefetch_distance 0x1
	s_branch .LBB3_7
	.p2align	6
.LBB3_5:                                ;   in Loop: Header=BB3_7 Depth=2
	s_or_b64 exec, exec, s[24:25]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b64 s[16:17], s[16:17], exec
	s_and_b64 s[22:23], s[22:23], exec
	s_and_not1_b64 s[14:15], s[14:15], exec
	s_and_b64 s[20:21], s[20:21], exec
	s_or_b64 s[16:17], s[16:17], s[22:23]
	s_and_not1_b64 s[12:13], s[12:13], exec
	s_or_b64 s[14:15], s[14:15], s[20:21]
.LBB3_6:                                ;   in Loop: Header=BB3_7 Depth=2
	s_or_b64 exec, exec, s[18:19]
	s_xor_b64 s[18:19], s[12:13], -1
	s_and_b64 s[20:21], exec, s[14:15]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_b64 s[10:11], s[20:21], s[10:11]
	s_and_not1_b64 s[4:5], s[4:5], exec
	s_and_b64 s[20:21], s[16:17], exec
	s_and_not1_b64 s[8:9], s[8:9], exec
	s_and_b64 s[18:19], s[18:19], exec
	s_or_b64 s[4:5], s[4:5], s[20:21]
	s_or_b64 s[8:9], s[8:9], s[18:19]
	s_and_not1_b64 exec, exec, s[10:11]
	s_cbranch_execz .LBB3_10
.LBB3_7:                                ;   Parent Loop BB3_4 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v4, v2
	s_and_not1_b64 s[16:17], s[16:17], exec
	s_or_b64 s[12:13], s[12:13], exec
	s_or_b64 s[14:15], s[14:15], exec
                                        ; implicit-def: $vgpr2
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_cmp_ne_u32_e32 vcc, 1, v4
	s_and_b64 s[20:21], vcc, s[6:7]
	s_and_saveexec_b64 s[18:19], s[20:21]
	s_cbranch_execz .LBB3_6
; %bb.8:                                ;   in Loop: Header=BB3_7 Depth=2
	v_and_b32_e32 v2, 1, v4
	s_mov_b64 s[20:21], -1
	s_mov_b64 s[22:23], -1
	s_delay_alu instid0(VALU_DEP_1)
	v_cmp_eq_u32_e32 vcc, 0, v2
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[24:25], vcc
	s_cbranch_execz .LBB3_5
; %bb.9:                                ;   in Loop: Header=BB3_7 Depth=2
	v_lshrrev_b32_e32 v2, 1, v4
	s_xor_b64 s[22:23], exec, -1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v3, 0xcccccccd, v2
	v_cmp_lt_u32_e32 vcc, 0x33333333, v3
	s_or_not1_b64 s[20:21], vcc, exec
	s_branch .LBB3_5
.LBB3_10:                               ;   in Loop: Header=BB3_4 Depth=1
	s_set_inst_prefetch_distance 0x2
	s_or_b64 exec, exec, s[10:11]
	s_mov_b64 s[10:11], -1
                                        ; implicit-def: $sgpr12
	s_and_saveexec_b64 s[6:7], s[8:9]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b64 s[6:7], exec, s[6:7]
	s_cbranch_execz .LBB3_3
; %bb.11:                               ;   in Loop: Header=BB3_4 Depth=1
	s_mov_b64 s[8:9], -1
	s_and_saveexec_b64 s[12:13], s[4:5]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b64 s[4:5], exec, s[12:13]
	s_cbranch_execz .LBB3_15
; %bb.12:                               ;   in Loop: Header=BB3_4 Depth=1
	s_mov_b64 s[10:11], 0
	s_mov_b64 s[12:13], exec
                                        ; implicit-def: $vgpr2
	v_cmpx_gt_u32_e32 0xf4241, v4
; %bb.13:                               ;   in Loop: Header=BB3_4 Depth=1
	v_mad_u64_u32 v[2:3], null, v4, 3, 1
	s_mov_b64 s[10:11], exec
; %bb.14:                               ;   in Loop: Header=BB3_4 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_not1_b64 s[10:11], s[10:11], exec
.LBB3_15:                               ;   in Loop: Header=BB3_4 Depth=1
	s_or_b64 exec, exec, s[4:5]
                                        ; implicit-def: $sgpr12
	s_and_saveexec_b64 s[4:5], s[10:11]
	s_cbranch_execz .LBB3_2
; %bb.16:                               ;   in Loop: Header=BB3_4 Depth=1
	s_add_i32 s12, s26, 1
	s_xor_b64 s[8:9], exec, -1
	s_branch .LBB3_2
.LBB3_17:
	s_or_b64 exec, exec, s[2:3]
	v_mul_hi_u32 v2, 0x38e38e39, v5
	s_mov_b64 s[4:5], 0
	s_mov_b64 s[2:3], exec
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshrrev_b32_e32 v2, 1, v2
	v_lshl_add_u32 v2, v2, 3, v2
	s_waitcnt_depctr 0xfff
	v_sub_nc_u32_e32 v3, v5, v2
                                        ; implicit-def: $vgpr2
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_lt_i32_e32 2, v3
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB3_41
; %bb.18:
	s_mov_b64 s[6:7], 0
	s_mov_b64 s[10:11], 0
	s_mov_b64 s[8:9], exec
                                        ; implicit-def: $vgpr2
	v_cmpx_lt_i32_e32 5, v3
	s_xor_b64 s[8:9], exec, s[8:9]
	s_cbranch_execz .LBB3_24
; %bb.19:
	s_mov_b64 s[12:13], exec
	v_cmpx_lt_i32_e32 6, v3
	s_xor_b64 s[12:13], exec, s[12:13]
; %bb.20:
	v_cmp_ne_u32_e32 vcc, 7, v3
	s_and_b64 s[10:11], vcc, exec
; %bb.21:
	s_or_saveexec_b64 s[12:13], s[12:13]
                                        ; implicit-def: $vgpr2
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b64 exec, exec, s[12:13]
; %bb.22:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b64 s[4:5], exec
	v_lshlrev_b32_e32 v2, 3, v5
; %bb.23:
	s_or_b64 exec, exec, s[12:13]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_b64 s[4:5], s[4:5], exec
	s_and_b64 s[10:11], s[10:11], exec
                                        ; implicit-def: $vgpr3
.LBB3_24:
	s_or_saveexec_b64 s[12:13], s[8:9]
	s_mov_b64 s[8:9], 0
	s_xor_b64 exec, exec, s[12:13]
	s_cbranch_execz .LBB3_28
; %bb.25:
	s_mov_b64 s[8:9], -1
	s_mov_b64 s[14:15], s[10:11]
	s_mov_b64 s[16:17], exec
	v_cmpx_lt_i32_e32 3, v3
; %bb.26:
	v_cmp_ne_u32_e32 vcc, 4, v3
	s_and_not1_b64 s[14:15], s[10:11], exec
	s_mov_b64 s[6:7], exec
	s_xor_b64 s[8:9], exec, -1
	s_and_b64 s[18:19], vcc, exec
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_b64 s[14:15], s[14:15], s[18:19]
; %bb.27:
	s_or_b64 exec, exec, s[16:17]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b64 s[10:11], s[10:11], exec
	s_and_b64 s[14:15], s[14:15], exec
	s_and_b64 s[8:9], s[8:9], exec
	s_and_b64 s[6:7], s[6:7], exec
	s_or_b64 s[10:11], s[10:11], s[14:15]
                                        ; implicit-def: $vgpr2
.LBB3_28:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
; %bb.29:
	v_not_b32_e32 v2, v4
	s_or_b64 s[4:5], s[4:5], exec
	s_and_not1_b64 s[6:7], s[6:7], exec
; %bb.30:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[10:11], s[6:7]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b64 s[6:7], exec, s[10:11]
	s_cbranch_execz .LBB3_34
; %bb.31:
	v_mov_b32_e32 v2, 5
	s_mov_b64 s[10:11], exec
	v_cmpx_ne_u32_e32 0, v4
	s_cbranch_execz .LBB3_33
; %bb.32:
	v_cvt_f32_u32_e32 v2, v4
	v_sub_nc_u32_e32 v3, 0, v4
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_rcp_iflag_f32_e32 v2, v2
	s_waitcnt_depctr 0xfff
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v3, v3, v2
	v_mul_hi_u32 v3, v2, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_nc_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, 0x3e8, v2
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_mul_lo_u32 v3, v2, v4
	v_add_nc_u32_e32 v6, 1, v2
	v_sub_nc_u32_e32 v3, 0x3e8, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_4)
	v_sub_nc_u32_e32 v7, v3, v4
	v_cmp_ge_u32_e32 vcc, v3, v4
	v_cndmask_b32_e32 v2, v2, v6, vcc
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v3, v3, v7, vcc
	v_add_nc_u32_e32 v6, 1, v2
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_cmp_ge_u32_e32 vcc, v3, v4
	v_cndmask_b32_e32 v2, v2, v6, vcc
.LBB3_33:
	s_or_b64 exec, exec, s[10:11]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_b64 s[4:5], s[4:5], exec
.LBB3_34:
	s_or_b64 exec, exec, s[6:7]
	s_and_saveexec_b64 s[6:7], s[8:9]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b64 s[6:7], exec, s[6:7]
	s_cbranch_execz .LBB3_40
; %bb.35:
	v_mul_hi_u32 v2, 0xba2e8ba3, v4
	s_mov_b32 s12, 0
	s_mov_b64 s[8:9], exec
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshrrev_b32_e32 v2, 3, v2
	v_mul_lo_u32 v2, v2, 11
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_sub_nc_u32_e32 v3, v4, v2
	v_mov_b32_e32 v2, 0
	v_cmpx_ne_u32_e32 0, v3
	s_cbranch_execz .LBB3_39
; %bb.36:
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v2, 0
	s_mov_b64 s[10:11], 0
.LBB3_37:                               ; =>This Inner Loop Header: Depth=1
	s_add_i32 s12, s12, 1
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(SALU_CYCLE_1)
	v_xor_b32_e32 v2, v6, v2
	v_cmp_ge_u32_e32 vcc, s12, v3
	v_add_nc_u32_e32 v6, v6, v4
	s_or_b64 s[10:11], vcc, s[10:11]
	s_and_not1_b64 exec, exec, s[10:11]
	s_cbranch_execnz .LBB3_37
; %bb.38:
	s_or_b64 exec, exec, s[10:11]
.LBB3_39:
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_or_b64 exec, exec, s[8:9]
	s_or_b64 s[4:5], s[4:5], exec
.LBB3_40:
	s_or_b64 exec, exec, s[6:7]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_b64 s[4:5], s[4:5], exec
                                        ; implicit-def: $vgpr3
.LBB3_41:
	s_and_not1_saveexec_b64 s[2:3], s[2:3]
	s_cbranch_execz .LBB3_49
; %bb.42:
	s_mov_b64 s[6:7], exec
	v_cmpx_lt_i32_e32 0, v3
	s_cbranch_execz .LBB3_48
; %bb.43:
	s_mov_b64 s[8:9], exec
                                        ; implicit-def: $sgpr10
	v_cmpx_lt_i32_e32 1, v3
	s_xor_b64 s[8:9], exec, s[8:9]
; %bb.44:
	s_mov_b32 s10, 17
; %bb.45:
	s_or_saveexec_b64 s[8:9], s[8:9]
	v_mov_b32_e32 v2, s10
	s_xor_b64 exec, exec, s[8:9]
; %bb.46:
	v_mad_u64_u32 v[2:3], null, v4, 3, 17
; %bb.47:
	s_or_b64 exec, exec, s[8:9]
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v4, v2
.LBB3_48:
	s_or_b64 exec, exec, s[6:7]
	s_delay_alu instid0(VALU_DEP_1)
	v_mov_b32_e32 v2, v4
	s_or_b64 s[4:5], s[4:5], exec
.LBB3_49:
	s_or_b64 exec, exec, s[2:3]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB3_51
; %bb.50:
	v_add_co_u32 v0, vcc, s0, v0
	v_add_nc_u32_e32 v2, v2, v5
	v_add_co_ci_u32_e32 v1, vcc, s1, v1, vcc
	global_store_b32 v[0:1], v2, off
.LBB3_51:
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel divergence
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 27
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
.Lfunc_end3:
	.size	divergence, .Lfunc_end3-divergence
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 1220
; NumSgprs: 29
; NumVgprs: 8
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 3
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 29
; NumVGPRsForWavesPerEU: 8
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	irreducible             ; -- Begin function irreducible
	.globl	irreducible
	.p2align	8
	.type	irreducible,@function
irreducible:                            ; @irreducible
; %bb.0:
	s_clause 0x1
	s_load_b32 s3, s[0:1], 0x24
	s_load_b32 s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xffff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_mad_u64_u32 v[1:2], null, s2, s3, v[0:1]
	s_mov_b64 s[2:3], exec
	v_cmpx_gt_u32_e64 s4, v1
	s_cbranch_execz .LBB4_7
; %bb.1:
	s_load_b128 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v2, 0
	s_mov_b64 s[2:3], 0
	s_mov_b64 s[0:1], 0
                                        ; implicit-def: $sgpr8_sgpr9
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_4) | instid1(VALU_DEP_4)
	v_lshlrev_b64 v[0:1], 2, v[1:2]
	v_mov_b32_e32 v5, v2
	v_mov_b32_e32 v7, v2
	v_mov_b32_e32 v9, v2
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v3, vcc, s6, v0
	v_add_co_ci_u32_e32 v4, vcc, s7, v1, vcc
	global_load_b32 v3, v[3:4], off
	s_waitcnt vmcnt(0)
	v_mul_hi_u32 v4, 0x10624dd3, v3
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshrrev_b32_e32 v4, 6, v4
	v_mul_u32_u24_e32 v4, 0x3e8, v4
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_sub_nc_u32_e32 v6, v3, v4
	v_and_b32_e32 v3, 1, v6
	s_delay_alu instid0(VALU_DEP_1)
	v_cmp_eq_u32_e64 s[6:7], 0, v3
	v_mov_b32_e32 v3, v6
	s_set_inst_prefetch_distance 0x1
	.p2align	6
.LBB4_2:                                ; =>This Inner Loop Header: Depth=1
	v_mov_b32_e32 v4, v6
	v_mov_b32_e32 v8, v2
	v_mov_b32_e32 v10, v5
	s_or_b64 s[8:9], s[8:9], exec
                                        ; implicit-def: $sgpr10_sgpr11
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr5
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b64 s[12:13], exec, s[12:13]
; %bb.3:                                ;   in Loop: Header=BB4_2 Depth=1
	s_waitcnt_depctr 0xfff
	v_mad_u64_u32 v[5:6], null, v7, 3, v[3:4]
	v_add_nc_u32_e32 v2, 1, v9
	s_mov_b64 s[10:11], 0
	s_and_not1_b64 s[8:9], s[8:9], exec
                                        ; implicit-def: $sgpr6_sgpr7
; %bb.4:                                ;   in Loop: Header=BB4_2 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_4) | instid1(SALU_CYCLE_1)
	s_and_b64 s[12:13], exec, s[8:9]
	v_mov_b32_e32 v6, v3
	s_or_b64 s[0:1], s[12:13], s[0:1]
	s_and_not1_b64 s[6:7], s[6:7], exec
	s_and_b64 s[10:11], s[10:11], exec
	s_or_b64 s[6:7], s[6:7], s[10:11]
	s_and_not1_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB4_2
; %bb.5:                                ;   in Loop: Header=BB4_2 Depth=1
	s_or_b64 exec, exec, s[0:1]
	v_mad_u64_u32 v[2:3], null, v8, 7, v[4:5]
	v_cmp_gt_u32_e32 vcc, 4, v4
	v_cmp_lt_u32_e64 s[0:1], 0x18f, v8
	v_add_nc_u32_e32 v3, -3, v4
	v_mov_b32_e32 v5, v10
	v_mov_b32_e32 v6, v4
	v_mov_b32_e32 v9, v8
	s_or_b64 s[0:1], vcc, s[0:1]
	v_xor_b32_e32 v7, v2, v10
	s_and_b64 s[0:1], exec, s[0:1]
	v_mov_b32_e32 v2, v8
	s_or_b64 s[2:3], s[0:1], s[2:3]
	s_or_b64 s[6:7], s[6:7], exec
	s_mov_b64 s[0:1], 0
                                        ; implicit-def: $sgpr8_sgpr9
	s_and_not1_b64 exec, exec, s[2:3]
	s_cbranch_execnz .LBB4_2
; %bb.6:
	s_set_inst_prefetch_distance 0x2
	s_or_b64 exec, exec, s[2:3]
	v_add_co_u32 v0, vcc, s4, v0
	v_add_co_ci_u32_e32 v1, vcc, s5, v1, vcc
	global_store_b32 v[0:1], v7, off
.LBB4_7:
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel irreducible
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 11
		.amdhsa_next_free_sgpr 14
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
.Lfunc_end4:
	.size	irreducible, .Lfunc_end4-irreducible
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 404
; NumSgprs: 16
; NumVgprs: 11
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 2
; NumSGPRsForWavesPerEU: 16
; NumVGPRsForWavesPerEU: 11
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
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
        .type_name:      'ulong*'
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
    .name:           votes
    .private_segment_fixed_size: 0
    .sgpr_count:     11
    .sgpr_spill_count: 0
    .symbol:         votes.kd
    .uses_dynamic_stack: false
    .vgpr_count:     13
    .vgpr_spill_count: 0
    .wavefront_size: 64
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
    .name:           shuffles
    .private_segment_fixed_size: 0
    .sgpr_count:     11
    .sgpr_spill_count: 0
    .symbol:         shuffles.kd
    .uses_dynamic_stack: false
    .vgpr_count:     18
    .vgpr_spill_count: 0
    .wavefront_size: 64
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
    .name:           wave_sum
    .private_segment_fixed_size: 0
    .sgpr_count:     11
    .sgpr_spill_count: 0
    .symbol:         wave_sum.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 64
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
    .name:           divergence
    .private_segment_fixed_size: 0
    .sgpr_count:     29
    .sgpr_spill_count: 0
    .symbol:         divergence.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
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
    .name:           irreducible
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         irreducible.kd
    .uses_dynamic_stack: false
    .vgpr_count:     11
    .vgpr_spill_count: 0
    .wavefront_size: 64
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

//= .dynamic 4c80
//= : 0600000000000000401a0000000000000b0000000000000018000000000000000500000000000000f81b000000000000
//= : 0a000000000000006e00000000000000f5feff6f00000000481b0000000000000400000000000000981b000000000000
//= : 00000000000000000000000000000000
//= .dynstr 1bf8
//= : 00766f74657300766f7465732e6b640073687566666c65730073687566666c65732e6b6400776176655f73756d007761
//= : 76655f73756d2e6b6400646976657267656e636500646976657267656e63652e6b64006972726564756369626c650069
//= : 72726564756369626c652e6b6400
//= .dynsym 1a40
//= : 0000000000000000000000000000000000000000000000000100000012030700002e0000000000007c01000000000000
//= : 1900000011030600c01c0000000000004000000000000000250000001203070000320000000000002401000000000000
//= : 4500000011030600401d00000000000040000000000000005f00000011030600801d0000000000004000000000000000
//= : 0700000011030600801c000000000000400000000000000010000000120307000030000000000000b001000000000000
//= : 2e00000011030600001d00000000000040000000000000003a000000120307000034000000000000c804000000000000
//= : 530000001203070000390000000000009401000000000000
//= .gnu.hash 1b48
//= : 0200000001000000020000001a00000030104040100048420490000002060482010000000600000096249510c2857986
//= : 8cb9b8939e3a43e7cd9c8fc9b2b685d804b649fbe8af77fe603858e74f196eaa
//= .hash 1b98
//= : 0b0000000b00000000000000080000000000000007000000090000000a00000006000000000000000400000000000000
//= : 010000000000000000000000000000000000000000000000030000000000000000000000020000000500000000000000
//= .note 200
//= : 070000002a18000020000000414d44475055000083ae616d646873612e6b65726e656c7395de0011a52e61726773dc00
//= : 1085ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e
//= : 616d65a6756c6f6e672aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f73
//= : 70616365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970655f6e616d
//= : 65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73697a
//= : 6504aa2e747970655f6e616d65a475696e74ab2e76616c75655f6b696e64a862795f76616c756583a72e6f6666736574
//= : 18a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7883a72e6f666673
//= : 65741ca52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7983a72e6f66
//= : 6673657420a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7a83a72e
//= : 6f666673657424a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7883a7
//= : 2e6f666673657426a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7983
//= : a72e6f666673657428a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7a
//= : 83a72e6f66667365742aa52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f78
//= : 83a72e6f66667365742ca52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f79
//= : 83a72e6f66667365742ea52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7a
//= : 83a72e6f666673657440a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f666673
//= : 65745f7883a72e6f666673657448a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f
//= : 6f66667365745f7983a72e6f666673657450a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f
//= : 62616c5f6f66667365745f7a83a72e6f666673657458a52e73697a6502ab2e76616c75655f6b696e64b068696464656e
//= : 5f677269645f64696d73b92e67726f75705f7365676d656e745f66697865645f73697a6500b62e6b65726e6172675f73
//= : 65676d656e745f616c69676e08b52e6b65726e6172675f7365676d656e745f73697a65cd0118a92e6c616e6775616765
//= : a84f70656e434c2043b12e6c616e67756167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67726f
//= : 75705f73697a65cd0100a52e6e616d65a5766f746573bb2e707269766174655f7365676d656e745f66697865645f7369
//= : 7a6500ab2e736770725f636f756e740bb12e736770725f7370696c6c5f636f756e7400a72e73796d626f6ca8766f7465
//= : 732e6b64b32e757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e740db12e766770725f737069
//= : 6c6c5f636f756e7400af2e7761766566726f6e745f73697a6540b92e776f726b67726f75705f70726f636573736f725f
//= : 6d6f646501de0011a52e61726773dc001085ae2e616464726573735f7370616365a6676c6f62616ca72e6f6666736574
//= : 00a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f627566
//= : 66657286ae2e616464726573735f7370616365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e
//= : 73697a6508aa2e747970655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f627566666572
//= : 84a72e6f666673657410a52e73697a6504aa2e747970655f6e616d65a475696e74ab2e76616c75655f6b696e64a86279
//= : 5f76616c756583a72e6f666673657418a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b
//= : 5f636f756e745f7883a72e6f66667365741ca52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f
//= : 636b5f636f756e745f7983a72e6f666673657420a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f62
//= : 6c6f636b5f636f756e745f7a83a72e6f666673657424a52e73697a6502ab2e76616c75655f6b696e64b368696464656e
//= : 5f67726f75705f73697a655f7883a72e6f666673657426a52e73697a6502ab2e76616c75655f6b696e64b36869646465
//= : 6e5f67726f75705f73697a655f7983a72e6f666673657428a52e73697a6502ab2e76616c75655f6b696e64b368696464
//= : 656e5f67726f75705f73697a655f7a83a72e6f66667365742aa52e73697a6502ab2e76616c75655f6b696e64b2686964
//= : 64656e5f72656d61696e6465725f7883a72e6f66667365742ca52e73697a6502ab2e76616c75655f6b696e64b2686964
//= : 64656e5f72656d61696e6465725f7983a72e6f66667365742ea52e73697a6502ab2e76616c75655f6b696e64b2686964
//= : 64656e5f72656d61696e6465725f7a83a72e6f666673657440a52e73697a6508ab2e76616c75655f6b696e64b6686964
//= : 64656e5f676c6f62616c5f6f66667365745f7883a72e6f666673657448a52e73697a6508ab2e76616c75655f6b696e64
//= : b668696464656e5f676c6f62616c5f6f66667365745f7983a72e6f666673657450a52e73697a6508ab2e76616c75655f
//= : 6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7a83a72e6f666673657458a52e73697a6502ab2e7661
//= : 6c75655f6b696e64b068696464656e5f677269645f64696d73b92e67726f75705f7365676d656e745f66697865645f73
//= : 697a6500b62e6b65726e6172675f7365676d656e745f616c69676e08b52e6b65726e6172675f7365676d656e745f7369
//= : 7a65cd0118a92e6c616e6775616765a84f70656e434c2043b12e6c616e67756167655f76657273696f6e920200b82e6d
//= : 61785f666c61745f776f726b67726f75705f73697a65cd0100a52e6e616d65a873687566666c6573bb2e707269766174
//= : 655f7365676d656e745f66697865645f73697a6500ab2e736770725f636f756e740bb12e736770725f7370696c6c5f63
//= : 6f756e7400a72e73796d626f6cab73687566666c65732e6b64b32e757365735f64796e616d69635f737461636bc2ab2e
//= : 766770725f636f756e7412b12e766770725f7370696c6c5f636f756e7400af2e7761766566726f6e745f73697a6540b9
//= : 2e776f726b67726f75705f70726f636573736f725f6d6f646501de0011a52e61726773dc001085ae2e61646472657373
//= : 5f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e
//= : 76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f7370616365a6676c6f62616ca9
//= : 2e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e76616c
//= : 75655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73697a6504aa2e747970655f6e616d
//= : 65a475696e74ab2e76616c75655f6b696e64a862795f76616c756583a72e6f666673657418a52e73697a6504ab2e7661
//= : 6c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7883a72e6f66667365741ca52e73697a6504ab2e
//= : 76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7983a72e6f666673657420a52e73697a6504
//= : ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7a83a72e6f666673657424a52e73697a
//= : 6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7883a72e6f666673657426a52e7369
//= : 7a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7983a72e6f666673657428a52e73
//= : 697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7a83a72e6f66667365742aa52e
//= : 73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7883a72e6f66667365742ca52e
//= : 73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7983a72e6f66667365742ea52e
//= : 73697a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7a83a72e6f666673657440a52e
//= : 73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7883a72e6f66667365
//= : 7448a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7983a72e6f
//= : 666673657450a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7a
//= : 83a72e6f666673657458a52e73697a6502ab2e76616c75655f6b696e64b068696464656e5f677269645f64696d73b92e
//= : 67726f75705f7365676d656e745f66697865645f73697a6500b62e6b65726e6172675f7365676d656e745f616c69676e
//= : 08b52e6b65726e6172675f7365676d656e745f73697a65cd0118a92e6c616e6775616765a84f70656e434c2043b12e6c
//= : 616e67756167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a65cd0100a52e
//= : 6e616d65a8776176655f73756dbb2e707269766174655f7365676d656e745f66697865645f73697a6500ab2e73677072
//= : 5f636f756e740bb12e736770725f7370696c6c5f636f756e7400a72e73796d626f6cab776176655f73756d2e6b64b32e
//= : 757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e7404b12e766770725f7370696c6c5f636f75
//= : 6e7400af2e7761766566726f6e745f73697a6540b92e776f726b67726f75705f70726f636573736f725f6d6f646501de
//= : 0011a52e61726773dc001085ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a
//= : 6508aa2e747970655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e
//= : 616464726573735f7370616365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa
//= : 2e747970655f6e616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657284a72e6f6666
//= : 73657410a52e73697a6504aa2e747970655f6e616d65a475696e74ab2e76616c75655f6b696e64a862795f76616c7565
//= : 83a72e6f666673657418a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e74
//= : 5f7883a72e6f66667365741ca52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f636f75
//= : 6e745f7983a72e6f666673657420a52e73697a6504ab2e76616c75655f6b696e64b468696464656e5f626c6f636b5f63
//= : 6f756e745f7a83a72e6f666673657424a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f7570
//= : 5f73697a655f7883a72e6f666673657426a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f75
//= : 705f73697a655f7983a72e6f666673657428a52e73697a6502ab2e76616c75655f6b696e64b368696464656e5f67726f
//= : 75705f73697a655f7a83a72e6f66667365742aa52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f7265
//= : 6d61696e6465725f7883a72e6f66667365742ca52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f7265
//= : 6d61696e6465725f7983a72e6f66667365742ea52e73697a6502ab2e76616c75655f6b696e64b268696464656e5f7265
//= : 6d61696e6465725f7a83a72e6f666673657440a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c
//= : 6f62616c5f6f66667365745f7883a72e6f666673657448a52e73697a6508ab2e76616c75655f6b696e64b66869646465
//= : 6e5f676c6f62616c5f6f66667365745f7983a72e6f666673657450a52e73697a6508ab2e76616c75655f6b696e64b668
//= : 696464656e5f676c6f62616c5f6f66667365745f7a83a72e6f666673657458a52e73697a6502ab2e76616c75655f6b69
//= : 6e64b068696464656e5f677269645f64696d73b92e67726f75705f7365676d656e745f66697865645f73697a6500b62e
//= : 6b65726e6172675f7365676d656e745f616c69676e08b52e6b65726e6172675f7365676d656e745f73697a65cd0118a9
//= : 2e6c616e6775616765a84f70656e434c2043b12e6c616e67756167655f76657273696f6e920200b82e6d61785f666c61
//= : 745f776f726b67726f75705f73697a65cd0100a52e6e616d65aa646976657267656e6365bb2e707269766174655f7365
//= : 676d656e745f66697865645f73697a6500ab2e736770725f636f756e741db12e736770725f7370696c6c5f636f756e74
//= : 00a72e73796d626f6cad646976657267656e63652e6b64b32e757365735f64796e616d69635f737461636bc2ab2e7667
//= : 70725f636f756e7408b12e766770725f7370696c6c5f636f756e7400af2e7761766566726f6e745f73697a6540b92e77
//= : 6f726b67726f75705f70726f636573736f725f6d6f646501de0011a52e61726773dc001085ae2e616464726573735f73
//= : 70616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e7661
//= : 6c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f7370616365a6676c6f62616ca92e69
//= : 735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970655f6e616d65a575696e742aab2e76616c7565
//= : 5f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73697a6504aa2e747970655f6e616d65a4
//= : 75696e74ab2e76616c75655f6b696e64a862795f76616c756583a72e6f666673657418a52e73697a6504ab2e76616c75
//= : 655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7883a72e6f66667365741ca52e73697a6504ab2e7661
//= : 6c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7983a72e6f666673657420a52e73697a6504ab2e
//= : 76616c75655f6b696e64b468696464656e5f626c6f636b5f636f756e745f7a83a72e6f666673657424a52e73697a6502
//= : ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7883a72e6f666673657426a52e73697a65
//= : 02ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7983a72e6f666673657428a52e73697a
//= : 6502ab2e76616c75655f6b696e64b368696464656e5f67726f75705f73697a655f7a83a72e6f66667365742aa52e7369
//= : 7a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7883a72e6f66667365742ca52e7369
//= : 7a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7983a72e6f66667365742ea52e7369
//= : 7a6502ab2e76616c75655f6b696e64b268696464656e5f72656d61696e6465725f7a83a72e6f666673657440a52e7369
//= : 7a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7883a72e6f666673657448
//= : a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7983a72e6f6666
//= : 73657450a52e73697a6508ab2e76616c75655f6b696e64b668696464656e5f676c6f62616c5f6f66667365745f7a83a7
//= : 2e6f666673657458a52e73697a6502ab2e76616c75655f6b696e64b068696464656e5f677269645f64696d73b92e6772
//= : 6f75705f7365676d656e745f66697865645f73697a6500b62e6b65726e6172675f7365676d656e745f616c69676e08b5
//= : 2e6b65726e6172675f7365676d656e745f73697a65cd0118a92e6c616e6775616765a84f70656e434c2043b12e6c616e
//= : 67756167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a65cd0100a52e6e61
//= : 6d65ab6972726564756369626c65bb2e707269766174655f7365676d656e745f66697865645f73697a6500ab2e736770
//= : 725f636f756e7410b12e736770725f7370696c6c5f636f756e7400a72e73796d626f6cae6972726564756369626c652e
//= : 6b64b32e757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e740bb12e766770725f7370696c6c
//= : 5f636f756e7400af2e7761766566726f6e745f73697a6540b92e776f726b67726f75705f70726f636573736f725f6d6f
//= : 646501ad616d646873612e746172676574ba616d6467636e2d616d642d616d646873612d2d67667831313030ae616d64
//= : 6873612e76657273696f6e9201020000
//= .rodata 1c80
//= : 000000000000000018010000000000008011000000000000000000000000000000000000000000000000000000000000
//= : 0300af608400000008000000000000000000000000000000180100000000000040130000000000000000000000000000
//= : 000000000000000000000000000000000400af6084000000080000000000000000000000000000001801000000000000
//= : 00150000000000000000000000000000000000000000000000000000000000000000af60840000000800000000000000
//= : 00000000000000001801000000000000c016000000000000000000000000000000000000000000000000000000000000
//= : 0100af6084000000080000000000000000000000000000001801000000000000801b0000000000000000000000000000
//= : 000000000000000000000000000000000200af60840000000800000000000000f4010000
//= .text 2e00
//= : 020085bfc00000f4240000f8000200f4100000f8000108f4000000f807fc89bf03ff008bffff0000290187bf027cfed6
//= : 020000048002067e0804987c6a2182be0b00a5bf8002067e910087bf00003cd782040200000000d706000200010087bf
//= : 010020d507020200000052dc00007c037e02fe8cf70389bf00002dd7ff060200abaaaaaa81060836910187bf02004dd4
//= : 8008020081000032910087bf000046d6000301040301004cb10187bf00004ad4800002008002007e8002027e6a00868b
//= : 090087bf062180be7e02007e7f02027e7e00fe8c6a2180be2500a5bf040046d60203090480020a7e0305007e0c001fd7
//= : c10001000302167e8108104a0503127e06003cd7830802008208084a0202147e240287bf02003cd783100200080020d7
//= : c118020004003cd783080200066a00d7040c0200050e0e40026a00d70404020005060640046a00d7040802000002127e
//= : 050a0a40020085bf00006edc060a7c0000006edc02007c0000006edc04087c00000080bf0300b6bf0000b0bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf020085bfc00000f4240000f8000200f4
//= : 100000f8000108f4000000f88702067e07fc89bf03ff008bffff0000a90087bf017cfed6020000047e0180be7e00ccd4
//= : 080202000a00a5bf8002047e910087bf02003cd782020200026a00d706040200020087bf07060640000052dc02007c03
//= : 7e00fe8c00001fd7c10001000c002cd70119010080021a7ef70389bf1f40d4d8030000061b80d4d803000007000020d7
//= : c1000200ff0080bea13fc0840d031e7e8106104a84181c4aa000043604000bd6000b0d0210003cd7821802008818184a
//= : 0e003cd7821c02008306004a010057d6043f09048206144a106a00d7042002000c003cd782180200040087bf82020230
//= : 0303167e0522224000005bd60301fc03d9e5b6270000ccda010300040000c8da01030005000060d7031b01000e6a00d7
//= : 041c0200051e1e40ff0081be674523010c6a00d704180200fa02127e034009fffa02107e031101fffa02147e03b10056
//= : e902167e0b7d975301105cd60303fc03efcdab89051a1a400002047efa02067e035501ff07fc89bf020085bf000076dc
//= : 10047c00000076dc0e087c00000076dc0c007c00000080bf0300b6bf0000b0bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf020085bfc00000f4240000f8000200f4100000f8000108f4000000f807fc89bf
//= : 03ff008bffff0000290187bf017cfed6020000048002007e00004cd408020200010087bf002182be0a00a5bf8002047e
//= : 910087bf02003cd782020200026a00d706040200020087bf07060640000052dc02007c007e02fe8cf70389bffa00004a
//= : 00b108ffff0082be103254767e80ea8bfeff88bf910087bffa00004a004e08fffa00004a004109ff910087bffa00004a
//= : 004009ff0003047e910087bf02005cd60205fc0398badcfe0005004a0300a3bf002182be0600a6bf0000b0bf910087bf
//= : 00cf047e0201004a002182befaffa5bf8002047e910087bf01003cd782020200016a00d704020200020087bf05040440
//= : 00006adc01007c00000080bf0300b6bf0000b0bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 010085bfc00000f4240000f8000100f4100000f807fc89bf03ff038bffff0000a90087bf017cfed6020600047e0182be
//= : 7e00ccd4040202002001a5bf000008f4000000f88002047e80009abea10087bf00003cd78202020007fc89bf026a00d7
//= : 02000200020087bf03020640800182be000052dc02007c020b00a0bf7e04fe8c090087bf087e8a927e06fe8c1a020a7e
//= : 7e0a848b0c009abe0402828c090087bf7e02fe915300a5bfc8009ab680018abec1808698010084bf1700a0bf000080bf
//= : 7e18fe8c090087bf107e9091167e968b0e7e8e91147e948b1016908c0c7e8c910e148e8c7e12fe8c0cc1928d7e0e948b
//= : 090087bf140a8a8c047e8491107e948b087e8891127e928b0414848c0812888c7e0afe911b00a5bff70389bf0203087e
//= : 107e90910c7e8c8c0e7e8e8ca10487bf81089a7c6a06948b142192bee9ffa5bf81080436c10194bec10196be010087bf
//= : 8004947c6a2198bed9ffa5bf810804327ec1968d910087bf03002cd7ff040200cdccccccff06927c333333336a7e9492
//= : cfffa0bf020084bf7e0afe8cc1018abe082186be090087bf7e06868dbaffa5bfc10188be04218cbe090087bf7e0c848d
//= : 0a00a5bf80018abe7e018cbeff08987d41420f00027cfed6040705027e018abe7e0cfe8c090087bf0a7e8a927e04fe8c
//= : 0a2184bea5ffa5bf1a810c817ec1888da2ffa0bf7e02fe8c02002dd7ff0a0200398ee338800184be7e0182be910087bf
//= : 81040432020046d602070904ff0f88bf0505064c010087bf8206827d7e02828d8300a5bf800186be80018abe7e0188be
//= : 8506827d7e08888d0f00a5bf7e018cbe8606827d7e0c8c8d87069a7c6a7e8a8b0c238cbe090087bf7e0cfe8d090087bf
//= : 7e0184be830a04307e0cfe8c090087bf047e848b0a7e8a8b08238cbe800188be7e0cfe8d1200a5bfc10188be0a018ebe
//= : 7e0190be8306827d84069a7c0a7e8e917e0186be7ec1888d6a7e928b090087bf0e128e8c7e10fe8c090087bf0a7e8a91
//= : 0e7e8e8b087e888b067e868b0a0e8a8c7e0cfe8c0a218cbe046f047e047e848c067e86917e0cfe8c06218abe090087bf
//= : 7e0a868d2900a5bf8502047e7e018abe80089a7d2200a5bf040d047e8008064cb20087bf0257047eff0f88bfff040410
//= : feff7f4f020f047e910087bf03002cd70305020003002dd702070200910087bf0207044a02002dd7ff040200e8030000
//= : 210187bf03002cd70209020081040c4aff06064ce8030000210287bf03090e4c03099c7c020d0402130187bf030f0602
//= : 81040c4a120187bf03099c7c020d04027e0afe8c090087bf047e848c7e06fe8c082186be090087bf7e06868d1d00a5bf
//= : 02002dd7ff080200a38b2eba80008cbe7e0188be910087bf8304043202002cd702170100210187bf0405064c8002047e
//= : 80069a7d0c00a5bf80020c7e8002047e80018abe0c810c81c10487bf0605043a0c069c7c06090c4a6a0a8a8c7e0afe91
//= : f8ffa6bf7e0afe8c990487bf7e08fe8c047e848c7e06fe8c090087bf047e848b023182be1300a5bf7e0186be8006827d
//= : 0c00a5bf7e0188be8106827d7e08888d91008abe082388be0a02047e7e08fe8d027cfed6040745027e08fe8c010087bf
//= : 0203087e7e06fe8c010087bf0403047e047e848c7e02fe8c090087bf7e04fe8b0600a5bf006a00d700000200020b044a
//= : 0102024000006adc00027c00000080bf0300b6bf0000b0bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf010085bfc00000f4240000f8000100f4
//= : 100000f807fc89bf03ff038bffff0000a90087bf017cfed6020600047e0182be7e00ccd4040202005300a5bf000108f4
//= : 000000f88002047e800182be800180be510287bf00003cd78202020002030a7e02030e7e0203127e07fc89bf036a00d7
//= : 0600020007020840000052dc03007c03f70389bf04002dd7ff060200d34d6210910087bf86080832ff080816e8030000
//= : 910087bf03090c4c810c0636010087bf06004ad4800602000603067e010084bf0603087e0203107e0503147e087e888c
//= : 06218cbe090087bf7e0c8c8dff0f88bf057cfed607070d048112044a80018abe087e88917e0cfe8cd90487bf7e088c8b
//= : 03030c7e0c00808c067e86910a7e8a8b060a868c7e00fe91e9ffa6bf7e00fe8c027cfed6080f11048408987c000049d4
//= : ff1002008f010000c308064a0a030a7e04030c7e0803127e6a00808c02150e3a7e00808b0803047e0002828c067e868c
//= : 800180be7e02fe91d5ffa6bf020084bf7e02fe8c006a00d7040002000502024000006adc00077c00000080bf0300b6bf
//= : 0000b0bf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
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
