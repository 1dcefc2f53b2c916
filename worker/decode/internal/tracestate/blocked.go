package tracestate

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/blockedtime"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

// endBlocking counts the blocking or system call that a goroutine leaves now,
// if the trace has its beginning.
func (m *Machine) endBlocking(g *goroutine, from, to trace.GoState, ev *trace.Event, t int64) {
	switch {
	case m.Blocked == nil || g.system:
	case from == trace.GoSyscall && g.syscallSeen && to != trace.GoNotExist:
		m.Blocked.Add(blockedtime.Place{
			Group: g.group, Reason: traceintern.ReasonSyscall, Stack: g.stack, WakerGroup: tracefile.None,
		}, t, t-g.since)
	case from == trace.GoWaiting && to == trace.GoRunnable && m.Reasons.Blocks(g.reason):
		place := blockedtime.Place{Group: g.group, Reason: g.reason, Stack: g.stack, WakerGroup: tracefile.None}
		if id := ev.Goroutine(); id != trace.NoGoroutine {
			place.WakerStack = m.Stacks.Of(ev.Stack())
			place.WakerGroup = traceintern.Unnamed
			if waker := m.goroutines.find(uint64(id)); waker != nil {
				if !waker.final {
					m.name(waker, place.WakerStack)
				}
				place.WakerGroup = waker.group
			}
		}
		m.Blocked.Add(place, t, t-g.since)
	}
}
