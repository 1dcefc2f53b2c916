// Package trie grows prefix trees of numbered symbols.
//
// A node is known by (parent, symbol). The open-addressing table holds both
// beside the child's number, so that one step down touches one cache line.
package trie

// Root is the number of the root node.
const Root uint32 = 0

// slot is free while child is 0: the root is nobody's child.
type slot struct{ parent, symbol, child uint32 }

// Trie maps (parent, symbol) to a child, numbering nodes in order of birth, so
// that a parent's number is always smaller than its children's.
type Trie struct {
	slots []slot
	mask  uint32
	nodes uint32 // root included
	grow  uint32 // number of nodes at which the table doubles
}

const firstSlots = 1 << 10

// New makes a trie that holds the root only.
func New() *Trie {
	t := &Trie{nodes: 1}
	t.resize(firstSlots)
	return t
}

func (t *Trie) resize(slots int) {
	t.slots = make([]slot, slots)
	t.mask = uint32(slots - 1)
	t.grow = uint32(slots / 4 * 3)
}

func place(parent, symbol uint32) uint32 {
	h := (uint64(parent)<<32 | uint64(symbol)) * 0x9E3779B97F4A7C15
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return uint32(h >> 32)
}

// Child gives the child of parent under symbol, born now if it was not there.
func (t *Trie) Child(parent, symbol uint32) uint32 {
	i := place(parent, symbol) & t.mask
	for {
		s := &t.slots[i]
		if s.child == 0 {
			return t.bear(s, parent, symbol)
		}
		if s.parent == parent && s.symbol == symbol {
			return s.child
		}
		i = (i + 1) & t.mask
	}
}

func (t *Trie) bear(s *slot, parent, symbol uint32) uint32 {
	child := t.nodes
	*s = slot{parent, symbol, child}
	t.nodes++
	if t.nodes >= t.grow {
		t.rehash()
	}
	return child
}

func (t *Trie) rehash() {
	old := t.slots
	t.resize(2 * len(old))
	for _, s := range old {
		if s.child == 0 {
			continue
		}
		i := place(s.parent, s.symbol) & t.mask
		for t.slots[i].child != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = s
	}
}

// Len gives the number of nodes, root included.
func (t *Trie) Len() int { return int(t.nodes) }

// Finish gives parent and symbol of every node, in order of birth, and drops
// the table: the trie must not be used afterwards. Entry 0 (root) is zero.
func (t *Trie) Finish() (parents, symbols []uint32) {
	parents = make([]uint32, t.nodes)
	symbols = make([]uint32, t.nodes)
	for _, s := range t.slots {
		if s.child != 0 {
			parents[s.child], symbols[s.child] = s.parent, s.symbol
		}
	}
	t.slots = nil
	return parents, symbols
}
