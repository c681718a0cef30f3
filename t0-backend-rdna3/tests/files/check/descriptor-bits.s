; test check descriptor-bits
; == trigger: LDS size
	; descriptor 52 = 0x00008000
	s_endpgm
; == trigger: reserved bytes
	; descriptor 12 = 0x1
	; descriptor 60 = 0x1
	s_endpgm
; == trigger: loads in any order
	; descriptor 48 = 0x20ac0003
	s_endpgm
; == near miss
	; descriptor 48 = 0x60ac0003
	s_endpgm
; == trigger: three ids and one more
	; descriptor 52 = 0x00001800
	s_endpgm
; == trigger: a scratch buffer, which these cards do not have
	; descriptor 56 = 0x00000401
	s_endpgm

; expected:
trigger: LDS size on gfx1100 wave32:
  error[descriptor-bits] in the descriptor: compute_pgm_rsrc2[23:15] (LDS size: set by the packet processor) must be 0, there is 0x1; fix: 0
trigger: reserved bytes on gfx1100 wave32:
  error[descriptor-bits] in the descriptor: bytes 12 to 15 must be 0, there is 0x1; fix: 0
  error[descriptor-bits] in the descriptor: bytes 60 to 63 must be 0, there is 0x1; fix: 0
trigger: loads in any order on gfx1100 wave32:
  error[descriptor-bits] in the descriptor: compute_pgm_rsrc1[30] (MEM_ORDERED) is 0: loads return in any order and waits for counts mean nothing; fix: .amdhsa_memory_ordered 1
near miss on gfx1100 wave32: silent
trigger: three ids and one more on gfx1100 wave32:
  error[descriptor-bits] in the descriptor: compute_pgm_rsrc2[12:11] is 3: work-items have three ids; fix: .amdhsa_system_vgpr_workitem_id 0, 1 or 2
trigger: a scratch buffer, which these cards do not have on gfx1100 wave32:
  error[descriptor-bits] in the descriptor: kernel_code_properties ask for a private segment buffer or flat scratch init: these cards keep the scratch base themselves; fix: .amdhsa_user_sgpr_private_segment_buffer 0 and .amdhsa_user_sgpr_flat_scratch_init 0
