// Package tracestate follows goroutines and processors (Ps) through the events
// of a trace, once, and updates the tables of waits, occupancy, collector and series
// what happens.
//
// What the trace does not hold is not invented: states from before the first
// event are unknown, names come late, and some goroutines never get one.
package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/blockedtime"
	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracegc"
	"slowpath.dev/decode/internal/traceintern"
	"slowpath.dev/decode/internal/traceseries"
)

// Machine holds the state of a traced program at one instant. OccupancyTotals, GC and
// Series are nil when only histograms are needed.
type Machine struct {
	Names     *traceintern.StringInterner
	Stacks    *traceintern.StackInterner
	Groups    *traceintern.GoroutineGroupInterner
	Reasons   *traceintern.WakeReasonInterner
	Waits     *schedlatency.Table
	Occupancy *poccupancy.OccupancyTotals
	GC        *tracegc.GcFollower
	Series    *traceseries.Series
	Blocked   *blockedtime.Table
	Totals    Totals

	goroutines  *goroutines
	procs       []procState
	runnable    uint32
	starts      uint64
	queue       *queue
	occupied    int // bytes of snapshots held
	early       []early
	startedLate int64   // Ps that were there before they were reported
	scratch     []int64 // P-time by class
	sums        []Sums  // by group
	stw         int     // depth
	poll        poll
	cut         int64 // when occupations are cut next
	lastReason  string
	lastNumber  uint8
	samples     map[Sample]int64
}

// Totals counts over the whole trace.
type Totals struct {
	Preemptions, Retakes, NetworkWakes, Created, Ended int64
	Goroutines                                         int64
	Samples                                            int64
	First, Last, Max, Changes                          int64 // GOMAXPROCS
	FlightRecorder, Started                            bool  // reported by the first GOMAXPROCS event
	LatenessNs, Late                                   int64 // of preemptions behind the 10 ms
	ProcsNs                                            int64
}

// Sums are what goroutines of one group did. Times are ns.
type Sums struct {
	Running, Runnable, Syscall, Waiting int64
	Assist, AssistWait                  int64
	Preemptions, Retakes, Created       uint32
	Goroutines                          uint32
	Wakes                               uint64
	Runs                                []uint32 // lengths of uninterrupted runs, by bucket
}

// Sample is one place where CPU samples were taken.
type Sample struct{ Group, Stack uint32 }

// New makes a machine around its tables.
func New(names *traceintern.StringInterner) *Machine {
	stacks := traceintern.NewStacks(names)
	return &Machine{
		Names: names, Stacks: stacks, Groups: traceintern.NewGroups(names, stacks),
		Reasons: traceintern.NewReasons(names), goroutines: newGoroutines(), queue: &queue{},
		cut: cutEvery, lastReason: noReason, samples: map[Sample]int64{},
	}
}

// noReason is not a reason of any trace.
const noReason = "\x00"

// cutEvery is how often occupations of Ps are cut, in ns; it divides the block
// of occupancy.
const cutEvery = 100_000_000

// manyCuts is how many cuts may be due at once: a longer gap between two events
// does not happen in a running program.
const manyCuts = 1000

// Step takes one event in. t is ns since the first event, and never falls.
func (m *Machine) Step(ev *trace.Event, t int64) {
	if m.Occupancy != nil && t >= m.cut {
		m.cutAt(t)
	}
	if m.Series != nil {
		m.Series.Advance(t)
	}
	switch ev.Kind() {
	case trace.EventStateTransition:
		st := ev.StateTransition()
		switch st.Resource.Kind {
		case trace.ResourceGoroutine:
			m.goTransition(ev, &st, t)
		case trace.ResourceProc:
			m.procTransition(&st, t)
		}
	case trace.EventSync:
		m.sync(ev)
	case trace.EventMetric:
		m.metric(ev, t)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		m.ranged(ev, t)
	case trace.EventLabel:
		m.label(ev, t)
	case trace.EventStackSample:
		m.sample(ev)
	}
}

func (m *Machine) cutAt(t int64) {
	if (t-m.cut)/cutEvery > manyCuts {
		m.cut = t - t%cutEvery
	}
	for ; m.cut <= t; m.cut += cutEvery {
		m.Occupancy.Cut(m.cut)
	}
}

// sync begins a generation: numbers of stacks end with the one before.
func (m *Machine) sync(ev *trace.Event) {
	if m.GC != nil {
		m.GC.Sync(ev.Sync().N)
	}
	m.goroutines.each(func(g *goroutine) {
		g.lastStack = trace.NoStack
		if g.wait.wakerStack != trace.NoStack {
			g.wait.wakerStack = trace.NoStack
		}
	})
	m.Stacks.NextGeneration()
}

// sample counts a CPU sample of a goroutine that runs.
func (m *Machine) sample(ev *trace.Event) {
	m.Totals.Samples++
	stack := m.Stacks.Of(ev.Stack())
	group := uint32(traceintern.Unnamed)
	if id := ev.Goroutine(); id != trace.NoGoroutine {
		if g := m.goroutines.find(uint64(id)); g != nil {
			m.name(g, stack)
			group = g.group
		}
	}
	if group == traceintern.Unnamed {
		group, _ = m.Groups.Of(stack)
	}
	m.samples[Sample{group, stack}]++
}

// Samples returns the CPU samples by group and stack.
func (m *Machine) Samples() map[Sample]int64 { return m.samples }

// GroupSums returns what the goroutines of every group did; after Finish.
func (m *Machine) GroupSums() []Sums {
	for len(m.sums) < m.Groups.Len() {
		m.sums = append(m.sums, Sums{})
	}
	return m.sums
}

func (m *Machine) sumsOf(group uint32) *Sums {
	for int(group) >= len(m.sums) {
		m.sums = append(m.sums, Sums{})
	}
	return &m.sums[group]
}

// Finish ends the trace at t: what lasts is cut off there.
func (m *Machine) Finish(t int64) {
	if m.Occupancy != nil && t >= m.cut {
		m.cutAt(t)
	}
	m.goroutines.each(func(g *goroutine) {
		if g.state == trace.GoRunnable {
			m.openAtEnd(g, t)
		} else {
			m.leave(g, g.state, t)
		}
		m.retire(g)
	})
	for _, p := range m.procs {
		if p.alive {
			m.Totals.ProcsNs += t - p.born
		}
	}
	if m.GC != nil {
		if m.GC.Marking() {
			m.mark(false, t)
		}
		m.GC.Finish(t)
	}
	if m.Occupancy != nil {
		m.Occupancy.Finish(t)
	}
	if m.Series != nil {
		m.Series.Finish(t)
	}
}
