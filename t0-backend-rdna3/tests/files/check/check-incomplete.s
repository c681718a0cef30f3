; test check check-incomplete
; == trigger
	s_setpc_b64 s[4:5]
; == near miss: a sum of s_getpc_b64 and constants
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, 20
	s_addc_u32 s5, s5, 0
	s_setpc_b64 s[4:5]
	s_code_end
	s_code_end
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  warning[check-incomplete] at +0x0: `s_setpc_b64 s[4:5]`: the target of this jump is no sum of s_getpc_b64 and constants: what it leads to is not looked at; fix: a branch, or a jump relative to s_getpc_b64
near miss: a sum of s_getpc_b64 and constants on gfx1100 wave32: silent
