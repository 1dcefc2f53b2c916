package gobinary

import (
	"encoding/json"
	"fmt"
	"os"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
)

// columnReader keeps the first error.
type columnReader struct {
	offsets []uint32
	bytes   []uint8
	err     error
}

func take[T any](r *columnReader, read func(string) ([]T, error), name string) []T {
	if r.err != nil {
		return nil
	}
	values, err := read(name)
	r.err = err
	return values
}

func (r *columnReader) expect(fits bool) {
	if r.err == nil && !fits {
		r.err = inputerror.New("inconsistent-binary", "The columns of this executable do not fit together. Decode the original again.")
	}
}

func (r *columnReader) text(number uint32) string {
	r.expect(uint64(number)+1 < uint64(len(r.offsets)))
	if r.err != nil {
		return ""
	}
	return string(r.bytes[r.offsets[number]:r.offsets[number+1]])
}

// grows reports whether offsets begin at 0, never fall, and end at the end.
func grows(offsets []uint32, end int) bool {
	if len(offsets) == 0 || offsets[0] != 0 || int64(offsets[len(offsets)-1]) != int64(end) {
		return false
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return false
		}
	}
	return true
}

// LoadFile reads the columns at a path.
func LoadFile(path string) (*Program, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Load(data)
}

// Load reads the columns that Write wrote. Errors of the input are
// *inputerror.InputError.
func Load(data []byte) (*Program, error) {
	c, err := slowcol.Read(data)
	if err != nil {
		return nil, err
	}
	if err := c.Expect(Format, Version); err != nil {
		return nil, err
	}
	var head header
	if err := json.Unmarshal(c.Header, &head); err != nil {
		return nil, inputerror.New("bad-columns-header", "The header is not that of an executable: %v. Decode the original again.", err)
	}
	r := &columnReader{}
	r.offsets, r.bytes = take(r, c.Uint32s, "strings_offset"), take(r, c.Uint8s, "strings_bytes")
	r.expect(grows(r.offsets, len(r.bytes)))
	functions, calls := r.functionColumns(c), r.callColumns(c)
	r.expect(grows(functions.callOffset, len(calls.pc)) && len(functions.callOffset) == len(functions.name)+1)
	p := &Program{
		GoVersion: head.GoVersion, Arch: head.Arch, BuildID: head.BuildID, PGO: head.PGO, Settings: head.Settings, Damaged: head.Damaged,
		Functions: r.functions(functions),
	}
	if r.err != nil {
		return nil, r.err
	}
	p.code = &storedCalls{p, functions, calls}
	return p, nil
}

func (r *columnReader) functionColumns(c *slowcol.Container) functionColumns {
	all := functionColumns{
		name: take(r, c.Uint32s, "function_name"), entry: take(r, c.Uint64s, "function_entry"), size: take(r, c.Uint32s, "function_size"),
		frame: take(r, c.Int32s, "function_frame"), file: take(r, c.Uint32s, "function_file"), startLine: take(r, c.Int32s, "function_line"),
		flags: take(r, c.Uint8s, "function_flags"), inlinedOffset: take(r, c.Uint32s, "function_inlined"), callOffset: take(r, c.Uint32s, "function_calls"),
		inlinedName: take(r, c.Uint32s, "inlined_name"), inlinedParent: take(r, c.Int32s, "inlined_parent"),
		inlinedCallLine: take(r, c.Int32s, "inlined_call_line"), inlinedStarted: take(r, c.Int32s, "inlined_line"),
	}
	count, nodes := len(all.name), len(all.inlinedName)
	r.expect(len(all.entry) == count && len(all.size) == count && len(all.frame) == count && len(all.file) == count &&
		len(all.startLine) == count && len(all.flags) == count && len(all.inlinedOffset) == count+1)
	r.expect(len(all.inlinedParent) == nodes && len(all.inlinedCallLine) == nodes && len(all.inlinedStarted) == nodes && grows(all.inlinedOffset, nodes))
	return all
}

func (r *columnReader) callColumns(c *slowcol.Container) callColumns {
	all := callColumns{
		pc: take(r, c.Uint32s, "call_pc"), line: take(r, c.Int32s, "call_line"), inline: take(r, c.Int32s, "call_inline"),
		delta: take(r, c.Int32s, "call_delta"), target: take(r, c.Int32s, "call_target"), offset: take(r, c.Int32s, "call_offset"),
		flags: take(r, c.Uint8s, "call_flags"),
	}
	count := len(all.pc)
	r.expect(len(all.line) == count && len(all.inline) == count && len(all.delta) == count && len(all.target) == count &&
		len(all.offset) == count && len(all.flags) == count)
	return all
}

// functions makes the functions; trees must be acyclic.
func (r *columnReader) functions(c functionColumns) []Function {
	if r.err != nil {
		return nil
	}
	functions := make([]Function, len(c.name))
	for i := range functions {
		f := &functions[i]
		*f = Function{
			Name: r.text(c.name[i]), Entry: c.entry[i], Size: c.size[i], Frame: c.frame[i], File: r.text(c.file[i]),
			StartLine: c.startLine[i], Wrapper: c.flags[i]&flagWrapper != 0,
		}
		r.expect(i == 0 || functions[i-1].Entry <= f.Entry)
		first, end := c.inlinedOffset[i], c.inlinedOffset[i+1]
		if first == end {
			continue
		}
		f.Inlined = make([]InlinedFunction, end-first)
		for k := range f.Inlined {
			at := first + uint32(k)
			f.Inlined[k] = InlinedFunction{r.text(c.inlinedName[at]), c.inlinedParent[at], c.inlinedCallLine[at], c.inlinedStarted[at]}
			r.expect(c.inlinedParent[at] >= -1 && int64(c.inlinedParent[at]) < int64(len(f.Inlined)))
		}
		r.expect(r.err == nil && acyclic(f.Inlined))
	}
	return functions
}

// storedCalls gives the code of functions from columns.
type storedCalls struct {
	program   *Program
	functions functionColumns
	calls     callColumns
}

func (s *storedCalls) read(function int) (Code, error) {
	if function < 0 || function >= len(s.functions.name) {
		return Code{}, fmt.Errorf("function %d of %d", function, len(s.functions.name))
	}
	flags := s.functions.flags[function]
	code := Code{Checked: flags&flagChecked != 0, Complete: flags&flagComplete != 0}
	f, c := &s.program.Functions[function], &s.calls
	for i := s.functions.callOffset[function]; i < s.functions.callOffset[function+1]; i++ {
		call := Call{
			PC: f.Entry + uint64(c.pc[i]), Line: c.line[i], Inline: c.inline[i], StackDelta: c.delta[i], Target: c.target[i],
			Tail: c.flags[i]&flagTail != 0, Indirect: IndirectKind(c.flags[i] >> 1), Offset: c.offset[i],
		}
		if int64(call.Inline) >= int64(len(f.Inlined)) || int64(call.Target) >= int64(len(s.program.Functions)) || call.Indirect > IndirectUnknown {
			return Code{}, inputerror.New("inconsistent-binary", "A call of function %d names what does not exist. Decode the original again.", function)
		}
		code.Calls = append(code.Calls, call)
	}
	return code, nil
}
