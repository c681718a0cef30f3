; test check lds-size
; == trigger
	.amdhsa_group_segment_fixed_size 0
	ds_store_b32 v1, v2
	s_endpgm
; == near miss
	.amdhsa_group_segment_fixed_size 4
	ds_store_b32 v1, v2
	s_endpgm
; == near miss: touches no LDS memory
	.amdhsa_group_segment_fixed_size 0
	ds_bpermute_b32 v1, v2, v3
	s_endpgm
; == near miss: an argument says that the launch gives it
	.amdhsa_group_segment_fixed_size 0
	ds_store_b32 v1, v2
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 4
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 4
        .value_kind: dynamic_shared_pointer
	.end_amdgpu_metadata
; == trigger: more than there is
	; descriptor 0 = 0x00010004
	s_endpgm
; == near miss: as much as there is
	; descriptor 0 = 0x00010000
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  warning[lds-size] at +0x0: `ds_store_b32 v1, v2`: the code uses LDS, the descriptor asks for none: the launch must give it; fix: .amdhsa_group_segment_fixed_size, or LDS at the launch
near miss on gfx1100 wave32: silent
near miss: touches no LDS memory on gfx1100 wave32: silent
near miss: an argument says that the launch gives it on gfx1100 wave32: silent
trigger: more than there is on gfx1100 wave32:
  error[lds-size] in the descriptor: the descriptor asks for 65540 bytes of LDS, a workgroup can have 65536; fix: a smaller .amdhsa_group_segment_fixed_size
near miss: as much as there is on gfx1100 wave32: silent
