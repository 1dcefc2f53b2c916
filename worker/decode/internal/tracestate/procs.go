package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/traceblame"
	"slowpath.dev/decode/internal/traceseries"
)

// procState is what is known of one P now.
type procState struct {
	alive    bool
	idle     bool
	known    bool // mentioned by the trace
	sweeping bool
	g        *goroutine // runs, or is in a system call without having lost the P
	born     int64
}

// poll is what is needed to bound how long a socket was ready before the
// network was polled: only when a P finds nothing to run, or by sysmon.
type poll struct {
	idle     int   // Ps idle now
	lastIdle int64 // when the last of them ceased to be
	lastWake int64 // by the network
}

// proc gives a P, and makes it exist since a time if it does not.
func (m *Machine) proc(id int64, since int64) *procState {
	if id < 0 || id >= traceblame.MaxProcs {
		return nil
	}
	for int(id) >= len(m.procs) {
		m.procs = append(m.procs, procState{})
	}
	p := &m.procs[id]
	if !p.alive {
		*p = procState{alive: true, born: since}
		if since == 0 {
			m.begunLate++
			for _, e := range m.early {
				m.Ledger.Charge(e.victim, uint16(traceblame.Unknown), max(0, e.end-1), e.ns)
			}
		}
		if m.Ledger != nil {
			m.Ledger.Begin(int(id), traceblame.Unknown, since)
		}
	}
	return p
}

func (m *Machine) procTransition(st *trace.StateTransition, t int64) {
	from, to := st.Proc()
	since := t
	if from == trace.ProcUndetermined {
		since = 0
	}
	id := int64(st.Resource.Proc())
	p := m.proc(id, since)
	if p == nil {
		return
	}
	p.known = true
	if to == trace.ProcIdle && p.g != nil {
		if p.g.state == trace.GoSyscall {
			m.retaken(p.g)
		}
		p.g.proc = noProc
		p.g = nil
	}
	if idle := to != trace.ProcRunning; idle != p.idle {
		p.idle = idle
		if idle {
			m.poll.idle++
		} else if m.poll.idle--; m.poll.idle == 0 {
			m.poll.lastIdle = t
		}
	}
	m.occupy(int32(id), t)
}

// retaken counts a P that a goroutine lost in a system call.
func (m *Machine) retaken(g *goroutine) {
	g.sums.retakes++
	m.Totals.Retakes++
	m.tick(traceseries.Retakes)
}

// networkWake counts a wake by the network, and for how long at most the socket
// may have been ready: not at all while a P was idle, because then a thread
// sleeps in the poller.
func (m *Machine) networkWake(g *goroutine, t int64) {
	m.Totals.NetworkWakes++
	m.tick(traceseries.NetworkWakes)
	bound := int64(0)
	if m.poll.idle == 0 {
		lateness := int64(0)
		if m.Totals.Late > 0 {
			lateness = m.Totals.LatenessNs / m.Totals.Late
		}
		bound = min(t-max(m.poll.lastIdle, m.poll.lastWake), sliceNs+lateness)
	}
	m.poll.lastWake = t
	if g.final {
		m.Waits.Hide(m.Waits.Victim(g.group, g.wait.reason), bound)
	}
}

// procOf gives the P that a goroutine is on, or nil.
func (m *Machine) procOf(g *goroutine) *procState {
	if g.proc == noProc {
		return nil
	}
	return &m.procs[g.proc]
}

// bind puts a goroutine on a P.
func (m *Machine) bind(g *goroutine, id trace.ProcID, _ trace.GoState, t int64) {
	if int64(id) == int64(g.proc) && id >= 0 {
		return
	}
	if g.proc != noProc {
		m.release(g, t)
	}
	p := m.proc(int64(id), t)
	if p == nil {
		return
	}
	if p.g != nil {
		p.g.proc = noProc
	}
	p.g, g.proc = g, int32(id)
}

