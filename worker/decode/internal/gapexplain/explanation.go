package gapexplain

import (
	"math"
)

// How the goroutine was found.
const (
	ByID          = "id"
	ByClock       = "clock"
	NoGoroutine   = "no-goroutine" // P occupancy is known, the goroutine of the gap is not
	NoExplanation = "nothing"
)

// Why there is less than a goroutine.
const (
	NoClock   = "no-clock"  // and the program wrote no id
	ClockSet  = "clock-set" // the wall clock was set while the trace was recorded
	Outside   = "outside"   // the trace does not hold the gap
	NoMatch   = "no-one"    // no goroutine ran when the span began and ended
	Ambiguous = "ambiguous" // several did, none of them much likelier
	ByChance  = "by-chance" // one did, which runs so often that it proves nothing
	NotThere  = "not-there" // the goroutine is not seen during the gap
)

// Explanation is what is written. Times are ns since the gap began; parts sum to the
// gap to the nanosecond.
type Explanation struct {
	Basis             string          `json:"basis"`
	Why               string          `json:"reason,omitempty"`
	GapNs             int64           `json:"gap_ns"`
	TraceFrom         *int64          `json:"trace_from_ns"` // the gap, since the first event of the file
	Clock             Clock           `json:"clock"`
	Marks             int             `json:"marks"`
	Hit               int             `json:"hit"`
	ChanceProbability float64         `json:"luck"`
	Rivals            int             `json:"rivals"` // other goroutines that ran when the span began and ended
	Goroutine         *Goroutine      `json:"goroutine"`
	States            []StateShare    `json:"parts"`
	Intervals         []StateInterval `json:"pieces"`
	IntervalsTotal    int             `json:"pieces_total"`
	Processors        []Occupancy     `json:"processors"` // who held them during the gap: P-time
	Procs             int             `json:"procs"`
	GC                GcOverlap       `json:"gc"`
	Samples           []RunSample     `json:"samples"` // CPU samples of the goroutine in the gap

	window window
	target uint64
}

// Clock describes how the times of spans and trace were brought together.
type Clock struct {
	Snapshots int   `json:"snapshots"`
	DriftNs   int64 `json:"drift_ns"`
	// Anchored is true if the moment at which the span's id was written represents
	// its beginning: the clocks of the two do not agree, or there is only one.
	Anchored bool `json:"anchored"`
	// ApartNs is how long after the span's beginning its id was written, by the wall
	// clock; nil without one.
	ApartNs *int64 `json:"apart_ns"`
}

// Goroutine is the one whose states are listed.
type Goroutine struct {
	ID    uint64 `json:"id"`
	Group string `json:"group"`
}

// StateShare is how long the goroutine was in one state for one reason.
type StateShare struct {
	State       string      `json:"state"`
	Reason      string      `json:"reason"`
	Ns          int64       `json:"ns"`
	Times       int         `json:"times"`
	Occupancies []Occupancy `json:"occupancy,omitempty"` // runnable: who held the processors, of Ns
	Stack       []Frame     `json:"stack,omitempty"`     // of the longest piece
	Waker       *Waker      `json:"waker,omitempty"`     // of the longest piece
}

// StateInterval is one stay in a state.
type StateInterval struct {
	From   int64  `json:"from_ns"`
	To     int64  `json:"to_ns"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// Occupancy is how long a class of occupants held processors.
type Occupancy struct {
	Kind  string  `json:"kind"`
	Group string  `json:"group"`
	Ns    float64 `json:"ns"`
}

// Frame is one line of a stack.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int32  `json:"line"`
}

// Waker is who ended a wait; ID 0 is the runtime.
type Waker struct {
	ID    uint64  `json:"id"`
	Group string  `json:"group"`
	Stack []Frame `json:"stack"`
}

// GcOverlap is what the collector did during the gap.
type GcOverlap struct {
	MarkNs int64 `json:"mark_ns"`
	StopNs int64 `json:"stop_ns"`
	Cycles int   `json:"cycles"`
}

// RunSample is where CPU samples were taken.
type RunSample struct {
	Count int64   `json:"count"`
	Stack []Frame `json:"stack"`
}

// window is the gap in the trace's own time.
type window struct {
	known    bool
	from, to int64
}

// explanation decides whose states are listed, and when the gap was by the trace's
// clock.
func (f *goroutineFinder) explanation(query *Query) *Explanation {
	a := &Explanation{
		Basis: NoExplanation, GapNs: query.To - query.From, Marks: len(f.marks),
		Clock:  Clock{Snapshots: len(f.clock.snapshots), DriftNs: f.clock.drift},
		States: []StateShare{}, Intervals: []StateInterval{}, Processors: []Occupancy{}, Samples: []RunSample{},
	}
	steady := f.clock.known() && f.clock.drift <= maxDrift
	if f.named != nil {
		f.anchor(a, query, steady)
	} else {
		switch {
		case !f.clock.known():
			a.Why = NoClock
			return a
		case !steady:
			a.Why = ClockSet
			return a
		}
		a.window = window{true, f.clock.toTrace(query.From), f.clock.toTrace(query.To)}
	}
	if a.window.from < f.first || a.window.to > f.last {
		a.Basis, a.Why, a.window.known = NoExplanation, Outside, false
		return a
	}
	if f.named == nil {
		f.choose(a)
	}
	return a
}

// anchor takes the goroutine that wrote the span's id. It did so within the
// span, so that a clock which differs is not that of the span.
func (f *goroutineFinder) anchor(a *Explanation, query *Query, steady bool) {
	a.Basis, a.target = ByID, f.named.goroutine
	a.Clock.Anchored = true
	if f.anchorWall != nil {
		apart := *f.anchorWall - query.SpanStart
		a.Clock.ApartNs = &apart
		a.Clock.Anchored = !steady || apart < -slack || *f.anchorWall > query.SpanEnd+slack
	}
	if a.Clock.Anchored {
		a.window = window{true, f.named.at + query.From - query.SpanStart, f.named.at + query.To - query.SpanStart}
		return
	}
	a.window = window{true, f.clock.toTrace(query.From), f.clock.toTrace(query.To)}
}

// choose takes the goroutine that ran at the span's moments, when that can be no
// chance and no other is nearly as likely.
func (f *goroutineFinder) choose(a *Explanation) {
	a.Basis = NoGoroutine
	list := f.candidates()
	if len(list) == 0 {
		a.Why = NoMatch
		return
	}
	best := list[0]
	a.Hit, a.Rivals = best.hits, len(list)-1
	a.ChanceProbability = f.chanceProbability(best)
	switch {
	case a.ChanceProbability > maxChanceProbability:
		a.Why = ByChance
	case len(list) > 1 && list[1].hits == best.hits && f.chanceProbability(list[1]) <= maxChanceProbability && best.score-list[1].score < math.Log(minLead):
		a.Why = Ambiguous
	default:
		a.Basis, a.target = ByClock, best.goroutine
	}
}
