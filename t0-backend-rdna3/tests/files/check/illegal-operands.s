; test check illegal-operands
; == trigger: v_dual_mov_b32 v0, v2 :: v_dual_mov_b32 v1, v6 reads one bank twice
	.long 0xca100102, 0x00000106
	s_endpgm
; == near miss: v_dual_mov_b32 v0, v2 :: v_dual_mov_b32 v1, v7
	.long 0xca100102, 0x00000107
	s_endpgm
; == trigger: the code behind it is looked at, too
	.long 0xca100102, 0x00000106
	global_load_b32 v1, v[2:3], off
	v_mov_b32_e32 v1, 0
	s_endpgm

; expected:
trigger: v_dual_mov_b32 v0, v2 :: v_dual_mov_b32 v1, v6 reads one bank twice on gfx1100 wave32:
  error[illegal-operands] at +0x0: `.long 0xCA100102, 0x00000106`: illegal instruction: v_dual_mov_b32: the src0 registers of both halves are in one of the 4 register banks; they must differ modulo 4; fix: other operands
near miss: v_dual_mov_b32 v0, v2 :: v_dual_mov_b32 v1, v7 on gfx1100 wave32: silent
trigger: the code behind it is looked at, too on gfx1100 wave32:
  error[illegal-operands] at +0x0: `.long 0xCA100102, 0x00000106`: illegal instruction: v_dual_mov_b32: the src0 registers of both halves are in one of the 4 register banks; they must differ modulo 4; fix: other operands
  error[missing-wait] at +0x10: `v_mov_b32_e32 v1, 0`: v1 is overwritten while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x8) [v1]
