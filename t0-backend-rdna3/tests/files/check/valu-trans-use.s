; test check valu-trans-use
; == trigger: one side of a diamond is too short
	v_exp_f32_e32 v1, v0
	s_cbranch_scc1 .Ljoin
	.rept 6
	v_mov_b32_e32 v3, v2
	.endr
.Ljoin:
	v_add_f32_e32 v4, v1, v2
	s_endpgm
; == near miss: both are long
	v_exp_f32_e32 v1, v0
	v_mov_b32_e32 v3, v2
	s_cbranch_scc1 .Lelse
	.rept 5
	v_mov_b32_e32 v3, v2
	.endr
	s_branch .Ljoin
.Lelse:
	.rept 5
	v_mov_b32_e32 v5, v2
	.endr
.Ljoin:
	v_add_f32_e32 v4, v1, v2
	s_endpgm
; == trigger: over the back edge of a loop
.Lhead:
	v_add_f32_e32 v4, v1, v2
	v_exp_f32_e32 v1, v0
	s_cbranch_scc1 .Lhead
	s_endpgm
; == near miss: mended at the end of the loop
.Lhead:
	v_add_f32_e32 v4, v1, v2
	v_exp_f32_e32 v1, v0
	s_waitcnt_depctr 0xfff
	s_cbranch_scc1 .Lhead
	s_endpgm
; == trigger: written over on one side, by the lanes that go there
	v_cmp_lt_u32_e32 vcc_lo, 3, v0
	v_rcp_f32_e32 v1, v0
	s_and_saveexec_b32 s2, vcc_lo
	s_cbranch_execz .Ljoin
	v_mov_b32_e32 v1, 0
.Ljoin:
	s_or_b32 exec_lo, exec_lo, s2
	v_add_f32_e32 v2, v1, v1
	s_endpgm
; == near miss: written over on all ways
	v_rcp_f32_e32 v1, v0
	s_cbranch_scc1 .Lelse
	v_mov_b32_e32 v1, 0
	s_branch .Ljoin
.Lelse:
	v_mov_b32_e32 v1, 1.0
.Ljoin:
	v_add_f32_e32 v2, v1, v1
	s_endpgm

; expected:
trigger: one side of a diamond is too short on gfx1100 wave32:
  error[valu-trans-use] at +0x20: `v_add_f32_e32 v4, v1, v2`: v1: a VALU instruction reads a VGPR that a transcendental wrote, with at most 5 VALU and at most 1 transcendental issued in between (after `v_exp_f32_e32 v1, v0`); fix: s_waitcnt_depctr 0xfff before it (see +0x0) [v1]
near miss: both are long on gfx1100 wave32: silent
trigger: over the back edge of a loop on gfx1100 wave32:
  error[valu-trans-use] at +0x0: `v_add_f32_e32 v4, v1, v2`: v1: a VALU instruction reads a VGPR that a transcendental wrote, with at most 5 VALU and at most 1 transcendental issued in between (after `v_exp_f32_e32 v1, v0`); fix: s_waitcnt_depctr 0xfff before it (see +0x4) [v1]
near miss: mended at the end of the loop on gfx1100 wave32: silent
trigger: written over on one side, by the lanes that go there on gfx1100 wave32:
  error[valu-trans-use] at +0x18: `v_add_f32_e32 v2, v1, v1`: v1: a VALU instruction reads a VGPR that a transcendental wrote, with at most 5 VALU and at most 1 transcendental issued in between (after `v_rcp_f32_e32 v1, v0`); fix: s_waitcnt_depctr 0xfff before it (see +0x4) [v1]
near miss: written over on all ways on gfx1100 wave32: silent
