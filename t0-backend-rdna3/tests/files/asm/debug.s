	.text
	.file	0 "." "f.cl" md5 0xd026cb412511714e084d04332797a755
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.protected	f
	.globl	f
	.p2align	8
	.type	f,@function
f:
.Lfunc_begin0:
	.cfi_sections .debug_frame
	.cfi_startproc

	.loc	0 1 90 prologue_end
	s_load_b128 s[0:3], s[0:1], 0x0
.Ltmp0:




	.loc	0 1 160 is_stmt 0
	v_lshlrev_b32_e32 v0, 2, v0
.Ltmp1:
	s_waitcnt lgkmcnt(0)
	global_load_b32 v1, v0, s[0:1]
	.loc	0 1 201
	s_lshl_b32 s3, s3, 2
	s_delay_alu instid0(SALU_CYCLE_1)
	v_dual_mov_b32 v2, s3 :: v_dual_add_nc_u32 v3, s2, v0
	.loc	0 1 159
	s_waitcnt vmcnt(0)
	ds_store_b32 v0, v1
	.loc	0 1 166
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	0 1 201
	ds_load_b32 v1, v2
	.loc	0 1 206
	ds_load_b32 v2, v3
	.loc	0 1 205
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v2
	.loc	0 1 200
	global_store_b32 v0, v1, s[0:1]
	.loc	0 1 212
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
.Ltmp2:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel f
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
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
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 4
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
	.size	f, .Lfunc_end0-f
	.cfi_endproc

	.section	.AMDGPU.csdata,"",@progbits






















	.text
	.p2alignl 7, 3214868480
	.fill 96, 4, 3214868480
	.hidden	__oclc_ABI_version
	.type	__oclc_ABI_version,@object
	.section	.rodata,"a",@progbits
	.weak	__oclc_ABI_version
	.p2align	2, 0x0
__oclc_ABI_version:
	.long	500
	.size	__oclc_ABI_version, 4

	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	1
.Lloclists_table_base0:
	.long	.Ldebug_loc0-.Lloclists_table_base0
.Ldebug_loc0:
	.byte	4
	.uleb128 .Ltmp0-.Lfunc_begin0
	.uleb128 .Ltmp1-.Lfunc_begin0
	.byte	7
	.byte	146
	.byte	128
	.byte	12
	.byte	0
	.byte	49
	.byte	22
	.byte	24
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	115
	.byte	23
	.ascii	"\214\001"
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	122
	.byte	25
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	54
	.byte	11
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	3
	.byte	52
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	2
	.byte	24
	.byte	0
	.byte	0
	.byte	4
	.byte	5
	.byte	0
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	5
	.byte	52
	.byte	0
	.byte	2
	.byte	34
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	6
	.byte	1
	.byte	1
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	7
	.byte	33
	.byte	0
	.byte	73
	.byte	19
	.byte	55
	.byte	11
	.byte	0
	.byte	0
	.byte	8
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	62
	.byte	11
	.byte	11
	.byte	11
	.byte	0
	.byte	0
	.byte	9
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	62
	.byte	11
	.byte	0
	.byte	0
	.byte	10
	.byte	15
	.byte	0
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	11
	.byte	15
	.byte	0
	.byte	73
	.byte	19
	.byte	51
	.byte	6
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	21
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.byte	1
	.long	.Lfunc_end0-.Lfunc_begin0
	.long	.Laddr_table_base0
	.long	.Lloclists_table_base0
	.byte	2
	.byte	1
	.long	.Lfunc_end0-.Lfunc_begin0

	.byte	6
	.byte	0
	.byte	1
	.byte	199

	.byte	3
	.byte	3
	.long	97
	.byte	0
	.byte	1
	.byte	5
	.byte	161
	.byte	0
	.byte	50
	.byte	22
	.byte	24
	.byte	4
	.byte	9
	.byte	0
	.byte	1
	.long	121
	.byte	4
	.byte	10
	.byte	0
	.byte	1
	.long	126
	.byte	4
	.byte	11
	.byte	0
	.byte	1
	.long	117
	.byte	5
	.byte	0
	.byte	7
	.byte	0
	.byte	1
	.long	117
	.byte	0
	.byte	6
	.long	109
	.byte	7
	.long	113
	.byte	64
	.byte	0
	.byte	8
	.byte	4
	.byte	4
	.byte	4
	.byte	9
	.byte	5
	.byte	8
	.byte	7
	.byte	8
	.byte	8
	.byte	5
	.byte	4
	.byte	10
	.long	109
	.byte	11
	.long	109
	.long	2
	.byte	0