// inSyscall keeps the P of a goroutine that entered a system call. One that has
// been in a call since before the trace is only put on a P that has nobody.
func (m *Machine) inSyscall(g *goroutine, from trace.GoState, ev *trace.Event, t int64) {
	if from != trace.GoUndetermined || g.proc != noProc {
		return
	}
	if id := int64(ev.Proc()); id >= 0 && id < int64(len(m.procs)) {
		if p := &m.procs[id]; p.alive && p.g == nil && !p.idle {
			m.bind(g, ev.Proc(), trace.GoSyscall, t)
		}
	}
}

// release takes a goroutine off its P, which then looks for work.
func (m *Machine) release(g *goroutine, t int64) {
	id := g.proc
	m.procs[id].g = nil
	g.proc = noProc
	m.occupy(id, t)
}

// occupy tells the ledger who has a P now.
func (m *Machine) occupy(id int32, t int64) {
	if m.Ledger == nil || id == noProc {
		return
	}
	p := &m.procs[id]
	if !p.alive {
		return
	}
	class, goroutine := m.classOf(p)
	if was := m.Ledger.Occupant(int(id)); was != class {
		m.Series.Occupied(m.Ledger.Classes.At(was).Kind, m.Ledger.Classes.At(class).Kind)
	}
	m.Ledger.Occupy(int(id), class, goroutine, t)
}

// classOf tells who has a P, in order of priority.
func (m *Machine) classOf(p *procState) (class uint16, goroutine uint64) {
	g := p.g
	if g != nil {
		goroutine = g.id
	}
	switch {
	case m.stw > 0:
		return uint16(traceblame.Stw), goroutine
	case !p.known:
		return uint16(traceblame.Unknown), 0
	case p.idle:
		return uint16(traceblame.Idle), 0
	case g == nil:
		return uint16(traceblame.Scheduler), 0
	case g.state == trace.GoSyscall:
		return uint16(traceblame.Syscall), goroutine
	case g.gc != traceblame.User:
		return uint16(g.gc), goroutine
	case g.system:
		return uint16(traceblame.Runtime), goroutine
	case g.inAssist:
		return m.Ledger.Classes.Of(traceblame.UserAssist, g.group), goroutine
	case p.sweeping:
		return m.Ledger.Classes.Of(traceblame.UserSweep, g.group), goroutine
	}
	return g.user, goroutine
}

// occupyAll is for what concerns all Ps at once.
func (m *Machine) occupyAll(t int64) {
	for id := range m.procs {
		m.occupy(int32(id), t)
	}
}

// setProcs follows GOMAXPROCS.
func (m *Machine) setProcs(n, t int64) {
	n = min(n, traceblame.MaxProcs)
	since := t
	if m.Totals.First == 0 { // all that are not seen yet have been there all along
		since = 0
	}
	for id := range n {
		m.proc(id, since)
	}
	for id := n; id < int64(len(m.procs)); id++ {
		m.dissolve(int(id), t)
	}
	m.Totals.count(n)
}

// dissolve ends a P that GOMAXPROCS no longer allows.
func (m *Machine) dissolve(id int, t int64) {
	p := &m.procs[id]
	if !p.alive {
		return
	}
	if p.g != nil {
		p.g.proc = noProc
		p.g = nil
	}
	if p.idle {
		if m.poll.idle--; m.poll.idle == 0 {
			m.poll.lastIdle = t
		}
	}
	m.Totals.ProcsNs += t - p.born
	if m.Ledger != nil {
		m.Series.Occupied(m.Ledger.Classes.At(m.Ledger.Occupant(id)).Kind, traceblame.Unknown)
		m.Ledger.End(id, t)
	}
	*p = procState{}
}

func (c *Totals) count(n int64) {
	if c.First == 0 {
		c.First = n
	} else if c.Last != n {
		c.Changes++
	}
	c.Last, c.Max = n, max(c.Max, n)
}
