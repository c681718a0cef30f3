; test check unfilled-sgpr
; == trigger: the workgroup's number is not enabled
	; compiled
	.amdhsa_float_denorm_mode_32 3
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_system_sgpr_workgroup_id_x 0
	s_mov_b32 s4, s15
	s_endpgm
; == trigger: filled on one path
	; compiled
	.amdhsa_float_denorm_mode_32 3
	s_cbranch_scc1 .Ljoin
	s_mov_b32 s20, 0
.Ljoin:
	s_mov_b32 s4, s20
	s_endpgm
; == near miss
	; compiled
	.amdhsa_float_denorm_mode_32 3
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	s_load_b64 s[2:3], s[0:1], null
	s_mov_b32 s20, s15
	s_mov_b32 s4, s20
	s_endpgm
; == near miss: somebody else's code
	s_mov_b32 s4, s20
	s_endpgm

; expected:
trigger: the workgroup's number is not enabled on gfx1100 wave32:
  error[unfilled-sgpr] at +0x0: `s_mov_b32 s4, s15`: it reads an SGPR that neither the launch nor an instruction before it has filled; fix: enable the input in the descriptor, or write the register first
trigger: filled on one path on gfx1100 wave32:
  error[unfilled-sgpr] at +0x8: `s_mov_b32 s4, s20`: it reads an SGPR that neither the launch nor an instruction before it has filled; fix: enable the input in the descriptor, or write the register first
near miss on gfx1100 wave32: silent
near miss: somebody else's code on gfx1100 wave32: silent
