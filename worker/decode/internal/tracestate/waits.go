package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/traceblame"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracenames"
	"slowpath.dev/decode/internal/tracewaits"
)

// wait is the wait that a runnable goroutine is in.
type wait struct {
	victim     int32 // noVictim: its group is not known yet
	reason     uint8
	left       bool // its beginning is not known
	waker      *goroutine
	wakerID    uint64
	wakerGroup uint32 // as known at the wake
	wakerStack trace.Stack
	ahead      uint32
	number     uint64  // in the queue
	starts     uint64  // of all goroutines, when it began
	begun      int64   // Ps told of late, when it began
	occupied   []int64 // P-time by class when it began, while the victim is not known
	charged    bool    // occupied was taken
}

const noVictim = -1

// pending is a wait that was over before its goroutine's group was known.
type pending struct {
	wait   tracewaits.Wait
	reason uint8
	left   bool
	begun  int64 // Ps told of late, when it was over
	blame  []classTime
}

// early is a wait that was charged when it was over, while not all Ps were known.
type early struct {
	victim  int32
	end, ns int64
}

type classTime struct {
	class uint16
	ns    int64
}

// maxPending bounds the waits that one goroutine keeps back, and maxOccupied
// the bytes of snapshots for waits without a victim.
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
		w.reason = tracenames.ReasonCreated
		m.setWaker(w, ev)
	case trace.GoSyscall:
		w.reason = tracenames.ReasonSyscall
	case trace.GoRunning:
		w.reason = m.reasonOf(st.Reason)
		if w.reason == tracenames.ReasonPreempted {
			m.preempted(g, t)
		}
	default:
		w.reason, w.left = tracenames.ReasonBefore, true
	}
	w.ahead, w.starts = m.runnable, m.starts
	if m.Ledger != nil {
		w.number = m.queue.push()
	}
	m.runnable++
	if g.final {
		m.joinVictim(g, t)
	} else {
		m.snapshot(w, t)
	}
}

func (m *Machine) joinVictim(g *goroutine, t int64) {
	w := &g.wait
	w.victim, w.charged = m.Waits.Victim(g.group, w.reason), false
	if m.Ledger != nil {
		m.Ledger.BeginWait(w.victim, t)
	}
}

// snapshot takes the P-time of all classes down for a wait whose victim will be
// known later. Under memory pressure it becomes one of the unnamed.
func (m *Machine) snapshot(w *wait, t int64) {
	w.victim, w.charged = noVictim, false
	if m.Ledger == nil || m.Ledger.Procs() == 0 {
		return
	}
	need := 8 * m.Ledger.Classes.Len()
	if m.occupied+need > maxOccupied {
		w.victim = m.Waits.Victim(tracenames.Unnamed, w.reason)
		m.Ledger.BeginWait(w.victim, t)
		return
	}
	w.occupied, w.begun = m.Ledger.Snapshot(w.occupied, t), m.begunLate
	w.charged = true
	m.occupied += need
}

