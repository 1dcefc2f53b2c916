package gobinary

import (
	"encoding/json"
	"fmt"
	"os"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
)

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
	r := slowcol.NewColumnReader(inputerror.New("inconsistent-binary", "The columns of this executable do not fit together. Decode the original again."))
	r.ReadStrings(c)
	functions, calls := readFunctionColumns(r, c), readCallColumns(r, c)
	r.Expect(slowcol.Grows(functions.callOffset, len(calls.pc)) && len(functions.callOffset) == len(functions.name)+1)
	p := &Program{
		GoVersion: head.GoVersion, Arch: head.Arch, BuildID: head.BuildID, PGO: head.PGO, Settings: head.Settings, Damaged: head.Damaged,
		segments:  head.Segments,
		Functions: makeFunctions(r, functions),
	}
	if r.Err != nil {
		return nil, r.Err
	}
	p.code = &storedCalls{p, functions, calls}
	return p, nil
}

func readFunctionColumns(r *slowcol.ColumnReader, c *slowcol.Container) functionColumns {
	all := functionColumns{
		name: slowcol.Take(r, c.Uint32s, "function_name"), entry: slowcol.Take(r, c.Uint64s, "function_entry"), size: slowcol.Take(r, c.Uint32s, "function_size"),
		frame: slowcol.Take(r, c.Int32s, "function_frame"), file: slowcol.Take(r, c.Uint32s, "function_file"), startLine: slowcol.Take(r, c.Int32s, "function_line"),
		flags: slowcol.Take(r, c.Uint8s, "function_flags"), inlinedOffset: slowcol.Take(r, c.Uint32s, "function_inlined"), callOffset: slowcol.Take(r, c.Uint32s, "function_calls"),
		inlinedName: slowcol.Take(r, c.Uint32s, "inlined_name"), inlinedParent: slowcol.Take(r, c.Int32s, "inlined_parent"),
		inlinedCallLine: slowcol.Take(r, c.Int32s, "inlined_call_line"), inlinedStarted: slowcol.Take(r, c.Int32s, "inlined_line"),
	}
	count, nodes := len(all.name), len(all.inlinedName)
	r.Expect(len(all.entry) == count && len(all.size) == count && len(all.frame) == count && len(all.file) == count &&
		len(all.startLine) == count && len(all.flags) == count && len(all.inlinedOffset) == count+1)
	r.Expect(len(all.inlinedParent) == nodes && len(all.inlinedCallLine) == nodes && len(all.inlinedStarted) == nodes && slowcol.Grows(all.inlinedOffset, nodes))
	return all
}

func readCallColumns(r *slowcol.ColumnReader, c *slowcol.Container) callColumns {
	all := callColumns{
		pc: slowcol.Take(r, c.Uint32s, "call_pc"), line: slowcol.Take(r, c.Int32s, "call_line"), inline: slowcol.Take(r, c.Int32s, "call_inline"),
		delta: slowcol.Take(r, c.Int32s, "call_delta"), target: slowcol.Take(r, c.Int32s, "call_target"), offset: slowcol.Take(r, c.Int32s, "call_offset"),
		flags: slowcol.Take(r, c.Uint8s, "call_flags"),
	}
	count := len(all.pc)
	r.Expect(len(all.line) == count && len(all.inline) == count && len(all.delta) == count && len(all.target) == count &&
		len(all.offset) == count && len(all.flags) == count)
	return all
}

// makeFunctions makes the functions; trees must be acyclic.
func makeFunctions(r *slowcol.ColumnReader, c functionColumns) []Function {
	if r.Err != nil {
		return nil
	}
	functions := make([]Function, len(c.name))
	for i := range functions {
		f := &functions[i]
		*f = Function{
			Name: r.Text(c.name[i]), Entry: c.entry[i], Size: c.size[i], Frame: c.frame[i], File: r.Text(c.file[i]),
			StartLine: c.startLine[i], Wrapper: c.flags[i]&flagWrapper != 0,
		}
		r.Expect(i == 0 || functions[i-1].Entry <= f.Entry)
		first, end := c.inlinedOffset[i], c.inlinedOffset[i+1]
		if first == end {
			continue
		}
		f.Inlined = make([]InlinedFunction, end-first)
		for k := range f.Inlined {
			at := first + uint32(k)
			f.Inlined[k] = InlinedFunction{r.Text(c.inlinedName[at]), c.inlinedParent[at], c.inlinedCallLine[at], c.inlinedStarted[at]}
			r.Expect(c.inlinedParent[at] >= -1 && int64(c.inlinedParent[at]) < int64(len(f.Inlined)))
		}
		r.Expect(r.Err == nil && acyclic(f.Inlined))
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
