package gapexplain

import (
	"cmp"
	"slices"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracegc"
	"slowpath.dev/decode/internal/traceintern"
	"slowpath.dev/decode/internal/traceseries"
	"slowpath.dev/decode/internal/tracesource"
	"slowpath.dev/decode/internal/tracestate"
)

// States of a piece.
const (
	running  = "running"
	assist   = "assist" // running for the collector
	runnable = "runnable"
	blocked  = "blocked"
	syscall  = "syscall"
	unknown  = "unknown"
)

const (
	// ringBytes is what occupations of processors may take.
	ringBytes = 64 << 20
	// maxIntervals bounds the intervals listed one by one; states count them all.
	maxIntervals = 500
	// maxRunnable bounds the waits that are attributed one by one.
	maxRunnable = 1 << 16
	// maxFrames bounds the frames of a stack.
	maxFrames = 24
	// maxSamples bounds the stacks of CPU samples.
	maxSamples = 10
)

// goroutineFollower watches one goroutine during the gap.
type goroutineFollower struct {
	explanation *Explanation
	machine     *tracestate.Machine
	first, now  int64
	from, to    int64 // of the gap, on the machine's clock
	started     bool
	state       string
	reason      string
	stack       uint32
	waker       waker
	since       int64
	assisting   bool
	seen        bool
	parts       map[stateKey]*stateTotals
	waits       []wait
	samples     map[uint32]int64
	namesOf     map[uint64]uint32 // groups of wakers, as last known
	targetGroup uint32
}

type waker struct {
	known bool
	id    uint64
	stack uint32
}

type stateKey struct{ state, reason string }

type stateTotals struct {
	ns, longest int64
	times       int
	stack       uint32
	waker       waker
	occupancy   map[uint16]int64
}

// wait is one time in the queue, within the gap.
type wait struct {
	from, to int64
	part     *stateTotals
}

// follow fills in the states of the goroutine, and who held the processors.
func follow(open opening, a *Explanation) error {
	s, closeSource, err := open()
	if err != nil {
		return err
	}
	defer closeSource()
	f := newGoroutineFollower(a)
	if err := f.readAll(s); err != nil && !f.over() {
		return s.Finish(err)
	}
	f.change(f.to, unknown, "")
	f.machine.Finish(f.now)
	f.addOccupancy()
	f.record()
	return nil
}

func newGoroutineFollower(a *Explanation) *goroutineFollower {
	names := traceintern.NewStrings()
	m := tracestate.New(names)
	m.Occupancy = poccupancy.NewOccupancyTotals(poccupancy.NewClasses(traceintern.Other), poccupancy.NewSegmentRing(ringBytes), tracefile.OccupancyBlockNs)
	m.Waits = schedlatency.New(m.Groups, m.Occupancy)
	m.GC = tracegc.New()
	m.Series = traceseries.New()
	return &goroutineFollower{
		explanation: a, machine: m, state: unknown, parts: map[stateKey]*stateTotals{}, samples: map[uint32]int64{}, namesOf: map[uint64]uint32{},
	}
}

// over reports whether all of the gap was read.
func (f *goroutineFollower) over() bool { return f.started && f.now > f.to }

// readAll reads up to the end of the gap.
func (f *goroutineFollower) readAll(s *tracesource.Source) (err error) {
	defer tracesource.Guard(&err)
	if s.Version >= tracesource.FirstV2 {
		f.machine.Reasons.Coroutines()
	}
	for !f.over() {
		ev, err := s.Reader().ReadEvent()
		if err != nil {
			return err
		}
		s.Step(ev.Kind() == trace.EventSync)
		f.step(&ev)
	}
	return nil
}

