; test check jump-out-of-code
; == trigger
	s_cbranch_scc0 32000
	s_endpgm
; == trigger: before the first instruction
	s_branch -2
; == near miss
	s_branch -1

; expected:
trigger on gfx1100 wave32:
  error[jump-out-of-code] at +0x0: `s_cbranch_scc0 32000`: it leads to 0x20704, where no code is loaded; fix: a branch to an instruction of the kernel
trigger: before the first instruction on gfx1100 wave32:
  error[jump-out-of-code] at +0x0: `s_branch 65534`: it leads to 0x12fc, where no code is loaded; fix: a branch to an instruction of the kernel
near miss on gfx1100 wave32: silent
