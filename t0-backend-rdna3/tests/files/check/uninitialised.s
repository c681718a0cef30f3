; test check uninitialised
; == trigger: an address
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	s_load_b64 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v0, s[4:5]
	s_endpgm
; == near miss: what the launch fills
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	s_load_b64 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	global_store_b32 v0, v0, s[4:5]
	s_endpgm
; == trigger: arguments without their pointer
	s_load_b64 s[4:5], s[0:1], 0x0
	s_endpgm
; == trigger: half of an address
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	v_mov_b32_e32 v2, 0
	global_load_b32 v1, v[2:3], off
	s_endpgm
; == trigger: SCC decides before anything has set it
	s_cbranch_scc0 .Lon
	s_nop 0
.Lon:
	s_endpgm
; == near miss: SCC of a comparison
	s_cmp_eq_u32 s15, 0
	s_cbranch_scc0 .Lon
	s_nop 0
.Lon:
	s_endpgm
; == trigger: EXEC from a register nobody has set
	s_mov_b32 exec_lo, s40
	s_endpgm
; == near miss: a workgroup id
	s_add_u32 s4, s15, s15
	s_endpgm
; == trigger: a workgroup id that is not enabled
	.amdhsa_system_sgpr_workgroup_id_x 0
	s_add_u32 s4, s15, s15
	s_endpgm
; == near miss: written on one of two ways
	s_cmp_eq_u32 s15, 0
	s_cbranch_scc1 .Lskip
	v_mov_b32_e32 v1, 0
.Lskip:
	ds_store_b32 v1, v0
	s_endpgm
; == trigger: written on none
	s_cmp_eq_u32 s15, 0
	s_cbranch_scc1 .Lskip
	v_mov_b32_e32 v2, 0
.Lskip:
	ds_store_b32 v1, v0
	s_endpgm
; == near miss: written at the end of a loop
.Lhead:
	v_add_nc_u32_e32 v2, v1, v0
	v_mov_b32_e32 v1, 0
	s_cmp_eq_u32 s15, 0
	s_cbranch_scc1 .Lhead
	s_endpgm
; == trigger: copied
	v_mov_b32_e32 v2, v1
	v_mov_b32_e32 v3, v2
	ds_store_b32 v3, v0
	s_endpgm
; == near miss: copied and not used
	v_mov_b32_e32 v2, v1
	s_mov_b32 s4, s3
	s_endpgm
; == trigger: copied over what was written
	s_mov_b32 s4, s15
	s_mov_b32 s4, s3
	s_cmp_eq_u32 s4, 0
	s_endpgm
; == near miss: lanes that are not active keep theirs
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v2, v1
	ds_store_b32 v2, v0
	s_endpgm
; == trigger: the active lanes
	s_and_saveexec_b32 s4, s5
	s_endpgm
; == trigger: where to go
	s_cbranch_vccz .Lend
.Lend:
	s_endpgm
; == trigger: a lane mask
	v_cndmask_b32_e32 v1, v0, v0, vcc_lo
	s_endpgm
; == near miss: a lane mask
	v_cmp_eq_u32_e32 vcc_lo, 0, v0
	v_cndmask_b32_e32 v1, v0, v0, vcc_lo
	s_endpgm
; == near miss: one half of a pair, where only that may be wanted
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[4:5], 3, v[2:3]
	s_endpgm
; == trigger: data
	ds_store_b32 v0, v1
	s_endpgm
; == near miss: one lane, the others later
	v_writelane_b32 v1, s15, 0
	s_endpgm
; == near miss: a call may have written everything
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	ds_store_b32 v1, v0
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	ds_store_b32 v7, v0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: one half, the other later
	v_fma_mixlo_f16 v1, v0, v0, v0
	v_fma_mixhi_f16 v2, v0, v0, v0
	v_add_f16_e64 v3.h, v0.l, v0.l
	v_cvt_f16_f32_e32 v4, v0
	s_endpgm
; == trigger: a sum over a register that holds none
	v_fmac_f16_e32 v1, v0, v0
	s_endpgm
; == trigger: padding of the arguments decides a branch
	.amdhsa_kernarg_size 24
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_user_sgpr_count 14
	s_load_b32 s4, s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc1 L
L:
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
      - .offset: 16
        .size: 4
        .value_kind: by_value
	.end_amdgpu_metadata
; == trigger: padding of the arguments is an address
	.amdhsa_kernarg_size 24
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_user_sgpr_count 14
	s_mov_b64 s[2:3], s[0:1]
	s_load_b64 s[4:5], s[2:3], 0x8
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[6:7], s[4:5]
	s_load_b32 s8, s[6:7], 0x0
	s_waitcnt lgkmcnt(0)
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
      - .offset: 16
        .size: 4
        .value_kind: by_value
	.end_amdgpu_metadata
; == near miss: an argument decides a branch
	.amdhsa_kernarg_size 24
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_user_sgpr_count 14
	s_load_b32 s4, s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc1 L
L:
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
      - .offset: 8
        .size: 4
        .value_kind: by_value
	.end_amdgpu_metadata
