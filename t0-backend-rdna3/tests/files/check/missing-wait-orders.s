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
; == trigger: LDS before a scalar load
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
; == near miss: two LDS loads, at most one is left, and that is the second
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
; == near miss: FLAT in order with FLAT
	flat_load_b32 v1, v[2:3]
	flat_load_b32 v5, v[2:3]
	s_waitcnt vmcnt(1) lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v5, v5
	s_endpgm
; == trigger: FLAT in order with FLAT, one counter is short
	flat_load_b32 v1, v[2:3]
	flat_load_b32 v5, v[2:3]
	s_waitcnt vmcnt(1) lgkmcnt(2)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: FLAT in order with FLAT, the second one is used
	flat_load_b32 v1, v[2:3]
	flat_load_b32 v5, v[2:3]
	s_waitcnt vmcnt(1) lgkmcnt(1)
	v_add_f32_e32 v4, v5, v5
	s_endpgm
; == near miss: FLAT in order with other vector memory and with LDS
	flat_load_b32 v1, v[2:3]
	global_load_b32 v5, v[2:3], off
	ds_load_b32 v6, v2
	s_waitcnt vmcnt(1) lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: FLAT and a scalar load
	flat_load_b32 v1, v[2:3]
	s_load_b32 s4, s[0:1], 0x0
	s_waitcnt vmcnt(0) lgkmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: a FLAT load over a FLAT load
	flat_load_b32 v1, v[2:3]
	flat_load_b32 v1, v[4:5]
	s_endpgm
; == trigger: a load over a FLAT load
	flat_load_b32 v1, v[2:3]
	global_load_b32 v1, v[4:5], off
	s_endpgm
; == near miss: a load over a FLAT load that is no LDS access any more
	flat_load_b32 v1, v[2:3]
	s_waitcnt lgkmcnt(0)
	global_load_b32 v1, v[4:5], off
	s_endpgm
; == near miss: LDS behind a FLAT store
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
; == trigger: kinds of image loads write in any order
	image_load v1, v2, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D
	image_sample v1, v2, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D
	s_endpgm
; == near miss: one kind
	image_sample v1, v2, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D
	image_sample v1, v3, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D
	s_endpgm
; == near miss: kinds of image loads count in order
	image_load v1, v2, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D
	image_sample v3, v2, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == trigger: ray intersection and a buffer load
	.amdhsa_next_free_vgpr 16
	image_bvh_intersect_ray v[0:3], v[4:14], s[0:3]
	buffer_load_b32 v1, v5, s[0:3], 0 offen
	s_endpgm
; == trigger: reads of LDS without address count elsewhere
	lds_direct_load v1 wait_vdst:0
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss
	lds_direct_load v1 wait_vdst:0
	s_waitcnt expcnt(0)
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: in order
	lds_param_load v1, attr0.x wait_vdst:0
	lds_param_load v2, attr0.y wait_vdst:0
	s_waitcnt_expcnt null, 0x1
	v_add_f32_e32 v4, v1, v1
	s_endpgm
; == near miss: interpolation waits by itself
	lds_param_load v1, attr0.x wait_vdst:0
	v_interp_p10_f32 v2, v1, v0, v1 wait_exp:0
	s_endpgm
; == trigger: interpolation that does not
	lds_param_load v1, attr0.x wait_vdst:0
	v_interp_p10_f32 v2, v1, v0, v1 wait_exp:7
	s_endpgm
; == trigger: an export still reads
	exp mrt0 v0, v1, v2, v3 done
	v_mov_b32_e32 v3, 0
	s_endpgm
; == near miss: an export has read
	exp mrt0 v0, v1, v2, v3 done
	v_mov_b32_e32 v4, v3
	s_waitcnt expcnt(0)
	v_mov_b32_e32 v3, 0
	s_endpgm
