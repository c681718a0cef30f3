	.data
	.macro plain x, y
	.byte \x
	.byte \y + 0
	.endm
	plain 1, 2
	plain 1 2
	plain y=7, x=1+1
	plain x = 3 y = (2 + 3)
	.macro first x=3, y
	.byte \x, \y
	.endm
	first ,4
	first 1,2
	first y=9
	.macro need x:req, rest:vararg
	.byte \x
	.ifnb \rest
	.byte \rest
	.endif
	.endm
	need 1
	need 1, 2, 3
	.macro quoted x="1,2", y
	.byte \x
	.ascii "\y"
	.endm
	quoted "3, 4", "a b"
	quoted y=c
	.macro counts
	.byte \+, \@
	.endm
	counts
	counts
	.macro leaves x
	.byte \x
	.if \x
	.exitm
	.endif
	.byte 9
	.endm
	leaves 1
	leaves 0
	.macro move d, s
	s_mov_b64 \d, \s
	.endm
	.p2align 2, 0
	move s[0:1], s[2:3]
	move s[0:1] s[2:3]
	.macro line a:vararg
	\a
	.endm
	line global_load_b32 v0, v[0:1], off offset:4
	.macro down n
	.byte \n
	.if \n
	down (\n-1)
	.endif
	.endm
	down 19
	.purgem down
	.macro down
	.byte 77
	.endm
	down
	.rept 3
	.byte \+
	.endr
	.irp x, 1, 2 3
	.byte \x
	.endr
	.irp x, "1,2", 3
	.byte \x
	.endr
	.irpc c, 123
	.irp d, 4, 5
	.byte \c\d
	.endr
	.endr
	.altmacro
	.macro alt x, y
	.byte x, \x, y
	.endm
	alt %(2+3), <7>
	.noaltmacro
	.ifeqs "a", "a"
	.byte 1
	.endif
	.ifnes "a", "b"
	.byte 2
	.endif

//= .data 32b8
//= : 0102010202070305030401020309010102030304612062010263000b010c010009000000020180be020180be040052dc
//= : 00007c00131211100f0e0d0c0b0a090807060504030201004d0001020102030102030e0f181922230505070102
//= .dynamic 2248
//= : 060000000000000000020000000000000b00000000000000180000000000000005000000000000004402000000000000
//= : 0a000000000000000100000000000000f5feff6f00000000180200000000000004000000000000003402000000000000
//= : 00000000000000000000000000000000
//= .dynstr 244
//= : 00
//= .dynsym 200
//= : 000000000000000000000000000000000000000000000000
//= .gnu.hash 218
//= : 0100000001000000010000001a000000000000000000000000000000
//= .hash 234
//= : 01000000010000000000000000000000
//= .text 1248
