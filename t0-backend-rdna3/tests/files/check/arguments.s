; test check arguments
; == trigger: they overlap
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
        .name: x
      - .offset: 4
        .size: 4
        .value_kind: by_value
        .name: count
	.end_amdgpu_metadata
; == near miss: one after the other
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
        .name: x
      - .offset: 8
        .size: 4
        .value_kind: by_value
        .name: count
	.end_amdgpu_metadata
; == trigger: in any order, beyond the block
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 12
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 8
        .size: 8
        .value_kind: global_buffer
        .name: out
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
	.end_amdgpu_metadata
; == near miss: up to the end of the block
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 8
        .size: 8
        .value_kind: global_buffer
        .name: out
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
	.end_amdgpu_metadata
; == near miss: an empty structure
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
        .name: x
      - .offset: 4
        .size: 0
        .value_kind: by_value
        .name: nothing
	.end_amdgpu_metadata
; == trigger: a pointer that is not aligned
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 12
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 4
        .value_kind: by_value
        .name: count
      - .offset: 4
        .size: 8
        .value_kind: global_buffer
        .name: x
	.end_amdgpu_metadata
; == near miss: bytes that need not be
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 6
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .args:
      - .offset: 0
        .size: 1
        .value_kind: by_value
        .name: c
      - .offset: 1
        .size: 5
        .value_kind: by_value
        .name: packed
	.end_amdgpu_metadata

; expected:
trigger: they overlap on gfx1100 wave32:
  error[arguments] in the descriptor: argument 0 (`x`) ends at byte 8, argument 1 (`count`) begins at 4; fix: offsets that do not overlap
near miss: one after the other on gfx1100 wave32: silent
trigger: in any order, beyond the block on gfx1100 wave32:
  error[arguments] in the descriptor: argument 0 (`out`) ends at byte 16, the argument block at 12; fix: a larger .kernarg_segment_size, or another .offset
near miss: up to the end of the block on gfx1100 wave32: silent
near miss: an empty structure on gfx1100 wave32: silent
trigger: a pointer that is not aligned on gfx1100 wave32:
  warning[arguments] in the descriptor: argument 1 (`x`) is a pointer at byte 4, no multiple of 8; fix: an .offset that is a multiple of 8
near miss: bytes that need not be on gfx1100 wave32: silent
