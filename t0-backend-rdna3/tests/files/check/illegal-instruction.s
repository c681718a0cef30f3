; test check illegal-instruction
; == trigger
	s_nop 0
	.long 0xffffffff
	s_endpgm
; == near miss: nothing leads there
	s_endpgm
	.long 0xffffffff
; == trigger: s_ceil_f32 s0, s0
	.long 0xbe806000
	s_endpgm
; == near miss: a card that has it on gfx1150 wave32
	.long 0xbe806000
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  error[illegal-instruction] at +0x4: `.long 0xFFFFFFFF`: unknown encoding: first dword 0xffffffff; fix: s_endpgm before it, if it is data; otherwise the file is damaged or for another card
near miss: nothing leads there on gfx1100 wave32: silent
trigger: s_ceil_f32 s0, s0 on gfx1100 wave32:
  error[illegal-instruction] at +0x0: `.long 0xBE806000`: illegal instruction: s_ceil_f32 is not on gfx1100; it exists on gfx1150; fix: compile for the card the code object is for
near miss: a card that has it on gfx1150 wave32: silent
