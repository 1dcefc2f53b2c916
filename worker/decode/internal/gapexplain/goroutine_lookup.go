package gapexplain

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/tracesource"
)

const (
	// slack is how far a moment of a span may lie beside the time at which its
	// goroutine ran, in ns: clocks are read one after the other.
	slack = 20_000
	// maxDrift is where two snapshots of the clocks disagree so much that the wall
	// clock must have been set meanwhile, in ns.
	maxDrift = 2_000_000
	// maxChanceProbability is how often any goroutine of the trace may hit all moments by chance.
	maxChanceProbability = 0.001
	// minLead is by how much the best must be likelier than the next.
	minLead = 20
	// datadog is the category under which dd-trace-go logs the id of a span, as 8
	// bytes, the lowest first.
	datadog = "datadog.uint64_span_id"
)

// goroutineFinder looks for the goroutine of a span.
type goroutineFinder struct {
	query       *Query
	clock       clock
	marks       []int64 // Unix ns, ascending; the span's own two among them
	goroutines  map[uint64]*runner
	first, last int64
	named       *naming
	anchorWall  *int64 // of the naming, by the trace's clock
	inside      bool   // the gap is inside what was read, by the clock
}

// naming is where the program wrote the span's id into the trace.
type naming struct {
	goroutine uint64
	at        int64
}

// runner is how much a goroutine ran, and at which marks.
type runner struct {
	running bool
	since   int64
	ran     int64
	runs    int64
	hit     []bool
}

func find(open opening, query *Query) (*goroutineFinder, error) {
	s, closeSource, err := open()
	if err != nil {
		return nil, err
	}
	defer closeSource()
	f := &goroutineFinder{query: query, goroutines: map[uint64]*runner{}, first: math.MinInt64}
	f.marks = append(append(f.marks, query.SpanStart, query.SpanEnd), query.Marks...)
	slices.Sort(f.marks)
	f.marks = slices.Compact(f.marks)
	if err := s.Finish(f.readAll(s)); err != nil {
		return nil, err
	}
	for _, g := range f.goroutines {
		if g.running {
			f.ran(g, f.last)
		}
	}
	return f, nil
}

func (f *goroutineFinder) readAll(s *tracesource.Source) (err error) {
	defer tracesource.Guard(&err)
	for {
		ev, err := s.Reader().ReadEvent()
		if err != nil {
			return err
		}
		s.Step(ev.Kind() == trace.EventSync)
		f.step(&ev)
	}
}

func (f *goroutineFinder) step(ev *trace.Event) {
	f.last = int64(ev.Time())
	if f.first == math.MinInt64 {
		f.first = f.last
	}
	switch ev.Kind() {
	case trace.EventSync:
		f.clock.sync(ev)
	case trace.EventStateTransition:
		f.transition(ev)
	case trace.EventLog:
		log := ev.Log()
		f.name(ev, log.Message, log.Category == datadog)
	case trace.EventTaskBegin:
		f.name(ev, ev.Task().Type, false)
	case trace.EventRegionBegin:
		f.name(ev, ev.Region().Type, false)
	}
}

// name takes what the program wrote for the span's id, if it is it.
func (f *goroutineFinder) name(ev *trace.Event, text string, binaryID bool) {
	if f.named != nil || f.query.ID == 0 || ev.Goroutine() == trace.NoGoroutine {
		return
	}
	if binaryID && len(text) == 8 && binary.LittleEndian.Uint64([]byte(text)) == f.query.ID || names(text, f.query.ID) {
		f.named = &naming{uint64(ev.Goroutine()), int64(ev.Time())}
		if f.clock.known() {
			wall := f.clock.toWall(f.named.at)
			f.anchorWall = &wall
		}
	}
}

// names reports whether a text holds an id as 16 hexadecimal digits between
// separators, as in "00f067aa0ba902b7" or in a traceparent.
func names(text string, id uint64) bool {
	const digits = 16
	for i := 0; i+digits <= len(text); {
		end := i
		for end < len(text) && isHex(text[end]) {
			end++
		}
		if end-i == digits {
			if n, err := strconv.ParseUint(text[i:end], 16, 64); err == nil && n == id {
				return true
			}
		}
		i = end + 1
	}
	return false
}

func isHex(b byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", b) >= 0 }

func (f *goroutineFinder) transition(ev *trace.Event) {
	st := ev.StateTransition()
	if st.Resource.Kind != trace.ResourceGoroutine {
		return
	}
	from, to := st.Goroutine()
	id := uint64(st.Resource.Goroutine())
	g := f.goroutines[id]
	if g == nil {
		g = &runner{since: f.last, hit: nil}
		if from == trace.GoRunning && to != trace.GoRunning {
			g.running, g.since = true, f.first
		}
		f.goroutines[id] = g
	}
	if g.running && to != trace.GoRunning {
		f.ran(g, f.last)
	} else if !g.running && to == trace.GoRunning {
		g.running, g.since = true, f.last
	}
}

// ran ends a run, and takes down which marks lie in it.
func (f *goroutineFinder) ran(g *runner, end int64) {
	g.running = false
	g.ran += end - g.since
	g.runs++
	if !f.clock.known() {
		return
	}
	low := f.clock.toWall(g.since) - slack
	at, _ := slices.BinarySearch(f.marks, low)
	for high := f.clock.toWall(end) + slack; at < len(f.marks) && f.marks[at] <= high; at++ {
		if g.hit == nil {
			g.hit = make([]bool, len(f.marks))
		}
		g.hit[at] = true
	}
}

// candidateGoroutine is a goroutine that ran when the span began and when it ended.
type candidateGoroutine struct {
	goroutine uint64
	hits      int
	score     float64 // -ln of the chance to hit as many by chance
}

// chanceProbability is how many goroutines of the trace would hit as much by chance.
func (f *goroutineFinder) chanceProbability(s candidateGoroutine) float64 {
	return min(1, float64(len(f.goroutines))*math.Exp(-s.score))
}

// candidates lists them: those first of which it can be no chance, and of these those
// with most hits:
// who starts a request, or waits for its end, runs seldom, but does not run at
// the moments in between.
func (f *goroutineFinder) candidates() []candidateGoroutine {
	var list []candidateGoroutine
	begin, _ := slices.BinarySearch(f.marks, f.query.SpanStart)
	end, _ := slices.BinarySearch(f.marks, f.query.SpanEnd)
	length := float64(max(1, f.last-f.first))
	for id, g := range f.goroutines {
		if g.hit == nil || !g.hit[begin] || !g.hit[end] {
			continue
		}
		hits := 0
		for _, hit := range g.hit {
			if hit {
				hits++
			}
		}
		share := min(1, float64(g.ran+2*slack*g.runs)/length)
		list = append(list, candidateGoroutine{id, hits, -float64(hits) * math.Log(share)})
	}
	slices.SortFunc(list, func(a, b candidateGoroutine) int {
		chance := boolean(f.chanceProbability(a) > maxChanceProbability) - boolean(f.chanceProbability(b) > maxChanceProbability)
		return cmp.Or(chance, b.hits-a.hits, cmp.Compare(b.score, a.score), cmp.Compare(a.goroutine, b.goroutine))
	})
	return list
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
