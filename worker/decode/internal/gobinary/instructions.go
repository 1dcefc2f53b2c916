package gobinary

import (
	"fmt"
	"sort"
	"strings"
)

// instructions gives the code of functions by reading their instructions.
type instructions struct {
	program *Program
	table   *table
	records []record
}

// transfer is an instruction that leaves the function: a call or a jump.
type transfer struct {
	offset   uint32 // from the function's entry
	target   uint64 // address, of a direct one
	tail     bool
	indirect IndirectKind
	slot     int32 // offset of the code pointer in its object
}

func (in *instructions) read(function int) (Code, error) {
	if function < 0 || function >= len(in.records) {
		return Code{}, fmt.Errorf("function %d of %d", function, len(in.records))
	}
	one := in.records[function]
	code := in.table.code[one.entry : one.entry+one.size]
	entry, size := in.program.Functions[function].Entry, in.program.Functions[function].Size
	var found []transfer
	complete := true
	if in.program.Arch == "arm64" {
		found = transfersARM64(code[:size], entry)
	} else {
		found, complete = transfersAMD64(code[:size], entry)
	}
	result := Code{Complete: complete}
	if len(found) == 0 {
		return result, nil
	}
	result.Calls = in.resolve(function, found)
	for _, call := range result.Calls {
		if call.Target >= 0 && strings.HasPrefix(in.program.Functions[call.Target].Name, "runtime.morestack") {
			result.Checked = true
		}
	}
	return result, nil
}

// resolve gives every transfer its target, line, inlined function and stack delta.
func (in *instructions) resolve(function int, found []transfer) []Call {
	one, f := in.records[function], &in.program.Functions[function]
	deltas, _ := in.table.all(one.stack, one.size)
	lines, _ := in.table.all(one.line, one.size)
	nodes, _ := in.table.all(one.inlined, one.size)
	calls := make([]Call, len(found))
	for i, it := range found {
		calls[i] = Call{
			PC: f.Entry + uint64(it.offset), Line: valueAt(lines, it.offset, 0), StackDelta: valueAt(deltas, it.offset, 0),
			Inline: -1, Target: -1, Tail: it.tail, Indirect: it.indirect, Offset: it.slot,
		}
		if node := valueAt(nodes, it.offset, -1); node >= 0 && int(node) < len(f.Inlined) {
			calls[i].Inline = node
		}
		if it.indirect == IndirectNone {
			calls[i].Target = in.program.FunctionAt(it.target)
		}
	}
	return calls
}

// FunctionAt returns the function that an address is in, -1 if it is in none.
func (p *Program) FunctionAt(addr uint64) int32 {
	i := sort.Search(len(p.Functions), func(i int) bool { return p.Functions[i].Entry > addr }) - 1
	if i < 0 || addr-p.Functions[i].Entry >= uint64(p.Functions[i].Size) {
		return -1
	}
	return int32(i)
}

// slotKind tells what kind of call uses a code pointer at an offset of its object.
func slotKind(offset int64) (IndirectKind, int32) {
	switch {
	case offset == 0:
		return IndirectClosure, 0
	case offset >= 24 && offset < 1<<20 && offset%8 == 0:
		return IndirectInterface, int32(offset)
	default:
		return IndirectUnknown, 0
	}
}

// origins records of each register at which offset of an object its value was loaded.
type origins struct {
	known  [32]bool
	offset [32]int64
}

func (o *origins) forget() { o.known = [32]bool{} }

func (o *origins) call(register int) (IndirectKind, int32) {
	if register < 0 || !o.known[register] {
		return IndirectUnknown, 0
	}
	return slotKind(o.offset[register])
}
