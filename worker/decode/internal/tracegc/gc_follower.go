// Package tracegc follows the garbage collector through a trace: its cycles,
// stops of the world, heap, and how much of the processors it leaves to the
// program.
package tracegc

import (
	"strings"

	"golang.org/x/exp/trace"
)

// Span is a time in ns.
type Span struct{ Start, End int64 }

// Phase is one mark phase, and the P-time that workers and assists took of it.
type Phase struct {
	Span
	WorkerNs, AssistNs int64
}

// StopTheWorld is one stop of the world.
type StopTheWorld struct {
	Span
	Reason string
}

// maxSpans bounds the phases and stops that are retained one by one.
const maxSpans = 1 << 20

// GcFollower holds what the collector did.
type GcFollower struct {
	Phases []Phase
	Stops  []StopTheWorld

	AssistWallNs     int64
	SweepNs          int64
	LiveMax, GoalMax int64
	AllocatedBytes   int64
	live             int64
	marking          bool
	stopped          map[string]int64 // since when, by range name
	assisting        map[uint64]int64
	sweeping         map[int64]int64
	util             *utilization
	finished         bool
}

// New makes an empty collector.
func New() *GcFollower {
	return &GcFollower{stopped: map[string]int64{}, assisting: map[uint64]int64{}, sweeping: map[int64]int64{}, util: newUtilization()}
}

// Metric follows the heap.
func (c *GcFollower) Metric(name string, value, t int64) {
	switch name {
	case "/memory/classes/heap/objects:bytes":
		if c.live > 0 && value > c.live {
			c.AllocatedBytes += value - c.live
		}
		c.live = value
		c.LiveMax = max(c.LiveMax, value)
	case "/gc/heap/goal:bytes":
		if value < 1<<62 { // no limit when the collector is off
			c.GoalMax = max(c.GoalMax, value)
		}
	case "/sched/gomaxprocs:threads":
		c.util.setProcs(int(min(value, 1<<16)), t)
	}
}

// Range follows stops, assists and sweeps. executing reports whether the goroutine
// that assists is known to execute, and proc on which P, or where it happens.
func (c *GcFollower) Range(ev *trace.Event, r *trace.Range, executing bool, proc int, t int64) {
	begins := ev.Kind() != trace.EventRangeEnd
	switch {
	case strings.HasPrefix(r.Name, "stop-the-world"):
		c.stop(r.Name, begins, t)
	case r.Name == "GC mark assist":
		toggle(c.assisting, uint64(r.Scope.Goroutine()), begins, t, &c.AssistWallNs)
	case r.Name == "GC incremental sweep":
		toggle(c.sweeping, int64(r.Scope.Proc()), begins, t, &c.SweepNs)
	}
	c.util.ranged(ev, r, executing, proc, t)
}

func (c *GcFollower) stop(name string, begins bool, t int64) {
	since, was := c.stopped[name]
	switch {
	case begins && !was:
		c.stopped[name] = t
	case !begins && was:
		delete(c.stopped, name)
		if len(c.Stops) < maxSpans {
			c.Stops = append(c.Stops, StopTheWorld{Span{since, t}, reasonOf(name)})
		}
	}
}

// reasonOf cuts the reason out of "stop-the-world (GC mark termination)".
func reasonOf(name string) string {
	_, reason, _ := strings.Cut(name, "(")
	reason = strings.TrimSuffix(reason, ")")
	if reason == "" {
		return "unknown"
	}
	return reason
}

// Mark begins or ends a mark phase. worker and assist are the P-time that both
// took since the trace began.
func (c *GcFollower) Mark(begins bool, worker, assist, t int64) {
	n := len(c.Phases)
	switch {
	case begins && !c.marking && n < maxSpans:
		c.Phases = append(c.Phases, Phase{Span{t, t}, -worker, -assist})
		c.marking = true
	case !begins && c.marking:
		p := &c.Phases[n-1]
		p.End = t
		p.WorkerNs += worker
		p.AssistNs += assist
		c.marking = false
	case !begins && n == 0: // had begun before the trace
		c.Phases = append(c.Phases, Phase{Span{0, t}, worker, assist})
	}
}

// Marking reports whether a mark phase lasts.
func (c *GcFollower) Marking() bool { return c.marking }

// toggle begins or ends one of many spans, and sums their lengths up.
func toggle[K comparable](open map[K]int64, key K, begins bool, t int64, sum *int64) {
	since, was := open[key]
	switch {
	case begins && !was:
		open[key] = t
	case !begins && was:
		delete(open, key)
		*sum += t - since
	}
}

// Label and Goroutine feed the utilization.
func (c *GcFollower) Label(label string, goroutine uint64, proc int, t int64) {
	c.util.label(label, goroutine, proc, t)
}

// Finish ends what lasts at the end of the trace.
func (c *GcFollower) Finish(t int64) {
	for _, since := range c.assisting {
		c.AssistWallNs += t - since
	}
	for _, since := range c.sweeping {
		c.SweepNs += t - since
	}
	for name, since := range c.stopped {
		c.Stops = append(c.Stops, StopTheWorld{Span{since, t}, reasonOf(name)})
	}
	c.util.finish(t)
}
