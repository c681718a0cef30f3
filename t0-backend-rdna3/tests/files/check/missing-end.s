; test check missing-end
; == trigger
	s_nop 0
; == near miss
	s_nop 0
	s_endpgm
; == trigger: a branch into the padding
	s_cbranch_scc0 .Lpad
	s_endpgm
.Lpad:
; == trigger: into the next function
	s_nop 0
.Lend:
	.size k, .Lend-k
	.type f,@function
f:
	s_endpgm
.Lfend:
	.size f, .Lfend-f
; == near miss: a trap never comes back
	s_cbranch_scc0 .Ltrap
	s_endpgm
.Ltrap:
	s_trap 2
; == near miss: an endless loop
.Lhead:
	s_sleep 1
	s_branch .Lhead
; == trigger: behind the freeing of the registers
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_nop 0

; expected:
trigger on gfx1100 wave32:
  error[missing-end] at +0x0: `s_nop 0`: control runs on after this instruction, and the code ends there; fix: s_endpgm after it
near miss on gfx1100 wave32: silent
trigger: a branch into the padding on gfx1100 wave32:
  error[missing-end] at +0x0: `s_cbranch_scc0 1`: control comes to the padding at 0x1308; fix: s_endpgm at the end of every path
trigger: into the next function on gfx1100 wave32:
  error[missing-end] at +0x0: `s_nop 0`: control runs on after this instruction, and the code ends there; fix: s_endpgm after it
near miss: a trap never comes back on gfx1100 wave32: silent
near miss: an endless loop on gfx1100 wave32: silent
trigger: behind the freeing of the registers on gfx1100 wave32:
  error[missing-end] at +0x8: `s_nop 0`: control runs on after this instruction, and the code ends there; fix: s_endpgm after it
