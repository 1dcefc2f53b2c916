// Package schedlatency counts how long goroutines waited for a processor, by
// waiter: a group of goroutines and the reason for which they became runnable.
package schedlatency

import (
	"slices"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

// Handoff is the delay in ns below which a wait is a direct switch from one
// goroutine to another (coroutines): no scheduler was involved.
const Handoff = 16

// Waiter is a group of goroutines that waited after one reason.
type Waiter struct {
	Group  uint32
	Reason uint8

	Waits, TotalNs, MaxNs   int64 // whole waits, handoffs included
	Left, Right, CensoredNs int64 // waits whose beginning or end is not known
	Handoffs                int64
	Wakers                  []Waker
	Stacks                  map[uint32]*StackLatency // by the stack that the goroutine was blocked on
	Hidden                  map[uint16]uint32        // bound of delay before a network wake, by bucket
	Longest                 []*Wait                  // longest first
	lastStack               uint32
	lastDelay               *StackLatency
}

// Waker sums the waits that goroutines of one group ended others' blocking with.
type Waker struct {
	Group   uint32 // tracefile.None: the runtime
	Waits   int64
	TotalNs int64
}

// StackLatency sums the waits of goroutines that had been blocked on one stack.
type StackLatency struct{ Waits, TotalNs int64 }

// Table holds all waiters and their delays.
type Table struct {
	Waiters []Waiter
	Overall []*Wait // the worst of all, longest first

	occupancy *poccupancy.OccupancyTotals // nil: histograms only
	groups    *traceintern.GoroutineGroupInterner
	number    []int16 // by group and reason: waiter + 1
	blocks    histogram
}

const reasonsWide = 64

// New makes a table whose waiters have occupancy totals, if there are any.
func New(groups *traceintern.GoroutineGroupInterner, occupancy *poccupancy.OccupancyTotals) *Table {
	return &Table{groups: groups, occupancy: occupancy}
}

// Waiter returns the number of a group and reason. When all numbers are taken it
// is that of the group Other, and then of Other and whatever reason.
func (t *Table) Waiter(group uint32, reason uint8) int32 {
	at := int(group)*reasonsWide + int(reason)
	for at >= len(t.number) {
		t.number = append(t.number, make([]int16, 8*reasonsWide)...)
	}
	if n := t.number[at]; n != 0 {
		return int32(n - 1)
	}
	n := t.add(group, reason)
	t.number[at] = int16(n + 1)
	return n
}

// reserved is how many waiters are retained for the group Other.
const reserved = reasonsWide

func (t *Table) add(group uint32, reason uint8) int32 {
	if len(t.Waiters) >= poccupancy.MaxWaiters-reserved && group != traceintern.Other {
		return t.Waiter(traceintern.Other, reason)
	}
	t.Waiters = append(t.Waiters, Waiter{Group: group, Reason: reason})
	if t.occupancy != nil {
		t.occupancy.AddWaiter()
	}
	return int32(len(t.Waiters) - 1)
}

// Add counts one whole wait that ended at end: its delay in ns, who woke the
// goroutine and what it had been blocked on.
func (t *Table) Add(waiter int32, end, delay int64, waker, stack uint32) {
	v := &t.Waiters[waiter]
	v.Waits++
	v.TotalNs += delay
	if delay < Handoff {
		v.Handoffs++
	} else {
		v.MaxNs = max(v.MaxNs, delay)
		t.blocks.add(waiter, Bucket(delay), end)
	}
	v.addWaker(waker, delay)
	v.addStack(stack, delay)
}

// Censor counts a wait of which only length ns are known: left, the beginning
// is missing; right, the end; or both.
func (t *Table) Censor(waiter int32, length int64, left, right bool) {
	v := &t.Waiters[waiter]
	v.CensoredNs += length
	if left {
		v.Left++
	}
	if right {
		v.Right++
	}
}

// AddHidden counts the bound of the delay before a network wake.
func (t *Table) AddHidden(waiter int32, bound int64) {
	v := &t.Waiters[waiter]
	if v.Hidden == nil {
		v.Hidden = map[uint16]uint32{}
	}
	v.Hidden[Bucket(bound)]++
}

// maxWakers bounds the groups that are distinguished as wakers of one waiter.
const maxWakers = 64

func (v *Waiter) addWaker(group uint32, delay int64) {
	for i := range v.Wakers {
		if w := &v.Wakers[i]; w.Group == group {
			w.Waits++
			w.TotalNs += delay
			if i > 0 && w.Waits > v.Wakers[i-1].Waits { // the frequent ones are found first
				v.Wakers[i], v.Wakers[i-1] = v.Wakers[i-1], v.Wakers[i]
			}
			return
		}
	}
	if len(v.Wakers) >= maxWakers && group != traceintern.Other {
		v.addWaker(traceintern.Other, delay)
		return
	}
	v.Wakers = append(v.Wakers, Waker{group, 1, delay})
}

// maxStacks bounds the stacks that are distinguished of one waiter.
const maxStacks = 4096

func (v *Waiter) addStack(stack uint32, delay int64) {
	d := v.lastDelay
	if d == nil || v.lastStack != stack {
		if v.Stacks == nil {
			v.Stacks = map[uint32]*StackLatency{}
		}
		if d = v.Stacks[stack]; d == nil {
			if len(v.Stacks) >= maxStacks {
				stack = 0
			}
			if d = v.Stacks[stack]; d == nil {
				d = &StackLatency{}
				v.Stacks[stack] = d
			}
		}
		v.lastStack, v.lastDelay = stack, d
	}
	d.Waits++
	d.TotalNs += delay
}

// Stack returns the stack that most waits came from.
func (v *Waiter) Stack() uint32 {
	best, waits := uint32(0), int64(0)
	for stack, d := range v.Stacks {
		if stack != 0 && (d.Waits > waits || d.Waits == waits && stack < best) {
			best, waits = stack, d.Waits
		}
	}
	return best
}

// Rows returns the histograms, sorted by waiter, block and bucket.
func (t *Table) Rows() []Row { return t.blocks.finish() }

// Row counts the delays of one bucket of a waiter in one block.
type Row struct {
	Waiter, Block uint32
	Bucket        uint16
	Count         uint32
}

// histogram counts the current block densely and keeps ended ones as rows.
type histogram struct {
	block   uint32
	dense   []uint32 // waiter-major
	touched []uint32
	rows    []Row
}

func blockOf(t int64) uint32 { return uint32(min(t/tracefile.BlockNs, 1<<32-2)) }

func (h *histogram) add(waiter int32, bucket uint16, end int64) {
	block := blockOf(end)
	if block != h.block {
		if block < h.block { // named late
			h.rows = append(h.rows, Row{uint32(waiter), block, bucket, 1})
			return
		}
		h.flush()
		h.block = block
	}
	at := int(waiter)*Buckets + int(bucket)
	for at >= len(h.dense) {
		h.dense = append(h.dense, make([]uint32, 8*Buckets)...)
	}
	if h.dense[at]++; h.dense[at] == 1 {
		h.touched = append(h.touched, uint32(at))
	}
}

func (h *histogram) flush() {
	for _, at := range h.touched {
		h.rows = append(h.rows, Row{at / Buckets, h.block, uint16(at % Buckets), h.dense[at]})
		h.dense[at] = 0
	}
	h.touched = h.touched[:0]
}

func (h *histogram) finish() []Row {
	h.flush()
	return SumRows(h.rows)
}

// SumRows sorts rows and adds equal ones up.
func SumRows(rows []Row) []Row {
	slices.SortFunc(rows, func(a, b Row) int {
		switch {
		case a.Waiter != b.Waiter:
			return int(a.Waiter) - int(b.Waiter)
		case a.Block != b.Block:
			return int(int64(a.Block) - int64(b.Block))
		}
		return int(a.Bucket) - int(b.Bucket)
	})
	retained := rows[:0]
	for _, r := range rows {
		if n := len(retained); n > 0 && retained[n-1].Waiter == r.Waiter && retained[n-1].Block == r.Block && retained[n-1].Bucket == r.Bucket {
			retained[n-1].Count += r.Count
			continue
		}
		retained = append(retained, r)
	}
	return retained
}

// Join adds another waiter's waits.
func (v *Waiter) Join(o *Waiter) {
	v.Waits += o.Waits
	v.TotalNs += o.TotalNs
	v.MaxNs = max(v.MaxNs, o.MaxNs)
	v.Left += o.Left
	v.Right += o.Right
	v.CensoredNs += o.CensoredNs
	v.Handoffs += o.Handoffs
	for _, w := range o.Wakers {
		v.joinWaker(w)
	}
	for stack, d := range o.Stacks {
		if v.Stacks == nil {
			v.Stacks = map[uint32]*StackLatency{}
		}
		if v.Stacks[stack] == nil {
			v.Stacks[stack] = &StackLatency{}
		}
		v.Stacks[stack].Waits += d.Waits
		v.Stacks[stack].TotalNs += d.TotalNs
	}
	for bucket, n := range o.Hidden {
		if v.Hidden == nil {
			v.Hidden = map[uint16]uint32{}
		}
		v.Hidden[bucket] += n
	}
}

func (v *Waiter) joinWaker(o Waker) {
	for i := range v.Wakers {
		if w := &v.Wakers[i]; w.Group == o.Group {
			w.Waits += o.Waits
			w.TotalNs += o.TotalNs
			return
		}
	}
	v.Wakers = append(v.Wakers, o)
}
