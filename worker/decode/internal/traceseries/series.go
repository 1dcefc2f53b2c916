// Package traceseries keeps what a program did over time: levels (goroutines in
// a state, Ps, bytes of heap) with mean, minimum and maximum of every bin, and
// counts of events in every bin.
package traceseries

import (
	"slowpath.dev/decode/internal/poccupancy"
)

// Level is a quantity that lasts.
type Level int

// The levels, in the order of the file format.
const (
	Runnable Level = iota
	Running
	Syscall
	WaitingSync
	WaitingNetwork
	WaitingSleep
	WaitingGC
	WaitingOther
	ProcsIdle
	ProcsGC
	HeapLive
	HeapGoal
	levels
)

// Count is an event that is counted.
type Count int

// The counts, in the order of the file format.
const (
	Created Count = iota
	Ended
	Preemptions
	Retakes
	NetworkWakes
	counts
)

// LevelNames and CountNames name them in the file.
var (
	LevelNames = [levels]string{
		"runnable", "running", "syscall", "waiting_sync", "waiting_network", "waiting_sleep", "waiting_gc",
		"waiting_other", "procs_idle", "procs_gc", "heap_live", "heap_goal",
	}
	CountNames = [counts]string{"created", "ended", "preemptions", "retakes", "network_wakes"}
)

const (
	// BaseBin is the narrowest bin in ns, MostBins the most bins.
	BaseBin = 1_000_000
	MaxBins = 16384
	// coarser is by how much bins widen when there are too many.
	coarser = 4
)

// Series are all levels and counts of one trace.
type Series struct {
	bin   int64
	start int64 // of the current bin
	now   int64

	level [levels]int64
	// area+level*t is the integral of a level from the bin's start up to t; sums
	// may wrap around, as long as the integral over one bin fits. That of bytes
	// does not: they are counted in units of 1 KiB.
	area   [levels]int64
	before [levels]float64 // integral over whole bins that the current one took back
	low    [levels]int64
	high   [levels]int64
	events [counts]int64

	means, lows, highs [levels][]float32
	totals             [counts][]float32
}

// New makes empty series.
func New() *Series { return &Series{bin: BaseBin} }

// Advance moves time to t; must be called before what happens at t is reported.
func (s *Series) Advance(t int64) {
	if t < s.start+s.bin {
		s.now = t
		return
	}
	for t/s.bin >= MaxBins {
		s.widen()
	}
	for t >= s.start+s.bin {
		s.close(s.start + s.bin)
		s.start += s.bin
	}
	s.now = t
}

// Move changes a level by a difference, at the time set last.
func (s *Series) Move(level Level, by int64) {
	s.area[level] -= by * s.now
	s.level[level] += by
	if value := s.level[level]; by > 0 {
		s.high[level] = max(s.high[level], value)
	} else {
		s.low[level] = min(s.low[level], value)
	}
}

// kib is the unit in which bytes are summed up.
const kib = 1 << 10

// SetBytes changes a level of bytes, at the time set last.
func (s *Series) SetBytes(level Level, bytes int64) { s.Move(level, bytes/kib-s.level[level]) }

func unitOf(level Level) float64 {
	if level == HeapLive || level == HeapGoal {
		return kib
	}
	return 1
}

// Tick counts an event, in the bin of the time set last.
func (s *Series) Tick(count Count) { s.events[count]++ }

// Occupied follows a P that passes from one kind of occupation to another.
func (s *Series) Occupied(from, to poccupancy.Kind) {
	if from == to {
		return
	}
	s.ofProcs(from, -1)
	s.ofProcs(to, 1)
}

func (s *Series) ofProcs(kind poccupancy.Kind, by int64) {
	switch kind {
	case poccupancy.Idle:
		s.Move(ProcsIdle, by)
	case poccupancy.GCDedicated, poccupancy.GCFractional, poccupancy.GCIdle, poccupancy.UserAssist, poccupancy.UserSweep:
		s.Move(ProcsGC, by)
	}
}

// close ends the current bin at e and begins the next with the levels as they
// are.
func (s *Series) close(e int64) {
	width := float64(e - s.start)
	for i := range levels {
		unit := unitOf(i)
		area := s.before[i] + float64(s.area[i]+s.level[i]*e)
		s.means[i] = append(s.means[i], float32(area/width*unit))
		s.lows[i] = append(s.lows[i], float32(float64(s.low[i])*unit))
		s.highs[i] = append(s.highs[i], float32(float64(s.high[i])*unit))
		s.area[i], s.before[i], s.low[i], s.high[i] = -s.level[i]*e, 0, s.level[i], s.level[i]
	}
	for i := range counts {
		s.totals[i] = append(s.totals[i], float32(s.events[i]))
		s.events[i] = 0
	}
}

// widen makes bins four times as wide. The current bin takes back the whole
// bins that it now contains.
func (s *Series) widen() {
	bins := len(s.means[0])
	whole := bins / coarser
	for i := range levels {
		unit := unitOf(i)
		for j, mean := range s.means[i][whole*coarser:] {
			s.before[i] += float64(mean) / unit * float64(s.bin)
			s.low[i] = min(s.low[i], int64(float64(s.lows[i][whole*coarser+j])/unit))
			s.high[i] = max(s.high[i], int64(float64(s.highs[i][whole*coarser+j])/unit))
		}
		s.means[i] = fold(s.means[i], whole, func(a, b float32) float32 { return a + b/coarser }, 0)
		s.lows[i] = fold(s.lows[i], whole, func(a, b float32) float32 { return min(a, b) }, 1e38)
		s.highs[i] = fold(s.highs[i], whole, func(a, b float32) float32 { return max(a, b) }, -1e38)
	}
	for i := range counts {
		for _, n := range s.totals[i][whole*coarser:] {
			s.events[i] += int64(n)
		}
		s.totals[i] = fold(s.totals[i], whole, func(a, b float32) float32 { return a + b }, 0)
	}
	s.bin *= coarser
	s.start = int64(whole) * s.bin
}

// fold joins every four values into one.
func fold(values []float32, whole int, join func(a, b float32) float32, zero float32) []float32 {
	for i := range whole {
		sum := zero
		for _, v := range values[i*coarser : (i+1)*coarser] {
			sum = join(sum, v)
		}
		values[i] = sum
	}
	return values[:whole]
}

// Finish ends the last bin at the end of the trace.
func (s *Series) Finish(t int64) {
	s.Advance(t)
	if t > s.start || len(s.means[0]) == 0 {
		s.close(max(t, s.start+1))
	}
}

// Bin returns the width of bins in ns.
func (s *Series) Bin() int64 { return s.bin }

// Level returns a level's means, minima and maxima by bin.
func (s *Series) Level(level Level) (mean, low, high []float32) {
	return s.means[level], s.lows[level], s.highs[level]
}

// Count returns a count by bin.
func (s *Series) Count(count Count) []float32 { return s.totals[count] }
