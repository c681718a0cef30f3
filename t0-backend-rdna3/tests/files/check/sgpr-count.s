; test check sgpr-count
; == trigger
	s_mov_b32 s0, ttmp0
	s_endpgm
; == near miss
	s_mov_b32 s105, vcc_hi
	s_endpgm
; == near miss: LLVM's trap without a handler
	s_trap 2
	s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)
	s_mov_b32 ttmp2, m0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s0, 0x3ff
	s_bitset1_b32 s0, 10
	s_mov_b32 m0, s0
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_mov_b32 m0, ttmp2
.Lhalt:
	s_sethalt 5
	s_branch .Lhalt
; == trigger: M0 kept there across code that goes on
	s_mov_b32 ttmp2, m0
	s_mov_b32 m0, 0
	s_mov_b32 m0, ttmp2
	s_endpgm
; == trigger: a branch leads away before it halts
	s_mov_b32 ttmp2, m0
	s_cbranch_scc1 .Lhalt
	s_endpgm
.Lhalt:
	s_sethalt 5
	s_branch .Lhalt

; expected:
trigger on gfx1100 wave32:
  error[sgpr-count] at +0x0: `s_mov_b32 s0, ttmp0`: the trap temporaries ttmp0 to ttmp15 belong to the trap handler: kernels read 0 and write nothing; fix: s0 to s105
near miss on gfx1100 wave32: silent
near miss: LLVM's trap without a handler on gfx1100 wave32: silent
trigger: M0 kept there across code that goes on on gfx1100 wave32:
  error[sgpr-count] at +0x0: `s_mov_b32 ttmp2, m0`: the trap temporaries ttmp0 to ttmp15 belong to the trap handler: kernels read 0 and write nothing; fix: s0 to s105
trigger: a branch leads away before it halts on gfx1100 wave32:
  error[sgpr-count] at +0x0: `s_mov_b32 ttmp2, m0`: the trap temporaries ttmp0 to ttmp15 belong to the trap handler: kernels read 0 and write nothing; fix: s0 to s105
