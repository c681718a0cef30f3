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
; == trigger: workgroups of no work-item
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 0
	.end_amdgpu_metadata
; == trigger: workgroups that are too large
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 1025
	.end_amdgpu_metadata
; == trigger: smaller than what is required
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [32, 3, 1]
	.end_amdgpu_metadata
; == near miss: as large as what is required
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 96
    .reqd_workgroup_size: [32, 3, 1]
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
; == trigger: another mode of workgroups
	.amdhsa_workgroup_processor_mode 0
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .workgroup_processor_mode: 1
	.end_amdgpu_metadata
; == near miss: the same mode
	.amdhsa_workgroup_processor_mode 0
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .workgroup_processor_mode: 0
	.end_amdgpu_metadata
; == trigger: another chip
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1101
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
	.end_amdgpu_metadata
; == near miss: the same chip
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
	.end_amdgpu_metadata
; == trigger: fewer SGPRs than the code uses
	s_mov_b32 s20, 0
	s_mov_b32 s21, 0
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .sgpr_count: 20
	.end_amdgpu_metadata
; == near miss: VCC is not counted
	s_mov_b32 s20, 0
	s_mov_b32 vcc_lo, 0
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .sgpr_count: 21
	.end_amdgpu_metadata
; == trigger: more SGPRs than there are
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .sgpr_count: 109
	.end_amdgpu_metadata
; == near miss: as many as there are
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .sgpr_count: 108
	.end_amdgpu_metadata
; == trigger: more VGPRs than there are
	.amdhsa_next_free_vgpr 256
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .vgpr_count: 264
	.end_amdgpu_metadata

; expected:
trigger on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: bytes of LDS: the metadata says 16, the descriptor 0; fix: the same number in both
  error[metadata-mismatch] in the descriptor: bytes of scratch: the metadata says 32, the descriptor 0; fix: the same number in both
  error[metadata-mismatch] in the descriptor: VGPRs: the metadata says 9, the descriptor 8; fix: the same number in both
near miss on gfx1100 wave32: silent
trigger: workgroups of no work-item on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: the metadata asks for workgroups of 0 work-items at most, which must be 1 to 1024; fix: a .max_flat_workgroup_size of 1 to 1024
trigger: workgroups that are too large on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: the metadata asks for workgroups of 1025 work-items at most, which must be 1 to 1024; fix: a .max_flat_workgroup_size of 1 to 1024
trigger: smaller than what is required on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: the metadata asks for workgroups that must have 96 work-items and can have 1 to 64; fix: a .max_flat_workgroup_size that is not below the product of .reqd_workgroup_size
near miss: as large as what is required on gfx1100 wave32: silent
trigger: arguments on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: bytes of arguments: the metadata says 8, the descriptor 16; fix: the same number in both
trigger: groups that must be larger than they can be on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: the metadata asks for workgroups that must have 512 work-items and can have 1 to 256; fix: a .max_flat_workgroup_size that is not below the product of .reqd_workgroup_size
near miss: groups as large as they can be on gfx1100 wave32: silent
trigger: groups larger than any on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: the metadata asks for workgroups of 2048 work-items at most, which must be 1 to 1024; fix: a .max_flat_workgroup_size of 1 to 1024
trigger: another mode of workgroups on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: workgroup processor mode: the metadata says 1, the descriptor 0; fix: .amdhsa_workgroup_processor_mode and .workgroup_processor_mode alike
near miss: the same mode on gfx1100 wave32: silent
trigger: another chip on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: the metadata is for gfx1101, e_flags for gfx1100; fix: amdhsa.target of the same chip
near miss: the same chip on gfx1100 wave32: silent
trigger: fewer SGPRs than the code uses on gfx1100 wave32:
  warning[metadata-mismatch] at +0x0: `s_mov_b32 s20, 0`: the code uses SGPRs up to s21, the metadata counts 20; fix: .sgpr_count 22
near miss: VCC is not counted on gfx1100 wave32: silent
trigger: more SGPRs than there are on gfx1100 wave32:
  warning[metadata-mismatch] in the descriptor: the metadata counts 109 SGPRs, a wave has 106 and VCC; fix: .sgpr_count 108 at most
near miss: as many as there are on gfx1100 wave32: silent
trigger: more VGPRs than there are on gfx1100 wave32:
  error[metadata-mismatch] in the descriptor: VGPRs: the metadata says 264, the descriptor 256; fix: the same number in both
