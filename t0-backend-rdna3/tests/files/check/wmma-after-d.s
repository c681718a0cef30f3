; test check wmma-after-d
; == trigger: over the back edge of a loop
	.amdhsa_next_free_vgpr 32
.Lhead:
	v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[16:23], v[24:31]
	v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]
	s_cbranch_scc1 .Lhead
	s_endpgm
; == near miss: any VALU instruction between
	.amdhsa_next_free_vgpr 32
.Lhead:
	v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[16:23], v[24:31]
	v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]
	v_nop
	s_cbranch_scc1 .Lhead
	s_endpgm

; expected:
trigger: over the back edge of a loop on gfx1100 wave32:
  error[wmma-after-d] at +0x0: `v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[16:23], v[24:31]`: v0: A or B of a v_wmma overlaps D of the v_wmma before it, no VALU instruction in between (after `v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]`); fix: v_nop before it (see +0x8) [v0]
near miss: any VALU instruction between on gfx1100 wave32: silent