.Ldebug_info_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	52
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"Debian clang version 19.1.7 (3~deb12u1)"
.Linfo_string1:
	.asciz	"f.cl"
.Linfo_string2:
	.asciz	"."
.Linfo_string3:
	.asciz	"t"
.Linfo_string4:
	.asciz	"float"
.Linfo_string5:
	.asciz	"__ARRAY_SIZE_TYPE__"
.Linfo_string6:
	.asciz	"f"
.Linfo_string7:
	.asciz	"i"
.Linfo_string8:
	.asciz	"int"
.Linfo_string9:
	.asciz	"a"
.Linfo_string10:
	.asciz	"b"
.Linfo_string11:
	.asciz	"n"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.long	.Linfo_string9
	.long	.Linfo_string10
	.long	.Linfo_string11
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	f.t
	.quad	.Lfunc_begin0
.Ldebug_addr_end0:
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
      - .address_space:  local
        .offset:         8
        .pointee_align:  4
        .size:           4
        .type_name:      'float*'
        .value_kind:     dynamic_shared_pointer
      - .offset:         12
        .size:           4
        .type_name:      int
        .value_kind:     by_value
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           f
    .private_segment_fixed_size: 0
    .sgpr_count:     4
    .sgpr_spill_count: 0
    .symbol:         f.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
	.section	.debug_line,"",@progbits
.Lline_table_start0:

//= .dynamic 2800
//= : 0600000000000000a0040000000000000b00000000000000180000000000000005000000000000004c05000000000000
//= : 0a000000000000000c00000000000000f5feff6f00000000000500000000000004000000000000002405000000000000
//= : 00000000000000000000000000000000
//= .dynstr 54c
//= : 006600662e6b6400662e7400
//= .dynsym 4a0
//= : 000000000000000000000000000000000000000000000000080000001000000000000000000000000000000000000000
//= : 010000001203070000160000000000006800000000000000030000001103060080050000000000004000000000000000
//= .gnu.hash 500
//= : 0100000002000000010000001a0000000109008000000000020000000ab6020009d0957c
//= .hash 524
//= : 04000000040000000300000000000000020000000000000000000000000000000000000001000000
//= .note 200
//= : 070000008c02000020000000414d44475055000083ae616d646873612e6b65726e656c7391de0011a52e617267739385
//= : ae2e616464726573735f7370616365a6676c6f62616ca72e6f666673657400a52e73697a6508aa2e747970655f6e616d
//= : 65a6666c6f61742aab2e76616c75655f6b696e64ad676c6f62616c5f62756666657286ae2e616464726573735f737061
//= : 6365a56c6f63616ca72e6f666673657408ae2e706f696e7465655f616c69676e04a52e73697a6504aa2e747970655f6e
//= : 616d65a6666c6f61742aab2e76616c75655f6b696e64b664796e616d69635f7368617265645f706f696e74657284a72e
//= : 6f66667365740ca52e73697a6504aa2e747970655f6e616d65a3696e74ab2e76616c75655f6b696e64a862795f76616c
//= : 7565b92e67726f75705f7365676d656e745f66697865645f73697a65cd0100b62e6b65726e6172675f7365676d656e74
//= : 5f616c69676e08b52e6b65726e6172675f7365676d656e745f73697a6510a92e6c616e6775616765a84f70656e434c20
//= : 43b12e6c616e67756167655f76657273696f6e920200b82e6d61785f666c61745f776f726b67726f75705f73697a65cd
//= : 0100a52e6e616d65a166bb2e707269766174655f7365676d656e745f66697865645f73697a6500ab2e736770725f636f
//= : 756e7404b12e736770725f7370696c6c5f636f756e7400a72e73796d626f6ca4662e6b64b32e757365735f64796e616d
//= : 69635f737461636bc2ab2e766770725f636f756e7404b12e766770725f7370696c6c5f636f756e7400af2e7761766566
//= : 726f6e745f73697a6520b92e776f726b67726f75705f70726f636573736f725f6d6f646501ad616d646873612e746172
//= : 676574ba616d6467636e2d616d642d616d646873612d2d67667831313030ae616d646873612e76657273696f6e920102
//= .rodata 580
//= : 000100000000000010000000000000008010000000000000000000000000000000000000000000000000000000000000
//= : 0000af609e0000000804000000000000f4010000
//= .text 1600
//= : 000008f4000000f88200003007fc89bf000052dc0000000103820384090087bf030020ca02000202f70389bf000034d8
//= : 0001000007fc89bf0000bdbf0000d8d8020000010000d8d80300000207fc89bf0105020600006adc00010000000080bf
//= : 0300b6bf0000b0bf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
//= : 00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf00009fbf
