package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/traceintern"
	"slowpath.dev/decode/internal/traceseries"
)

// goTransition moves a goroutine from one state to another.
func (m *Machine) goTransition(ev *trace.Event, st *trace.StateTransition, t int64) {
	from, to := st.Goroutine()
	id := uint64(st.Resource.Goroutine())
	g := m.goroutines.find(id)
	if g == nil {
		if to == trace.GoNotExist {
			return
		}
		g = m.goroutines.add(id)
		g.since, g.runSince = t, t
		if m.Occupancy != nil {
			g.user = m.Occupancy.Classes.Of(poccupancy.User, traceintern.Unnamed)
		}
		if from == trace.GoNotExist {
			m.created(g)
		}
	} else {
		from = g.state
	}
	if st.Stack != trace.NoStack {
		m.seeStack(g, st.Stack)
	}
	if from == to {
		return
	}
	m.collect(g, st, ev, t)
	m.endBlocking(g, from, to, ev, t)
	m.leave(g, from, t)
	m.enter(g, from, to, ev, st, t)
}

// collect reports to the utilization of the collector when one of its goroutines begins
// or ends to execute.
func (m *Machine) collect(g *goroutine, st *trace.StateTransition, ev *trace.Event, t int64) {
	if !g.collects || m.GC == nil {
		return
	}
	from, to := st.Goroutine()
	if g.collects = m.GC.Collects(g.id); g.collects && from.Executing() != to.Executing() {
		m.GC.Switch(g.id, to.Executing(), int(ev.Proc()), t)
	}
}

func (m *Machine) created(g *goroutine) {
	g.sums.created++
	m.Totals.Created++
	m.tick(traceseries.Created)
}

// seeStack learns from a stack of the goroutine what it is.
func (m *Machine) seeStack(g *goroutine, stack trace.Stack) {
	if stack != g.lastStack {
		g.lastStack, g.lastID = stack, m.Stacks.Of(stack)
	}
	if !g.final {
		m.name(g, g.lastID)
	}
}

// name returns a goroutine its group, for good once a stack shows what its
// wrappers call; the waits that it held back are counted then.
func (m *Machine) name(g *goroutine, stack uint32) {
	if g.final {
		return
	}
	group, final := m.Groups.Of(stack)
	if group == traceintern.Unnamed || !final && g.group != traceintern.Unnamed {
		return
	}
	g.group, g.final = group, final
	g.system = m.Groups.At(group).System
	if m.Occupancy != nil {
		g.user = m.Occupancy.Classes.Of(poccupancy.User, group)
		if p := m.procOf(g); p != nil && m.stw == 0 {
			class, _ := m.classOf(p)
			m.Occupancy.Reclass(int(g.proc), class)
		}
	}
	if final {
		m.flush(g)
	}
}

// leave closes the state that a goroutine is in, but for waits, which end by
// running.
func (m *Machine) leave(g *goroutine, from trace.GoState, t int64) {
	length := t - g.since
	switch from {
	case trace.GoRunning:
		g.sums.running += length
		if g.inAssist {
			g.sums.assist += t - max(g.since, g.assist)
		}
	case trace.GoSyscall:
		g.sums.syscall += length
	case trace.GoWaiting:
		g.sums.waiting += length
	}
	if g.inAssist && from != trace.GoRunning {
		g.sums.assistWait += t - max(g.since, g.assist)
	}
	m.level(g, from, -1)
}

