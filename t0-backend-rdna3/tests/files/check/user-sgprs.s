; test check user-sgprs
; == trigger: a pointer of two in one
	; descriptor 52 = 0x00000002
	; descriptor 56 = 0x00000408
	s_endpgm
; == near miss
	; descriptor 52 = 0x00000004
	; descriptor 56 = 0x00000408
	s_endpgm
; == trigger: 17
	; descriptor 52 = 0x00000022
	s_endpgm

; expected:
trigger: a pointer of two in one on gfx1100 wave32:
  error[user-sgprs] in the descriptor: 1 user SGPRs are declared, the enabled inputs take 2, there are 16; fix: .amdhsa_user_sgpr_count 2
near miss on gfx1100 wave32: silent
trigger: 17 on gfx1100 wave32:
  error[user-sgprs] in the descriptor: 17 user SGPRs are declared, the enabled inputs take 0, there are 16; fix: .amdhsa_user_sgpr_count 0
