; test check unfilled-work-item-id
; == trigger: y
	v_bfe_u32 v1, v0, 10, 10
	s_endpgm
; == near miss: y
	.amdhsa_system_vgpr_workitem_id 1
	v_bfe_u32 v1, v0, 10, 10
	s_endpgm
; == trigger: z, through a copy, on one path
	.amdhsa_system_vgpr_workitem_id 1
	s_cbranch_scc1 .Ljoin
	v_mov_b32_e32 v5, v0
.Ljoin:
	v_and_b32_e32 v0, 0x3ff, v0
	v_bfe_u32 v1, v5, 20, 10
	s_endpgm
; == near miss: z
	.amdhsa_system_vgpr_workitem_id 2
	v_bfe_u32 v1, v0, 20, 10
	s_endpgm
; == near miss: something else was put there
	v_lshlrev_b32_e32 v0, 4, v0
	v_bfe_u32 v1, v0, 10, 10
	s_endpgm
; == near miss: other bits
	v_bfe_u32 v1, v0, 0, 10
	v_bfe_u32 v2, v0, 4, 6
	v_bfe_u32 v3, v1, 10, 10
	s_endpgm

; expected:
trigger: y on gfx1100 wave32:
  error[unfilled-work-item-id] at +0x0: `v_bfe_u32 v1, v0, 10, 10`: it reads the y part of the work-item id, which the descriptor does not ask for; fix: .amdhsa_system_vgpr_workitem_id 1
near miss: y on gfx1100 wave32: silent
trigger: z, through a copy, on one path on gfx1100 wave32:
  error[unfilled-work-item-id] at +0x10: `v_bfe_u32 v1, v5, 20, 10`: it reads the z part of the work-item id, which the descriptor does not ask for; fix: .amdhsa_system_vgpr_workitem_id 2
near miss: z on gfx1100 wave32: silent
near miss: something else was put there on gfx1100 wave32: silent
near miss: other bits on gfx1100 wave32: silent
