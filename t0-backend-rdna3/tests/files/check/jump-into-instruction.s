; test check jump-into-instruction
; == trigger
	s_cbranch_scc0 1
	s_mov_b32 s4, 0x12345678
	s_endpgm
; == near miss
	s_cbranch_scc0 2
	s_mov_b32 s4, 0x12345678
	s_endpgm
; == trigger: backwards
	s_mov_b32 s4, 0x12345678
	s_cbranch_scc0 -2
	s_endpgm
; == trigger: what stands there is no instruction, and is reached first
	s_cbranch_scc1 .La
	s_cbranch_scc0 2
	s_endpgm
.La:
	v_mul_lo_u32 v3, v4, s6
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[jump-into-instruction] at +0x0: `s_cbranch_scc0 1`: it leads to 0x1308, which is inside of another instruction; fix: a branch to where an instruction begins (see +0x8)
near miss on gfx1100 wave32: silent
trigger: backwards on gfx1100 wave32:
  error[jump-into-instruction] at +0x8: `s_cbranch_scc0 65534`: it leads to 0x1304, which is inside of another instruction; fix: a branch to where an instruction begins (see +0x4)
trigger: what stands there is no instruction, and is reached first on gfx1100 wave32:
  error[jump-into-instruction] at +0x4: `s_cbranch_scc0 2`: it leads to 0x1310, which is inside of another instruction; fix: a branch to where an instruction begins (see +0x10)
