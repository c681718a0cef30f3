; test check barrier-without-wait
; == trigger
	.amdhsa_group_segment_fixed_size 1024
	ds_store_b32 v1, v2
	s_barrier
	s_endpgm
; == near miss
	.amdhsa_group_segment_fixed_size 1024
	ds_store_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_endpgm
; == near miss: a load has nothing to show
	.amdhsa_group_segment_fixed_size 1024
	ds_load_b32 v1, v2
	s_barrier
	s_endpgm
; == trigger: an atomic, on one path
	.amdhsa_group_segment_fixed_size 1024
	s_cbranch_scc1 .Ljoin
	ds_add_u32 v1, v2
.Ljoin:
	s_barrier
	s_endpgm
; == trigger: a count off by one
	.amdhsa_group_segment_fixed_size 1024
	ds_store_b32 v1, v2
	ds_load_b32 v3, v1
	s_waitcnt lgkmcnt(2)
	s_barrier
	s_endpgm
; == near miss: the load behind it may still be in flight
	.amdhsa_group_segment_fixed_size 1024
	ds_store_b32 v1, v2
	ds_load_b32 v3, v1
	s_waitcnt lgkmcnt(1)
	s_barrier
	s_endpgm
; == trigger: the barrier is in a called function
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	ds_store_b32 v1, v2
	s_swappc_b64 s[30:31], s[4:5]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_barrier
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: the called function waits
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	ds_store_b32 v1, v2
	s_swappc_b64 s[30:31], s[4:5]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: in compiled code it is an error
	; compiled
	.amdhsa_group_segment_fixed_size 1024
	.amdhsa_float_denorm_mode_32 3
	ds_store_b32 v0, v0
	s_barrier
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  warning[barrier-without-wait] at +0x8: `s_barrier`: `ds_store_b32 v1, v2` may not be done at the barrier; fix: s_waitcnt lgkmcnt(0) before it (see +0x0)
near miss on gfx1100 wave32: silent
near miss: a load has nothing to show on gfx1100 wave32: silent
trigger: an atomic, on one path on gfx1100 wave32:
  warning[barrier-without-wait] at +0xc: `s_barrier`: `ds_add_u32 v1, v2` may not be done at the barrier; fix: s_waitcnt lgkmcnt(0) before it (see +0x4)
trigger: a count off by one on gfx1100 wave32:
  warning[barrier-without-wait] at +0x14: `s_barrier`: `ds_store_b32 v1, v2` may not be done at the barrier; fix: s_waitcnt lgkmcnt(0) before it (see +0x0)
near miss: the load behind it may still be in flight on gfx1100 wave32: silent
trigger: the barrier is in a called function on gfx1100 wave32:
  warning[barrier-without-wait] at f+0x0: `s_barrier`: `ds_store_b32 v1, v2` may not be done at the barrier; fix: s_waitcnt lgkmcnt(0) before it (see +0x14)
near miss: the called function waits on gfx1100 wave32: silent
trigger: in compiled code it is an error on gfx1100 wave32:
  error[barrier-without-wait] at +0x8: `s_barrier`: `ds_store_b32 v0, v0` may not be done at the barrier; fix: s_waitcnt lgkmcnt(0) before it (see +0x0)
