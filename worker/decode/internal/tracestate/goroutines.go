package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/poccupancy"
)

// goroutine is what is known of one goroutine now.
type goroutine struct {
	id    uint64
	state trace.GoState
	since int64 // of state

	group uint32 // final: will not change; else the best guess
	final bool
	user  uint16 // its class when it runs plain code

	gc          poccupancy.Kind // as a GC worker; poccupancy.User: it is none
	inAssist    bool
	collects    bool // may count as working for the collector
	system      bool
	reason      uint8  // of the last blocking
	stack       uint32 // of the last blocking
	syscallSeen bool   // the trace has the beginning of the system call
	proc        int32  // noProc when it has none
	runSince    int64
	assist      int64 // since when in the assist
	lastStack   trace.Stack
	lastID      uint32

	wait    wait
	pending []pending // whole waits of before its group was known

	sums sums
}

// sums are added up to those of the group when the goroutine ends.
type sums struct {
	running, runnable, syscall, waiting int64 // ns
	assist, assistWait                  int64 // ns inside assists, running and not
	preemptions, retakes, created       uint32
	wakes                               uint64
}

const noProc = -1

// goroutines finds goroutines by id: a table of open addressing over slabs that
// never move.
type goroutines struct {
	slots []*goroutine
	used  int
	free  []*goroutine
}

const slab = 64

func newGoroutines() *goroutines { return &goroutines{slots: make([]*goroutine, 1024)} }

func hash(id uint64) uint64 { return id * 0x9E3779B97F4A7C15 >> 20 }

// find returns a goroutine, or nil.
func (t *goroutines) find(id uint64) *goroutine {
	mask := uint64(len(t.slots) - 1)
	for i := hash(id) & mask; ; i = (i + 1) & mask {
		if g := t.slots[i]; g == nil || g.id == id {
			return g
		}
	}
}

// add makes a goroutine that is not in the table.
func (t *goroutines) add(id uint64) *goroutine {
	if t.used*2 >= len(t.slots) {
		t.grow()
	}
	if len(t.free) == 0 {
		page := make([]goroutine, slab)
		for i := range page {
			t.free = append(t.free, &page[i])
		}
	}
	g := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	*g = goroutine{id: id, proc: noProc, gc: poccupancy.User, user: uint16(poccupancy.User)}
	t.place(g)
	t.used++
	return g
}

func (t *goroutines) place(g *goroutine) {
	mask := uint64(len(t.slots) - 1)
	i := hash(g.id) & mask
	for t.slots[i] != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = g
}

func (t *goroutines) grow() {
	old := t.slots
	t.slots = make([]*goroutine, 2*len(old))
	for _, g := range old {
		if g != nil {
			t.place(g)
		}
	}
}

// remove forgets a goroutine and closes the hole that it leaves.
func (t *goroutines) remove(g *goroutine) {
	mask := uint64(len(t.slots) - 1)
	hole := hash(g.id) & mask
	for t.slots[hole] != g {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; t.slots[i] != nil; i = (i + 1) & mask {
		if home := hash(t.slots[i].id) & mask; (i-home)&mask >= (i-hole)&mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = nil
	t.used--
	*g = goroutine{}
	t.free = append(t.free, g)
}

// each calls visit for all.
func (t *goroutines) each(visit func(*goroutine)) {
	for _, g := range t.slots {
		if g != nil {
			visit(g)
		}
	}
}

// GroupOf returns the group of a goroutine that lives, as far as it is known.
func (m *Machine) GroupOf(id uint64) (uint32, bool) {
	g := m.goroutines.find(id)
	if g == nil {
		return 0, false
	}
	return g.group, true
}
