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
; == trigger: a register that M0 chooses
	s_load_b64 s[0:1], s[0:1], 0x0
	v_mov_b32 v0, 0
	v_mov_b32 v2, 0
	s_mov_b32 m0, 1
	s_waitcnt lgkmcnt(0)
	global_load_b32 v3, v0, s[0:1]
	v_movrels_b32 v4, v2
	s_waitcnt vmcnt(0)
	s_endpgm
; == near miss: a load of lower registers
	s_load_b64 s[0:1], s[0:1], 0x0
	s_mov_b32 s4, 7
	s_mov_b32 m0, 1
	s_movreld_b32 s6, s4
	s_waitcnt lgkmcnt(0)
	s_endpgm
; == near miss: behind the wait
	s_load_b64 s[0:1], s[0:1], 0x0
	v_mov_b32 v0, 0
	v_mov_b32 v2, 0
	s_mov_b32 m0, 1
	s_waitcnt lgkmcnt(0)
	global_load_b32 v3, v0, s[0:1]
	s_waitcnt vmcnt(0)
	v_movrels_b32 v4, v2
	s_endpgm

; expected:
trigger on gfx1100 wave32:
  warning[check-incomplete] at +0x0: `s_setpc_b64 s[4:5]`: the target of this jump is no sum of s_getpc_b64 and constants: what it leads to is not looked at; fix: a branch, or a jump relative to s_getpc_b64
near miss: a sum of s_getpc_b64 and constants on gfx1100 wave32: silent
trigger: a register that M0 chooses on gfx1100 wave32:
  warning[check-incomplete] at +0x20: `v_movrels_b32_e32 v4, v2`: M0 chooses a register of this move: whether it is v3 is not looked at, and `global_load_b32 v3, v0, s[0:1]` may be in flight; fix: s_waitcnt vmcnt(0) before it, if it may be; the simulated card knows M0 (see +0x18) [v3]
near miss: a load of lower registers on gfx1100 wave32: silent
near miss: behind the wait on gfx1100 wave32: silent
