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
	if err := c.Expect(Format, Version, former); err != nil {
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
	f.SampleLineNode = slowcol.Take(r, c.Uint32s, "sample_line_node")
	if c.Version == former {
		f.readFormerTrees(r, c)
	} else {
		f.Nodes, f.NodeKey = takeTree(r, c, "node"), takeNarrowed(r, c, "node_key")
		f.LineNodes, f.LineNodeFrame = takeTree(r, c, "line_node"), takeNarrowed(r, c, "line_node_frame")
		f.FrameFunction = slowcol.Take(r, c.Uint32s, "frame_function")
		f.FrameLine = slowcol.Take(r, c.Int32s, "frame_line")
		f.SampleNode = slowcol.Take(r, c.Uint32s, "sample_node")
	}
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

// former is the version in which every node had its parent, function and line.
const former = 1

func takeTree(r *slowcol.ColumnReader, c *slowcol.Container, name string) Tree {
	return Tree{slowcol.Take(r, c.Uint32s, name+"_branch"), slowcol.Take(r, c.Uint32s, name+"_branch_parent")}
}

// readFormerTrees reads the trees of the former version, each line node as a frame.
func (f *File) readFormerTrees(r *slowcol.ColumnReader, c *slowcol.Container) {
	parents, lineParents := slowcol.Take(r, c.Uint32s, "node_parent"), slowcol.Take(r, c.Uint32s, "line_node_parent")
	nodeOfLine := slowcol.Take(r, c.Uint32s, "line_node_node")
	f.NodeKey = slowcol.Take(r, c.Uint32s, "node_key")
	f.FrameFunction = slowcol.Take(r, c.Uint32s, "line_node_function")
	f.FrameLine = slowcol.Take(r, c.Int32s, "line_node_line")
	fits := len(parents) > 0 && len(lineParents) > 0 && parents[0] == None && lineParents[0] == None &&
		lengths(len(parents), len(f.NodeKey)) && lengths(len(lineParents), len(f.FrameFunction), len(f.FrameLine), len(nodeOfLine)) &&
		allBelow(f.SampleLineNode, len(nodeOfLine))
	if r.Err == nil && !fits {
		r.Err = inconsistent("columns that belong together differ in length")
	}
	if r.Err != nil {
		return
	}
	f.Nodes, f.LineNodes = treeOf(parents), treeOf(lineParents)
	f.FrameFunction, f.FrameLine = f.FrameFunction[1:], f.FrameLine[1:]
	f.LineNodeFrame = make([]uint32, len(lineParents))
	for frame := range f.FrameFunction {
		f.LineNodeFrame[frame+1] = uint32(frame)
	}
	f.SampleNode = make([]uint32, len(f.SampleLineNode))
	for i, line := range f.SampleLineNode {
		f.SampleNode[i] = nodeOfLine[line]
	}
}

// check proves lengths and indexes.
func (f *File) check() error {
	functions, samples := len(f.FunctionName), len(f.SampleLineNode)
	if !lengths(functions, len(f.FunctionKey), len(f.FunctionFile), len(f.FunctionStartLine)) ||
		len(f.NodeKey) == 0 || len(f.LineNodeFrame) == 0 ||
		!lengths(samples, len(f.SampleNode)) || !lengths(len(f.FrameFunction), len(f.FrameLine)) ||
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
	return f.checkIndexes(functions, len(f.NodeKey), len(f.LineNodeFrame))
}

func (f *File) checkIndexes(functions, nodes, lines int) error {
	strings := len(f.StringsOffset) - 1
	below := allBelow(f.FunctionName, strings) && allBelow(f.FunctionKey, strings) && allBelow(f.FunctionFile, strings) &&
		allBelow(f.NodeKey, strings) && allBelow(f.LabelKey, strings) && allBelow(f.LabelValue, strings) &&
		allBelow(f.LineNodeFrame[1:], len(f.FrameFunction)) && allBelow(f.FrameFunction, functions) &&
		allBelow(f.SampleNode, nodes) && allBelow(f.SampleLineNode, lines) && allBelow(f.SampleLabelset, len(f.LabelsetOffset)-1) &&
		allBelow(f.LabelsetLabel, len(f.LabelKey))
	if !below {
		return inconsistent("an index reaches outside its table")
	}
	if !f.Nodes.isValid(nodes) {
		return inconsistent("node_branch is not in preorder")
	}
	if !f.LineNodes.isValid(lines) {
		return inconsistent("line_node_branch is not in preorder")
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
