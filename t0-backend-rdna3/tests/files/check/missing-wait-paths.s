; test check missing-wait
; == trigger: one side of a diamond lacks the wait
	global_load_b32 v1, v[2:3], off
	s_cbranch_scc1 .Lelse
	s_waitcnt vmcnt(0)
	s_branch .Ljoin
.Lelse:
	s_nop 0
.Ljoin:
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: both sides wait
	global_load_b32 v1, v[2:3], off
	s_cbranch_scc1 .Lelse
	s_waitcnt vmcnt(0)
	s_branch .Ljoin
.Lelse:
	s_waitcnt vmcnt(0)
.Ljoin:
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: fewer loads behind it on one side
	global_load_b32 v1, v[2:3], off
	s_cbranch_scc1 .Ljoin
	global_load_b32 v5, v[2:3], off
.Ljoin:
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: as many on both sides
	global_load_b32 v1, v[2:3], off
	s_cbranch_scc1 .Lelse
	global_load_b32 v5, v[2:3], off
	s_branch .Ljoin
.Lelse:
	global_load_b32 v6, v[2:3], off
.Ljoin:
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: loaded at the end of a loop, used at its head
	v_mov_b32_e32 v1, 0
.Lhead:
	v_add_f32_e32 v4, v1, v4
	global_load_b32 v1, v[2:3], off
	s_cbranch_scc1 .Lhead
	s_endpgm
; == near miss: with its wait at the head
	v_mov_b32_e32 v1, 0
.Lhead:
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v4, v1, v4
	global_load_b32 v1, v[2:3], off
	s_cbranch_scc1 .Lhead
	s_endpgm
; == near miss: two loads a round, the older one is used
	global_load_b32 v1, v[2:3], off
	global_load_b32 v5, v[2:3], off
.Lhead:
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v1, v4
	global_load_b32 v1, v[2:3], off
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v5, v4
	global_load_b32 v5, v[2:3], off
	s_cbranch_scc1 .Lhead
	s_endpgm
; == trigger: two loads a round, the younger one is used
	global_load_b32 v1, v[2:3], off
	global_load_b32 v5, v[2:3], off
.Lhead:
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v5, v4
	global_load_b32 v1, v[2:3], off
	s_waitcnt vmcnt(1)
	global_load_b32 v5, v[2:3], off
	s_cbranch_scc1 .Lhead
	s_endpgm
; == near miss: used on another path than loaded
	s_cbranch_scc1 .Lelse
	global_load_b32 v1, v[2:3], off
	s_endpgm
.Lelse:
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: a call waits for everything
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	v_add_f32_e32 v4, v1, v1
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: in a called function
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	global_load_b32 v1, v[2:3], off
	v_add_f32_e32 v4, v1, v1
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f

; expected:
trigger: one side of a diamond lacks the wait on gfx1100 wave32:
  error[missing-wait] at +0x18: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: both sides wait on gfx1100 wave32: silent
trigger: fewer loads behind it on one side on gfx1100 wave32:
  error[missing-wait] at +0x18: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: as many on both sides on gfx1100 wave32: silent
trigger: loaded at the end of a loop, used at its head on gfx1100 wave32:
  error[missing-wait] at +0x4: `v_add_f32_e32 v4, v1, v4`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x8) [v1]
near miss: with its wait at the head on gfx1100 wave32: silent
near miss: two loads a round, the older one is used on gfx1100 wave32: silent
trigger: two loads a round, the younger one is used on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v4, v5, v4`: v5 is read while `global_load_b32 v5, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x8) [v5]
near miss: used on another path than loaded on gfx1100 wave32: silent
near miss: a call waits for everything on gfx1100 wave32: silent
trigger: in a called function on gfx1100 wave32:
  error[missing-wait] at f+0x8: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see f+0x0) [v1]
