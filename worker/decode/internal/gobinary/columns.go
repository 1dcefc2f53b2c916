package gobinary

import (
	"io"
	"strings"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
)

// Format and Version name the columns that Write writes.
const (
	Format  = "slowpath.binary"
	Version = 1
)

const (
	flagWrapper  = 1 << 0
	flagChecked  = 1 << 1
	flagComplete = 1 << 2
	flagTail     = 1 << 0 // of a call; its IndirectKind follows
)

// header is what the columns' header tells beside the columns.
type header struct {
	GoVersion string            `json:"go_version"`
	Arch      string            `json:"arch"`
	BuildID   string            `json:"build_id"`
	PGO       string            `json:"pgo"`
	Settings  map[string]string `json:"settings"`
	Damaged   int               `json:"damaged"`
	Functions int               `json:"functions"`
	Inlined   int               `json:"inlined"`
	Calls     int               `json:"calls"`
	Segments  []place           `json:"segments,omitempty"`
}

// textNumbers numbers texts; the empty one is 0.
type textNumbers struct {
	numbers map[string]uint32
	bytes   strings.Builder
	offsets []uint32
	limit   int64
}

func newTextNumbers(limit int64) *textNumbers {
	return &textNumbers{numbers: map[string]uint32{"": 0}, offsets: []uint32{0, 0}, limit: limit}
}

func (t *textNumbers) of(text string) uint32 {
	n, known := t.numbers[text]
	if !known && int64(t.bytes.Len()) <= t.limit {
		n = uint32(len(t.offsets) - 1)
		t.numbers[text] = n
		t.bytes.WriteString(text)
		t.offsets = append(t.offsets, uint32(t.bytes.Len()))
	}
	return n
}

// functionColumns are the columns of functions and of their inline trees.
type functionColumns struct {
	name, size, file, inlinedOffset, callOffset []uint32
	entry                                       []uint64
	frame, startLine                            []int32
	flags                                       []uint8

	inlinedName                                    []uint32
	inlinedParent, inlinedCallLine, inlinedStarted []int32
}

// callColumns are the columns of calls; pc counts from the function's entry.
type callColumns struct {
	pc                                  []uint32
	line, inline, delta, target, offset []int32
	flags                               []uint8
}

// Write writes functions, inline trees and the calls of all functions as columns.
func (p *Program) Write(w io.Writer, limits Limits) error {
	texts := newTextNumbers(min(limits.Strings, 1<<31))
	var functions functionColumns
	var calls callColumns
	for i := range p.Functions {
		f := &p.Functions[i]
		code, err := p.code.read(i)
		if err != nil {
			return err
		}
		functions.callOffset = append(functions.callOffset, uint32(len(calls.pc)))
		functions.add(f, code, texts)
		for _, call := range code.Calls {
			calls.add(f, call)
		}
	}
	functions.callOffset = append(functions.callOffset, uint32(len(calls.pc)))
	functions.inlinedOffset = append(functions.inlinedOffset, uint32(len(functions.inlinedName)))
	if size := int64(texts.bytes.Len()); size > texts.limit {
		return inputerror.New("names-too-long", "The names of the executable have more than %d bytes. Upload a smaller executable.", texts.limit).
			WithLimit(texts.limit, size, "bytes")
	}
	extras := header{
		p.GoVersion, p.Arch, p.BuildID, p.PGO, p.Settings, p.Damaged, len(p.Functions), len(functions.inlinedName), len(calls.pc), p.segments,
	}
	columns := []slowcol.Column{{Name: "strings_offset", Data: texts.offsets}, {Name: "strings_bytes", Data: []uint8(texts.bytes.String())}}
	return slowcol.Write(w, Format, Version, extras, append(append(columns, functions.columns()...), calls.columns()...))
}

func (c *functionColumns) add(f *Function, code Code, texts *textNumbers) {
	flags := uint8(0)
	for flag, set := range map[uint8]bool{flagWrapper: f.Wrapper, flagChecked: code.Checked, flagComplete: code.Complete} {
		if set {
			flags |= flag
		}
	}
	c.name, c.entry = append(c.name, texts.of(f.Name)), append(c.entry, f.Entry)
	c.size, c.frame = append(c.size, f.Size), append(c.frame, f.Frame)
	c.file, c.startLine = append(c.file, texts.of(f.File)), append(c.startLine, f.StartLine)
	c.flags = append(c.flags, flags)
	c.inlinedOffset = append(c.inlinedOffset, uint32(len(c.inlinedName)))
	for _, node := range f.Inlined {
		c.inlinedName = append(c.inlinedName, texts.of(node.Name))
		c.inlinedParent = append(c.inlinedParent, node.Parent)
		c.inlinedCallLine = append(c.inlinedCallLine, node.CallLine)
		c.inlinedStarted = append(c.inlinedStarted, node.StartLine)
	}
}

func (c *callColumns) add(f *Function, call Call) {
	flags := uint8(call.Indirect) << 1
	if call.Tail {
		flags |= flagTail
	}
	c.pc, c.line = append(c.pc, uint32(call.PC-f.Entry)), append(c.line, call.Line)
	c.inline, c.delta = append(c.inline, call.Inline), append(c.delta, call.StackDelta)
	c.target, c.offset = append(c.target, call.Target), append(c.offset, call.Offset)
	c.flags = append(c.flags, flags)
}

func (c *functionColumns) columns() []slowcol.Column {
	return []slowcol.Column{
		{Name: "function_name", Data: c.name}, {Name: "function_entry", Data: c.entry}, {Name: "function_size", Data: c.size},
		{Name: "function_frame", Data: c.frame}, {Name: "function_file", Data: c.file}, {Name: "function_line", Data: c.startLine},
		{Name: "function_flags", Data: c.flags}, {Name: "function_inlined", Data: c.inlinedOffset}, {Name: "function_calls", Data: c.callOffset},
		{Name: "inlined_name", Data: c.inlinedName}, {Name: "inlined_parent", Data: c.inlinedParent},
		{Name: "inlined_call_line", Data: c.inlinedCallLine}, {Name: "inlined_line", Data: c.inlinedStarted},
	}
}

func (c *callColumns) columns() []slowcol.Column {
	return []slowcol.Column{
		{Name: "call_pc", Data: c.pc}, {Name: "call_line", Data: c.line}, {Name: "call_inline", Data: c.inline},
		{Name: "call_delta", Data: c.delta}, {Name: "call_target", Data: c.target}, {Name: "call_offset", Data: c.offset},
		{Name: "call_flags", Data: c.flags},
	}
}
