; test check sgpr-count
; == trigger
	s_mov_b32 s0, ttmp0
	s_endpgm
; == near miss
	s_mov_b32 s105, vcc_hi
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[sgpr-count] at +0x0: `s_mov_b32 s0, ttmp0`: the trap temporaries ttmp0 to ttmp15 belong to the trap handler: kernels read 0 and write nothing; fix: s0 to s105
near miss on gfx1100 wave32: silent
