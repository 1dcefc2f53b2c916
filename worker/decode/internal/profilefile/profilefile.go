// Package profilefile is the decoded form of one profile: what everything
// after the decoder reads, and what the export turns back into pprof.
package profilefile

import (
	"fmt"
	"io"
	"slices"

	"slowpath.dev/decode/internal/slowcol"
)

const (
	// Format and Version name the file format.
	Format  = "slowpath.profile"
	Version = 2
	// None marks where a node has no parent or no function: the root.
	None = ^uint32(0)
)

// ValueType names what is counted and its unit.
type ValueType struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
}

// Mapping is one loaded binary.
type Mapping struct {
	File    string `json:"file"`
	BuildID string `json:"build_id"`
}

// Counts holds counts of the input.
type Counts struct {
	Samples   int64 `json:"samples"`
	Locations int64 `json:"locations"`
	Functions int64 `json:"functions"`
	Stacks    int64 `json:"stacks"`
	FramesMax int64 `json:"frames_max"`
}

// Source describes what was read.
type Source struct {
	Bytes         int64  `json:"bytes"`
	BytesUnpacked int64  `json:"bytes_unpacked"`
	Encoding      string `json:"encoding"`
	Dialect       string `json:"dialect"`
}

// Header is everything that is not a column.
type Header struct {
	SampleTypes       []ValueType `json:"sample_types"`
	DefaultSampleType int         `json:"default_sample_type"`
	Period            int64       `json:"period"`
	PeriodType        ValueType   `json:"period_type"`
	TimeNs            int64       `json:"time_ns"`
	DurationNs        int64       `json:"duration_ns"`
	Kind              string      `json:"kind"`
	Mappings          []Mapping   `json:"mappings"`
	Comments          []string    `json:"comments"`
	DropFrames        string      `json:"drop_frames"`
	KeepFrames        string      `json:"keep_frames"`
	Counts            Counts      `json:"counts"`
	CutSamples        int64       `json:"cut_samples"`
	Warnings          []string    `json:"warnings"`
	Source            Source      `json:"source"`
	Growth            *Growth     `json:"growth,omitempty"` // of kind growth only
}

// File is a whole decoded profile. Both trees are in preorder with node 0 as
// root. Siblings are ordered by key, or by function and line; functions by key,
// name, file and start line; labels by key and value; strings by bytes. What no
// sample uses is left out. So the same multiset of samples yields the same
// columns, in whatever order and under whatever ids the input held them.
type File struct {
	Header Header

	StringsOffset []uint32
	StringsBytes  []byte

	FunctionName      []uint32
	FunctionKey       []uint32
	FunctionFile      []uint32
	FunctionStartLine []int32

	Nodes   Tree
	NodeKey []uint32

	LineNodes     Tree
	LineNodeFrame []uint32
	FrameFunction []uint32
	FrameLine     []int32

	SampleNode     []uint32
	SampleLineNode []uint32
	SampleLabelset []uint32 // nil when no sample has labels
	Values         [][]int64

	LabelsetOffset []uint32
	LabelsetLabel  []uint32
	LabelKey       []uint32
	LabelValue     []uint32

	LabelsetValues [][]int64 // sums of every set; of brief files of kind cpu only

	Summary
}

// Summary is what comparisons read first; all of it follows from the rest of
// the file. Values are by sample type. Totals count recursion once.
type Summary struct {
	StackNode   []uint32 // distinct stacks of keys, in preorder
	StackHash   []uint64
	StackDepth  []uint32 // frames
	StackValues [][]int64

	KeyString []uint32 // keys in use
	KeySelf   [][]int64
	KeyTotal  [][]int64

	SpotKey   []uint32 // lines in use: key and line, in that order
	SpotLine  []int32
	SpotSelf  [][]int64
	SpotTotal [][]int64

	// Calls that the compiler inlined: keys of caller and callee, and the line of
	// the call, in that order. Nil if there are none.
	InlinedCaller []uint32
	InlinedLine   []int32
	InlinedCallee []uint32
}

