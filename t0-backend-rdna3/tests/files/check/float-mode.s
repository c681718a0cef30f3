; test check float-mode
; == trigger: towards zero
	; compiled
	.amdhsa_float_denorm_mode_32 3
	.amdhsa_float_round_mode_32 3
	s_endpgm
; == trigger: denormals flushed
	; compiled
	.amdhsa_float_denorm_mode_16_64 0
	.amdhsa_float_denorm_mode_32 0
	s_endpgm
; == near miss
	; compiled
	.amdhsa_float_denorm_mode_32 3
	s_endpgm
; == near miss: somebody else's code
	.amdhsa_float_round_mode_32 3
	s_endpgm

; expected:
trigger: towards zero on gfx1100 wave32:
  error[float-mode] in the descriptor: 32-bit floats round by mode 3 (Zero); fix: mode 0, to the nearest even
trigger: denormals flushed on gfx1100 wave32:
  error[float-mode] in the descriptor: denormals of 32-bit floats have mode 0 (FlushBoth); fix: mode 3, which keeps them
  error[float-mode] in the descriptor: denormals of 16- and 64-bit floats have mode 0 (FlushBoth); fix: mode 3, which keeps them
near miss on gfx1100 wave32: silent
near miss: somebody else's code on gfx1100 wave32: silent