func (m *Machine) setWaker(w *wait, ev *trace.Event) {
	if id := ev.Goroutine(); id != trace.NoGoroutine {
		w.wakerID, w.wakerGroup = uint64(id), tracenames.Unnamed
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
	if m.Reasons.Kind(g.wait.reason) == tracenames.Network {
		m.networkWake(g, t)
	}
}

// endWait ends the wait of a runnable goroutine that runs now, or disappears.
func (m *Machine) endWait(g *goroutine, ev *trace.Event, t int64) {
	w := &g.wait
	m.runnable--
	delay := t - g.since
	g.sums.runnable += delay
	if m.Ledger != nil {
		m.queue.remove(w.number)
	}
	if w.victim != noVictim {
		if m.Ledger != nil {
			m.Ledger.EndWait(w.victim, t)
		}
		m.count(g, ev, w.victim, delay, t)
	} else {
		m.keepPending(g, ev, delay, t)
	}
	m.starts++
}

// count counts a wait whose victim was known when it began.
func (m *Machine) count(g *goroutine, ev *trace.Event, victim int32, delay, t int64) {
	w := &g.wait
	if w.left {
		m.Waits.Censor(victim, delay, true, false)
		return
	}
	m.Waits.Add(victim, t, delay, m.wakerGroup(w), g.stack)
	if m.Ledger != nil && m.Waits.IsWorst(victim, delay) {
		record := m.record(g, ev, t)
		record.Victim = victim
		m.Waits.Keep(&record)
	}
}

// wakerGroup gives the group of the goroutine that ended the blocking, as far
// as it is known now.
func (m *Machine) wakerGroup(w *wait) uint32 {
	if w.waker != nil && w.waker.id == w.wakerID { // lives, and may have been named since
		return w.waker.group
	}
	return w.wakerGroup
}

// record makes the long form of the wait that ends now.
func (m *Machine) record(g *goroutine, ev *trace.Event, t int64) tracewaits.Wait {
	w := &g.wait
	overtakes := int64(m.starts-w.starts) - (int64(w.ahead) - int64(m.queue.before(w.number)))
	record := tracewaits.Wait{
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
	p.blame, p.begun = m.sinceSnapshot(g, t), m.begunLate
	g.pending = append(g.pending, p)
	if g.final || len(g.pending) > maxPending {
		m.flush(g)
	}
}

// sinceSnapshot gives the P-time since a wait's snapshot and frees it.
//
// A P that was told of meanwhile, but was there all along, counts with all the
// time since the trace began: what lies before the wait is taken off.
func (m *Machine) sinceSnapshot(g *goroutine, t int64) []classTime {
	w := &g.wait
	if !w.charged {
		return nil
	}
	w.charged = false
	m.occupied -= 8 * len(w.occupied)
	m.scratch = m.Ledger.Snapshot(m.scratch, t)
	m.scratch[traceblame.Unknown] -= (m.begunLate - w.begun) * g.since
	var blame []classTime
	for class, ns := range m.scratch {
		if class < len(w.occupied) {
			ns -= w.occupied[class]
		}
		if ns != 0 {
			blame = append(blame, classTime{uint16(class), ns})
		}
	}
	return blame
}

// flush counts the waits that a goroutine kept back.
func (m *Machine) flush(g *goroutine) {
	for i := range g.pending {
		p := &g.pending[i]
		victim := m.Waits.Victim(g.group, p.reason)
		p.wait.Victim = victim
		for _, b := range p.blame {
			m.Ledger.Charge(victim, b.class, max(0, p.wait.End-1), b.ns)
		}
		delay := p.wait.Delay()
		m.chargeEarly(early{victim, p.wait.End, delay}, m.begunLate-p.begun)
		if p.left {
			m.Waits.Censor(victim, delay, true, false)
			continue
		}
		m.Waits.Add(victim, p.wait.End, delay, p.wait.WakerGroup, p.wait.BlockStack)
		if m.Ledger != nil && m.Waits.IsWorst(victim, delay) {
			kept := p.wait
			m.Waits.Keep(&kept)
		}
	}
	g.pending = nil
}

// maxEarly bounds the waits that Ps told of late are charged with.
const maxEarly = 1 << 16

// chargeEarly charges a wait with Ps that were told of since, as unknown, and
// remembers it as long as more may come: until GOMAXPROCS is told.
func (m *Machine) chargeEarly(e early, late int64) {
	if m.Ledger == nil {
		return
	}
	if late > 0 {
		m.Ledger.Charge(e.victim, uint16(traceblame.Unknown), max(0, e.end-1), late*e.ns)
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
	victim := w.victim
	if victim == noVictim {
		victim = m.Waits.Victim(g.group, w.reason)
		for _, b := range m.sinceSnapshot(g, t) {
			m.Ledger.Charge(victim, b.class, max(0, t-1), b.ns)
		}
	}
	m.Waits.Censor(victim, delay, w.left, true)
}
