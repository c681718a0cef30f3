	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.hidden	puts_                           ; -- Begin function puts_
	.globl	puts_
	.p2align	2
	.type	puts_,@function
puts_:                                  ; @puts_
; %bb.0:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	global_load_u8 v4, v[0:1], off
	s_mov_b32 s2, 0
	s_mov_b32 s1, exec_lo
	s_waitcnt vmcnt(0)
	v_cmpx_ne_u16_e32 0, v4
	s_cbranch_execz .LBB0_3
; %bb.1:
	v_add_co_u32 v0, vcc_lo, v0, 1
	v_add_co_ci_u32_e32 v1, vcc_lo, 0, v1, vcc_lo
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	global_store_b8 v[2:3], v4, off
	global_load_u8 v4, v[0:1], off
	v_add_co_u32 v2, vcc_lo, v2, 1
	v_add_co_ci_u32_e32 v3, vcc_lo, 0, v3, vcc_lo
	v_add_co_u32 v0, vcc_lo, v0, 1
	v_add_co_ci_u32_e32 v1, vcc_lo, 0, v1, vcc_lo
	s_waitcnt vmcnt(0)
	v_cmp_eq_u16_e64 s0, 0, v4
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_or_b32 s2, s0, s2
	s_and_not1_b32 exec_lo, exec_lo, s2
	s_cbranch_execnz .LBB0_2
.LBB0_3:
	s_or_b32 exec_lo, exec_lo, s1
	s_setpc_b64 s[30:31]
.Lfunc_end0:
	.size	puts_, .Lfunc_end0-puts_
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Function info:
; codeLenInByte = 120
; NumSgprs: 34
; NumVgprs: 5
; ScratchSize: 0
; MemoryBound: 0
	.text
	.protected	k                       ; -- Begin function k
	.globl	k
	.p2align	8
	.type	k,@function
k:                                      ; @k
; %bb.0:
	s_clause 0x1
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[0:1], s[0:1], 0x10
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, table@rel32@lo+4
	s_addc_u32 s3, s3, table@rel32@hi+12
	v_dual_mov_b32 v6, 0 :: v_dual_mov_b32 v7, 0x6c
	v_dual_mov_b32 v8, 0x6568 :: v_dual_mov_b32 v9, 10
	v_mov_b32_e32 v2, 0x646c726f
	v_mov_b32_e32 v0, 0x6c6c6568
	v_mov_b32_e32 v1, 0x77202c6f
	v_mov_b32_e32 v10, 0x6625
	v_mov_b32_e32 v5, 0x20666f20
	v_mov_b32_e32 v3, 0x756c6176
	v_mov_b32_e32 v4, 0x64252065
	s_waitcnt lgkmcnt(0)
	s_clause 0x1
	global_store_b8 v6, v7, s[4:5] offset:2
	global_store_b16 v6, v8, s[4:5]
	s_ashr_i32 s9, s0, 31
	s_mov_b32 s8, s0
	s_and_b32 s10, s1, 7
	s_lshl_b64 s[8:9], s[8:9], 2
	s_mul_hi_i32 s0, s1, 0x55555556
	s_lshl_b32 s12, s10, 2
	s_add_u32 s6, s6, s8
	s_addc_u32 s7, s7, s9
	s_lshr_b32 s8, s0, 31
	s_clause 0x1
	global_store_b8 v6, v9, s[4:5] offset:32
	global_store_b96 v6, v[0:2], s[4:5] offset:20
	s_add_i32 s0, s0, s8
	v_mov_b32_e32 v0, 0x6f
	s_mul_i32 s0, s0, 3
	v_mov_b32_e32 v2, 0x646c
	s_sub_i32 s8, s1, s0
	s_clause 0x2
	global_store_b8 v6, v9, s[4:5] offset:54
	global_store_b16 v6, v10, s[4:5] offset:52
	global_store_b96 v6, v[3:5], s[4:5] offset:40
	s_ashr_i32 s9, s8, 31
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, it@rel32@lo+4
	s_addc_u32 s11, s11, it@rel32@hi+12
	s_lshl_b64 s[8:9], s[8:9], 2
	s_clause 0x1
	global_store_b8 v6, v0, s[4:5] offset:8
	global_store_b32 v6, v1, s[4:5] offset:4
	s_add_u32 s8, s8, s10
	s_clause 0x1
	global_store_b8 v6, v9, s[4:5] offset:12
	global_store_b16 v6, v2, s[4:5] offset:10
	s_addc_u32 s9, s9, s11
	s_load_b32 s0, s[2:3], s12 offset:0x0
	s_load_b32 s2, s[8:9], 0x0
	s_and_b32 s8, s1, 15
	s_delay_alu instid0(SALU_CYCLE_1)
	v_mov_b32_e32 v2, s8
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v0, s0
	v_cvt_f32_i32_e32 v1, s2
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, __const.k.a@rel32@lo+4
	s_addc_u32 s3, s3, __const.k.a@rel32@hi+12
	global_store_b64 v6, v[0:1], s[6:7]
	global_load_u8 v0, v2, s[2:3]
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, __const.k.names.rel@rel32@lo+4
	s_addc_u32 s3, s3, __const.k.names.rel@rel32@hi+12
	s_and_b32 s0, s1, 1
	s_delay_alu instid0(SALU_CYCLE_1)
	s_lshl_b32 s0, s0, 2
	s_waitcnt vmcnt(0)
	global_store_b8 v6, v0, s[4:5] offset:9
	s_load_b32 s0, s[2:3], s0 offset:0x0
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, __const.k.names.rel@rel32@lo+5
	s_addc_u32 s3, s3, __const.k.names.rel@rel32@hi+13
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s6, s0, 31
	s_add_u32 s2, s0, s2
	s_addc_u32 s3, s6, s3
	s_cmp_lt_i32 s1, 2
	global_load_u8 v0, v6, s[2:3]
	s_waitcnt vmcnt(0)
	global_store_b8 v6, v0, s[4:5] offset:3
	s_cbranch_scc1 .LBB1_5
