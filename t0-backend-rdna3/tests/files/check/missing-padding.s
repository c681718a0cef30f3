; test check missing-padding
; == trigger
	; no padding
	s_endpgm
; == trigger: a word too few
	; no padding
	s_endpgm
	.fill 63, 4, 0xbf9f0000
; == near miss
	; no padding
	s_endpgm
	.fill 64, 4, 0xbf9f0000

; expected:
trigger on gfx1100 wave32:
  warning[missing-padding] at +0x0: `s_endpgm`: 0 bytes are loaded behind the last instruction, fetching reads 256 ahead; fix: .fill 64, 4, 0xbf9f0000 (s_code_end) behind it
trigger: a word too few on gfx1100 wave32:
  warning[missing-padding] at +0x0: `s_endpgm`: 252 bytes are loaded behind the last instruction, fetching reads 256 ahead; fix: .fill 64, 4, 0xbf9f0000 (s_code_end) behind it
near miss on gfx1100 wave32: silent
