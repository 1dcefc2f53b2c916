package profilefile

import (
	"encoding/json"
	"fmt"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
)

// Read reads a decoded profile and proves that its columns fit together, so
// that every index is valid afterwards. The summary is left where it
// is. Errors are faults.
func Read(data []byte) (*File, error) {
	c, err := slowcol.Read(data)
	if err != nil {
		return nil, err
	}
	if err := c.Expect(Format, Version); err != nil {
		return nil, err
	}
	f := &File{}
	if err := json.Unmarshal(c.Header, &f.Header); err != nil {
		return nil, inputerror.New("bad-columns-header", "The header is not that of a profile: %v.", err)
	}
	if err := f.readColumns(c); err != nil {
		return nil, err
	}
	return f, f.check()
}

func (f *File) readColumns(c *slowcol.Container) error {
	r := &slowcol.ColumnReader{}
	f.StringsOffset = slowcol.Take(r, c.Uint32s, "strings_offset")
	f.StringsBytes = slowcol.Take(r, c.Uint8s, "strings_bytes")
	f.FunctionName = slowcol.Take(r, c.Uint32s, "function_name")
	f.FunctionKey = slowcol.Take(r, c.Uint32s, "function_key")
	f.FunctionFile = slowcol.Take(r, c.Uint32s, "function_file")
	f.FunctionStartLine = slowcol.Take(r, c.Int32s, "function_start_line")
	f.NodeParent = slowcol.Take(r, c.Uint32s, "node_parent")
	f.NodeKey = slowcol.Take(r, c.Uint32s, "node_key")
	f.NodeHash = slowcol.Take(r, c.Uint64s, "node_hash")
	f.NodeSize = slowcol.Take(r, c.Uint32s, "node_size")
	f.LineNodeParent = slowcol.Take(r, c.Uint32s, "line_node_parent")
	f.LineNodeFunction = slowcol.Take(r, c.Uint32s, "line_node_function")
	f.LineNodeLine = slowcol.Take(r, c.Int32s, "line_node_line")
	f.LineNodeNode = slowcol.Take(r, c.Uint32s, "line_node_node")
	f.SampleLineNode = slowcol.Take(r, c.Uint32s, "sample_line_node")
	for i := range f.Header.SampleTypes {
		f.Values = append(f.Values, slowcol.Take(r, c.Int64s, fmt.Sprintf("value_%d", i)))
	}
	if c.Has("sample_labelset") {
		f.SampleLabelset = slowcol.Take(r, c.Uint32s, "sample_labelset")
		f.LabelsetOffset = slowcol.Take(r, c.Uint32s, "labelset_offset")
		f.LabelsetLabel = slowcol.Take(r, c.Uint32s, "labelset_label")
		f.LabelKey = slowcol.Take(r, c.Uint32s, "label_key")
		f.LabelValue = slowcol.Take(r, c.Uint32s, "label_value")
	}
	return r.Err
}

// check proves lengths and indexes.
func (f *File) check() error {
	functions, nodes, lines, samples := len(f.FunctionName), len(f.NodeParent), len(f.LineNodeParent), len(f.SampleLineNode)
	if !lengths(functions, len(f.FunctionKey), len(f.FunctionFile), len(f.FunctionStartLine)) ||
		!lengths(nodes, len(f.NodeKey), len(f.NodeHash), len(f.NodeSize)) ||
		!lengths(lines, len(f.LineNodeFunction), len(f.LineNodeLine), len(f.LineNodeNode)) ||
		nodes == 0 || lines == 0 || f.LineNodeParent[0] != None || f.NodeParent[0] != None ||
		f.SampleLabelset != nil && len(f.SampleLabelset) != samples || len(f.LabelKey) != len(f.LabelValue) {
		return inconsistent("columns that belong together differ in length")
	}
	for _, values := range f.Values {
		if len(values) != samples {
			return inconsistent("columns that belong together differ in length")
		}
	}
	if !offsetsGrow(f.StringsOffset, len(f.StringsBytes)) ||
		f.SampleLabelset != nil && !offsetsGrow(f.LabelsetOffset, len(f.LabelsetLabel)) {
		return inconsistent("offsets do not grow")
	}
	return f.checkIndexes(functions, nodes, lines)
}

func (f *File) checkIndexes(functions, nodes, lines int) error {
	strings := len(f.StringsOffset) - 1
	below := allBelow(f.FunctionName, strings) && allBelow(f.FunctionKey, strings) && allBelow(f.FunctionFile, strings) &&
		allBelow(f.NodeKey, strings) && allBelow(f.LabelKey, strings) && allBelow(f.LabelValue, strings) &&
		allBelow(f.LineNodeFunction[1:], functions) && allBelow(f.LineNodeNode, nodes) &&
		allBelow(f.SampleLineNode, lines) && allBelow(f.SampleLabelset, len(f.LabelsetOffset)-1) &&
		allBelow(f.LabelsetLabel, len(f.LabelKey))
	if !below {
		return inconsistent("an index reaches outside its table")
	}
	for i, parents := range [][]uint32{f.NodeParent, f.LineNodeParent} {
		for node := 1; node < len(parents); node++ {
			if parents[node] >= uint32(node) {
				return inconsistent([]string{"node_parent", "line_node_parent"}[i] + " is not in preorder")
			}
		}
	}
	return nil
}

func lengths(first int, others ...int) bool {
	for _, n := range others {
		if n != first {
			return false
		}
	}
	return true
}

// offsetsGrow reports whether offsets run from 0 to the length of what they cut.
func offsetsGrow(offsets []uint32, length int) bool {
	if len(offsets) == 0 || offsets[0] != 0 || int(offsets[len(offsets)-1]) != length {
		return false
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return false
		}
	}
	return true
}

func allBelow(indexes []uint32, limit int) bool {
	for _, i := range indexes {
		if int(i) >= limit {
			return false
		}
	}
	return true
}

func inconsistent(what string) error {
	return inputerror.New("inconsistent-profile", "The decoded profile is damaged: %s. Decode the original again.", what)
}
