; test check missing-wait
; == trigger: scalar loads come in any order
	s_load_b32 s4, s[0:1], 0x0
	s_load_b32 s5, s[0:1], 0x4
	s_waitcnt lgkmcnt(1)
	s_add_u32 s6, s4, s4
	s_endpgm
; == near miss
	s_load_b32 s4, s[0:1], 0x0
	s_load_b32 s5, s[0:1], 0x4
	s_waitcnt lgkmcnt(0)
	s_add_u32 s6, s4, s5
	s_endpgm
; == trigger: LDS beside a scalar load
	ds_load_b32 v1, v2
	s_load_b32 s4, s[0:1], 0x0
	s_waitcnt lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: LDS by itself is in order
	ds_load_b32 v1, v2
	ds_load_b32 v3, v2
	s_waitcnt lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: LDS on one path, a scalar load on the other
	s_cbranch_scc1 .Lelse
	ds_load_b32 v1, v2
	ds_load_b32 v3, v2
	s_branch .Ljoin
.Lelse:
	s_load_b32 s4, s[0:1], 0x0
.Ljoin:
	s_waitcnt lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: both on one path
	s_cbranch_scc1 .Ljoin
	s_load_b32 s4, s[0:1], 0x0
.Ljoin:
	ds_load_b32 v1, v2
	ds_load_b32 v3, v2
	s_waitcnt lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: a scalar load of a lane mask
	s_load_b32 vcc_lo, s[0:1], 0x0
	v_cndmask_b32_e32 v1, v2, v3, vcc_lo
	s_endpgm
; == trigger: FLAT needs both counters
	flat_load_b32 v1, v[2:3]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: the other one of them
	flat_load_b32 v1, v[2:3]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: both
	flat_load_b32 v1, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: LDS behind a FLAT store
	flat_store_b32 v[2:3], v5
	ds_load_b32 v1, v2
	ds_load_b32 v3, v2
	s_waitcnt lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: the half that is loaded
	global_load_d16_b16 v1, v[2:3], off
	global_store_b16 v[2:3], v1, off
	s_endpgm
; == near miss: the other half
	global_load_d16_b16 v1, v[2:3], off
	global_store_d16_hi_b16 v[2:3], v1, off
	s_endpgm
; == near miss: both halves, one load each
	global_load_d16_b16 v1, v[2:3], off
	global_load_d16_hi_b16 v1, v[4:5], off
	s_endpgm
; == trigger: both halves are read, one is there
	global_load_d16_b16 v1, v[2:3], off
	global_load_d16_hi_b16 v1, v[4:5], off
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v6, v1, v1
	s_endpgm
; == trigger: 63 in flight
	global_load_b32 v1, v[2:3], off
	.rept 62
	global_load_b32 v4, v[2:3], off
	.endr
	v_add_f32_e32 v6, v1, v1
	s_endpgm
; == near miss: the 64th stalls until the first is there
	global_load_b32 v1, v[2:3], off
	.rept 63
	global_load_b32 v4, v[2:3], off
	.endr
	v_add_f32_e32 v6, v1, v1
	s_endpgm
; == trigger: so many operations in any order prove nothing
	ds_load_b32 v1, v2
	.rept 64
	s_dcache_inv
	.endr
	v_add_f32_e32 v6, v1, v1
	s_endpgm

; expected:
trigger: scalar loads come in any order on gfx1100 wave32:
  error[missing-wait] at +0x14: `s_add_u32 s6, s4, s4`: s4 is read while `s_load_b32 s4, s[0:1], null` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [s4]
near miss on gfx1100 wave32: silent
trigger: LDS beside a scalar load on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v4, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
near miss: LDS by itself is in order on gfx1100 wave32: silent
near miss: LDS on one path, a scalar load on the other on gfx1100 wave32: silent
trigger: both on one path on gfx1100 wave32:
  error[missing-wait] at +0x20: `v_add_f32_e32 v4, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0xc) [v1]
trigger: a scalar load of a lane mask on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_cndmask_b32_e32 v1, v2, v3, vcc_lo`: vcc_lo is read while `s_load_b32 vcc_lo, s[0:1], null` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [vcc_lo]
trigger: FLAT needs both counters on gfx1100 wave32:
  error[missing-wait] at +0xc: `v_add_f32_e32 v4, v1, v1`: v1 is read while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
trigger: the other one of them on gfx1100 wave32:
  error[missing-wait] at +0xc: `v_add_f32_e32 v4, v1, v1`: v1 is read while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: both on gfx1100 wave32: silent
trigger: LDS behind a FLAT store on gfx1100 wave32:
  error[missing-wait] at +0x1c: `v_add_f32_e32 v4, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x8) [v1]
trigger: the half that is loaded on gfx1100 wave32:
  error[missing-wait] at +0x8: `global_store_b16 v[2:3], v1, off`: v1 is read while `global_load_d16_b16 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: the other half on gfx1100 wave32: silent
near miss: both halves, one load each on gfx1100 wave32: silent
trigger: both halves are read, one is there on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v6, v1, v1`: v1 is read while `global_load_d16_hi_b16 v1, v[4:5], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x8) [v1]
trigger: 63 in flight on gfx1100 wave32:
  error[missing-wait] at +0x1f8: `v_add_f32_e32 v6, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(62) before it (see +0x0) [v1]
near miss: the 64th stalls until the first is there on gfx1100 wave32: silent
trigger: so many operations in any order prove nothing on gfx1100 wave32:
  error[missing-wait] at +0x208: `v_add_f32_e32 v6, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
