package tracedecode

import (
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracetiles"
)

// tiles are the columns of all pictures.
type tiles struct {
	wait       []uint32
	level      []uint8
	start, end []int64
	offset     []uint64

	proc      []uint16
	from, to  []int64
	class     []uint32
	goroutine []uint64
	merged    []uint32
}

func newTiles() *tiles { return &tiles{offset: []uint64{0}} }

// add adds the pictures of one wait: level 0 whole, level 1 in pieces where
// level 0 had to join occupations.
func (t *tiles) add(index uint32, x *schedlatency.Wait) {
	d := detailOf(x)
	t.tile(index, 0, d.From, d.To, d.First)
	if !x.Overall || len(d.More) == 0 {
		return
	}
	edges := tracetiles.Split(d.More, d.From, d.To)
	for i := range len(edges) - 1 {
		t.tile(index, 1, edges[i], edges[i+1], within(d.More, edges[i], edges[i+1]))
	}
}

// within returns the rectangles that are seen between two times, whole.
func within(list []tracetiles.MergedSegment, from, to int64) []tracetiles.MergedSegment {
	var seen []tracetiles.MergedSegment
	for _, d := range list {
		if d.End > from && d.Start < to {
			seen = append(seen, d)
		}
	}
	return seen
}

func (t *tiles) tile(index uint32, level uint8, from, to int64, list []tracetiles.MergedSegment) {
	t.wait, t.level, t.start, t.end = append(t.wait, index), append(t.level, level), append(t.start, from), append(t.end, to)
	for _, d := range list {
		t.proc, t.from, t.to = append(t.proc, d.Proc), append(t.from, d.Start), append(t.to, d.End)
		t.class, t.goroutine, t.merged = append(t.class, uint32(d.Class)), append(t.goroutine, d.Goroutine), append(t.merged, d.Merged)
	}
	t.offset = append(t.offset, uint64(len(t.proc)))
}

func (t *tiles) write(c *tracefile.Columns) {
	c.Add("tile_worst", t.wait)
	c.Add("tile_level", t.level)
	c.Add("tile_start_ns", t.start)
	c.Add("tile_end_ns", t.end)
	c.Add("tile_offset", t.offset)
	c.Add("segment_proc", t.proc)
	c.Add("segment_start_ns", t.from)
	c.Add("segment_end_ns", t.to)
	c.Add("segment_class", t.class)
	c.Add("segment_goroutine", t.goroutine)
	c.Add("segment_merged", t.merged)
}
