; test check lds-out-of-bounds
; == trigger
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 60
	ds_store_b64 v0, v[2:3]
	s_endpgm
; == near miss
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 56
	ds_store_b64 v0, v[2:3]
	s_endpgm
; == trigger: by the offset
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 0
	ds_load_b32 v1, v0 offset:64
	s_endpgm
; == trigger: the second offset
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 0
	ds_load_2addr_b32 v[1:2], v0 offset0:1 offset1:16
	s_endpgm
; == near miss: the second offset
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 0
	ds_load_2addr_b32 v[1:2], v0 offset0:1 offset1:15
	s_endpgm
; == near miss: one byte
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 63
	ds_store_b8 v0, v1
	s_endpgm
; == trigger: more than there can be
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 0xfffc
	ds_store_b64 v0, v[2:3]
	s_endpgm
; == near miss: other lanes than those that had it moved
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 64
	s_mov_b32 exec_lo, s4
	ds_store_b32 v0, v1
	s_endpgm
; == near miss: a negative address that the offset brings back
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, -16
	ds_store_b32 v0, v1 offset:16
	s_endpgm
; == near miss: no constant
	.amdhsa_group_segment_fixed_size 64
	v_mov_b32_e32 v0, 64
	v_add_nc_u32_e32 v0, v0, v1
	ds_store_b32 v0, v1 offset:60
	s_endpgm
; == trigger: the offset alone is too much
	.amdhsa_group_segment_fixed_size 64
	ds_store_b32 v0, v1 offset:61
	s_endpgm
; == trigger: two offsets, of which one is
	.amdhsa_group_segment_fixed_size 64
	ds_load_2addr_b64 v[2:5], v0 offset0:8 offset1:1
	s_endpgm
; == near miss: memory that an argument asks for lies behind
	.amdhsa_group_segment_fixed_size 64
	.amdhsa_kernarg_size 4
	ds_store_b32 v0, v1 offset:64
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 4
    .group_segment_fixed_size: 64
    .private_segment_fixed_size: 0
    .args:
      - .address_space: local
        .offset: 0
        .size: 4
        .value_kind: dynamic_shared_pointer
	.end_amdgpu_metadata

; expected:
trigger on gfx1100 wave32:
  warning[lds-out-of-bounds] at +0x4: `ds_store_b64 v0, v[2:3]`: it reaches to byte 68 of LDS, the descriptor asks for 64; fix: a smaller address, or more LDS in the descriptor
near miss on gfx1100 wave32: silent
trigger: by the offset on gfx1100 wave32:
  warning[lds-out-of-bounds] at +0x4: `ds_load_b32 v1, v0 offset:64`: it reaches to byte 68 of LDS, the descriptor asks for 64; fix: a smaller address, or more LDS in the descriptor
trigger: the second offset on gfx1100 wave32:
  warning[lds-out-of-bounds] at +0x4: `ds_load_2addr_b32 v[1:2], v0 offset0:1 offset1:16`: it reaches to byte 68 of LDS, the descriptor asks for 64; fix: a smaller address, or more LDS in the descriptor
near miss: the second offset on gfx1100 wave32: silent
near miss: one byte on gfx1100 wave32: silent
trigger: more than there can be on gfx1100 wave32:
  error[lds-out-of-bounds] at +0x8: `ds_store_b64 v0, v[2:3]`: it reaches to byte 65540 of LDS, a workgroup can have at most 65536; fix: a smaller address, or more LDS in the descriptor
near miss: other lanes than those that had it moved on gfx1100 wave32: silent
near miss: a negative address that the offset brings back on gfx1100 wave32: silent
near miss: no constant on gfx1100 wave32: silent
trigger: the offset alone is too much on gfx1100 wave32:
  warning[lds-out-of-bounds] at +0x0: `ds_store_b32 v0, v1 offset:61`: it reaches to byte 65 of LDS where v0 is 0, the descriptor asks for 64; fix: a smaller address, or more LDS in the descriptor
trigger: two offsets, of which one is on gfx1100 wave32:
  warning[lds-out-of-bounds] at +0x0: `ds_load_2addr_b64 v[2:5], v0 offset0:8 offset1:1`: it reaches to byte 72 of LDS where v0 is 0, the descriptor asks for 64; fix: a smaller address, or more LDS in the descriptor
near miss: memory that an argument asks for lies behind on gfx1100 wave32: silent
