	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.hidden	helper                          ; -- Begin function helper
	.globl	helper
	.p2align	2
	.type	helper,@function
helper:                                 ; @helper
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_fmaak_f32 v0, v0, v1, 0x40400000
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	helper, .Lfunc_end0-helper
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 16
; NumSgprs: 32
; NumVgprs: 2
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	saxpy                   ; -- Begin function saxpy
	.globl	saxpy
	.p2align	8
	.type	saxpy,@function
saxpy:                                  ; @saxpy
; %bb.0:
	s_load_b64 s[2:3], s[0:1], 0x10
	v_mov_b32_e32 v2, v0
	s_mov_b32 s32, 0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshl_add_u32 v0, s15, 6, v2
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc_lo, s3, v0
	s_and_saveexec_b32 s3, vcc_lo
	s_cbranch_execz .LBB1_2
; %bb.1:
	s_load_b128 s[4:7], s[0:1], 0x0
	v_ashrrev_i32_e32 v1, 31, v0
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, helper@rel32@lo+4
	s_addc_u32 s1, s1, helper@rel32@hi+12
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_lshlrev_b64 v[3:4], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_add_co_u32 v0, vcc_lo, s6, v3
	s_delay_alu instid0(VALU_DEP_2)
	v_add_co_ci_u32_e32 v1, vcc_lo, s7, v4, vcc_lo
	global_load_b32 v1, v[0:1], off
	v_mov_b32_e32 v0, s2
	s_swappc_b64 s[30:31], s[0:1]
	v_and_b32_e32 v1, 3, v2
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, tab@rel32@lo+4
	s_addc_u32 s1, s1, tab@rel32@hi+12
	s_delay_alu instid0(VALU_DEP_1)
	v_lshlrev_b32_e32 v1, 2, v1
	global_load_b32 v1, v1, s[0:1]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v0, v1
	v_add_co_u32 v0, vcc_lo, s4, v3
	v_add_co_ci_u32_e32 v1, vcc_lo, s5, v4, vcc_lo
	global_store_b32 v[0:1], v2, off
.LBB1_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel saxpy
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 5
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
.Lfunc_end1:
	.size	saxpy, .Lfunc_end1-saxpy
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 196
; NumSgprs: 35
; NumVgprs: 5
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 4
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 35
; NumVGPRsForWavesPerEU: 5
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 15
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.protected	ldsk                    ; -- Begin function ldsk
	.globl	ldsk
	.p2align	8
	.type	ldsk,@function
ldsk:                                   ; @ldsk
; %bb.0:
	s_load_b64 s[0:1], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_delay_alu instid0(VALU_DEP_1)
	v_xor_b32_e32 v2, 0xfc, v0
	s_waitcnt lgkmcnt(0)
	global_load_b32 v1, v0, s[0:1]
	s_waitcnt vmcnt(0)
	ds_store_b32 v0, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_load_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	global_store_b32 v0, v1, s[0:1]
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel ldsk
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 2
		.amdhsa_reserve_vcc 0
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
	.size	ldsk, .Lfunc_end2-ldsk
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 88
; NumSgprs: 2
; NumVgprs: 3
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 256 bytes/workgroup (compile time only)
; SGPRBlocks: 0
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 2
; NumVGPRsForWavesPerEU: 3
; Occupancy: 16
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 15
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
	.text
	.p2alignl 7, 3214868480
	.fill 96, 4, 3214868480
	.hidden	tab                             ; @tab
	.type	tab,@object
	.section	.rodata,"a",@progbits
	.globl	tab
	.p2align	2, 0x0
tab:
	.long	0x3f800000                      ; float 1
	.long	0x40000000                      ; float 2
	.long	0x40400000                      ; float 3
	.long	0x40800000                      ; float 4
	.size	tab, 16

	.hidden	__oclc_ABI_version              ; @__oclc_ABI_version
	.type	__oclc_ABI_version,@object
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
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      float
        .value_kind:     by_value
      - .offset:         20
        .size:           4
        .type_name:      int
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           saxpy
    .private_segment_fixed_size: 0
    .sgpr_count:     35
    .sgpr_spill_count: 0
    .symbol:         saxpy.kd
    .uses_dynamic_stack: false
    .vgpr_count:     5
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 64
    .name:           ldsk
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     2
    .sgpr_spill_count: 0
    .symbol:         ldsk.kd
    .uses_dynamic_stack: false
    .vgpr_count:     3
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

