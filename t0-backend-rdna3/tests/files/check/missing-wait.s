; test check missing-wait
; == trigger: read
	global_load_b32 v1, v[2:3], off
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss
	global_load_b32 v1, v[2:3], off
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: overwritten
	global_load_b64 v[1:2], v[2:3], off
	v_mov_b32_e32 v2, 0
	s_endpgm
; == near miss: data and address of a store
	global_store_b32 v[2:3], v1, off
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	s_endpgm
; == trigger: a count off by one
	global_load_b32 v1, v[2:3], off
	global_load_b32 v4, v[2:3], off
	s_waitcnt vmcnt(2)
	v_add_f32_e32 v5, v1, v1
	s_endpgm
; == trigger: waited for the other one
	global_load_b32 v1, v[2:3], off
	global_load_b32 v4, v[2:3], off
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v5, v4, v4
	s_endpgm
; == near miss: in order
	global_load_b32 v1, v[2:3], off
	global_load_b32 v4, v[2:3], off
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v5, v1, v1
	s_waitcnt_vmcnt null, 0x0
	v_add_f32_e32 v5, v4, v4
	s_endpgm
; == trigger: two loads, one wait mends both
	global_load_b32 v1, v[2:3], off
	ds_load_b32 v4, v3
	ds_load_b32 v6, v3
	v_add_f32_e32 v5, v1, v4
	s_endpgm
; == trigger: the wrong counter
	ds_load_b32 v1, v2
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v5, v1, v1
	s_endpgm
; == near miss: stores do not count for loads
	global_load_b32 v1, v[2:3], off
	global_store_b32 v[2:3], v7, off
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v5, v1, v1
	s_endpgm
; == trigger: a returning atomic
	global_atomic_add_u32 v1, v[2:3], v4, off glc
	v_add_f32_e32 v5, v1, v1
	s_endpgm
; == near miss: an atomic that returns nothing
	global_atomic_add_u32 v[2:3], v4, off
	v_add_f32_e32 v5, v4, v4
	v_mov_b32_e32 v4, 0
	s_endpgm
; == near miss: a later load of the kind may write the register
	global_load_b32 v1, v[2:3], off
	global_load_b32 v1, v[4:5], off
	s_endpgm
; == trigger: a load of another kind may not
	global_load_b32 v1, v[2:3], off
	ds_load_b32 v1, v6
	s_endpgm
; == trigger: nor may it take its address from the register
	global_load_b64 v[2:3], v[2:3], off
	global_load_b32 v1, v[2:3], off
	s_endpgm

; expected:
trigger: read on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss on gfx1100 wave32: silent
trigger: overwritten on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_mov_b32_e32 v2, 0`: v2 is overwritten while `global_load_b64 v[1:2], v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v2]
near miss: data and address of a store on gfx1100 wave32: silent
trigger: a count off by one on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v5, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(1) before it (see +0x0) [v1]
trigger: waited for the other one on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v5, v4, v4`: v4 is read while `global_load_b32 v4, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x8) [v4]
near miss: in order on gfx1100 wave32: silent
trigger: two loads, one wait mends both on gfx1100 wave32:
  error[missing-wait] at +0x18: `v_add_f32_e32 v5, v1, v4`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) lgkmcnt(1) before it (see +0x0) [v1]
  error[missing-wait] at +0x18: `v_add_f32_e32 v5, v1, v4`: v4 is read while `ds_load_b32 v4, v3` may be in flight; fix: s_waitcnt vmcnt(0) lgkmcnt(1) before it (see +0x8) [v4]
trigger: the wrong counter on gfx1100 wave32:
  error[missing-wait] at +0xc: `v_add_f32_e32 v5, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
near miss: stores do not count for loads on gfx1100 wave32: silent
trigger: a returning atomic on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_add_f32_e32 v5, v1, v1`: v1 is read while `global_atomic_add_u32 v1, v[2:3], v4, off glc` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: an atomic that returns nothing on gfx1100 wave32: silent
near miss: a later load of the kind may write the register on gfx1100 wave32: silent
trigger: a load of another kind may not on gfx1100 wave32:
  error[missing-wait] at +0x8: `ds_load_b32 v1, v6`: v1 is overwritten while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
trigger: nor may it take its address from the register on gfx1100 wave32:
  error[missing-wait] at +0x8: `global_load_b32 v1, v[2:3], off`: v2 is read while `global_load_b64 v[2:3], v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v2]
