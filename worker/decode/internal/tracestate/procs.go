package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/poccupancy"
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

// proc returns a P, and makes it exist since a time if it does not.
func (m *Machine) proc(id int64, since int64) *procState {
	if id < 0 || id >= poccupancy.MaxProcs {
		return nil
	}
	for int(id) >= len(m.procs) {
		m.procs = append(m.procs, procState{})
	}
	p := &m.procs[id]
	if !p.alive {
		*p = procState{alive: true, born: since}
		if since == 0 {
			m.startedLate++
			for _, e := range m.early {
				m.Occupancy.AddOccupancy(e.waiter, uint16(poccupancy.Unknown), max(0, e.end-1), e.ns)
			}
		}
		if m.Occupancy != nil {
			m.Occupancy.Begin(int(id), poccupancy.Unknown, since)
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
		m.Waits.AddHidden(m.Waits.Waiter(g.group, g.wait.reason), bound)
	}
}

// procOf returns the P that a goroutine is on, or nil.
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
// been in a call since before the trace is only put on a P that is free.
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

// occupy reports to the occupancy totals who has a P now.
func (m *Machine) occupy(id int32, t int64) {
	if m.Occupancy == nil || id == noProc {
		return
	}
	p := &m.procs[id]
	if !p.alive {
		return
	}
	class, goroutine := m.classOf(p)
	if was := m.Occupancy.Occupant(int(id)); was != class {
		m.Series.Occupied(m.Occupancy.Classes.At(was).Kind, m.Occupancy.Classes.At(class).Kind)
	}
	m.Occupancy.Occupy(int(id), class, goroutine, t)
}

// classOf returns who has a P, in order of priority.
func (m *Machine) classOf(p *procState) (class uint16, goroutine uint64) {
	g := p.g
	if g != nil {
		goroutine = g.id
	}
	switch {
	case m.stw > 0:
		return uint16(poccupancy.Stw), goroutine
	case !p.known:
		return uint16(poccupancy.Unknown), 0
	case p.idle:
		return uint16(poccupancy.Idle), 0
	case g == nil:
		return uint16(poccupancy.Scheduler), 0
	case g.state == trace.GoSyscall:
		return uint16(poccupancy.Syscall), goroutine
	case g.gc != poccupancy.User:
		return uint16(g.gc), goroutine
	case g.system:
		return uint16(poccupancy.Runtime), goroutine
	case g.inAssist:
		return m.Occupancy.Classes.Of(poccupancy.UserAssist, g.group), goroutine
	case p.sweeping:
		return m.Occupancy.Classes.Of(poccupancy.UserSweep, g.group), goroutine
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
	n = min(n, poccupancy.MaxProcs)
	since := t
	if m.Totals.First == 0 { // all that are not seen yet have been there all along
		since = 0
	}
	for id := range n {
		m.proc(id, since)
	}
	for id := n; id < int64(len(m.procs)); id++ {
		m.removeProc(int(id), t)
	}
	m.Totals.count(n)
}

// removeProc ends a P that GOMAXPROCS no longer allows.
func (m *Machine) removeProc(id int, t int64) {
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
	if m.Occupancy != nil {
		m.Series.Occupied(m.Occupancy.Classes.At(m.Occupancy.Occupant(id)).Kind, poccupancy.Unknown)
		m.Occupancy.End(id, t)
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