; %bb.1:
	s_cmp_gt_i32 s1, 2
	s_cbranch_scc0 .LBB1_6
; %bb.2:
	s_cmp_gt_i32 s1, 3
	s_cbranch_scc0 .LBB1_7
; %bb.3:
	s_mov_b32 s3, 0
	s_cmp_eq_u32 s1, 4
	s_mov_b32 s0, 0
                                        ; implicit-def: $sgpr2
	s_cbranch_scc0 .LBB1_8
; %bb.4:
	s_mov_b32 s0, -1
	s_movk_i32 s2, 0x65
	s_branch .LBB1_8
.LBB1_5:
	s_mov_b32 s0, 0
                                        ; implicit-def: $sgpr2
	s_cbranch_execnz .LBB1_13
	s_branch .LBB1_17
.LBB1_6:
	s_mov_b32 s0, 0
                                        ; implicit-def: $sgpr2
	s_cbranch_execnz .LBB1_11
	s_branch .LBB1_12
.LBB1_7:
	s_mov_b32 s3, -1
	s_mov_b32 s0, 0
                                        ; implicit-def: $sgpr2
.LBB1_8:
	s_and_b32 vcc_lo, exec_lo, s3
	s_cbranch_vccz .LBB1_10
; %bb.9:
	s_mov_b32 s0, -1
	s_movk_i32 s2, 0x71
.LBB1_10:
	s_branch .LBB1_12
.LBB1_11:
	s_mov_b32 s0, -1
	s_movk_i32 s2, 0x63
.LBB1_12:
	s_branch .LBB1_17
.LBB1_13:
	s_cmp_gt_i32 s1, 0
	s_mov_b32 s3, 0
	s_cbranch_scc0 .LBB1_15
; %bb.14:
	s_mov_b32 s0, -1
	s_movk_i32 s2, 0x62
	s_and_not1_b32 vcc_lo, exec_lo, s3
	s_cbranch_vccz .LBB1_16
	s_branch .LBB1_17
.LBB1_15:
                                        ; implicit-def: $sgpr2
.LBB1_16:
	s_cmp_eq_u32 s1, 0
	s_movk_i32 s2, 0x61
	s_cselect_b32 s0, -1, 0