// Write writes the file as a columnar container.
func (f *File) Write(w io.Writer) error {
	return slowcol.Write(w, Format, Version, f.Header, append(f.columns(), f.summary()...))
}

// WriteBrief leaves out what only pictures and exports need: a comparison that
// draws nothing reads a tenth.
func (f *File) WriteBrief(w io.Writer) error {
	retained := slices.Concat(f.texts(), f.Nodes.columns("node"), []slowcol.Column{narrowed("node_key", f.NodeKey)}, f.stacks())
	if f.LabelsetValues != nil {
		retained = append(append(retained, f.labelsets()...), valueColumns("labelset_value", f.LabelsetValues)...)
	}
	return slowcol.Write(w, Format, Version, f.Header, retained)
}

func (f *File) texts() []slowcol.Column {
	return []slowcol.Column{
		{Name: "strings_offset", Data: f.StringsOffset},
		{Name: "strings_bytes", Data: f.StringsBytes},
		{Name: "function_name", Data: f.FunctionName},
		{Name: "function_key", Data: f.FunctionKey},
		{Name: "function_file", Data: f.FunctionFile},
		{Name: "function_start_line", Data: f.FunctionStartLine},
	}
}

// valueColumns names one column by sample type.
func valueColumns(name string, values [][]int64) []slowcol.Column {
	var columns []slowcol.Column
	for i, each := range values {
		columns = append(columns, slowcol.Column{Name: fmt.Sprintf("%s_%d", name, i), Data: each})
	}
	return columns
}

func (f *File) stacks() []slowcol.Column {
	return slices.Concat(
		[]slowcol.Column{{Name: "stack_node", Data: f.StackNode}, {Name: "stack_hash", Data: f.StackHash}, {Name: "stack_depth", Data: f.StackDepth}},
		valueColumns("stack_value", f.StackValues),
		[]slowcol.Column{{Name: "key_string", Data: f.KeyString}},
		valueColumns("key_self", f.KeySelf), valueColumns("key_total", f.KeyTotal),
	)
}

// summary is nothing in a file that was made without.
func (f *File) summary() []slowcol.Column {
	if f.StackNode == nil {
		return nil
	}
	columns := slices.Concat(f.stacks(),
		[]slowcol.Column{{Name: "spot_key", Data: f.SpotKey}, {Name: "spot_line", Data: f.SpotLine}},
		valueColumns("spot_self", f.SpotSelf), valueColumns("spot_total", f.SpotTotal),
	)
	if f.InlinedCaller == nil {
		return columns
	}
	return append(columns,
		slowcol.Column{Name: "inlined_caller", Data: f.InlinedCaller},
		slowcol.Column{Name: "inlined_line", Data: f.InlinedLine},
		slowcol.Column{Name: "inlined_callee", Data: f.InlinedCallee},
	)
}

func (f *File) columns() []slowcol.Column {
	columns := slices.Concat(f.texts(), f.Nodes.columns("node"), f.LineNodes.columns("line_node"), []slowcol.Column{
		narrowed("node_key", f.NodeKey),
		narrowed("line_node_frame", f.LineNodeFrame),
		{Name: "frame_function", Data: f.FrameFunction},
		{Name: "frame_line", Data: f.FrameLine},
		{Name: "sample_node", Data: f.SampleNode},
		{Name: "sample_line_node", Data: f.SampleLineNode},
	}, valueColumns("value", f.Values))
	if f.SampleLabelset == nil {
		return columns
	}
	return append(append(columns, slowcol.Column{Name: "sample_labelset", Data: f.SampleLabelset}), f.labelsets()...)
}

func (f *File) labelsets() []slowcol.Column {
	return []slowcol.Column{
		{Name: "labelset_offset", Data: f.LabelsetOffset},
		{Name: "labelset_label", Data: f.LabelsetLabel},
		{Name: "label_key", Data: f.LabelKey},
		{Name: "label_value", Data: f.LabelValue},
	}
}

// String returns string i of the table.
func (f *File) String(i uint32) string {
	return string(f.StringsBytes[f.StringsOffset[i]:f.StringsOffset[i+1]])
}
