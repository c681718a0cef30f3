; test check unreachable-code
; == trigger
	s_endpgm
	v_mov_b32_e32 v0, 0
	s_endpgm
; == trigger: a branch over it
	s_branch .Lend0
	s_nop 0
	v_mov_b32_e32 v0, 0
.Lend0:
	s_endpgm
; == near miss: padding
	s_branch .Lend0
	s_nop 0
	s_code_end
	.long 0
.Lend0:
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  warning[unreachable-code] at +0x4: `v_mov_b32_e32 v0, 0`: nothing leads to the 8 bytes from here; fix: remove them, or mend the branch that should lead here
trigger: a branch over it on gfx1100 wave32:
  warning[unreachable-code] at +0x8: `v_mov_b32_e32 v0, 0`: nothing leads to the 4 bytes from here; fix: remove them, or mend the branch that should lead here
near miss: padding on gfx1100 wave32: silent
