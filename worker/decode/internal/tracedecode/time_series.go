package tracedecode

import (
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracegc"
	"slowpath.dev/decode/internal/traceseries"
)

// gcHeader writes cycles, stops of the world and utilization.
func (p *pass) gcHeader(c *tracefile.Columns) {
	gc := p.machine.GC
	p.gc(gc, p.machine.Occupancy.ByClass())
	n := len(gc.Phases)
	starts, ends, worker, assist := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i, phase := range gc.Phases {
		starts[i], ends[i], worker[i], assist[i] = phase.Start, phase.End, phase.WorkerNs, phase.AssistNs
	}
	c.Add("gc_start_ns", starts)
	c.Add("gc_end_ns", ends)
	c.Add("gc_worker_ns", worker)
	c.Add("gc_assist_ns", assist)
	stopStarts, stopEnds, reasons := make([]int64, len(gc.Stops)), make([]int64, len(gc.Stops)), make([]uint32, len(gc.Stops))
	for i, stop := range gc.Stops {
		stopStarts[i], stopEnds[i], reasons[i] = stop.Start, stop.End, p.names.Intern(stop.Reason)
	}
	c.Add("stw_start_ns", stopStarts)
	c.Add("stw_end_ns", stopEnds)
	c.Add("stw_reason", reasons)
	utilization, longest := gc.MMU()
	c.Add("mmu_window_ns", tracegc.Windows()[:len(utilization)])
	c.Add("mmu", append([]float64{}, utilization...))
	c.Add("mmu_worst_ns", append([]int64{}, longest...))
}

// series writes levels and counts over time.
func (p *pass) series(c *tracefile.Columns) {
	s, h := p.machine.Series, &p.file.Header
	h.BinNs = s.Bin()
	for i, name := range traceseries.LevelNames {
		unit := "goroutines"
		switch traceseries.Level(i) {
		case traceseries.ProcsIdle, traceseries.ProcsGC:
			unit = "procs"
		case traceseries.HeapLive, traceseries.HeapGoal:
			unit = "bytes"
		}
		h.Series = append(h.Series, tracefile.SeriesHeader{Name: name, Unit: unit, Of: "level"})
		mean, low, high := s.Level(traceseries.Level(i))
		c.Add("series_"+name+"_mean", mean)
		c.Add("series_"+name+"_min", low)
		c.Add("series_"+name+"_max", high)
	}
	for i, name := range traceseries.CountNames {
		h.Series = append(h.Series, tracefile.SeriesHeader{Name: name, Unit: "count", Of: "count"})
		c.Add("series_"+name, s.Count(traceseries.Count(i)))
	}
}
