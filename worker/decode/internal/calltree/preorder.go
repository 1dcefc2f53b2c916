package calltree

// preorder gives the place of every node (numbered by birth, parents first)
// when the tree is walked root first and siblings stand in order of their
// symbols, and the size of every subtree, the node itself included.
func preorder(parents, symbols []uint32, symbolCount int) (position, size []uint32) {
	n := len(parents)
	size = make([]uint32, n)
	for node := n - 1; node > 0; node-- {
		size[node]++
		size[parents[node]] += size[node]
	}
	size[0]++
	order := countingOrder(identity(n), symbols, symbolCount)
	order = countingOrder(order, parents, n)
	position = make([]uint32, n)
	next := make([]uint32, n) // where the next child of a node goes
	next[0] = 1
	// Parents are born before their children, so when the siblings of one
	// parent come up, that parent has its place.
	for _, node := range order {
		if node == 0 {
			continue
		}
		parent := parents[node]
		position[node] = next[parent]
		next[parent] += size[node]
		next[node] = position[node] + 1
	}
	return position, size
}

func identity(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}

// countingOrder orders items by key, stably; keys are below limit.
func countingOrder(items, keys []uint32, limit int) []uint32 {
	starts := make([]uint32, limit+1)
	for _, item := range items {
		starts[keys[item]+1]++
	}
	for key := range limit {
		starts[key+1] += starts[key]
	}
	ordered := make([]uint32, len(items))
	for _, item := range items {
		place := &starts[keys[item]]
		ordered[*place] = item
		*place++
	}
	return ordered
}

// orderTrees is step 4: both trees become columns in preorder.
func (b *builder) orderTrees() error {
	f, d := b.file, &b.dictionary
	for _, fn := range d.functions {
		f.FunctionName = append(f.FunctionName, fn.name)
		f.FunctionKey = append(f.FunctionKey, fn.key)
		f.FunctionFile = append(f.FunctionFile, fn.file)
		f.FunctionStartLine = append(f.FunctionStartLine, fn.startLine)
	}
	nodePosition := b.orderKeyTree()
	var lineSize []uint32
	b.linePosition, lineSize = preorder(b.lineParent, b.lineFrame, len(d.frames))
	_ = lineSize
	n := len(b.lineParent)
	f.LineNodeParent = make([]uint32, n)
	f.LineNodeFunction = make([]uint32, n)
	f.LineNodeLine = make([]int32, n)
	f.LineNodeNode = make([]uint32, n)
	f.LineNodeParent[0], f.LineNodeFunction[0] = none, none
	for line := 1; line < n; line++ {
		at := b.linePosition[line]
		f.LineNodeParent[at] = b.linePosition[b.lineParent[line]]
		f.LineNodeFunction[at], f.LineNodeLine[at] = unpackFrame(d.frames[b.lineFrame[line]])
		f.LineNodeNode[at] = nodePosition[b.nodeOfLine[line]]
	}
	b.lineParent, b.lineFrame, b.nodeOfLine = nil, nil, nil
	return nil
}

// orderKeyTree writes the node columns and gives every key node its place.
func (b *builder) orderKeyTree() (position []uint32) {
	f := b.file
	position, size := preorder(b.nodeParent, b.nodeKey, len(f.StringsOffset)-1)
	n := len(b.nodeParent)
	f.NodeParent = make([]uint32, n)
	f.NodeKey = make([]uint32, n)
	f.NodeSize = make([]uint32, n)
	f.NodeHash = make([]uint64, n)
	f.NodeParent[0], f.NodeSize[0] = none, size[0]
	for node := 1; node < n; node++ {
		at := position[node]
		f.NodeParent[at] = position[b.nodeParent[node]]
		f.NodeKey[at] = b.nodeKey[node]
		f.NodeSize[at] = size[node]
	}
	b.nodeParent, b.nodeKey = nil, nil
	hashNodes(f)
	return position
}