; == near miss: a wide load over padding that nobody uses, and an argument of one byte
	.amdhsa_kernarg_size 24
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_user_sgpr_count 14
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b64 s[8:9], s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s7, s9, 0xff
	s_cmp_eq_u32 s7, 0
	s_cselect_b32 s6, s4, s8
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
      - .offset: 16
        .size: 4
        .value_kind: by_value
      - .offset: 20
        .size: 1
        .value_kind: by_value
	.end_amdgpu_metadata
; == near miss: through another address on one way
	.amdhsa_kernarg_size 24
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_user_sgpr_count 14
	s_cmp_eq_u64 s[0:1], 0
	s_cbranch_scc1 L
	s_mov_b64 s[0:1], 0
L:
	s_load_b32 s6, s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s6, 0
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
      - .offset: 16
        .size: 4
        .value_kind: by_value
	.end_amdgpu_metadata

; expected:
trigger: an address on gfx1100 wave32:
  error[uninitialised] at +0xc: `global_store_b32 v1, v0, s[4:5]`: v1 is read as an address, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [v1]
near miss: what the launch fills on gfx1100 wave32: silent
trigger: arguments without their pointer on gfx1100 wave32:
  error[uninitialised] at +0x0: `s_load_b64 s[4:5], s[0:1], null`: s0 is read as an address, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [s0]
trigger: half of an address on gfx1100 wave32:
  error[uninitialised] at +0x4: `global_load_b32 v1, v[2:3], off`: v3 is read as an address, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [v3]
trigger: SCC decides before anything has set it on gfx1100 wave32:
  error[uninitialised] at +0x0: `s_cbranch_scc0 1`: scc is read to decide where control goes or which lanes are active, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [scc]
near miss: SCC of a comparison on gfx1100 wave32: silent
trigger: EXEC from a register nobody has set on gfx1100 wave32:
  error[uninitialised] at +0x0: `s_mov_b32 exec_lo, s40`: s40 is read to decide where control goes or which lanes are active, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [s40]
near miss: a workgroup id on gfx1100 wave32: silent
trigger: a workgroup id that is not enabled on gfx1100 wave32:
  warning[uninitialised] at +0x0: `s_add_u32 s4, s15, s15`: s15 is read for a computation, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [s15]
near miss: written on one of two ways on gfx1100 wave32: silent
trigger: written on none on gfx1100 wave32:
  error[uninitialised] at +0xc: `ds_store_b32 v1, v0`: v1 is read as an address, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [v1]
near miss: written at the end of a loop on gfx1100 wave32: silent
trigger: copied on gfx1100 wave32:
  error[uninitialised] at +0x8: `ds_store_b32 v3, v0`: v3 is read as an address, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [v3]
near miss: copied and not used on gfx1100 wave32: silent
trigger: copied over what was written on gfx1100 wave32:
  warning[uninitialised] at +0x8: `s_cmp_eq_u32 s4, 0`: s4 is read for a computation, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [s4]
near miss: lanes that are not active keep theirs on gfx1100 wave32: silent
trigger: the active lanes on gfx1100 wave32:
  error[uninitialised] at +0x0: `s_and_saveexec_b32 s4, s5`: s5 is read to decide where control goes or which lanes are active, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [s5]
trigger: where to go on gfx1100 wave32:
  error[uninitialised] at +0x0: `s_cbranch_vccz 0`: vcc_lo is read to decide where control goes or which lanes are active, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [vcc_lo]
trigger: a lane mask on gfx1100 wave32:
  warning[uninitialised] at +0x0: `v_cndmask_b32_e32 v1, v0, v0, vcc_lo`: vcc_lo is read for a computation, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [vcc_lo]
near miss: a lane mask on gfx1100 wave32: silent
near miss: one half of a pair, where only that may be wanted on gfx1100 wave32: silent
trigger: data on gfx1100 wave32:
  warning[uninitialised] at +0x0: `ds_store_b32 v0, v1`: v1 is read as data that leaves the wave, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [v1]
near miss: one lane, the others later on gfx1100 wave32: silent
near miss: a call may have written everything on gfx1100 wave32: silent
near miss: one half, the other later on gfx1100 wave32: silent
trigger: a sum over a register that holds none on gfx1100 wave32:
  warning[uninitialised] at +0x0: `v_fmac_f16_e32 v1, v0, v0`: v1 is read for a computation, and neither the launch nor any instruction on the way here has written it; fix: write the register first, or enable the input in the descriptor [v1]
trigger: padding of the arguments decides a branch on gfx1100 wave32:
  warning[uninitialised] at +0xc: `s_cmp_eq_u32 s4, 0`: s4 is read for a computation, and holds bytes of the kernel's arguments that no argument covers: nobody writes padding; fix: the offset of an argument, or an argument there in the metadata [s4]
trigger: padding of the arguments is an address on gfx1100 wave32:
  error[uninitialised] at +0x14: `s_load_b32 s8, s[6:7], null`: s6 is read as an address, and holds bytes of the kernel's arguments that no argument covers: nobody writes padding; fix: the offset of an argument, or an argument there in the metadata [s6]
near miss: an argument decides a branch on gfx1100 wave32: silent
near miss: a wide load over padding that nobody uses, and an argument of one byte on gfx1100 wave32: silent
near miss: through another address on one way on gfx1100 wave32: silent
