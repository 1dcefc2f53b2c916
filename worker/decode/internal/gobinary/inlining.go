package gobinary

import (
	"encoding/binary"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	nodeBytes118 = 20
	nodeBytes120 = 16
)

// node is an entry of an inline tree as it is stored.
type node struct {
	name, parentPC uint32
	parent, line   int32 // known of Go 1.18 and 1.19 only
	startLine      int32
}

// readTrees reads the inline trees of all functions, from the place that gives
// the fewest damaged ones.
func (p *Program) readTrees(t *table, records []record, limits Limits) (damaged []bool, err error) {
	fewest := -1
	for _, gofunc := range t.gofunc {
		trees, broken, count, err := readTreesAt(t, gofunc, records, limits)
		if err != nil {
			return nil, err
		}
		if fewest >= 0 && count >= fewest {
			continue
		}
		fewest, damaged = count, broken
		for i := range trees {
			p.Functions[i].Inlined = trees[i]
		}
		if count == 0 {
			break
		}
	}
	return damaged, nil
}

func readTreesAt(t *table, gofunc []byte, records []record, limits Limits) (trees [][]InlinedFunction, damaged []bool, count int, err error) {
	trees, damaged = make([][]InlinedFunction, len(records)), make([]bool, len(records))
	left := limits.Inlined
	for i, one := range records {
		tree, ok := t.tree(gofunc, one, left, limits)
		trees[i], damaged[i] = tree, !ok
		if !ok {
			count++
		}
		if left -= int64(len(tree)); left < 0 {
			return nil, nil, 0, inputerror.New("too-many-inlined", "The inline trees have more than %d entries. Upload a smaller executable.", limits.Inlined).
				WithLimit(limits.Inlined, limits.Inlined-left, "entries")
		}
	}
	return trees, damaged, count, nil
}

// tree reads one inline tree; false if it is damaged. A tree of more entries than
// left is cut after one entry too many.
func (t *table) tree(gofunc []byte, one record, left int64, limits Limits) ([]InlinedFunction, bool) {
	if one.tree == noData || one.inlined == 0 {
		return nil, true
	}
	indices, ok := t.all(one.inlined, one.size)
	if !ok {
		return nil, false
	}
	largest := int32(-1)
	for _, part := range indices {
		largest = max(largest, part.value)
	}
	if largest < 0 {
		return nil, true
	}
	size := uint64(nodeBytes120)
	if t.old {
		size = nodeBytes118
	}
	if uint64(one.tree)+(uint64(largest)+1)*size > uint64(len(gofunc)) {
		return nil, false
	}
	lines, ok := t.all(one.line, one.size)
	if !ok {
		return nil, false
	}
	tree := make([]InlinedFunction, min(int64(largest)+1, left+1))
	for i := range tree {
		entry := t.node(gofunc[uint64(one.tree)+uint64(i)*size:])
		name, ok := t.nameAt(entry.name, limits.Text)
		if !ok || name == "" || entry.parentPC >= one.size {
			return nil, false
		}
		if !t.old {
			entry.parent, entry.line = valueAt(indices, entry.parentPC, -1), valueAt(lines, entry.parentPC, 0)
		}
		if entry.parent > largest || entry.parent < -1 {
			return nil, false
		}
		tree[i] = InlinedFunction{name, entry.parent, entry.line, entry.startLine}
	}
	if int64(len(tree)) <= left && !acyclic(tree) {
		return nil, false
	}
	return tree, true
}

func (t *table) node(data []byte) node {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	if t.old {
		return node{parent: int32(int16(binary.LittleEndian.Uint16(data))), line: int32(word(8)), name: word(12), parentPC: word(16)}
	}
	return node{name: word(4), parentPC: word(8), startLine: int32(word(12)), parent: -1}
}

// acyclic reports whether every entry has the function itself as an ancestor.
func acyclic(tree []InlinedFunction) bool {
	const unknown, onPath, known = 0, 1, 2
	states := make([]uint8, len(tree))
	for i := range tree {
		at := int32(i)
		for ; at >= 0 && states[at] == unknown; at = tree[at].Parent {
			states[at] = onPath
		}
		if at >= 0 && states[at] == onPath {
			return false
		}
		for at = int32(i); at >= 0 && states[at] == onPath; at = tree[at].Parent {
			states[at] = known
		}
	}
	return true
}
