; test check missing-wait
; == trigger: neither caller nor called function waits
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
	s_nop 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: the called function waits
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
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: the caller waits behind the call
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_nop 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: the called function waits on one of its paths
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
	s_cbranch_scc1 .Lf1
	s_waitcnt vmcnt(0) lgkmcnt(0)
.Lf1:
	s_nop 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: the called function uses what its caller has in flight
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	v_add_f32_e32 v4, v1, v1
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: loaded in the called function
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	v_add_f32_e32 v4, v1, v1
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	global_load_b32 v1, v[2:3], off
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: waited for where it is called
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	global_load_b32 v1, v[2:3], off
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: loads of the called function count
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	global_load_b32 v6, v[2:3], off
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: two callers with loads of their own
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	global_load_b32 v7, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	v_add_f32_e32 v4, v1, v1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_nop 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: two calls deep
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
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, g@rel32@lo+4
	s_addc_u32 s7, s7, g@rel32@hi+12
	s_swappc_b64 s[34:35], s[6:7]
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
	.type g,@function
g:
	s_nop 0
	s_setpc_b64 s[34:35]
.Lgend:
	.size g, .Lgend-g
; == near miss: two calls deep
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
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, g@rel32@lo+4
	s_addc_u32 s7, s7, g@rel32@hi+12
	s_swappc_b64 s[34:35], s[6:7]
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
	.type g,@function
g:
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[34:35]
.Lgend:
	.size g, .Lgend-g
; == trigger: through a tail call
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
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, g@rel32@lo+4
	s_addc_u32 s7, s7, g@rel32@hi+12
	s_setpc_b64 s[6:7]
.Lfend:
	.size f, .Lfend-f
	.type g,@function
g:
	s_nop 0
	s_setpc_b64 s[30:31]
.Lgend:
	.size g, .Lgend-g
; == near miss: through a tail call
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
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, g@rel32@lo+4
	s_addc_u32 s7, s7, g@rel32@hi+12
	s_setpc_b64 s[6:7]
.Lfend:
	.size f, .Lfend-f
	.type g,@function
g:
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lgend:
	.size g, .Lgend-g
; == trigger: through a recursive function
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
	s_cbranch_scc1 .Lf1
	global_load_b32 v6, v[2:3], off
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
.Lf1:
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: through a recursive function
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_cbranch_scc1 .Lf1
	global_load_b32 v6, v[2:3], off
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
.Lf1:
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: an unknown function waits
	global_load_b32 v1, v[2:3], off
	s_swappc_b64 s[30:31], s[8:9]
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: a function that unknown calls may lead to has to wait
	s_swappc_b64 s[30:31], s[8:9]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	global_load_b32 v1, v[2:3], off
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: a function that unknown calls may lead to waits
	s_swappc_b64 s[30:31], s[8:9]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	global_load_b32 v1, v[2:3], off
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f

; expected:
trigger: neither caller nor called function waits on gfx1100 wave32:
  error[missing-wait] at +0x20: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x14) [v1]
near miss: the called function waits on gfx1100 wave32: silent
near miss: the caller waits behind the call on gfx1100 wave32: silent
trigger: the called function waits on one of its paths on gfx1100 wave32:
  error[missing-wait] at +0x20: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x14) [v1]
trigger: the called function uses what its caller has in flight on gfx1100 wave32:
  error[missing-wait] at f+0x0: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x14) [v1]
trigger: loaded in the called function on gfx1100 wave32:
  error[missing-wait] at +0x18: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see f+0x0) [v1]
near miss: waited for where it is called on gfx1100 wave32: silent
near miss: loads of the called function count on gfx1100 wave32: silent
near miss: two callers with loads of their own on gfx1100 wave32: silent
trigger: two calls deep on gfx1100 wave32:
  error[missing-wait] at +0x20: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x14) [v1]
near miss: two calls deep on gfx1100 wave32: silent
trigger: through a tail call on gfx1100 wave32:
  error[missing-wait] at +0x20: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x14) [v1]
near miss: through a tail call on gfx1100 wave32: silent
trigger: through a recursive function on gfx1100 wave32:
  error[missing-wait] at +0x20: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x14) [v1]
near miss: through a recursive function on gfx1100 wave32: silent
near miss: an unknown function waits on gfx1100 wave32: silent
trigger: a function that unknown calls may lead to has to wait on gfx1100 wave32:
  error[missing-wait] at f+0x8: `s_setpc_b64 s[30:31]`: v1 may not be there at the return: `global_load_b32 v1, v[2:3], off` may be in flight, and callers do not wait for it; fix: s_waitcnt vmcnt(0) before it (see f+0x0) [v1]
near miss: a function that unknown calls may lead to waits on gfx1100 wave32: silent
