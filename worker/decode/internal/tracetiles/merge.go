// Package tracetiles cuts out of the occupations of all processors what the
// picture of one wait needs, and how much each class held of it.
package tracetiles

import "slowpath.dev/decode/internal/poccupancy"

// MergedSegment is one rectangle of a picture: an occupation, or several short ones
// next to each other, which have the class and goroutine of the longest.
type MergedSegment struct {
	Start, End int64
	Goroutine  uint64
	Proc       uint16
	Class      uint16
	Merged     uint32 // how many occupations it represents
	longest    int64
}

// merger joins neighbors on one P: pieces of one occupation always, and
// different ones as long as each, and all together, are shorter than short.
type merger struct {
	short int64
	runs  []MergedSegment   // by P; Merged 0: none
	out   [][]MergedSegment // by P
	count int
}

func (m *merger) add(s MergedSegment) {
	for int(s.Proc) >= len(m.runs) {
		m.runs = append(m.runs, MergedSegment{})
		m.out = append(m.out, nil)
	}
	run := &m.runs[s.Proc]
	touches := run.Merged > 0 && run.End == s.Start
	switch {
	case touches && run.Merged == 1 && s.Merged == 1 && run.Class == s.Class && run.Goroutine == s.Goroutine:
		run.End = s.End
		run.longest = run.End - run.Start
	case touches && s.End-s.Start < m.short && run.longest < m.short && s.End-run.Start < m.short:
		if s.longest > run.longest {
			run.Class, run.Goroutine, run.longest = s.Class, s.Goroutine, s.longest
		}
		run.End = s.End
		run.Merged += s.Merged
	default:
		m.close(run)
		*run = s
	}
}

func (m *merger) close(run *MergedSegment) {
	if run.Merged > 0 {
		m.out[run.Proc] = append(m.out[run.Proc], *run)
		m.count++
	}
	run.Merged = 0
}

// finish returns what was joined, by P and time.
func (m *merger) finish() []MergedSegment {
	all := make([]MergedSegment, 0, m.count+len(m.runs))
	for p := range m.runs {
		m.close(&m.runs[p])
		all = append(all, m.out[p]...)
	}
	return all
}

// shortFor returns how short occupations must be to be joined so that about bound
// rectangles are left of those of all Ps in a window, in the worst case.
func shortFor(bound, procs int, window int64) int64 {
	return max(1, 2*window*int64(max(1, procs))/int64(bound))
}

// reduce joins more and more until at most bound rectangles are left, or
// nothing more can be joined.
func reduce(list []MergedSegment, bound, procs int, window int64) []MergedSegment {
	for short := shortFor(16*bound, procs, window); len(list) > bound && short < 8*window; short *= 2 {
		m := merger{short: short}
		for _, s := range list {
			m.add(s)
		}
		list = m.finish()
	}
	return list
}

// newMergedSegment clips an occupation to a window.
func newMergedSegment(s *poccupancy.Segment, from, to int64) MergedSegment {
	d := MergedSegment{Start: max(from, s.Start()), End: min(to, s.End), Goroutine: s.Goroutine, Proc: s.Proc, Class: s.Class, Merged: 1}
	d.longest = d.End - d.Start
	return d
}