func (m *Machine) enter(g *goroutine, from, to trace.GoState, ev *trace.Event, st *trace.StateTransition, t int64) {
	if from == trace.GoRunnable {
		m.endWait(g, ev, t)
	}
	switch to {
	case trace.GoRunnable:
		m.stopRun(g, from, t)
		if from == trace.GoRunning {
			g.stack = g.lastID
		}
		m.beginWait(g, from, ev, st, t)
	case trace.GoRunning:
		if from != trace.GoSyscall {
			g.runSince = t
		}
		m.bind(g, ev.Proc(), to, t)
	case trace.GoWaiting:
		m.stopRun(g, from, t)
		g.reason, g.stack = traceintern.ReasonBefore, g.lastID
		if from != trace.GoUndetermined {
			g.reason = m.reasonOf(st.Reason)
		}
	case trace.GoSyscall:
		g.stack, g.syscallSeen = g.lastID, from != trace.GoUndetermined
		m.inSyscall(g, from, ev, t)
	case trace.GoNotExist:
		m.stopRun(g, from, t)
	}
	g.state, g.since = to, t
	m.level(g, to, 1)
	switch to {
	case trace.GoRunning, trace.GoSyscall:
		m.occupy(g.proc, t)
	case trace.GoNotExist:
		m.Totals.Ended++
		m.tick(traceseries.Ended)
		m.retire(g)
		m.goroutines.remove(g)
	}
}

// reasonOf returns the number of a reason; the last one is remembered.
func (m *Machine) reasonOf(reason string) uint8 {
	if reason != m.lastReason {
		m.lastReason, m.lastNumber = reason, m.Reasons.Of(reason)
	}
	return m.lastNumber
}

// stopRun ends an uninterrupted run, and takes the goroutine off its P.
func (m *Machine) stopRun(g *goroutine, from trace.GoState, t int64) {
	if from == trace.GoRunning {
		sums := m.sumsOf(g.group)
		if sums.Runs == nil {
			sums.Runs = make([]uint32, schedlatency.Buckets)
		}
		sums.Runs[schedlatency.Bucket(t-g.runSince)]++
	}
	g.gc = poccupancy.User
	if g.proc != noProc {
		m.release(g, t)
	}
}

// retire adds what a goroutine did to its group.
func (m *Machine) retire(g *goroutine) {
	m.flush(g)
	sums := m.sumsOf(g.group)
	m.Totals.Goroutines++
	sums.Goroutines++
	sums.Running += g.sums.running
	sums.Runnable += g.sums.runnable
	sums.Syscall += g.sums.syscall
	sums.Waiting += g.sums.waiting
	sums.Assist += g.sums.assist
	sums.AssistWait += g.sums.assistWait
	sums.Preemptions += g.sums.preemptions
	sums.Retakes += g.sums.retakes
	sums.Created += g.sums.created
	sums.Wakes += g.sums.wakes
}

// sliceNs is the time after which sysmon preempts (runtime: forcePreemptNS).
const sliceNs = 10_000_000

// preempted counts a preemption, and how late it came.
func (m *Machine) preempted(g *goroutine, t int64) {
	g.sums.preemptions++
	m.Totals.Preemptions++
	m.tick(traceseries.Preemptions)
	if ran := t - g.runSince; ran >= sliceNs && ran < 10*sliceNs {
		m.Totals.LatenessNs += ran - sliceNs
		m.Totals.Late++
	}
}

// level moves the series of goroutines in a state.
func (m *Machine) level(g *goroutine, state trace.GoState, by int64) {
	if m.Series == nil {
		return
	}
	switch state {
	case trace.GoRunnable:
		m.Series.Move(traceseries.Runnable, by)
	case trace.GoRunning:
		m.Series.Move(traceseries.Running, by)
	case trace.GoSyscall:
		m.Series.Move(traceseries.Syscall, by)
	case trace.GoWaiting:
		m.Series.Move(waitingLevels[m.Reasons.Kind(g.reason)], by)
	}
}

var waitingLevels = [...]traceseries.Level{
	traceintern.Synchronization: traceseries.WaitingSync, traceintern.Network: traceseries.WaitingNetwork,
	traceintern.Sleep: traceseries.WaitingSleep, traceintern.GCWorker: traceseries.WaitingGC,
	traceintern.OtherReason: traceseries.WaitingOther,
}

func (m *Machine) tick(count traceseries.Count) {
	if m.Series != nil {
		m.Series.Tick(count)
	}
}