.LBB1_17:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_b32 vcc_lo, exec_lo, s0
	s_cbranch_vccz .LBB1_19
; %bb.18:
	v_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, s2
	global_store_b8 v0, v1, s[4:5] offset:1
.LBB1_19:
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k
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
		.amdhsa_next_free_vgpr 11
		.amdhsa_next_free_sgpr 13
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
	.size	k, .Lfunc_end1-k
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 720
; NumSgprs: 15
; NumVgprs: 11
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 1
; NumSGPRsForWavesPerEU: 15
; NumVGPRsForWavesPerEU: 11
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
	.hidden	table                           ; @table
	.type	table,@object
	.section	.rodata,"a",@progbits
	.globl	table
	.p2align	2, 0x0
table:
	.long	0x3f800000                      ; float 1
	.long	0x40000000                      ; float 2
	.long	0x40400000                      ; float 3
	.long	0x40800000                      ; float 4
	.long	0x40a00000                      ; float 5
	.long	0x40c00000                      ; float 6
	.long	0x40e00000                      ; float 7
	.long	0x41000000                      ; float 8
	.size	table, 32

	.hidden	it                              ; @it
	.type	it,@object
	.globl	it
	.p2align	2, 0x0
it:
	.long	1                               ; 0x1
	.long	2                               ; 0x2
	.long	3                               ; 0x3
	.size	it, 12

	.type	__const.k.a,@object             ; @__const.k.a
	.section	.rodata.cst16,"aM",@progbits,16
__const.k.a:
	.ascii	"sixteen bytes ok"
	.size	__const.k.a, 16

	.type	.str.4,@object                  ; @.str.4
	.section	.rodata.str1.1,"aMS",@progbits,1
.str.4:
	.asciz	"one"
	.size	.str.4, 4

	.type	.str.5,@object                  ; @.str.5
.str.5:
	.asciz	"two"
	.size	.str.5, 4

	.type	__const.k.names.rel,@object     ; @__const.k.names.rel
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
__const.k.names.rel:
	.long	.str.4-__const.k.names.rel
	.long	.str.5-__const.k.names.rel
	.size	__const.k.names.rel, 8

	.hidden	__oclc_ABI_version              ; @__oclc_ABI_version
	.type	__oclc_ABI_version,@object
	.weak	__oclc_ABI_version
	.p2align	2, 0x0
__oclc_ABI_version:
	.long	500                             ; 0x1f4
	.size	__oclc_ABI_version, 4

	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'char*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .type_name:      int
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
    .name:           k
    .private_segment_fixed_size: 0
    .sgpr_count:     15
    .sgpr_spill_count: 0
    .symbol:         k.kd
    .uses_dynamic_stack: false
    .vgpr_count:     11
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