//= .dynamic 2d00
//= : 060000000000000090060000000000000b00000000000000180000000000000005000000000000006407000000000000
//= : 0a000000000000001d00000000000000f5feff6f00000000080700000000000004000000000000003407000000000000
//= : 00000000000000000000000000000000
//= .dynstr 764
//= : 0073617870790073617870792e6b64006c64736b006c64736b2e6b6400
//= .dynsym 690
//= : 0000000000000000000000000000000000000000000000000100000012030700001a000000000000c400000000000000
//= : 0700000011030600c00700000000000040000000000000001000000012030700001b0000000000005800000000000000
//= : 150000001103060000080000000000004000000000000000
//= .gnu.hash 708
//= : 0100000001000000010000001a0000001000898800000004010000003a405710d6df2fe812019a7c119ef16e
//= .hash 734
//= : 050000000500000003000000040000000000000002000000000000000000000000000000000000000100000000000000
//= .note 200
//= : 070000007904000020000000414d44475055000083ae616d646873612e6b65726e656c7392de0011a52e617267739485
//= : ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d
//= : 65a6666c6f61742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f737061
//= : 6365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970655f6e616d65a6
//= : 666c6f61742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73697a65
//= : 04aa2e747970655f6e616d65a5666c6f6174ab2e76616c75655f6b696e64a862795f76616c756584a72e6f6666736574
//= : 14a52e73697a6504aa2e747970655f6e616d65a3696e74ab2e76616c75655f6b696e64a862795f76616c7565b92e6772
//= : 6f75705f7365676d656e745f66697865645f73697a6500b62e6b65726e6172675f7365676d656e745f616c69676e08b5
//= : 2e6b65726e6172675f7365676d656e745f73697a6518a92e6c616e6775616765a84f70656e434c2043b12e6c616e6775
//= : 6167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a65cd0100a52e6e616d65
//= : a57361787079bb2e707269766174655f7365676d656e745f66697865645f73697a6500ab2e736770725f636f756e7423
//= : b12e736770725f7370696c6c5f636f756e7400a72e73796d626f6ca873617870792e6b64b32e757365735f64796e616d
//= : 69635f737461636bc2ab2e766770725f636f756e7405b12e766770725f7370696c6c5f636f756e7400af2e7761766566
//= : 726f6e745f73697a6520b92e776f726b67726f75705f70726f636573736f725f6d6f646501de0012a52e617267739185
//= : ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d
//= : 65a6666c6f61742aab2e76616c75655f6b696e64ad676c6f62616c5f627566666572b92e67726f75705f7365676d656e
//= : 745f66697865645f73697a65cd0100b62e6b65726e6172675f7365676d656e745f616c69676e08b52e6b65726e617267
//= : 5f7365676d656e745f73697a6508a92e6c616e6775616765a84f70656e434c2043b12e6c616e67756167655f76657273
//= : 696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a6540a52e6e616d65a46c64736bbb2e707269
//= : 766174655f7365676d656e745f66697865645f73697a6500b42e726571645f776f726b67726f75705f73697a65934001
//= : 01ab2e736770725f636f756e7402b12e736770725f7370696c6c5f636f756e7400a72e73796d626f6ca76c64736b2e6b
//= : 64b32e757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e7403b12e766770725f7370696c6c5f
//= : 636f756e7400af2e7761766566726f6e745f73697a6520b92e776f726b67726f75705f70726f636573736f725f6d6f64
//= : 6501ad616d646873612e746172676574ba616d6467636e2d616d642d616d646873612d2d67667831313030ae616d6468
//= : 73612e76657273696f6e920102000000
//= .rodata 7c0
//= : 000000000000000018000000000000004012000000000000000000000000000000000000000000000000000000000000
//= : 0000af609e00000008040000000000000001000000000000080000000000000000130000000000000000000000000000
//= : 000000000000000000000000000000000000af609e00000008040000000000000000803f000000400000404000008040
//= : f4010000
//= .text 1900
//= : 000089bf0003005a000040401e4880be000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf800004f4100000f80003047e8000a0bea10087bf000046d60f0c090407fc89bf
//= : 0300887c6a2083be2500a5bf000108f4000000f89f000234004780be00ff0080c4feffff01ff0182ffffffffa10087bf
//= : 03003cd78200020007fc89bf006a00d706060200020087bf07080240000052dc00007c010202007e00499ebe83040236
//= : 004780be00ff0080bcedffff01ff0182ffffffff010087bf82020230000052dc01000001f70389bf00030406006a00d7
//= : 040602000508024000006adc00027c000000b0bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000004f4000000f882000030010087bf
//= : ff00043afc00000007fc89bf000052dc00000001f70389bf000034d80001000007fc89bf0000bdbf0000d8d802000001
//= : 07fc89bf00006adc00010000000080bf0300b6bf0000b0bf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf
