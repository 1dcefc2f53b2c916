package tracedecode

import (
	"fmt"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracegc"
	"slowpath.dev/decode/internal/traceseries"
	"slowpath.dev/decode/internal/tracesource"
	"slowpath.dev/decode/internal/tracestate"
)

// readHeader fills what the file reports about the whole trace.
func (p *pass) header() {
	m, s := p.machine, p.source
	t := &m.Totals
	h := &p.file.Header
	h.Kind = "trace"
	h.HeaderVersion = fmt.Sprintf("1.%d", s.Version)
	h.DurationNs, h.Events, h.Generations, h.WallStartNs = p.now, p.events, s.Generations, p.wallStart
	h.Gomaxprocs = tracefile.Gomaxprocs{First: t.First, Last: t.Last, Max: t.Max, Changes: t.Changes}
	if t.First == 0 && m.Occupancy != nil { // the trace never reported it
		n := int64(m.Occupancy.Procs())
		h.Gomaxprocs = tracefile.Gomaxprocs{First: n, Last: n, Max: n}
	}
	h.Recording = recording(s.Version, t)
	h.BlockNs, h.OccupancyBlockNs, h.BinNs = tracefile.BlockNs, tracefile.OccupancyBlockNs, traceseries.BaseBin
	h.Source = tracefile.Source{Bytes: s.Bytes, BytesUnpacked: s.BytesUnpacked, Encoding: s.Encoding}
	h.CPUSamples = t.Samples
	h.ClassKinds = poccupancy.KindNames
	h.Unreadable = p.unreadable()
	h.Counts.Goroutines = t.Goroutines
	h.Warnings = append([]string{}, p.warnings...)
	h.Series = []tracefile.SeriesHeader{}
}

// recording returns how the trace was made: ordinary traces show their start.
func recording(version int, t *tracestate.Totals) string {
	switch {
	case t.Started, version < tracesource.FirstV2:
		return "ordinary"
	case t.FlightRecorder:
		return "flight-recorder"
	}
	return "unknown"
}

func (p *pass) unreadable() *tracefile.UnreadableRange {
	loss := p.source.Unreadable
	if loss == nil {
		return nil
	}
	bytes := max(0, p.source.BytesUnpacked-loss.From)
	share := 0.0
	if p.source.BytesUnpacked > 0 {
		share = float64(bytes) / float64(p.source.BytesUnpacked)
	}
	return &tracefile.UnreadableRange{Bytes: bytes, Share: share, AfterNs: p.now, Message: loss.Message}
}

// What makes one suspect that the machine's processors were not there for the
// program: waits of milliseconds although a P was idle, or threads that ran a
// goroutine but were hardly ever found running by the CPU profiler.
const (
	longWaitNs     = 1_000_000
	enoughWaits    = 5
	idleShare      = 0.3
	enoughSamplesS = 1
	samplesASecond = 100
	samplesShare   = 0.5
)

// contention reports whether that is so.
func (p *pass) contention(list []*schedlatency.Wait) bool {
	waits, waited, idle := 0, 0.0, 0.0
	for _, x := range list {
		if x.Delay() < longWaitNs {
			continue
		}
		waits++
		waited += float64(x.Delay())
		for _, s := range detailOf(x).Occupancy {
			if kind := p.machine.Occupancy.Classes.At(s.Class).Kind; kind == poccupancy.Idle || kind == poccupancy.Scheduler {
				idle += s.Ns
			}
		}
	}
	ran := int64(0)
	for _, sums := range p.machine.GroupSums() {
		ran += sums.Running
	}
	expected := float64(ran) / 1e9 * samplesASecond
	fewSamples := p.machine.Totals.Samples > 0 && expected > enoughSamplesS*samplesASecond && float64(p.machine.Totals.Samples) < samplesShare*expected
	return waits >= enoughWaits && idle > idleShare*waited || fewSamples
}

// gc fills the header's part about the collector.
func (p *pass) gc(c *tracegc.GcFollower, byClass []int64) {
	g := &p.file.Header.GC
	for _, phase := range c.Phases {
		g.Cycles++
		g.MarkWallNs += phase.End - phase.Start
	}
	for _, stop := range c.Stops {
		g.StwNs += stop.End - stop.Start
	}
	g.DedicatedNs, g.FractionalNs, g.IdleNs = byClass[poccupancy.GCDedicated], byClass[poccupancy.GCFractional], byClass[poccupancy.GCIdle]
	for _, sums := range p.machine.GroupSums() {
		g.AssistNs += sums.Assist
	}
	g.AssistWallNs, g.SweepNs = c.AssistWallNs, c.SweepNs
	if p.machine.Totals.ProcsNs > 0 {
		g.CPUFraction = float64(g.DedicatedNs+g.FractionalNs+g.AssistNs+g.SweepNs) / float64(p.machine.Totals.ProcsNs)
	}
	g.HeapLiveMax, g.HeapGoalMax, g.AllocatedBytes = c.LiveMax, c.GoalMax, c.AllocatedBytes
}
