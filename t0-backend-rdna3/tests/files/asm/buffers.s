	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.protected	clipped                 ; -- Begin function clipped
	.globl	clipped
	.p2align	8
	.type	clipped,@function
clipped:                                ; @clipped
; %bb.0:
	s_clause 0x2
	s_load_b32 s4, s[0:1], 0x24
	s_load_b32 s5, s[0:1], 0x14
	s_load_b128 s[0:3], s[0:1], 0x0
	s_mov_b32 s7, 0x31004000
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_lshl_b32 s6, s5, 2
	v_mad_u64_u32 v[1:2], null, s15, s4, v[0:1]
	s_and_b32 s5, s3, 0xffff
	s_mov_b32 s4, s2
	s_and_b32 s1, s1, 0xffff
	s_mov_b32 s2, s6
	s_mov_b32 s3, s7
	s_delay_alu instid0(VALU_DEP_1)
	v_lshlrev_b32_e32 v0, 3, v1
	v_lshlrev_b32_e32 v2, 4, v1
	v_lshlrev_b32_e32 v6, 2, v1
	s_clause 0x4
	buffer_load_b64 v[4:5], v0, s[4:7], 0 offen offset:8
	buffer_load_b128 v[0:3], v2, s[4:7], 0 offen
	buffer_load_b32 v7, v6, s[4:7], 0 offen
	buffer_load_u8 v8, v6, s[4:7], 0 offen offset:1
	buffer_load_u16 v9, v6, s[4:7], 0 offen offset:2
	s_waitcnt vmcnt(3)
	v_mul_lo_u32 v0, v0, 7
	v_mul_lo_u32 v1, v1, 11
	v_lshl_add_u32 v4, v4, 1, v4
	v_lshl_add_u32 v5, v5, 2, v5
	v_mul_lo_u32 v2, v2, 13
	v_lshl_add_u32 v3, v3, 4, v3
	s_waitcnt vmcnt(2)
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add3_u32 v4, v4, v7, v5
	v_add3_u32 v0, v4, v0, v1
	s_waitcnt vmcnt(1)
	v_mul_u32_u24_e32 v1, 19, v8
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_add3_u32 v0, v0, v2, v3
	s_waitcnt vmcnt(0)
	v_mul_u32_u24_e32 v2, 23, v9
	v_add3_u32 v0, v0, v1, v2
	buffer_store_b32 v0, v6, s[0:3], 0 offen
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel clipped
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
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 10
		.amdhsa_next_free_sgpr 16
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
.Lfunc_end0:
	.size	clipped, .Lfunc_end0-clipped
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 280
; NumSgprs: 16
; NumVgprs: 10
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 16
; NumVGPRsForWavesPerEU: 10
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
        .is_const:       true
        .offset:         8
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      uint
        .value_kind:     by_value
      - .offset:         20
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
    .name:           clipped
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         clipped.kd
    .uses_dynamic_stack: false
    .vgpr_count:     10
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

//= .dynamic 2c00
//= : 060000000000000060070000000000000b0000000000000018000000000000000500000000000000ec07000000000000
//= : 0a000000000000001400000000000000f5feff6f00000000a8070000000000000400000000000000cc07000000000000
//= : 00000000000000000000000000000000
//= .dynstr 7ec
//= : 00636c697070656400636c69707065642e6b6400
//= .dynsym 760
//= : 000000000000000000000000000000000000000000000000010000001203070000190000000000001801000000000000
//= : 090000001103060000080000000000004000000000000000
//= .gnu.hash 7a8
//= : 0100000001000000010000001a00000008000000440008000100000026a11dcc43a95b8b
//= .hash 7cc
//= : 0300000003000000000000000200000000000000000000000000000001000000
//= .note 200
//= : 070000004505000020000000414d44475055000083ae616d646873612e6b65726e656c7391de0011a52e61726773dc00
//= : 1185ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e
//= : 616d65a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f7370
//= : 616365a6676c6f62616ca92e69735f636f6e7374c3a72e6f666673657408a52e73697a6508aa2e747970655f6e616d65
//= : a575696e742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73697a65
//= : 04aa2e747970655f6e616d65a475696e74ab2e76616c75655f6b696e64a862795f76616c756584a72e6f666673657414
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
//= : 726b67726f75705f73697a65cd0100a52e6e616d65a7636c6970706564bb2e707269766174655f7365676d656e745f66
//= : 697865645f73697a6500ab2e736770725f636f756e7410b12e736770725f7370696c6c5f636f756e7400a72e73796d62
//= : 6f6caa636c69707065642e6b64b32e757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e740ab1
//= : 2e766770725f7370696c6c5f636f756e7400af2e7761766566726f6e745f73697a6520b92e776f726b67726f75705f70
//= : 726f636573736f725f6d6f646501ad616d646873612e746172676574ba616d6467636e2d616d642d616d646873612d2d
//= : 67667831313030ae616d646873612e76657273696f6e920102000000
//= .rodata 800
//= : 000000000000000018010000000000000011000000000000000000000000000000000000000000000000000000000000
//= : 0100af609e0000000804000000000000f4010000
//= .text 1900
//= : 020085bf000100f4240000f8400100f4140000f8000008f4000000f8ff0087be0040003107fc89bf04ff048bffff0000
//= : 05820684017cfed60f08000403ff058bffff0000020084be01ff018bffff0000060082be070083be010087bf83020030
//= : 8402043082020c30040085bf080054e00004418000005ce002004180000050e006074180010040e006084180020048e0
//= : 06094180f70f89bf00002cd7000f010001002cd701170100040046d604031104050046d60505150402002cd7021b0100
//= : 030046d603090d04f70b89bf930087bf040055d6040f1604000055d604010604f70789bf93100216b20087bf000055d6
//= : 00050e04f70389bf97120416000055d600030a04000068e006004080000080bf0300b6bf0000b0bf00009fbf00009fbf
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
