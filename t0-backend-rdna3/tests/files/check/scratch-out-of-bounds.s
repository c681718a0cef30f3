; test check scratch-out-of-bounds
; == trigger
	.amdhsa_private_segment_fixed_size 16
	.amdhsa_enable_private_segment 1
	scratch_store_b64 off, v[1:2], off offset:12
	s_endpgm
; == near miss
	.amdhsa_private_segment_fixed_size 16
	.amdhsa_enable_private_segment 1
	scratch_store_b64 off, v[1:2], off offset:8
	scratch_store_b8 off, v1, off offset:15
	s_endpgm
; == near miss: no constant
	.amdhsa_private_segment_fixed_size 16
	.amdhsa_enable_private_segment 1
	scratch_store_b64 off, v[1:2], s4 offset:12
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[scratch-out-of-bounds] at +0x0: `scratch_store_b64 off, v[1:2], off offset:12`: it reaches from byte 12 to 20 of scratch, the descriptor asks for 16; fix: a smaller offset, or .amdhsa_private_segment_fixed_size
near miss on gfx1100 wave32: silent
near miss: no constant on gfx1100 wave32: silent
