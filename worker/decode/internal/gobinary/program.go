// Package gobinary reads from a Go executable what the compiler made of each
// function: its frame, the functions inlined in it, its size and its calls.
//
// It reads the function table (pclntab), which stripping does not remove, and
// instructions. Nothing of the executable is run.
package gobinary

import "strings"

// Program is what is read of a Go executable.
//
// A Program is not safe for concurrent use: Code and Find store what they
// computed.
type Program struct {
	GoVersion string            // e.g. "go1.26.8"; empty when it is not recorded
	Arch      string            // "amd64" or "arm64"
	BuildID   string            // GNU build id in hex as profiles name it; without one, Go's build id
	PGO       string            // the -pgo setting: a path, not a digest
	PGOSHA256 string            // of the file at that path when the executable was built; not in the executable, empty if unknown
	Settings  map[string]string // build settings (-race, -gcflags, GOAMD64, ...)
	Functions []Function        // in the order of their entries
	Damaged   int               // functions whose tables could not be read: without frame, tree or lines

	segments []place // none in columns of earlier versions
	code     codeReader
	codes    map[int]Code
	byName   map[string][]int
}

// Function is one function of the table. Its code begins at Entry.
type Function struct {
	Name      string
	Entry     uint64
	Size      uint32 // bytes without trailing padding
	Frame     int32  // largest stack-pointer delta, bytes; without the return address on amd64
	File      string
	StartLine int32 // line of the declaration; 0 before Go 1.20
	Wrapper   bool  // made by the compiler (T.M-fm, gowrapN, promoted methods): left out of profiles
	Inlined   []InlinedFunction
}

// InlinedFunction is one node of a function's inline tree.
type InlinedFunction struct {
	Name      string
	Parent    int32 // index in Function.Inlined, -1 for the function itself
	CallLine  int32 // line of the call in the parent
	StartLine int32 // line of the declaration; 0 before Go 1.20
}

// IndirectKind is how an indirect call obtains its target.
type IndirectKind uint8

const (
	IndirectNone      IndirectKind = iota // a direct call
	IndirectClosure                       // code pointer at offset 0 of its object
	IndirectInterface                     // code pointer at offset 24 or more: a method of an itab
	IndirectUnknown                       // any other
)

// Call is a call instruction, or a jump out of the function.
type Call struct {
	PC         uint64
	Line       int32
	Inline     int32 // index in Function.Inlined of the code that calls, -1 for the function itself
	StackDelta int32 // stack-pointer delta at the call, bytes
	Target     int32 // index in Functions; -1 for an indirect call and for code outside the table (C)
	Tail       bool  // a jump, not a call
	Indirect   IndirectKind
	Offset     int32 // of the code pointer in its object; 0 unless Indirect is a closure or interface
}

// Code is what a function's instructions tell.
type Code struct {
	Calls    []Call // by PC
	Checked  bool   // calls runtime.morestack*: has a stack check
	Complete bool   // every instruction was decoded
}

// codeReader gives the code of one function: of instructions, or of columns.
type codeReader interface {
	read(function int) (Code, error)
}

// Code returns the calls of a function. What it returns must not be changed.
func (p *Program) Code(function int) (Code, error) {
	if code, ok := p.codes[function]; ok {
		return code, nil
	}
	code, err := p.code.read(function)
	if err != nil {
		return Code{}, err
	}
	if p.codes == nil {
		p.codes = map[int]Code{}
	}
	p.codes[function] = code
	return code, nil
}

// Find returns the indices of the functions of that name, type arguments folded
// to "[...]".
func (p *Program) Find(name string) []int {
	if p.byName == nil {
		p.byName = make(map[string][]int, len(p.Functions))
		for i := range p.Functions {
			folded := Fold(p.Functions[i].Name)
			p.byName[folded] = append(p.byName[folded], i)
		}
	}
	return p.byName[Fold(name)]
}

// Fold replaces what is between the first "[" and the last "]" by "...", as the
// runtime does in the names that it gives to profiles.
func Fold(name string) string {
	first, last := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if first < 0 || last <= first {
		return name
	}
	return name[:first] + "[...]" + name[last+1:]
}
