package gobinary

import "encoding/binary"

const stackPointerARM64 = 31

// transfersARM64 finds calls and jumps out of a function. Instructions are
// recognized by their fixed bits.
func transfersARM64(code []byte, entry uint64) (found []transfer) {
	var loaded origins
	for at := 0; at+4 <= len(code); at += 4 {
		word := binary.LittleEndian.Uint32(code[at:])
		pc := entry + uint64(at)
		switch {
		case word&0xfc000000 == 0x94000000: // BL
			found = append(found, transfer{offset: uint32(at), target: pc + relative(word, 0, 26)})
			loaded.forget()
		case word&0xfffffc1f == 0xd63f0000: // BLR
			call := transfer{offset: uint32(at)}
			call.indirect, call.slot = loaded.call(int(word >> 5 & 31))
			found = append(found, call)
			loaded.forget()
		case word&0x1c000000 == 0x14000000: // other branches
			if target, ok := branchARM64(word, pc); ok && target-entry >= uint64(len(code)) {
				found = append(found, transfer{offset: uint32(at), target: target, tail: true})
			}
		default:
			loaded.followARM64(word)
		}
	}
	return found
}

// branchARM64 returns the target of a branch to a fixed place.
func branchARM64(word uint32, pc uint64) (target uint64, ok bool) {
	switch {
	case word&0xfc000000 == 0x14000000: // B
		return pc + relative(word, 0, 26), true
	case word&0xff000010 == 0x54000000, word&0x7e000000 == 0x34000000: // B.cond, CBZ, CBNZ
		return pc + relative(word, 5, 19), true
	case word&0x7e000000 == 0x36000000: // TBZ, TBNZ
		return pc + relative(word, 5, 14), true
	}
	return 0, false
}

// relative returns a signed distance in bytes: a field counts instructions.
func relative(word uint32, shift, bits uint) uint64 {
	field := word >> shift << (32 - bits)
	return uint64(int64(int32(field)>>(32-bits)) * 4)
}

// followARM64 follows code pointers through one instruction.
func (o *origins) followARM64(word uint32) {
	to, base := word&31, word>>5&31
	switch {
	case word&0xffc00000 == 0xf9400000: // LDR Xt, [Xn, #imm]
		o.known[to], o.offset[to] = base != stackPointerARM64, int64(word>>10&0xfff)*8
	case word&0xffe0ffe0 == 0xaa0003e0: // MOV Xd, Xm
		o.known[to], o.offset[to] = o.known[word>>16&31], o.offset[word>>16&31]
	case word&0x0a000000 == 0x08000000: // other loads and stores
		if word&(1<<22) != 0 {
			o.known[to], o.known[word>>10&31] = false, false
		}
	default:
		o.known[to] = false
	}
	o.known[stackPointerARM64] = false
}
