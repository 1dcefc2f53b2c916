package calltree

import "slowpath.dev/decode/internal/trie"

// growTrees is step 3.
func (b *builder) growTrees() error {
	line := trie.New()
	if err := b.growLineTree(line); err != nil {
		return err
	}
	b.locationOf, b.dictionary.locationFrames, b.dictionary.locationStart = nil, nil, nil
	b.parentOf = nil
	b.lineParent, b.lineFrame = line.Finish()
	b.growKeyTree()
	return nil
}

// growLineTree gives every stack its node in the tree of (function, line).
func (b *builder) growLineTree(line *trie.Trie) error {
	wanted := b.wantedNodes()
	b.lineOfNode = make([]uint32, len(b.locationOf))
	for node := 1; node < len(b.locationOf); node++ {
		if wanted != nil && !wanted[node] {
			b.lineOfNode[node] = none
			continue
		}
		at := b.lineOfNode[b.parentOf[node]]
		for _, frame := range b.dictionary.framesOf(b.locationOf[node]) {
			at = line.Child(at, frame)
		}
		b.lineOfNode[node] = at
		if err := b.tooManyNodes(line.Len()); err != nil {
			return err
		}
	}
	return b.growCut(line)
}

// wantedNodes gives the nodes of the location tree through which whole stacks
// pass; nil stands for all.
func (b *builder) wantedNodes() []bool {
	if len(b.leafCut) == 0 {
		return nil
	}
	wanted := make([]bool, len(b.locationOf))
	for leaf := range b.table.RowLeaf.All() {
		if !b.leafCut[leaf] {
			wanted[leaf] = true
		}
	}
	for node := len(wanted) - 1; node > 0; node-- {
		if wanted[node] {
			wanted[b.parentOf[node]] = true
		}
	}
	return wanted
}

// growCut hangs cut stacks beneath one node of their own.
func (b *builder) growCut(line *trie.Trie) error {
	if len(b.leafCut) == 0 {
		return nil
	}
	b.lineOfCut = make(map[uint32]uint32, len(b.leafCut))
	top := line.Child(trie.Root, b.dictionary.cutFrame)
	var path []uint32
	for leaf := range b.table.RowLeaf.All() {
		if _, done := b.lineOfCut[leaf]; done || !b.leafCut[leaf] {
			continue
		}
		path = path[:0]
		for node := leaf; node != 0; node = b.parentOf[node] {
			path = append(path, node)
		}
		at := top
		for i := len(path) - 1; i >= 0; i-- {
			for _, frame := range b.dictionary.framesOf(b.locationOf[path[i]]) {
				at = line.Child(at, frame)
			}
		}
		b.lineOfCut[leaf] = at
		if err := b.tooManyNodes(line.Len()); err != nil {
			return err
		}
	}
	return nil
}

// growKeyTree folds the tree of lines into the tree of keys.
func (b *builder) growKeyTree() {
	keys := trie.New()
	keyOfFrame := make([]uint32, len(b.dictionary.frames))
	for frame := range keyOfFrame {
		keyOfFrame[frame] = b.dictionary.functions[b.dictionary.functionOf(uint32(frame))].key
	}
	b.nodeOfLine = make([]uint32, len(b.lineParent))
	for line := 1; line < len(b.lineParent); line++ {
		b.nodeOfLine[line] = keys.Child(b.nodeOfLine[b.lineParent[line]], keyOfFrame[b.lineFrame[line]])
	}
	b.nodeParent, b.nodeKey = keys.Finish()
}