func (f *goroutineFollower) step(ev *trace.Event) {
	if !f.started {
		f.started, f.first = true, int64(ev.Time())
		f.from, f.to = f.explanation.window.from-f.first, f.explanation.window.to-f.first
	}
	f.now = max(f.now, int64(ev.Time())-f.first)
	if f.now > f.to {
		return
	}
	f.machine.Step(ev, f.now)
	switch ev.Kind() {
	case trace.EventStateTransition:
		f.transition(ev)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		r := ev.Range()
		if r.Name == "GC mark assist" && r.Scope.Kind == trace.ResourceGoroutine && uint64(r.Scope.Goroutine()) == f.explanation.target {
			f.assisting = ev.Kind() != trace.EventRangeEnd
			if f.state == running || f.state == assist {
				f.change(f.now, f.runs(), "")
			}
		}
	case trace.EventStackSample:
		if f.explanation.target != 0 && uint64(ev.Goroutine()) == f.explanation.target && f.now >= f.from {
			f.samples[f.machine.Stacks.Of(ev.Stack())]++
		}
	}
}

func (f *goroutineFollower) runs() string {
	if f.assisting {
		return assist
	}
	return running
}

func (f *goroutineFollower) transition(ev *trace.Event) {
	st := ev.StateTransition()
	if f.explanation.target == 0 || st.Resource.Kind != trace.ResourceGoroutine || uint64(st.Resource.Goroutine()) != f.explanation.target {
		return
	}
	if group, ok := f.machine.GroupOf(f.explanation.target); ok {
		f.targetGroup = group
	}
	from, to := st.Goroutine()
	f.seen = true
	if from == to { // repeated at the beginning of a generation
		return
	}
	switch to {
	case trace.GoRunning:
		f.change(f.now, f.runs(), "")
	case trace.GoRunnable:
		if from == trace.GoWaiting {
			f.wake(ev)
		}
		reason := st.Reason
		switch from {
		case trace.GoWaiting:
			reason = f.reason
		case trace.GoNotExist:
			reason = "created"
		case trace.GoSyscall:
			reason = "syscall exit"
		}
		f.change(f.now, runnable, reason)
	case trace.GoWaiting:
		f.change(f.now, blocked, st.Reason)
		f.stack = f.machine.Stacks.Of(st.Stack)
	case trace.GoSyscall:
		f.change(f.now, syscall, "")
		f.stack = f.machine.Stacks.Of(st.Stack)
	default:
		f.change(f.now, unknown, "")
	}
}

// wake notes who ended the wait that ends now.
func (f *goroutineFollower) wake(ev *trace.Event) {
	f.waker = waker{known: true, stack: f.machine.Stacks.Of(ev.Stack())}
	if id := ev.Goroutine(); id != trace.NoGoroutine {
		f.waker.id = uint64(id)
		if group, ok := f.machine.GroupOf(f.waker.id); ok {
			f.namesOf[f.waker.id] = group
		}
	}
}

// change ends the piece that lasts and begins another.
func (f *goroutineFollower) change(t int64, state, reason string) {
	if from, to := max(f.since, f.from), min(t, f.to); f.started && to > from {
		f.piece(from, to)
	}
	f.state, f.reason, f.since, f.stack, f.waker = state, reason, t, 0, waker{}
}

func (f *goroutineFollower) piece(from, to int64) {
	key := stateKey{f.state, f.reason}
	p := f.parts[key]
	if p == nil {
		p = &stateTotals{}
		f.parts[key] = p
	}
	p.ns += to - from
	p.times++
	if to-from > p.longest {
		p.longest, p.stack, p.waker = to-from, f.stack, f.waker
	}
	if f.state == runnable && len(f.waits) < maxRunnable {
		f.waits = append(f.waits, wait{from, to, p})
	}
	f.explanation.IntervalsTotal++
	list := f.explanation.Intervals
	if n := len(list); n > 0 && list[n-1].State == f.state && list[n-1].Reason == f.reason && list[n-1].To == from-f.from {
		list[n-1].To = to - f.from
		f.explanation.IntervalsTotal--
	} else if n < maxIntervals {
		f.explanation.Intervals = append(list, StateInterval{from - f.from, to - f.from, f.state, f.reason})
	}
}

// addOccupancy divides every time in the queue among who held the processors then.
func (f *goroutineFollower) addOccupancy() {
	for _, w := range f.waits {
		if w.part.occupancy == nil {
			w.part.occupancy = map[uint16]int64{}
		}
		f.occupied(w.from, w.to, w.part.occupancy)
	}
}

