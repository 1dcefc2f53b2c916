package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

// wait is the wait that a runnable goroutine is in.
type wait struct {
	waiter      int32 // noVictim: its group is not known yet
	reason      uint8
	left        bool // its beginning is not known
	waker       *goroutine
	wakerID     uint64
	wakerGroup  uint32 // as known at the wake
	wakerStack  trace.Stack
	ahead       uint32
	number      uint64  // in the queue
	starts      uint64  // of all goroutines, when it began
	started     int64   // Ps reported late, when it began
	occupied    []int64 // P-time by class when it began, while the waiter is not known
	hasSnapshot bool    // occupied was taken
}

const noWaiter = -1

// pending is a wait that was over before its goroutine's group was known.
type pending struct {
	wait      schedlatency.Wait
	reason    uint8
	left      bool
	started   int64 // Ps reported late, when it was over
	occupancy []classTime
}

// early is a wait that was attributed when it was over, while not all Ps were known.
type early struct {
	waiter  int32
	end, ns int64
}

type classTime struct {
	class uint16
	ns    int64
}

// maxPending bounds the waits that one goroutine keeps back, and maxOccupied
// the bytes of snapshots for waits without a waiter.
const (
	maxPending  = 32
	maxOccupied = 8 << 20
)

// beginWait takes a goroutine into the queue.
func (m *Machine) beginWait(g *goroutine, from trace.GoState, ev *trace.Event, st *trace.StateTransition, t int64) {
	w := &g.wait
	w.left, w.waker, w.wakerID, w.wakerStack = false, nil, 0, trace.NoStack
	w.wakerGroup = tracefile.None
	switch from {
	case trace.GoWaiting:
		w.reason = g.reason
		m.wakeUp(g, ev, t)
	case trace.GoNotExist:
		w.reason = traceintern.ReasonCreated
		m.setWaker(w, ev)
	case trace.GoSyscall:
		w.reason = traceintern.ReasonSyscall
	case trace.GoRunning:
		w.reason = m.reasonOf(st.Reason)
		if w.reason == traceintern.ReasonPreempted {
			m.preempted(g, t)
		}
	default:
		w.reason, w.left = traceintern.ReasonBefore, true
	}
	w.ahead, w.starts = m.runnable, m.starts
	if m.Occupancy != nil {
		w.number = m.queue.push()
	}
	m.runnable++
	if g.final {
		m.joinWaiter(g, t)
	} else {
		m.snapshot(w, t)
	}
}

func (m *Machine) joinWaiter(g *goroutine, t int64) {
	w := &g.wait
	w.waiter, w.hasSnapshot = m.Waits.Waiter(g.group, w.reason), false
	if m.Occupancy != nil {
		m.Occupancy.BeginWait(w.waiter, t)
	}
}

// snapshot takes the P-time of all classes down for a wait whose waiter will be
// known later. Under memory pressure it becomes one of the unnamed.
func (m *Machine) snapshot(w *wait, t int64) {
	w.waiter, w.hasSnapshot = noWaiter, false
	if m.Occupancy == nil || m.Occupancy.Procs() == 0 {
		return
	}
	need := 8 * m.Occupancy.Classes.Len()
	if m.occupied+need > maxOccupied {
		w.waiter = m.Waits.Waiter(traceintern.Unnamed, w.reason)
		m.Occupancy.BeginWait(w.waiter, t)
		return
	}
	w.occupied, w.started = m.Occupancy.Snapshot(w.occupied, t), m.startedLate
	w.hasSnapshot = true
	m.occupied += need
}

func (m *Machine) setWaker(w *wait, ev *trace.Event) {
	if id := ev.Goroutine(); id != trace.NoGoroutine {
		w.wakerID, w.wakerGroup = uint64(id), traceintern.Unnamed
		if w.waker = m.goroutines.find(uint64(id)); w.waker != nil {
			if !w.waker.final {
				m.name(w.waker, m.Stacks.Of(ev.Stack()))
			}
			w.wakerGroup = w.waker.group
		}
	}
	w.wakerStack = ev.Stack()
}

func (m *Machine) wakeUp(g *goroutine, ev *trace.Event, t int64) {
	g.sums.wakes++
	m.setWaker(&g.wait, ev)
	if m.Reasons.Kind(g.wait.reason) == traceintern.Network {
		m.networkWake(g, t)
	}
}

// endWait ends the wait of a runnable goroutine that runs now, or disappears.
func (m *Machine) endWait(g *goroutine, ev *trace.Event, t int64) {
	w := &g.wait
	m.runnable--
	delay := t - g.since
	g.sums.runnable += delay
	if m.Occupancy != nil {
		m.queue.remove(w.number)
	}
	if w.waiter != noWaiter {
		if m.Occupancy != nil {
			m.Occupancy.EndWait(w.waiter, t)
		}
		m.count(g, ev, w.waiter, delay, t)
	} else {
		m.keepPending(g, ev, delay, t)
	}
	m.starts++
}

