package tracetiles

import (
	"cmp"
	"slices"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
)

// SegmentFollower makes the details of waits that lasted longer than the ring
// remembers, from a second reading of the trace in which it sees every
// occupation as it ends.
type SegmentFollower struct {
	tileCutter *TileCutter
	jobs       []*job // by beginning
	first      int    // those before are over
}

// job is the detail of one wait in the making.
type job struct {
	wait    *schedlatency.Wait
	detail  *Detail
	byClass []int64
	merger  merger
}

// overlap is how much later than its beginning an occupation may be reported:
// the occupancy totals cuts them at least that often, in ns.
const overlap = 100_000_000

// NewFollower prepares the details of waits; now is where the trace ends.
func NewFollower(tileCutter *TileCutter, waits []*schedlatency.Wait, now int64) *SegmentFollower {
	f := &SegmentFollower{tileCutter: tileCutter}
	for _, w := range waits {
		from, to := Window(w)
		d := &Detail{From: from, To: min(to, now)}
		bound := smallTile
		if w.Overall {
			bound = firstTile
		}
		j := &job{wait: w, detail: d, byClass: make([]int64, tileCutter.Occupancy.Classes.Len())}
		j.merger.short = shortFor(2*bound, tileCutter.Occupancy.Procs(), d.To-d.From)
		f.jobs = append(f.jobs, j)
	}
	slices.SortFunc(f.jobs, func(a, b *job) int { return cmp.Compare(a.detail.From, b.detail.From) })
	return f
}

// See takes in an occupation that has just ended.
func (f *SegmentFollower) See(s *poccupancy.Segment) {
	for f.first < len(f.jobs) && f.jobs[f.first].detail.To+overlap < s.End {
		f.first++
	}
	start := s.Start()
	for _, j := range f.jobs[f.first:] {
		if j.detail.From >= s.End {
			return
		}
		if start >= j.detail.To {
			continue
		}
		if held := min(s.End, j.wait.End) - max(start, j.wait.Start); held > 0 && int(s.Class) < len(j.byClass) {
			j.byClass[s.Class] += held
		}
		j.merger.add(newMergedSegment(s, j.detail.From, j.detail.To))
	}
}

// Finish returns the waits their details.
func (f *SegmentFollower) Finish() {
	for _, j := range f.jobs {
		bound := smallTile
		if j.wait.Overall {
			bound = firstTile
		}
		j.detail.First = reduce(j.merger.finish(), bound, f.tileCutter.Occupancy.Procs(), j.detail.To-j.detail.From)
		j.detail.Occupancy = divide(j.byClass, j.wait.Delay())
		j.wait.Detail = j.detail
	}
}
