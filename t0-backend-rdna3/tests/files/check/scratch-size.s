; test check scratch-size
; == trigger
	scratch_store_b32 off, v1, s4
	s_endpgm
; == near miss
	.amdhsa_private_segment_fixed_size 16
	.amdhsa_enable_private_segment 1
	scratch_store_b32 off, v1, s4
	s_endpgm
; == near miss: a dynamic stack
	.amdhsa_enable_private_segment 1
	.amdhsa_uses_dynamic_stack 1
	scratch_store_b32 off, v1, s4
	s_endpgm
; == trigger: not enabled
	.amdhsa_private_segment_fixed_size 16
	.amdhsa_enable_private_segment 0
	scratch_load_b32 v1, v2, off
	s_endpgm
; == trigger: asked for and not enabled
	.amdhsa_private_segment_fixed_size 16
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[scratch-size] at +0x0: `scratch_store_b32 off, v1, s4`: the code uses scratch memory, the descriptor asks for none; fix: .amdhsa_private_segment_fixed_size
near miss on gfx1100 wave32: silent
near miss: a dynamic stack on gfx1100 wave32: silent
trigger: not enabled on gfx1100 wave32:
  error[scratch-size] at +0x0: `scratch_load_b32 v1, v2, off`: the code uses scratch memory, the descriptor does not enable it; fix: .amdhsa_enable_private_segment 1
trigger: asked for and not enabled on gfx1100 wave32:
  error[scratch-size] in the descriptor: the descriptor asks for 16 bytes of scratch and does not enable it; fix: .amdhsa_enable_private_segment 1
