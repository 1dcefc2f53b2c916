package gobinary

import (
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"

	"slowpath.dev/decode/internal/inputerror"
)

// undecoded is the text of bytes that the disassembler does not know.
const undecoded = "?"

// Instruction is one machine instruction in the syntax of Go's assembler.
type Instruction struct {
	Offset uint32 // from the function's entry
	Text   string // jumps inside the function name the offset of their target
	Op     string
	Shape  string // operation and kinds of operands, without registers, numbers and addresses
	File   string // of the code that it was made of
	Line   int32
	Inline int32 // index in Function.Inlined of the code that it was made of, -1 for the function itself
	Target int32 // index in Functions of what is called or jumped to, -1 for none
}

// decoded is one instruction; target is the address of a direct jump or call.
type decoded struct {
	size            uint32
	text, op, shape string
	target          uint64
}

// Disassemble returns the instructions of a function, at most limit, and the bytes
// of the rest. Only a Program of an executable has them, not one of columns.
func (p *Program) Disassemble(function, limit int) (found []Instruction, rest uint32, err error) {
	in, ok := p.code.(*instructions)
	if !ok || function < 0 || function >= len(in.records) {
		return nil, 0, inputerror.New("no-instructions", "The columns of an executable contain no instructions. Name the executable itself.")
	}
	one, f := in.records[function], &p.Functions[function]
	code := in.table.code[one.entry : one.entry+f.Size]
	files, _ := in.table.all(one.file, one.size)
	lines, _ := in.table.all(one.line, one.size)
	nodes, _ := in.table.all(one.inlined, one.size)
	names := map[int32]string{}
	at := uint32(0)
	for at < f.Size && len(found) < limit {
		next := p.decode(code[at:], f.Entry+uint64(at))
		each := Instruction{Offset: at, Text: next.text, Op: next.op, Shape: next.shape, Line: valueAt(lines, at, 0), Inline: -1, Target: -1}
		if node := valueAt(nodes, at, -1); node >= 0 && int(node) < len(f.Inlined) {
			each.Inline = node
		}
		number := valueAt(files, at, -1)
		if _, known := names[number]; !known {
			names[number] = cleaned(in.table.file(one.unit, number, DefaultLimits().Text))
		}
		each.File = names[number]
		p.resolve(&each, next.target, f)
		found = append(found, each)
		at += next.size
	}
	return found, f.Size - min(at, f.Size), nil
}

// resolve names the target of a jump or call.
func (p *Program) resolve(each *Instruction, target uint64, f *Function) {
	if target == 0 {
		return
	}
	if offset := target - f.Entry; offset > 0 && offset < uint64(f.Size) {
		operands := each.Text[:strings.LastIndexByte(each.Text, ' ')+1]
		each.Text = fmt.Sprintf("%s+%#x", operands, offset)
		return
	}
	each.Target = p.FunctionAt(target)
}

func (p *Program) decode(code []byte, pc uint64) decoded {
	if p.Arch == "arm64" {
		return decodeARM64(code, pc, p.symbol)
	}
	return decodeAMD64(code, pc, p.symbol)
}

// symbol returns the function that an address is in, and its entry.
func (p *Program) symbol(addr uint64) (name string, entry uint64) {
	if i := p.FunctionAt(addr); i >= 0 {
		return p.Functions[i].Name, p.Functions[i].Entry
	}
	return "", 0
}

func decodeAMD64(code []byte, pc uint64, symbol x86asm.SymLookup) decoded {
	inst, err := x86asm.Decode(code, 64)
	if err != nil || inst.Len == 0 {
		return decoded{1, fmt.Sprintf("%s %#02x", undecoded, code[0]), undecoded, undecoded, 0}
	}
	one := decoded{size: uint32(inst.Len), text: x86asm.GoSyntax(inst, pc, symbol), op: inst.Op.String()}
	kinds := []string{one.op}
	for _, arg := range inst.Args {
		switch arg := arg.(type) {
		case x86asm.Rel:
			one.target = pc + uint64(inst.Len) + uint64(int64(arg))
			kinds = append(kinds, "address")
		case x86asm.Reg:
			kinds = append(kinds, "register")
		case x86asm.Mem:
			kinds = append(kinds, "memory")
		case x86asm.Imm:
			kinds = append(kinds, "number")
		}
	}
	one.shape = fmt.Sprintf("%s %d", strings.Join(kinds, " "), inst.DataSize)
	return one
}

func decodeARM64(code []byte, pc uint64, symbol func(uint64) (string, uint64)) decoded {
	inst, err := arm64asm.Decode(code)
	if err != nil {
		size := min(4, len(code))
		return decoded{uint32(size), fmt.Sprintf("%s %#x", undecoded, code[:size]), undecoded, undecoded, 0}
	}
	one := decoded{size: 4, text: arm64asm.GoSyntax(inst, pc, symbol, nil), op: inst.Op.String()}
	kinds := []string{one.op}
	for _, arg := range inst.Args {
		if arg == nil {
			break
		}
		if distance, ok := arg.(arm64asm.PCRel); ok && isBranchARM64(inst.Op) {
			one.target = pc + uint64(int64(distance))
		}
		kinds = append(kinds, fmt.Sprintf("%T", arg))
	}
	one.shape = strings.Join(kinds, " ")
	return one
}

func isBranchARM64(op arm64asm.Op) bool {
	switch op {
	case arm64asm.B, arm64asm.BL, arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		return true
	}
	return false
}

func cleaned(name string) string {
	if isClean(name) {
		return name
	}
	return strings.Map(printable, strings.ToValidUTF8(name, "\uFFFD"))
}

// AddressOf returns the address for which the program was linked of one in a
// process, by where the process mapped the file from which offset; false if no
// loaded segment has it.
func (p *Program) AddressOf(addr, start, offset uint64) (uint64, bool) {
	if start == 0 && offset == 0 {
		return addr, true
	}
	place := addr - start + offset
	for _, part := range p.segments {
		if place >= part.Offset && place-part.Offset < part.Size {
			return part.Addr + place - part.Offset, true
		}
	}
	return 0, false
}
