package calltree

import (
	"slowpath.dev/decode/internal/inputerror"
)

// growLines is steps 4 and 5: the tree of (function, line) in preorder, and the
// samples merged where stack and labels are equal.
func (b *builder) growLines() error {
	order := b.sortRows()
	shared := make([]uint32, len(order))
	nodes := int64(1)
	for i, row := range order {
		if i > 0 {
			shared[i] = uint32(b.shared(b.rows[order[i-1]], b.rows[row]))
		}
		nodes += int64(b.rows[row].frames - shared[i])
	}
	if limit := b.options.Limits.Nodes; nodes > limit {
		return inputerror.New("too-many-nodes", "The call tree of this profile has more than %d nodes. Record a shorter profile; if you trust the file, raise --max-nodes.", limit).
			WithLimit(limit, nodes, "nodes")
	}
	g := &lineGrower{builder: b, next: 1, path: make([]uint32, 1, 64)}
	b.lineFrame = make([]uint32, nodes)
	b.lineSize = make([]uint32, nodes)
	merger := newMerger(b, len(order))
	before := uint32(0) // frames of the stack before
	for i, row := range order {
		frames := b.rows[row].frames
		same := i > 0 && shared[i] == frames && shared[i] == before
		before = frames
		g.take(b.rows[row], int(shared[i]))
		if err := merger.take(row, g.path[len(g.path)-1], same); err != nil {
			return err
		}
	}
	g.close(0)
	b.words, b.rows = words{}, nil
	return merger.end()
}

// lineGrower writes nodes in preorder, one stack after the other.
type lineGrower struct {
	*builder
	next uint32   // number of the next node
	path []uint32 // nodes from the root to the leaf of the stack at hand
}

// take adds the frames of a stack below those that it shares with the last.
func (g *lineGrower) take(sample row, shared int) {
	g.close(shared + 1)
	w := &g.words
	fresh := sample.frames - uint32(shared)
	if fresh == 0 {
		return
	}
	frames := g.lineFrame[g.next : g.next+fresh]
	g.file.LineNodes.AddBranch(g.next, g.path[shared])
	at, symbol := int(sample.start)+shared/w.aWord, shared%w.aWord
	top, mask := w.symbolBits*uint(w.aWord-1), uint64(1)<<w.symbolBits-1
	shift := top - w.symbolBits*uint(symbol)
	for i := range frames {
		frames[i] = uint32(w.all[at]>>shift&mask) - 1
		if shift == 0 {
			at, shift = at+1, top+w.symbolBits
		}
		shift -= w.symbolBits
		g.path = append(g.path, g.next)
		g.next++
	}
}

// close ends the nodes of the path from depth on: nothing more comes below.
func (g *lineGrower) close(depth int) {
	for _, node := range g.path[depth:] {
		g.lineSize[node] = g.next - node
	}
	g.path = g.path[:depth]
}

// merger writes the sample columns.
type merger struct {
	*builder
	types     int
	anyLabels bool
	lastSet   uint32
	depths    []uint32 // frames of every sample
}

func newMerger(b *builder, rows int) *merger {
	f, m := b.file, &merger{builder: b, types: len(b.table.SampleTypes)}
	f.SampleLineNode = make([]uint32, 0, rows)
	m.depths = make([]uint32, 0, rows)
	f.Values = make([][]int64, m.types)
	for k := range f.Values {
		f.Values[k] = make([]int64, 0, rows)
	}
	if b.dictionary.sets != nil {
		f.SampleLabelset = make([]uint32, 0, rows)
	}
	return m
}

// take adds a sample that ends at a node; same is true if the one before has
// the same stack.
func (m *merger) take(row, node uint32, same bool) error {
	f, set := m.file, m.labelset(row)
	if !same {
		f.Header.Counts.Stacks++
	}
	same = same && set == m.lastSet
	m.lastSet = set
	if !same {
		f.SampleLineNode = append(f.SampleLineNode, node)
		m.depths = append(m.depths, m.rows[row].frames)
		if f.SampleLabelset != nil {
			f.SampleLabelset = append(f.SampleLabelset, set)
			m.anyLabels = m.anyLabels || set != 0
		}
	}
	for k := range m.types {
		value := m.table.RowValues.At(int(row)*m.types + k)
		if !same {
			f.Values[k] = append(f.Values[k], value)
			continue
		}
		last := &f.Values[k][len(f.Values[k])-1]
		if overflows(*last, value) {
			return overflow()
		}
		*last += value
	}
	return nil
}

func (m *merger) end() error {
	if !m.anyLabels {
		m.file.SampleLabelset = nil
	}
	m.sampleDepth = m.depths
	m.table.RowValues.Release()
	m.table.RowLabelset.Release()
	return m.checkValues()
}
