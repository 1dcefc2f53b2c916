package traceblame

import (
	"cmp"
	"slices"
)

// victims holds, for every victim v, the integral of its waiting goroutines in
// a form that need not be brought up to date: W_v(t) = area + waiting*t, where
// area gains -t for each wait that begins at t and +t for each that ends. Sums
// may wrap around; differences are right as long as they fit.
type victims struct {
	area    []int64
	waiting []int64
	touched []int64 // when waiting last changed
	// a list of all victims, the last touched first
	next, prev []int32
	head, tail int32
	// those with waiting > 0, in any order, and where each stands
	active []int32
	place  []int32
}

func newVictims() victims { return victims{head: -1, tail: -1} }

// AddVictim makes room for one more victim.
func (l *Ledger) AddVictim() int {
	v := &l.victims
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

// BeginWait says that one more goroutine of a victim waits.
func (l *Ledger) BeginWait(victim int32, t int64) {
	v := &l.victims
	v.area[victim] -= t
	if v.waiting[victim]++; v.waiting[victim] == 1 {
		v.place[victim] = int32(len(v.active))
		v.active = append(v.active, victim)
	}
	v.touch(victim, t)
}

// EndWait says that one fewer waits.
func (l *Ledger) EndWait(victim int32, t int64) {
	v := &l.victims
	v.area[victim] += t
	if v.waiting[victim]--; v.waiting[victim] == 0 {
		last := v.active[len(v.active)-1]
		v.active[v.place[victim]] = last
		v.place[last] = v.place[victim]
		v.active = v.active[:len(v.active)-1]
	}
	v.touch(victim, t)
}

func (v *victims) touch(i int32, t int64) {
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

// charge charges the waits during [o.since, e) to the class of o. Only victims
// that wait now, or were touched since, have any.
func (v *victims) charge(o *proc, e int64, to *charges) {
	for _, i := range v.active {
		to.add(i, o.class, v.during(i, o, e))
	}
	for i := v.head; i >= 0 && v.touched[i] >= o.since; i = v.next[i] {
		if v.waiting[i] == 0 {
			to.add(i, o.class, v.during(i, o, e))
		}
	}
}

// during gives W(e) - W(o.since) of a victim.
func (v *victims) during(i int32, o *proc, e int64) int64 {
	w := v.area[i] + v.waiting[i]*e
	if int(i) < len(o.waited) {
		w -= o.waited[i]
	}
	return w
}

// Waiting gives how many goroutines of a victim wait.
func (l *Ledger) Waiting(victim int32) int64 { return l.victims.waiting[victim] }

// charges holds P-time by victim and class, of the current block and of all.
type charges struct {
	block   int64
	dense   []int64 // victim-major, MaxClasses wide; of the current block
	touched []uint32
	current uint32   // the block that dense is of
	rows    []Charge // of the blocks before; what comes late stands in rows of its own
	joined  int      // rows that are joined: one each of victim, class and block
}

// loose is how many rows of late charges wait before they are joined.
const loose = 1 << 16

// Charge is P-time of a class during the waits of a victim in one block.
type Charge struct {
	Victim uint32
	Class  uint32
	Block  uint32
	Ns     int64
}

func (c *charges) add(victim int32, class uint16, ns int64) {
	if ns == 0 {
		return
	}
	at := int(victim)*MaxClasses + int(class)
	for at >= len(c.dense) {
		c.dense = append(c.dense, make([]int64, 16*MaxClasses)...)
	}
	if c.dense[at] == 0 {
		c.touched = append(c.touched, uint32(at))
	}
	c.dense[at] += ns
}

// flush ends the block that t lies in.
func (c *charges) flush(t int64) {
	block := c.blockOf(t)
	c.current = block + 1
	for _, at := range c.touched {
		if c.dense[at] != 0 {
			c.rows = append(c.rows, Charge{at / MaxClasses, at % MaxClasses, block, c.dense[at]})
			c.dense[at] = 0
		}
	}
	c.touched = c.touched[:0]
}

// Charge adds P-time to a victim after the fact, for a wait that lay in a block.
func (l *Ledger) Charge(victim int32, class uint16, t, ns int64) {
	c := &l.charges
	block := c.blockOf(t)
	if block == c.current {
		c.add(victim, class, ns)
		return
	}
	c.rows = append(c.rows, Charge{uint32(victim), uint32(class), block, ns})
	if len(c.rows) >= 2*c.joined+loose {
		c.join()
	}
}

func (c *charges) blockOf(t int64) uint32 { return uint32(min(t/c.block, 1<<32-2)) }

// join makes one row of those of the same victim, class and block.
func (c *charges) join() {
	slices.SortFunc(c.rows, func(a, b Charge) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Victim, b.Victim), cmp.Compare(a.Class, b.Class))
	})
	kept := c.rows[:0]
	for _, row := range c.rows {
		if last := len(kept) - 1; last >= 0 && kept[last].Victim == row.Victim && kept[last].Class == row.Class && kept[last].Block == row.Block {
			kept[last].Ns += row.Ns
		} else {
			kept = append(kept, row)
		}
	}
	c.rows, c.joined = kept, len(kept)
}

// Charges gives all charges after Finish; the same victim, class and block may
// stand in several.
func (l *Ledger) Charges() []Charge { return l.charges.rows }
