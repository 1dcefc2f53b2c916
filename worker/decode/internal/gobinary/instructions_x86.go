package gobinary

import "golang.org/x/arch/x86/x86asm"

// transfersAMD64 finds calls and jumps out of a function; complete is whether every
// instruction was decoded.
func transfersAMD64(code []byte, entry uint64) (found []transfer, complete bool) {
	complete = true
	var loaded origins
	for at := 0; at < len(code); {
		inst, err := x86asm.Decode(code[at:], 64)
		if err != nil || inst.Len == 0 {
			complete = false
			loaded.forget()
			at++
			continue
		}
		next := at + inst.Len
		switch {
		case inst.Op == x86asm.CALL || inst.Op == x86asm.LCALL:
			found = append(found, callAMD64(inst, &loaded, uint32(at), entry+uint64(next)))
			loaded.forget()
		case isJump(inst):
			if target := entry + uint64(next) + uint64(int64(inst.Args[0].(x86asm.Rel))); target-entry >= uint64(len(code)) {
				found = append(found, transfer{offset: uint32(at), target: target, tail: true})
			}
		default:
			loaded.followAMD64(inst)
		}
		at = next
	}
	return found, complete
}

func isJump(inst x86asm.Inst) bool {
	_, relative := inst.Args[0].(x86asm.Rel)
	return relative
}

func callAMD64(inst x86asm.Inst, loaded *origins, offset uint32, next uint64) transfer {
	call := transfer{offset: offset, indirect: IndirectUnknown}
	switch target := inst.Args[0].(type) {
	case x86asm.Rel:
		call.indirect, call.target = IndirectNone, next+uint64(int64(target))
	case x86asm.Reg:
		call.indirect, call.slot = loaded.call(register(target))
	case x86asm.Mem:
		if isObject(target) {
			call.indirect, call.slot = slotKind(target.Disp)
		}
	}
	return call
}

// followAMD64 follows code pointers through one instruction. What is written
// without being the first operand (MUL, XCHG) is not code that Go generates for
// code pointers.
func (o *origins) followAMD64(inst x86asm.Inst) {
	written, ok := inst.Args[0].(x86asm.Reg)
	to := register(written)
	if !ok || to < 0 || inst.Op == x86asm.CMP || inst.Op == x86asm.TEST || inst.Op == x86asm.PUSH {
		return
	}
	wide := inst.Op == x86asm.MOV && written >= x86asm.RAX && written <= x86asm.R15
	switch from := inst.Args[1].(type) {
	case x86asm.Mem:
		o.known[to], o.offset[to] = wide && isObject(from), from.Disp
	case x86asm.Reg:
		if source := register(from); wide && source >= 0 {
			o.known[to], o.offset[to] = o.known[source], o.offset[source]
			return
		}
		o.known[to] = false
	default:
		o.known[to] = false
	}
}

// isObject reports whether memory is a field of an object that a register points
// to, not of the stack.
func isObject(mem x86asm.Mem) bool {
	return mem.Segment == 0 && mem.Index == 0 && mem.Base >= x86asm.RAX && mem.Base <= x86asm.R15 && mem.Base != x86asm.RSP
}

// register returns the number of a general register of any width, -1 for others.
func register(r x86asm.Reg) int {
	switch {
	case r >= x86asm.RAX && r <= x86asm.R15:
		return int(r - x86asm.RAX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return int(r - x86asm.EAX)
	case r >= x86asm.AX && r <= x86asm.R15W:
		return int(r - x86asm.AX)
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return int(r-x86asm.SPB) + 4
	case r >= x86asm.AL && r <= x86asm.BL:
		return int(r - x86asm.AL)
	case r >= x86asm.AH && r <= x86asm.BH:
		return int(r - x86asm.AH)
	}
	return -1
}
