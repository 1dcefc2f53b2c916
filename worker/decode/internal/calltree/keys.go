package calltree

import (
	"slices"

	"slowpath.dev/decode/internal/profilefile"
)

// growKeys is step 7: line nodes whose path of keys is the same become one
// node. A group of line nodes that share a node is visited together; its
// children, ordered by key, fall into the groups of the next level. Siblings in
// the tree of lines are ordered by key already, so only groups of several nodes
// need sorting, and there are few of them.
func (b *builder) growKeys() {
	f, d, n := b.file, &b.dictionary, len(b.lineFrame)
	keyOfFrame := make([]uint32, len(d.frames))
	for frame := range keyOfFrame {
		keyOfFrame[frame] = d.functions[d.functionOf(uint32(frame))].key
	}
	if b.options.Brief && strictlyAscending(f.FunctionKey) {
		b.takeLinesAsKeys(keyOfFrame)
		return
	}
	k := &keyGrower{
		lineSize: b.lineSize, lineFrame: b.lineFrame, keyOfFrame: keyOfFrame,
		tree: &f.Nodes, key: make([]uint32, n), size: make([]uint32, n), nodeOfLine: make([]uint32, n),
		next: 1, group: []uint64{0},
	}
	k.visit(0, 1, 0)
	f.NodeKey, b.nodeSize = k.key[:k.next], k.size[:k.next]
	f.SampleNode = make([]uint32, len(f.SampleLineNode))
	for i, line := range f.SampleLineNode {
		f.SampleNode[i] = k.nodeOfLine[line]
	}
	b.lineFrame, b.lineSize = nil, nil
}

// takeLinesAsKeys makes the tree of lines the tree of keys: they are the same
// when every function has one line and a separate key. The arrays are used
// again.
func (b *builder) takeLinesAsKeys(keyOfFrame []uint32) {
	f := b.file
	for node, frame := range b.lineFrame[1:] {
		b.lineFrame[node+1] = keyOfFrame[frame]
	}
	f.Nodes, f.NodeKey, b.nodeSize, f.SampleNode = f.LineNodes, b.lineFrame, b.lineSize, f.SampleLineNode
	f.LineNodes, b.lineFrame, b.lineSize = profilefile.Tree{}, nil, nil
}

// strictlyAscending reports whether every number is above the one before.
func strictlyAscending(numbers []uint32) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i-1] >= numbers[i] {
			return false
		}
	}
	return true
}

type keyGrower struct {
	lineSize, lineFrame, keyOfFrame []uint32

	tree       *profilefile.Tree // of key nodes; next is the number of the next
	key, size  []uint32
	next       uint32
	nodeOfLine []uint32

	group []uint64 // stack of groups; key<<32 | line node
}

// visit writes everything below a node whose line nodes are group[low:high].
func (k *keyGrower) visit(low, high int, node uint32) {
	first, base := node, len(k.group)
	if high-low == 1 {
		var line uint32
		line, node = k.straight(uint32(k.group[low]), node)
		k.gather(line)
	} else {
		for i := low; i < high; i++ {
			k.gather(uint32(k.group[i]))
		}
		slices.Sort(k.group[base:])
	}
	for i, top := base, len(k.group); i < top; {
		key := k.group[i] >> 32
		child := k.appendNode(node, uint32(key))
		j := i
		for ; j < top && k.group[j]>>32 == key; j++ {
			k.nodeOfLine[uint32(k.group[j])] = child
		}
		k.visit(i, j, child)
		i = j
	}
	k.group = k.group[:base]
	for n := first; n <= node; n++ { // a straight line of nodes ends where its last does
		k.size[n] = k.next - n
	}
}

// straight follows a line node as long as it has an only child, and returns the
// last one and its node.
func (k *keyGrower) straight(line, node uint32) (lastLine, lastNode uint32) {
	for k.lineSize[line] > 1 && k.lineSize[line+1] == k.lineSize[line]-1 {
		line++
		node = k.appendNode(node, k.keyOfFrame[k.lineFrame[line]])
		k.nodeOfLine[line] = node
	}
	return line, node
}

func (k *keyGrower) appendNode(parent, key uint32) uint32 {
	node := k.next
	k.tree.AddBranch(node, parent)
	k.key[node] = key
	k.next++
	return node
}

// gather puts the children of a line node onto the stack.
func (k *keyGrower) gather(line uint32) {
	end := line + k.lineSize[line]
	for child := line + 1; child < end; child += k.lineSize[child] {
		k.group = append(k.group, uint64(k.keyOfFrame[k.lineFrame[child]])<<32|uint64(child))
	}
}
