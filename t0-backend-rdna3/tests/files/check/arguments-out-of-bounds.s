; test check arguments-out-of-bounds
; == trigger: behind the end
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_kernarg_size 16
	s_load_b32 s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == near miss: the last argument
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_kernarg_size 16
	s_load_b32 s4, s[0:1], 0xc
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == near miss: within the largest size there is
	.amdhsa_kernarg_size 4294967295
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	s_load_b32 s4, s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == near miss: more than is needed
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_kernarg_size 12
	s_load_b128 s[4:7], s[0:1], null
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == trigger: beyond the cache line
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_kernarg_size 56
	s_load_b256 s[4:11], s[0:1], 0x30
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == trigger: through a copy, on one path
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_kernarg_size 16
	s_mov_b64 s[8:9], s[0:1]
	s_cbranch_scc1 .Ljoin
	s_mov_b64 s[8:9], 0
.Ljoin:
	s_load_b64 s[4:5], s[8:9], 0x18
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == near miss: another address
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_kernarg_size 16
	s_load_b64 s[0:1], s[0:1], null
	s_waitcnt lgkmcnt(0)
	s_load_b32 s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == near miss: nobody says how many there are
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	s_load_b32 s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_endpgm

; expected:
trigger: behind the end on gfx1100 wave32:
  error[arguments-out-of-bounds] at +0x0: `s_load_b32 s4, s[0:1], 0x10`: it loads bytes 16 to 20 of the kernel's arguments, which have 16; fix: a smaller offset, or .amdhsa_kernarg_size and .kernarg_segment_size
near miss: the last argument on gfx1100 wave32: silent
near miss: within the largest size there is on gfx1100 wave32: silent
near miss: more than is needed on gfx1100 wave32: silent
trigger: beyond the cache line on gfx1100 wave32:
  error[arguments-out-of-bounds] at +0x0: `s_load_b256 s[4:11], s[0:1], 0x30`: it loads bytes 48 to 80 of the kernel's arguments, which have 56; fix: a smaller offset, or .amdhsa_kernarg_size and .kernarg_segment_size
trigger: through a copy, on one path on gfx1100 wave32:
  error[arguments-out-of-bounds] at +0xc: `s_load_b64 s[4:5], s[8:9], 0x18`: it loads bytes 24 to 32 of the kernel's arguments, which have 16; fix: a smaller offset, or .amdhsa_kernarg_size and .kernarg_segment_size
near miss: another address on gfx1100 wave32: silent
near miss: nobody says how many there are on gfx1100 wave32: silent