; == trigger: exports of two kinds in any order
	exp mrt0 v0, v1, v2, v3 done
	exp pos0 v4, v5, v6, v7 done
	s_waitcnt expcnt(1)
	v_mov_b32_e32 v3, 0
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
trigger: LDS before a scalar load on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v4, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
near miss: LDS by itself is in order on gfx1100 wave32: silent
near miss: LDS on one path, a scalar load on the other on gfx1100 wave32: silent
near miss: two LDS loads, at most one is left, and that is the second on gfx1100 wave32: silent
trigger: a scalar load of a lane mask on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_cndmask_b32_e32 v1, v2, v3, vcc_lo`: vcc_lo is read while `s_load_b32 vcc_lo, s[0:1], null` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [vcc_lo]
trigger: FLAT needs both counters on gfx1100 wave32:
  error[missing-wait] at +0xc: `v_add_f32_e32 v4, v1, v1`: v1 is read while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
trigger: the other one of them on gfx1100 wave32:
  error[missing-wait] at +0xc: `v_add_f32_e32 v4, v1, v1`: v1 is read while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: both on gfx1100 wave32: silent
near miss: FLAT in order with FLAT on gfx1100 wave32: silent
trigger: FLAT in order with FLAT, one counter is short on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v4, v1, v1`: v1 is read while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt lgkmcnt(1) before it (see +0x0) [v1]
trigger: FLAT in order with FLAT, the second one is used on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v4, v5, v5`: v5 is read while `flat_load_b32 v5, v[2:3]` may be in flight; fix: s_waitcnt vmcnt(0) lgkmcnt(0) before it (see +0x8) [v5]
near miss: FLAT in order with other vector memory and with LDS on gfx1100 wave32: silent
trigger: FLAT and a scalar load on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v4, v1, v1`: v1 is read while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
trigger: a FLAT load over a FLAT load on gfx1100 wave32:
  error[missing-wait] at +0x8: `flat_load_b32 v1, v[4:5]`: v1 is overwritten while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt vmcnt(0) lgkmcnt(0) before it (see +0x0) [v1]
trigger: a load over a FLAT load on gfx1100 wave32:
  error[missing-wait] at +0x8: `global_load_b32 v1, v[4:5], off`: v1 is overwritten while `flat_load_b32 v1, v[2:3]` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
near miss: a load over a FLAT load that is no LDS access any more on gfx1100 wave32: silent
near miss: LDS behind a FLAT store on gfx1100 wave32: silent
trigger: the half that is loaded on gfx1100 wave32:
  error[missing-wait] at +0x8: `global_store_b16 v[2:3], v1, off`: v1 is read while `global_load_d16_b16 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: the other half on gfx1100 wave32: silent
near miss: both halves, one load each on gfx1100 wave32: silent
trigger: both halves are read, one is there on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_add_f32_e32 v6, v1, v1`: v1 is read while `global_load_d16_hi_b16 v1, v[4:5], off` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x8) [v1]
trigger: 63 in flight on gfx1100 wave32:
  error[missing-wait] at +0x1f8: `v_add_f32_e32 v6, v1, v1`: v1 is read while `global_load_b32 v1, v[2:3], off` may be in flight; fix: s_waitcnt vmcnt(62) before it (see +0x0) [v1]
near miss: the 64th stalls until the first is there on gfx1100 wave32: silent
trigger: kinds of image loads write in any order on gfx1100 wave32:
  error[missing-wait] at +0x8: `image_sample v1, v2, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D`: v1 is overwritten while `image_load v1, v2, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
near miss: one kind on gfx1100 wave32: silent
near miss: kinds of image loads count in order on gfx1100 wave32: silent
trigger: ray intersection and a buffer load on gfx1100 wave32:
  error[missing-wait] at +0x8: `buffer_load_b32 v1, v5, s[0:3], 0 offen`: v1 is overwritten while `image_bvh_intersect_ray v[0:3], v[4:14], s[0:3]` may be in flight; fix: s_waitcnt vmcnt(0) before it (see +0x0) [v1]
trigger: reads of LDS without address count elsewhere on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_add_f32_e32 v4, v1, v1`: v1 is read while `lds_direct_load v1 wait_vdst:0` may be in flight; fix: s_waitcnt expcnt(0) before it (see +0x0) [v1]
near miss on gfx1100 wave32: silent
near miss: in order on gfx1100 wave32: silent
near miss: interpolation waits by itself on gfx1100 wave32: silent
trigger: interpolation that does not on gfx1100 wave32:
  error[missing-wait] at +0x4: `v_interp_p10_f32 v2, v1, v0, v1 wait_exp:7`: v1 is read while `lds_param_load v1, attr0.x wait_vdst:0` may be in flight; fix: s_waitcnt expcnt(0) before it (see +0x0) [v1]
trigger: an export still reads on gfx1100 wave32:
  error[missing-wait] at +0x8: `v_mov_b32_e32 v3, 0`: v3 is overwritten while `exp mrt0 v0, v1, v2, v3 done` may still have to read it; fix: s_waitcnt expcnt(0) before it (see +0x0) [v3]
near miss: an export has read on gfx1100 wave32: silent
trigger: exports of two kinds in any order on gfx1100 wave32:
  error[missing-wait] at +0x14: `v_mov_b32_e32 v3, 0`: v3 is overwritten while `exp mrt0 v0, v1, v2, v3 done` may still have to read it; fix: s_waitcnt expcnt(0) before it (see +0x0) [v3]
trigger: so many operations in any order prove nothing on gfx1100 wave32:
  error[missing-wait] at +0x208: `v_add_f32_e32 v6, v1, v1`: v1 is read while `ds_load_b32 v1, v2` may be in flight; fix: s_waitcnt lgkmcnt(0) before it (see +0x0) [v1]
