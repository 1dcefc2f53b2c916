package traceread

import (
	"fmt"

	"slowpath.dev/decode/internal/traceblame"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracegc"
	"slowpath.dev/decode/internal/traceseries"
	"slowpath.dev/decode/internal/tracesource"
	"slowpath.dev/decode/internal/tracestate"
	"slowpath.dev/decode/internal/tracewaits"
)

// readHeader fills what the file says of the trace as a whole.
func (p *pass) header() {
	m, s := p.machine, p.source
	t := &m.Totals
	h := &p.file.Header
	h.Kind = "trace"
	h.HeaderVersion = fmt.Sprintf("1.%d", s.Version)
	h.DurationNs, h.Events, h.Generations, h.WallStartNs = p.now, p.events, s.Generations, p.wallStart
	h.Gomaxprocs = tracefile.Gomaxprocs{First: t.First, Last: t.Last, Max: t.Max, Changes: t.Changes}
	if t.First == 0 && m.Ledger != nil { // the trace never said
		n := int64(m.Ledger.Procs())
		h.Gomaxprocs = tracefile.Gomaxprocs{First: n, Last: n, Max: n}
	}
	h.Recording = recording(s.Version, t)
	h.BlockNs, h.BlameBlockNs, h.BinNs = tracefile.BlockNs, tracefile.BlameBlockNs, traceseries.BaseBin
	h.Source = tracefile.Source{Bytes: s.Bytes, BytesUnpacked: s.BytesUnpacked, Encoding: s.Encoding}
	h.CPUSamples = t.Samples
	h.ClassKinds = traceblame.KindNames
	h.Lost = p.lost()
	h.Counts.Goroutines = t.Goroutines
	h.Warnings = append([]string{}, p.warnings...)
	h.Series = []tracefile.SeriesHeader{}
}

// recording tells how the trace was made: ordinary traces show their start.
func recording(version int, t *tracestate.Totals) string {
	switch {
	case t.Started, version < tracesource.FirstV2:
		return "ordinary"
	case t.FlightRecorder:
		return "flight-recorder"
	}
	return "unknown"
}

func (p *pass) lost() *tracefile.Lost {
	loss := p.source.Loss
	if loss == nil {
		return nil
	}
	bytes := max(0, p.source.BytesUnpacked-loss.From)
	share := 0.0
	if p.source.BytesUnpacked > 0 {
		share = float64(bytes) / float64(p.source.BytesUnpacked)
	}
	return &tracefile.Lost{Bytes: bytes, Share: share, AfterNs: p.now, Message: loss.Message}
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

// contention tells whether that is so.
func (p *pass) contention(list []*tracewaits.Wait) bool {
	waits, waited, idle := 0, 0.0, 0.0
	for _, x := range list {
		if x.Delay() < longWaitNs {
			continue
		}
		waits++
		waited += float64(x.Delay())
		for _, s := range detailOf(x).Blame {
			if kind := p.machine.Ledger.Classes.At(s.Class).Kind; kind == traceblame.Idle || kind == traceblame.Scheduler {
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
func (p *pass) gc(c *tracegc.Collector, byClass []int64) {
	g := &p.file.Header.GC
	for _, phase := range c.Phases {
		g.Cycles++
		g.MarkWallNs += phase.End - phase.Start
	}
	for _, stop := range c.Stops {
		g.StwNs += stop.End - stop.Start
	}
	g.DedicatedNs, g.FractionalNs, g.IdleNs = byClass[traceblame.GCDedicated], byClass[traceblame.GCFractional], byClass[traceblame.GCIdle]
	for _, sums := range p.machine.GroupSums() {
		g.AssistNs += sums.Assist
	}
	g.AssistWallNs, g.SweepNs = c.AssistWallNs, c.SweepNs
	if p.machine.Totals.ProcsNs > 0 {
		g.CPUFraction = float64(g.DedicatedNs+g.FractionalNs+g.AssistNs+g.SweepNs) / float64(p.machine.Totals.ProcsNs)
	}
	g.HeapLiveMax, g.HeapGoalMax, g.AllocatedBytes = c.LiveMax, c.GoalMax, c.AllocatedBytes
}
