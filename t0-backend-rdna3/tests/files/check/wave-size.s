; test check wave-size
; == trigger: dual issue on gfx1100 wave64
	.long 0xca100102, 0x00000107
	s_endpgm
; == near miss
	.long 0xca100102, 0x00000107
	s_endpgm
; == trigger: metadata
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
	.end_amdgpu_metadata
; == near miss: metadata on gfx1100 wave64
	s_endpgm
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
	.end_amdgpu_metadata

; expected:
trigger: dual issue on gfx1100 wave64:
  error[wave-size] at +0x0: `.long 0xCA100102, 0x00000107`: illegal instruction: v_dual_mov_b32: exists for waves of 32 lanes only; fix: the other wave size in the descriptor, or other instructions
near miss on gfx1100 wave32: silent
trigger: metadata on gfx1100 wave32:
  error[wave-size] in the descriptor: waves of 64 lanes in the metadata, of 32 in the descriptor; fix: the same wave size in both
near miss: metadata on gfx1100 wave64: silent
