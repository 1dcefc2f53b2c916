package tracegc

import (
	"strings"

	"golang.org/x/exp/trace"
)

// utilization follows which part of the processors the program has to itself,
// step by step, with the rules of Go's own tool (internal/trace, gc.go: stops of
// the world by the collector, background workers but idle ones, assists and
// sweeping; one curve for all Ps), but for two: that tool keeps a worker for one
// when it has stopped, and counts its next start twice, and so it does with an
// assist that began before the trace in a goroutine that waits for a P. After
// either its curve stays too low for ever, at 0 in the end.
type utilization struct {
	gc        []int // what the collector does on each P, nested
	stw       int
	assisting map[uint64]bool
	worker    map[uint64]bool
	sync      int
	procs     []procsChange // of the first generation
	curve     *curve
	last      int64
}

type procsChange struct {
	time int64
	n    int
}

func newUtilization() *utilization {
	return &utilization{assisting: map[uint64]bool{}, worker: map[uint64]bool{}, curve: newCurve()}
}

// Sync records that generation n begins.
func (c *GcFollower) Sync(n int) { c.util.sync = n }

// Collects reports whether a goroutine works for the collector: then Switch must
// be called when it begins or ends to execute.
func (c *GcFollower) Collects(goroutine uint64) bool {
	return c.util.assisting[goroutine] || c.util.worker[goroutine]
}

// Switch records that a goroutine that collects begins or ends to execute on a P.
// A worker is one until it stops: the next start has a separate label.
func (c *GcFollower) Switch(goroutine uint64, begins bool, proc int, t int64) {
	by := -1
	if begins {
		by = 1
	} else {
		delete(c.util.worker, goroutine)
	}
	c.util.move(proc, by)
	c.util.record(t)
}

func (u *utilization) setProcs(n int, t int64) {
	if n < len(u.gc) {
		u.gc = u.gc[:n]
	}
	for len(u.gc) < n {
		u.gc = append(u.gc, 0)
	}
	if u.curve.empty() {
		u.curve.add(t, 1)
	}
	if k := len(u.procs); u.sync <= 1 && (k == 0 || u.procs[k-1].n != n) {
		u.procs = append(u.procs, procsChange{t, n})
	}
	u.record(t)
}

func (u *utilization) move(proc, by int) {
	if proc >= 0 && proc < len(u.gc) {
		u.gc[proc] += by
	}
}

func (u *utilization) ranged(ev *trace.Event, r *trace.Range, executing bool, proc int, t int64) {
	stop := strings.HasPrefix(r.Name, "stop-the-world") && strings.Contains(r.Name, "GC")
	assist, sweep := r.Name == "GC mark assist", r.Name == "GC incremental sweep"
	if !stop && !assist && !sweep || len(u.gc) == 0 {
		return
	}
	by := 1
	switch ev.Kind() {
	case trace.EventRangeEnd:
		by = -1
	case trace.EventRangeActive:
		if u.sync > 1 { // known since its beginning
			return
		}
		if assist && !executing { // counts from when its goroutine runs
			u.assisting[uint64(r.Scope.Goroutine())] = true
			return
		}
		if !stop {
			u.sinceBefore()
		}
	}
	switch {
	case stop:
		u.stw += by
	case sweep:
		u.move(proc, by)
	case assist:
		u.move(proc, by)
		if g := uint64(r.Scope.Goroutine()); by > 0 {
			u.assisting[g] = true
		} else {
			delete(u.assisting, g)
		}
	}
	u.record(t)
}

// sinceBefore takes one P off all that was recorded: what it does now it has
// done since before the trace.
func (u *utilization) sinceBefore() {
	at := 0
	for i, time := range u.curve.times {
		for at < len(u.procs)-1 && u.procs[at+1].time < time {
			at++
		}
		u.curve.values[i] = max(0, u.curve.values[i]-1/float64(u.procs[at].n))
	}
}

func (u *utilization) label(label string, goroutine uint64, proc int, t int64) {
	if !strings.HasPrefix(label, "GC ") || label == "GC (idle)" || len(u.gc) == 0 || u.worker[goroutine] {
		return
	}
	u.worker[goroutine] = true
	u.move(proc, 1)
	u.record(t)
}

func (u *utilization) record(t int64) {
	u.last = t
	if len(u.gc) == 0 {
		return
	}
	busy := 0
	if u.stw > 0 {
		busy = len(u.gc)
	} else {
		for _, n := range u.gc {
			if n > 0 {
				busy++
			}
		}
	}
	u.curve.add(t, 1-float64(busy)/float64(len(u.gc)))
	if u.sync > 1 {
		u.curve.shrink()
	}
}

func (u *utilization) finish(t int64) {
	if !u.curve.empty() {
		u.curve.add(t, 0)
		u.curve.end = t
	}
}
