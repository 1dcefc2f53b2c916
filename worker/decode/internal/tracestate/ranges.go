package tracestate

import (
	"strings"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/traceseries"
)

// metric follows GOMAXPROCS and the heap.
func (m *Machine) metric(ev *trace.Event, t int64) {
	metric := ev.Metric()
	value := int64(min(metric.Value.Uint64(), 1<<62))
	switch metric.Name {
	case "/sched/gomaxprocs:threads":
		m.seeRunning(ev)
		if m.Totals.First == 0 {
			m.classifyRecording(ev)
		}
		m.setProcs(max(1, value), t)
	case "/memory/classes/heap/objects:bytes":
		m.heap(traceseries.HeapLive, value)
	case "/gc/heap/goal:bytes":
		m.heap(traceseries.HeapGoal, value)
	}
	if m.GC != nil {
		m.GC.Metric(metric.Name, value, t)
	}
}

// seeRunning learns from the stack of an event what the goroutine is that runs.
func (m *Machine) seeRunning(ev *trace.Event) {
	if ev.Goroutine() == trace.NoGoroutine {
		return
	}
	if g := m.goroutines.find(uint64(ev.Goroutine())); g != nil && !g.final {
		m.name(g, m.Stacks.Of(ev.Stack()))
	}
}

// maxHeapBytes is more than any heap has, in bytes: a goal beyond it means that the
// collector is off.
const maxHeapBytes = 1 << 42

func (m *Machine) heap(level traceseries.Level, value int64) {
	if m.Series == nil {
		return
	}
	if value >= maxHeapBytes {
		value = 0
	}
	m.Series.SetBytes(level, value)
}

// classifyRecording distinguishes a flight recorder from an ordinary recording: who wrote
// the first value of GOMAXPROCS was either starting the trace, or a later
// generation.
func (m *Machine) classifyRecording(ev *trace.Event) {
	for frame := range ev.Stack().Frames() {
		switch frame.Func {
		case "runtime.StartTrace":
			m.Totals.Started = true
		case "runtime.traceAdvance":
			m.Totals.FlightRecorder = true
		}
	}
}

// label marks a goroutine as a worker of the collector. It comes after the
// worker's start: what the P did since is corrected.
func (m *Machine) label(ev *trace.Event, t int64) {
	label := ev.Label()
	g := m.goroutines.find(uint64(label.Resource.Goroutine()))
	if g == nil {
		return
	}
	g.collects = true
	if m.GC != nil {
		m.GC.Label(label.Label, g.id, int(ev.Proc()), t)
	}
	switch label.Label {
	case "GC (dedicated)":
		g.gc = poccupancy.GCDedicated
	case "GC (fractional)":
		g.gc = poccupancy.GCFractional
	case "GC (idle)":
		g.gc = poccupancy.GCIdle
	default:
		return
	}
	if p := m.procOf(g); p != nil && m.stw == 0 && m.Occupancy != nil {
		class, _ := m.classOf(p)
		m.Series.Occupied(m.Occupancy.Classes.At(m.Occupancy.Occupant(int(g.proc))).Kind, m.Occupancy.Classes.At(class).Kind)
		m.Occupancy.Reclass(int(g.proc), class)
	}
}

// ranged follows what the collector does: stops of the world, mark phases,
// assists and sweeping.
func (m *Machine) ranged(ev *trace.Event, t int64) {
	r := ev.Range()
	kind := ev.Kind()
	begins := kind != trace.EventRangeEnd
	if m.GC != nil {
		executing, proc := m.executes(ev, &r)
		m.GC.Range(ev, &r, executing, proc, t)
	}
	switch {
	case r.Name == "GC concurrent mark phase":
		m.mark(begins, t)
	case strings.HasPrefix(r.Name, "stop-the-world"):
		m.seeRunning(ev)
		m.stopWorld(begins, t)
	case r.Name == "GC mark assist":
		if r.Scope.Kind == trace.ResourceGoroutine {
			m.assist(uint64(r.Scope.Goroutine()), begins, t)
		}
	case r.Name == "GC incremental sweep":
		if r.Scope.Kind == trace.ResourceProc {
			m.sweep(int64(r.Scope.Proc()), begins, t)
		}
	}
}

// executes reports whether the goroutine of a range is known to execute, and on
// which P. A range that lasts when a generation begins may be reported by any thread.
func (m *Machine) executes(ev *trace.Event, r *trace.Range) (executing bool, proc int) {
	proc = int(ev.Proc())
	if r.Scope.Kind != trace.ResourceGoroutine {
		return false, proc
	}
	g := m.goroutines.find(uint64(r.Scope.Goroutine()))
	if g == nil || !g.state.Executing() {
		return false, proc
	}
	if g.proc != noProc {
		proc = int(g.proc)
	}
	return true, proc
}

// mark begins or ends a mark phase, with what the collector has taken so far.
func (m *Machine) mark(begins bool, t int64) {
	if m.GC == nil {
		return
	}
	m.scratch = m.Occupancy.Snapshot(m.scratch, t)
	worker, assist := int64(0), int64(0)
	for i, ns := range m.scratch {
		switch m.Occupancy.Classes.At(uint16(i)).Kind {
		case poccupancy.GCDedicated, poccupancy.GCFractional, poccupancy.GCIdle:
			worker += ns
		case poccupancy.UserAssist:
			assist += ns
		}
	}
	m.GC.Mark(begins, worker, assist, t)
}

func (m *Machine) stopWorld(begins bool, t int64) {
	if begins {
		m.stw++
	} else if m.stw > 0 {
		m.stw--
	}
	m.occupyAll(t)
}

// assist begins or ends the assist of a goroutine. Its running time counts, not
// the range, which includes waiting.
func (m *Machine) assist(id uint64, begins bool, t int64) {
	g := m.goroutines.find(id)
	if g == nil || g.inAssist == begins {
		return
	}
	if begins {
		g.assist = t
	} else {
		length := t - max(g.since, g.assist)
		if g.state == trace.GoRunning {
			g.sums.assist += length
		} else {
			g.sums.assistWait += length
		}
	}
	g.inAssist = begins
	g.collects = true
	m.occupy(g.proc, t)
}

func (m *Machine) sweep(id int64, begins bool, t int64) {
	if id < 0 || id >= int64(len(m.procs)) || !m.procs[id].alive {
		return
	}
	m.procs[id].sweeping = begins
	m.occupy(int32(id), t)
}
