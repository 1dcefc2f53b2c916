// Package blockedtime sums how long goroutines were blocked on locks, on sends
// to channels and in system calls, by place, and who ended it. What else a
// goroutine waits for (a message, a timer) may be idleness, and is not here.
package blockedtime

import (
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

// Place is where goroutines of one group were blocked, and who ended it.
type Place struct {
	Group      uint32
	Reason     uint8
	Stack      uint32
	WakerGroup uint32 // tracefile.None: the kernel or the runtime
	WakerStack uint32
}

// Cell sums the blocked time that ended in one block of the trace.
type Cell struct {
	Place, Block, Count uint32
	Ns                  int64
}

// Table holds all places.
type Table struct {
	Places  []Place
	Cells   []Cell
	numbers map[Place]uint32
	last    []uint32 // by place: its cell of the newest block, + 1
}

// MaxPlaces bounds the places that are distinguished; later ones lose their stacks and wakers.
const MaxPlaces = 1024

// New makes an empty table.
func New() *Table { return &Table{numbers: map[Place]uint32{}} }

// Add counts ns of blocked time that ended at end.
func (t *Table) Add(p Place, end, ns int64) {
	n := t.number(p)
	block := uint32(min(end/tracefile.BlockNs, 1<<32-2))
	if at := t.last[n]; at > 0 && t.Cells[at-1].Block == block {
		c := &t.Cells[at-1]
		c.Count++
		c.Ns += ns
		return
	}
	t.Cells = append(t.Cells, Cell{n, block, 1, ns})
	t.last[n] = uint32(len(t.Cells))
}

func (t *Table) number(p Place) uint32 {
	if n, ok := t.numbers[p]; ok {
		return n
	}
	if len(t.Places) >= MaxPlaces && p.Group != traceintern.Other {
		rest := Place{Group: traceintern.Other, Reason: p.Reason, WakerGroup: tracefile.None}
		return t.number(rest)
	}
	n := uint32(len(t.Places))
	t.numbers[p] = n
	t.Places = append(t.Places, p)
	t.last = append(t.last, 0)
	return n
}
