; test check metadata-mismatch
; == trigger
	.amdhsa_next_free_vgpr 8
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 16
    .private_segment_fixed_size: 32
    .vgpr_count: 9
	.end_amdgpu_metadata
; == near miss
	.amdhsa_next_free_vgpr 8
	.amdhsa_kernarg_size 8
	.amdhsa_group_segment_fixed_size 16
	.amdhsa_private_segment_fixed_size 32
	.amdhsa_enable_private_segment 1
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 16
    .private_segment_fixed_size: 32
    .vgpr_count: 7
	.end_amdgpu_metadata
; == trigger: arguments
	.amdhsa_kernarg_size 16
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
	.end_amdgpu_metadata
; == trigger: groups that must be larger than they can be
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .reqd_workgroup_size: [16, 16, 2]
    .max_flat_workgroup_size: 256
	.end_amdgpu_metadata
; == near miss: groups as large as they can be
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .reqd_workgroup_size: [16, 16, 4]
    .max_flat_workgroup_size: 1024
	.end_amdgpu_metadata
; == trigger: groups larger than any
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .reqd_workgroup_size: [2, 16, 64]
    .max_flat_workgroup_size: 2048
	.end_amdgpu_metadata

; expected:
trigger on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: bytes of LDS: the metadata says 16, the descriptor 0; fix: the same number in both
  error[metadata-mismatch] in the descriptor: bytes of scratch: the metadata says 32, the descriptor 0; fix: the same number in both
  error[metadata-mismatch] in the descriptor: VGPRs: the metadata says 9, the descriptor 8; fix: the same number in both
near miss on gfx1100 wave32: silent
trigger: arguments on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: bytes of arguments: the metadata says 8, the descriptor 16; fix: the same number in both
trigger: groups that must be larger than they can be on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: workgroups must have 512 work-items and can have 256; fix: .max_flat_workgroup_size of as many
near miss: groups as large as they can be on gfx1100 wave32: silent
trigger: groups larger than any on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: workgroups of 2048 work-items, there are at most 1024; fix: a smaller .max_flat_workgroup_size
