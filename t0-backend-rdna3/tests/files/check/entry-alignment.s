; test check entry-alignment
; == trigger
	s_nop 0
k:
	s_endpgm
; == near miss
k:
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[entry-alignment] at +0x0: `s_endpgm`: the kernel begins at 0x1304; fix: .p2align 8 before its label
near miss on gfx1100 wave32: silent