// count counts a wait whose waiter was known when it began.
func (m *Machine) count(g *goroutine, ev *trace.Event, waiter int32, delay, t int64) {
	w := &g.wait
	if w.left {
		m.Waits.Censor(waiter, delay, true, false)
		return
	}
	m.Waits.Add(waiter, t, delay, m.wakerGroup(w), g.stack)
	if m.Occupancy != nil && m.Waits.IsLongest(waiter, delay) {
		record := m.record(g, ev, t)
		record.Waiter = waiter
		m.Waits.KeepLongest(&record)
	}
}

// wakerGroup returns the group of the goroutine that ended the blocking, as far
// as it is known now.
func (m *Machine) wakerGroup(w *wait) uint32 {
	if w.waker != nil && w.waker.id == w.wakerID { // lives, and may have been named since
		return w.waker.group
	}
	return w.wakerGroup
}

// record makes the long form of the wait that ends now.
func (m *Machine) record(g *goroutine, ev *trace.Event, t int64) schedlatency.Wait {
	w := &g.wait
	overtakes := int64(m.starts-w.starts) - (int64(w.ahead) - int64(m.queue.before(w.number)))
	record := schedlatency.Wait{
		Goroutine: g.id, Start: g.since, End: t, QueueAhead: w.ahead, Overtakes: uint32(max(0, overtakes)),
		WakerGroup: m.wakerGroup(w), WakerGoroutine: w.wakerID, WakerStack: m.Stacks.Of(w.wakerStack),
		BlockStack: g.stack, Proc: tracefile.None,
	}
	if p := ev.Proc(); p != trace.NoProc {
		record.Proc = uint32(p)
	}
	return record
}

// keepPending keeps a whole wait until its goroutine's group is known.
func (m *Machine) keepPending(g *goroutine, ev *trace.Event, delay, t int64) {
	w := &g.wait
	p := pending{wait: m.record(g, ev, t), reason: w.reason, left: w.left}
	p.occupancy, p.started = m.sinceSnapshot(g, t), m.startedLate
	g.pending = append(g.pending, p)
	if g.final || len(g.pending) > maxPending {
		m.flush(g)
	}
}

// sinceSnapshot returns the P-time since a wait's snapshot and frees it.
//
// A P that was reported meanwhile, but was there all along, counts with all the
// time since the trace began: what precedes the wait is taken off.
func (m *Machine) sinceSnapshot(g *goroutine, t int64) []classTime {
	w := &g.wait
	if !w.hasSnapshot {
		return nil
	}
	w.hasSnapshot = false
	m.occupied -= 8 * len(w.occupied)
	m.scratch = m.Occupancy.Snapshot(m.scratch, t)
	m.scratch[poccupancy.Unknown] -= (m.startedLate - w.started) * g.since
	var occupancyNs []classTime
	for class, ns := range m.scratch {
		if class < len(w.occupied) {
			ns -= w.occupied[class]
		}
		if ns != 0 {
			occupancyNs = append(occupancyNs, classTime{uint16(class), ns})
		}
	}
	return occupancyNs
}

// flush counts the waits that a goroutine held back.
func (m *Machine) flush(g *goroutine) {
	for i := range g.pending {
		p := &g.pending[i]
		waiter := m.Waits.Waiter(g.group, p.reason)
		p.wait.Waiter = waiter
		for _, b := range p.occupancy {
			m.Occupancy.AddOccupancy(waiter, b.class, max(0, p.wait.End-1), b.ns)
		}
		delay := p.wait.Delay()
		m.addEarlyOccupancy(early{waiter, p.wait.End, delay}, m.startedLate-p.started)
		if p.left {
			m.Waits.Censor(waiter, delay, true, false)
			continue
		}
		m.Waits.Add(waiter, p.wait.End, delay, p.wait.WakerGroup, p.wait.BlockStack)
		if m.Occupancy != nil && m.Waits.IsLongest(waiter, delay) {
			retained := p.wait
			m.Waits.KeepLongest(&retained)
		}
	}
	g.pending = nil
}

// maxEarly bounds the waits that Ps reported late are attributed to.
const maxEarly = 1 << 16

// addEarlyOccupancy attributes a wait to Ps that were reported since, as unknown, and
// remembers it as long as more may come: until GOMAXPROCS is known.
func (m *Machine) addEarlyOccupancy(e early, late int64) {
	if m.Occupancy == nil {
		return
	}
	if late > 0 {
		m.Occupancy.AddOccupancy(e.waiter, uint16(poccupancy.Unknown), max(0, e.end-1), late*e.ns)
	}
	if m.Totals.First == 0 && len(m.early) < maxEarly {
		m.early = append(m.early, e)
	}
}

// openAtEnd counts a wait that still lasts when the trace ends.
func (m *Machine) openAtEnd(g *goroutine, t int64) {
	w := &g.wait
	delay := t - g.since
	g.sums.runnable += delay
	waiter := w.waiter
	if waiter == noWaiter {
		waiter = m.Waits.Waiter(g.group, w.reason)
		for _, b := range m.sinceSnapshot(g, t) {
			m.Occupancy.AddOccupancy(waiter, b.class, max(0, t-1), b.ns)
		}
	}
	m.Waits.Censor(waiter, delay, w.left, true)
}
