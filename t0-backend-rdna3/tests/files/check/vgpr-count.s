; test check vgpr-count
; == trigger
	.amdhsa_next_free_vgpr 8
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	s_endpgm
; == near miss: counted in eights
	.amdhsa_next_free_vgpr 5
	v_mov_b32_e32 v7, 0
	s_endpgm
; == trigger: the last of a run
	.amdhsa_next_free_vgpr 8
	global_load_b64 v[7:8], v[2:3], off
	s_endpgm
; == trigger: counted in fours on gfx1100 wave64
	.amdhsa_next_free_vgpr 4
	v_mov_b32_e32 v4, 0
	s_endpgm
; == trigger: in a called function
	.amdhsa_next_free_vgpr 8
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	v_mov_b32_e32 v20, 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: a function nobody calls
	.amdhsa_next_free_vgpr 8
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	v_mov_b32_e32 v20, 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == near miss: a call of who knows what
	.amdhsa_next_free_vgpr 8
	s_swappc_b64 s[30:31], s[4:5]
	s_endpgm
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	v_mov_b32_e32 v20, 0
	s_setpc_b64 s[30:31]
.Lfend:
	.size f, .Lfend-f
; == trigger: more than there are
	; descriptor 48 = 0x60ac0020
	s_endpgm
; == near miss: as many as there are
	; descriptor 48 = 0x60ac001f
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[vgpr-count] at +0x4: `v_mov_b32_e32 v8, 0`: the code uses VGPRs up to v8, the descriptor asks for 8; fix: .amdhsa_next_free_vgpr 9 [v8]
near miss: counted in eights on gfx1100 wave32: silent
trigger: the last of a run on gfx1100 wave32:
  error[vgpr-count] at +0x0: `global_load_b64 v[7:8], v[2:3], off`: the code uses VGPRs up to v8, the descriptor asks for 8; fix: .amdhsa_next_free_vgpr 9 [v8]
trigger: counted in fours on gfx1100 wave64:
  error[vgpr-count] at +0x0: `v_mov_b32_e32 v4, 0`: the code uses VGPRs up to v4, the descriptor asks for 4; fix: .amdhsa_next_free_vgpr 5 [v4]
trigger: in a called function on gfx1100 wave32:
  error[vgpr-count] at f+0x0: `v_mov_b32_e32 v20, 0`: the code uses VGPRs up to v20, the descriptor asks for 8; fix: .amdhsa_next_free_vgpr 21 [v20]
near miss: a function nobody calls on gfx1100 wave32: silent
near miss: a call of who knows what on gfx1100 wave32: silent
trigger: more than there are on gfx1100 wave32:
  error[vgpr-count] in the descriptor: the descriptor asks for 264 VGPRs, a wave can have 256; fix: .amdhsa_next_free_vgpr 256 at most
near miss: as many as there are on gfx1100 wave32: silent
