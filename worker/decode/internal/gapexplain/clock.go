package gapexplain

import (
	"sort"

	"golang.org/x/exp/trace"
)

// clock turns Unix ns into the trace's time and back, by the snapshots of both
// that Go writes, one a generation from 1.25 on: the newest before a moment
// counts.
type clock struct {
	snapshots []snapshot
	drift     int64 // the most by which two neighbors disagree
}

type snapshot struct{ wall, trace int64 }

func (c *clock) sync(ev *trace.Event) {
	output := ev.Sync().ClockSnapshot
	if output == nil {
		return
	}
	s := snapshot{output.Wall.UnixNano(), int64(output.Trace)}
	if n := len(c.snapshots); n > 0 {
		before := c.snapshots[n-1]
		c.drift = max(c.drift, distance(s.wall-before.wall, s.trace-before.trace))
	}
	c.snapshots = append(c.snapshots, s)
}

func (c *clock) known() bool { return len(c.snapshots) > 0 }

func (c *clock) toTrace(wall int64) int64 {
	s := c.before(func(s snapshot) bool { return s.wall > wall })
	return s.trace + (wall - s.wall)
}

func (c *clock) toWall(at int64) int64 {
	s := c.before(func(s snapshot) bool { return s.trace > at })
	return s.wall + (at - s.trace)
}

// before returns the newest snapshot that is not later, or the first.
func (c *clock) before(later func(snapshot) bool) snapshot {
	n := sort.Search(len(c.snapshots), func(i int) bool { return later(c.snapshots[i]) })
	return c.snapshots[max(0, n-1)]
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
