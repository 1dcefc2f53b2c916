package poccupancy

import (
	"cmp"
	"slices"
)

// waiters holds, for every waiter v, the integral of its waiting goroutines in
// a form that need not be brought up to date: W_v(t) = area + waiting*t, where
// area gains -t for each wait that begins at t and +t for each that ends. Sums
// may wrap around; differences are right as long as they fit.
type waiters struct {
	area    []int64
	waiting []int64
	touched []int64 // when waiting last changed
	// a list of all waiters, the last touched first
	next, prev []int32
	head, tail int32
	// those with waiting > 0, in any order, and the position of each
	active []int32
	place  []int32
}

func newWaiters() waiters { return waiters{head: -1, tail: -1} }

// AddWaiter makes room for one more waiter.
func (l *OccupancyTotals) AddWaiter() int {
	v := &l.waiters
	i := int32(len(v.area))
	v.area, v.waiting, v.touched = append(v.area, 0), append(v.waiting, 0), append(v.touched, -1)
	v.next, v.prev, v.place = append(v.next, -1), append(v.prev, v.tail), append(v.place, -1)
	if v.tail >= 0 {
		v.next[v.tail] = i
	} else {
		v.head = i
	}
	v.tail = i
	return int(i)
}

// BeginWait records that one more goroutine of a waiter waits.
func (l *OccupancyTotals) BeginWait(waiter int32, t int64) {
	v := &l.waiters
	v.area[waiter] -= t
	if v.waiting[waiter]++; v.waiting[waiter] == 1 {
		v.place[waiter] = int32(len(v.active))
		v.active = append(v.active, waiter)
	}
	v.touch(waiter, t)
}

// EndWait records that one fewer waits.
func (l *OccupancyTotals) EndWait(waiter int32, t int64) {
	v := &l.waiters
	v.area[waiter] += t
	if v.waiting[waiter]--; v.waiting[waiter] == 0 {
		last := v.active[len(v.active)-1]
		v.active[v.place[waiter]] = last
		v.place[last] = v.place[waiter]
		v.active = v.active[:len(v.active)-1]
	}
	v.touch(waiter, t)
}

func (v *waiters) touch(i int32, t int64) {
	v.touched[i] = t
	if v.head == i {
		return
	}
	before, after := v.prev[i], v.next[i]
	v.next[before] = after
	if after >= 0 {
		v.prev[after] = before
	} else {
		v.tail = before
	}
	v.prev[v.head] = i
	v.next[i], v.prev[i] = v.head, -1
	v.head = i
}

// addOccupancy adds the waits during [o.since, e) to the class of o. Only waiters
// that wait now, or were touched since, have any.
func (v *waiters) addOccupancy(o *proc, e int64, to *occupancies) {
	for _, i := range v.active {
		to.add(i, o.class, v.during(i, o, e))
	}
	for i := v.head; i >= 0 && v.touched[i] >= o.since; i = v.next[i] {
		if v.waiting[i] == 0 {
			to.add(i, o.class, v.during(i, o, e))
		}
	}
}

// during returns W(e) - W(o.since) of a waiter.
func (v *waiters) during(i int32, o *proc, e int64) int64 {
	w := v.area[i] + v.waiting[i]*e
	if int(i) < len(o.waited) {
		w -= o.waited[i]
	}
	return w
}

// occupancies holds P-time by waiter and class, of the current block and of all.
type occupancies struct {
	block   int64
	dense   []int64 // waiter-major, MaxClasses wide; of the current block
	touched []uint32
	current uint32            // the block that dense is of
	rows    []WaiterOccupancy // of the blocks before; what comes late is in separate rows
	joined  int               // rows that are joined: one each of waiter, class and block
}

// loose is how many rows of late occupancies wait before they are joined.
const loose = 1 << 16

// WaiterOccupancy is P-time of a class during the waits of a waiter in one block.
type WaiterOccupancy struct {
	Waiter uint32
	Class  uint32
	Block  uint32
	Ns     int64
}

func (c *occupancies) add(waiter int32, class uint16, ns int64) {
	if ns == 0 {
		return
	}
	at := int(waiter)*MaxClasses + int(class)
	for at >= len(c.dense) {
		c.dense = append(c.dense, make([]int64, 16*MaxClasses)...)
	}
	if c.dense[at] == 0 {
		c.touched = append(c.touched, uint32(at))
	}
	c.dense[at] += ns
}

// flush ends the block that contains t.
func (c *occupancies) flush(t int64) {
	block := c.blockOf(t)
	c.current = block + 1
	for _, at := range c.touched {
		if c.dense[at] != 0 {
			c.rows = append(c.rows, WaiterOccupancy{at / MaxClasses, at % MaxClasses, block, c.dense[at]})
			c.dense[at] = 0
		}
	}
	c.touched = c.touched[:0]
}

// AddOccupancy adds P-time to a waiter after the fact, for a wait that lay in a block.
func (l *OccupancyTotals) AddOccupancy(waiter int32, class uint16, t, ns int64) {
	c := &l.occupancies
	block := c.blockOf(t)
	if block == c.current {
		c.add(waiter, class, ns)
		return
	}
	c.rows = append(c.rows, WaiterOccupancy{uint32(waiter), uint32(class), block, ns})
	if len(c.rows) >= 2*c.joined+loose {
		c.join()
	}
}

func (c *occupancies) blockOf(t int64) uint32 { return uint32(min(t/c.block, 1<<32-2)) }

// join makes one row of those of the same waiter, class and block.
func (c *occupancies) join() {
	slices.SortFunc(c.rows, func(a, b WaiterOccupancy) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Waiter, b.Waiter), cmp.Compare(a.Class, b.Class))
	})
	retained := c.rows[:0]
	for _, row := range c.rows {
		if last := len(retained) - 1; last >= 0 && retained[last].Waiter == row.Waiter && retained[last].Class == row.Class && retained[last].Block == row.Block {
			retained[last].Ns += row.Ns
		} else {
			retained = append(retained, row)
		}
	}
	c.rows, c.joined = retained, len(retained)
}

// WaiterOccupancies returns all occupancies after Finish; the same waiter, class and
// block may be in several.
func (l *OccupancyTotals) WaiterOccupancies() []WaiterOccupancy { return l.occupancies.rows }