//= .dynamic 2c80
//= : 0600000000000000c0040000000000000b00000000000000180000000000000005000000000000004c05000000000000
//= : 0a000000000000000800000000000000f5feff6f00000000080500000000000004000000000000002c05000000000000
//= : 00000000000000000000000000000000
//= .dynstr 54c
//= : 006b006b2e6b6400
//= .dynsym 4c0
//= : 00000000000000000000000000000000000000000000000001000000120307000018000000000000d002000000000000
//= : 030000001103060080050000000000004000000000000000
//= .gnu.hash 508
//= : 0100000001000000010000001a00000001000180002000000100000010b60200ed8d987c
//= .hash 52c
//= : 0300000003000000020000000000000001000000000000000000000000000000
//= .note 200
//= : 07000000a602000020000000414d44475055000083ae616d646873612e6b65726e656c7391de0011a52e617267739485
//= : ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d
//= : 65a5636861722aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657285ae2e616464726573735f73706163
//= : 65a6676c6f62616ca72e6f666673657408a52e73697a6508aa2e747970655f6e616d65a6666c6f61742aab2e76616c75
//= : 655f6b696e64ad676c6f62616c5f62756666657284a72e6f666673657410a52e73697a6504aa2e747970655f6e616d65
//= : a3696e74ab2e76616c75655f6b696e64a862795f76616c756584a72e6f666673657414a52e73697a6504aa2e74797065
//= : 5f6e616d65a3696e74ab2e76616c75655f6b696e64a862795f76616c7565b92e67726f75705f7365676d656e745f6669
//= : 7865645f73697a6500b62e6b65726e6172675f7365676d656e745f616c69676e08b52e6b65726e6172675f7365676d65
//= : 6e745f73697a6518a92e6c616e6775616765a84f70656e434c2043b12e6c616e67756167655f76657273696f6e920200
//= : b82e6d61785f666c61745f776f726b67726f75705f73697a65cd0100a52e6e616d65a16bbb2e707269766174655f7365
//= : 676d656e745f66697865645f73697a6500ab2e736770725f636f756e740fb12e736770725f7370696c6c5f636f756e74
//= : 00a72e73796d626f6ca46b2e6b64b32e757365735f64796e616d69635f737461636bc2ab2e766770725f636f756e740b
//= : b12e766770725f7370696c6c5f636f756e7400af2e7761766566726f6e745f73697a6520b92e776f726b67726f75705f
//= : 70726f636573736f725f6d6f646501ad616d646873612e746172676574ba616d6467636e2d616d642d616d646873612d
//= : 2d67667831313030ae616d646873612e76657273696f6e9201020000
//= .rodata 580
//= : 000000000000000018000000000000008012000000000000000000000000000000000000000000000000000000000000
//= : 0100af609e00000008040000000000000000803f0000004000004040000080400000a0400000c0400000e04000000041
//= : 0100000002000000030000001c00000020000000f40100007369787465656e206279746573206f6b6f6e650074776f00
//= .text 1700
//= : 000089bf000042dc00007c04800082be7e0081bef70389bf80087a7d1400a5bf006a00d70003010080020240000062dc
//= : 02047c00000042dc00007c04026a00d70203010080060640006a00d70003010080020240f70389bf00003ad480080200
//= : 910487bf0002028c7e027e91efffa6bf7e017e8c1e4880be000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf000080bf
//= : 000080bf000080bf000080bf000080bf010085bf000108f4000000f8000004f4100000f8004782be02ff0280a8edffff
//= : 03ff0382ffffffff800010caff0006066c000000ff0010ca8a00080868650000ff02047e6f726c64ff02007e68656c6c
//= : ff02027e6f2c2077ff02147e25660000ff020a7e206f6620ff02067e76616c75ff02087e6520256407fc89bf010085bf
//= : 020062dc06070400000066dc06080400009f0986000088be01870a8b0882888401ff0097565555550a820c8406080680
//= : 07090782009f0885010085bf200062dc06090400140072dc0600040000080081ff02007e6f00000000830096ff02047e
//= : 6c64000001008881020085bf360062dc06090400340066dc060a0400280072dc06030400089f098600478abe0aff0a80
//= : d4ecffff0bff0b82ffffffff08828884010085bf080062dc0600040004006adc06010400080a0880010085bf0c0062dc
//= : 060904000a0066dc06020400090b0982010000f400000018840000f4000000f8018f088b090087bf0802047e07fc89bf
//= : 0002007e020a027e004782be02ff02807cecffff03ff0382ffffffff00006edc06000600000042dc02000200004782be
//= : 02ff02804cecffff03ff0382ffffffff0181008b090087bf00820084f70389bf090062dc06000400010000f400000000
//= : 004782be02ff028019ecffff03ff0382ffffffff07fc89bf009f06860002028006030382018204bf000042dc06000200
//= : f70389bf030062dc060004000b00a2bf018202bf0c00a1bf018302bf0d00a1bf800083be018406bf800080be0b00a1bf
//= : c10080be650002b00800a0bf800080be0e00a6bf1800a0bf800080be0800a6bf0900a0bfc10083be800080be7e036a8b
//= : 0200a3bfc10080be710002b00200a0bfc10080be630002b00b00a0bf018002bf800083be0500a1bfc10080be620002b0
//= : 7e036a910100a3bf0300a0bf018006bf610002b0c1800098090087bf7e006a8b0400a3bf800010ca02000000010062dc
//= : 00010400000080bf0300b6bf0000b0bf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf
