; test check user-sgpr-init16
; == trigger
	.amdhsa_user_sgpr_count 2
	s_mov_b32 s4, s2
	s_endpgm
; == near miss: 16
	.amdhsa_user_sgpr_count 15
	s_mov_b32 s4, s15
	s_endpgm
; == near miss: written before it is read
	.amdhsa_user_sgpr_count 2
	s_mov_b32 s2, 0
	s_mov_b32 s4, s2
	s_endpgm
; == trigger: on one path
	.amdhsa_user_sgpr_count 2
	s_cbranch_scc1 .Ljoin
	s_mov_b32 s2, 0
.Ljoin:
	s_mov_b32 s4, s2
	s_endpgm
; == near miss: a card without the fault on gfx1101 wave32
	.amdhsa_user_sgpr_count 2
	s_mov_b32 s4, s2
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[user-sgpr-init16] at +0x0: `s_mov_b32 s4, s2`: a 32-lane kernel with fewer than 16 SGPRs initialised at launch (user plus system SGPRs) that uses the system ones (3 are initialised); fix: .amdhsa_user_sgpr_count 15
near miss: 16 on gfx1100 wave32: silent
near miss: written before it is read on gfx1100 wave32: silent
trigger: on one path on gfx1100 wave32:
  error[user-sgpr-init16] at +0x8: `s_mov_b32 s4, s2`: a 32-lane kernel with fewer than 16 SGPRs initialised at launch (user plus system SGPRs) that uses the system ones (3 are initialised); fix: .amdhsa_user_sgpr_count 15
near miss: a card without the fault on gfx1101 wave32: silent
