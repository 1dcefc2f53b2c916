package profilefile

import (
	"math"

	"slowpath.dev/decode/internal/slowcol"
)

// Tree is a tree in preorder. Most nodes are the first child of the node before
// them, so only the others are listed: there are as many as stacks, not as nodes.
type Tree struct {
	Branch       []uint32 // nodes whose parent is not the node before them, ascending
	BranchParent []uint32
}

// AddBranch records the parent of the next node unless it is the node before it.
func (t *Tree) AddBranch(node, parent uint32) {
	if parent+1 != node {
		t.Branch = append(t.Branch, node)
		t.BranchParent = append(t.BranchParent, parent)
	}
}

// Parents returns the parent of each of a number of nodes; None of the root.
func (t *Tree) Parents(nodes int) []uint32 {
	parents := make([]uint32, nodes)
	for node := range parents {
		parents[node] = uint32(node) - 1
	}
	for i, node := range t.Branch {
		parents[node] = t.BranchParent[i]
	}
	return parents
}

// treeOf returns the tree of a list of parents.
func treeOf(parents []uint32) Tree {
	var t Tree
	for node, parent := range parents[min(1, len(parents)):] {
		t.AddBranch(uint32(node)+1, parent)
	}
	return t
}

// isValid reports whether branches ascend and parents precede their children.
func (t *Tree) isValid(nodes int) bool {
	if len(t.Branch) != len(t.BranchParent) {
		return false
	}
	for i, node := range t.Branch {
		if int64(node) >= int64(nodes) || t.BranchParent[i] >= node || i > 0 && node <= t.Branch[i-1] {
			return false
		}
	}
	return true
}

func (t *Tree) columns(name string) []slowcol.Column {
	return []slowcol.Column{{Name: name + "_branch", Data: t.Branch}, {Name: name + "_branch_parent", Data: t.BranchParent}}
}

// narrowed is a column in 16 bits where all its numbers fit, else in 32.
func narrowed(name string, numbers []uint32) slowcol.Column {
	narrow := make([]uint16, len(numbers))
	for i, number := range numbers {
		if number > math.MaxUint16 {
			return slowcol.Column{Name: name, Data: numbers}
		}
		narrow[i] = uint16(number)
	}
	return slowcol.Column{Name: name, Data: narrow}
}

// takeNarrowed reads a column of either width.
func takeNarrowed(r *slowcol.ColumnReader, c *slowcol.Container, name string) []uint32 {
	if c.TypeOf(name) != "u16" {
		return slowcol.Take(r, c.Uint32s, name)
	}
	narrow := slowcol.Take(r, c.Uint16s, name)
	numbers := make([]uint32, len(narrow))
	for i, number := range narrow {
		numbers[i] = uint32(number)
	}
	return numbers
}