// occupied adds up the P-time of a window by class.
func (f *goroutineFollower) occupied(from, to int64, into map[uint16]int64) {
	f.machine.Occupancy.Ring.Each(from, func(s *poccupancy.Segment) bool {
		if held := min(s.End, to) - max(s.Start(), from); held > 0 {
			into[s.Class] += held
		}
		return true
	})
}

// record turns what was seen into the answer.
func (f *goroutineFollower) record() {
	a := f.explanation
	all := map[uint16]int64{}
	f.occupied(f.from, f.to, all)
	total := int64(0)
	for _, ns := range all {
		total += ns
	}
	a.Processors = f.occupancies(all, float64(total))
	a.Procs = int(f.machine.Totals.Max)
	f.gcOverlap()
	at := f.from
	a.TraceFrom = &at
	if a.Basis == NoGoroutine {
		a.States, a.Intervals, a.IntervalsTotal = []StateShare{}, []StateInterval{}, 0
		return
	}
	a.Goroutine = &Goroutine{a.target, f.group(f.targetGroup)}
	if !f.seen {
		a.Why = NotThere
	}
	for key, p := range f.parts {
		output := StateShare{State: key.state, Reason: key.reason, Ns: p.ns, Times: p.times, Stack: f.frames(p.stack), Waker: f.wakerOf(p.waker)}
		if p.occupancy != nil {
			output.Occupancies = f.occupancies(p.occupancy, float64(p.ns))
		}
		a.States = append(a.States, output)
	}
	slices.SortFunc(a.States, func(x, y StateShare) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), cmp.Compare(x.State, y.State), cmp.Compare(x.Reason, y.Reason))
	})
	for stack, count := range f.samples {
		a.Samples = append(a.Samples, RunSample{count, f.frames(stack)})
	}
	slices.SortFunc(a.Samples, func(x, y RunSample) int { return cmp.Compare(y.Count, x.Count) })
	a.Samples = a.Samples[:min(len(a.Samples), maxSamples)]
}

func (f *goroutineFollower) group(group uint32) string {
	return f.machine.Names.At(f.machine.Groups.At(group).Name)
}

func (f *goroutineFollower) wakerOf(w waker) *Waker {
	if !w.known {
		return nil
	}
	output := &Waker{ID: w.id, Stack: f.frames(w.stack)}
	if w.id != 0 {
		output.Group = f.group(f.namesOf[w.id])
	}
	return output
}

// occupancies scales P-time by class so that it sums to a length.
func (f *goroutineFollower) occupancies(byClass map[uint16]int64, length float64) []Occupancy {
	total := 0.0
	for _, ns := range byClass {
		total += float64(ns)
	}
	sums := map[Occupancy]float64{}
	for number, ns := range byClass {
		class := f.machine.Occupancy.Classes.At(number)
		key := Occupancy{Kind: poccupancy.KindNames[class.Kind]}
		if class.Kind.IsUser() {
			key.Group = f.group(class.Group)
		}
		sums[key] += float64(ns) / total * length
	}
	list := []Occupancy{}
	for key, ns := range sums {
		key.Ns = ns
		list = append(list, key)
	}
	slices.SortFunc(list, func(x, y Occupancy) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Group, y.Group))
	})
	return list
}

// gcOverlap adds up marking and stops of the world within the gap.
func (f *goroutineFollower) gcOverlap() {
	for _, phase := range f.machine.GC.Phases {
		if held := min(phase.End, f.to) - max(phase.Start, f.from); held > 0 {
			f.explanation.GC.MarkNs += held
			f.explanation.GC.Cycles++
		}
	}
	for _, stop := range f.machine.GC.Stops {
		f.explanation.GC.StopNs += max(0, min(stop.End, f.to)-max(stop.Start, f.from))
	}
}

func (f *goroutineFollower) frames(stack uint32) []Frame {
	output := []Frame{}
	for _, number := range f.machine.Stacks.Frames(stack) {
		if len(output) == maxFrames {
			break
		}
		frame := f.machine.Stacks.Frame(number)
		output = append(output, Frame{f.machine.Names.At(frame.Function), f.machine.Names.At(frame.File), frame.Line})
	}
	return output
}
