package tracetiles

import (
	"slices"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
)

const (
	// minMargin is the least time shown on both sides of a wait, in ns.
	minMargin = 100_000
	// firstTile and smallTile bound the rectangles of the first picture: of the
	// longest waits overall, and of those that are only their waiter's worst.
	firstTile = 2000
	smallTile = 400
	// Piece bounds the rectangles of one tile of detail, Pieces their number.
	Piece  = 4096
	Pieces = 16
	// allDetail bounds the rectangles retained for detail, of all waits together.
	allDetail = 512 << 10
)

// Share is how long one class held the processors of a wait: their parts of it
// in ns, which add up to the wait.
type Share struct {
	Class uint16
	Ns    float64
}

// Detail is what is retained about one wait.
type Detail struct {
	From, To  int64   // of the picture
	Occupancy []Share // by class
	First     []MergedSegment
	More      []MergedSegment // everything in the window, where First had to join
	Partial   bool            // the ring had forgotten some of it
	owner     bool            // of More, which other details may share
}

// TileCutter makes details from the ring.
type TileCutter struct {
	Occupancy *poccupancy.OccupancyTotals
	retained  int // rectangles in More, of all details
	byClass   []int64
	recent    [4]recent // pictures made last
	next      int
}

// recent is a picture that another wait of the same thundering herd can have, too.
type recent struct {
	detail  *Detail
	overall bool
}

// Window returns the time that the picture of a wait shows.
func Window(w *schedlatency.Wait) (from, to int64) {
	margin := max(w.Delay()/2, minMargin)
	return max(0, w.Start-margin), w.End + margin
}

// Cut makes the detail of a wait, with what the ring holds now; now is the
// time up to which occupations are known. Goroutines that wait together have
// one picture: it may begin and end a little beside their window.
func (c *TileCutter) Cut(w *schedlatency.Wait, overall bool, now int64) *Detail {
	from, to := Window(w)
	d := &Detail{From: from, To: min(to, now), Occupancy: c.occupancy(w, now), Partial: c.Occupancy.Ring.From() > from}
	for _, r := range c.recent {
		if r.detail != nil && r.overall == overall && alike(r.detail, d) {
			d.From, d.To, d.First, d.More = r.detail.From, r.detail.To, r.detail.First, r.detail.More
			return d
		}
	}
	c.draw(d, overall, now)
	c.recent[c.next%len(c.recent)] = recent{d, overall}
	c.next++
	return d
}

// alike reports whether a picture shows what another should, but for a sixteenth.
func alike(made, expected *Detail) bool {
	slack := (expected.To - expected.From) / 16
	return abs(made.From-expected.From) <= slack && abs(made.To-expected.To) <= slack
}

func abs(n int64) int64 { return max(n, -n) }

// occupancy adds up who held the processors during a wait.
func (c *TileCutter) occupancy(w *schedlatency.Wait, now int64) []Share {
	c.byClass = append(c.byClass[:0], make([]int64, c.Occupancy.Classes.Len())...)
	c.each(w.Start, w.End, now, func(s *poccupancy.Segment) {
		if held := min(s.End, w.End) - max(s.Start(), w.Start); held > 0 {
			c.byClass[s.Class] += held
		}
	})
	return c.shares(w)
}

// draw makes the picture of a window.
func (c *TileCutter) draw(d *Detail, overall bool, now int64) {
	window, procs := d.To-d.From, c.Occupancy.Procs()
	fine := overall && c.retained < allDetail
	bound := smallTile
	if overall {
		bound = firstTile
	}
	m := merger{}
	switch count := c.Occupancy.Ring.Count(d.From, d.To); { // so many that they are joined on the way
	case fine && count > Piece*Pieces:
		m.short = shortFor(Piece*Pieces, procs, window)
	case !fine && count > 8*bound:
		m.short = shortFor(2*bound, procs, window)
	}
	c.each(d.From, d.To, now, func(s *poccupancy.Segment) { m.add(newMergedSegment(s, d.From, d.To)) })
	all := m.finish()
	d.First = reduce(all, bound, procs, window)
	if fine && len(all) > len(d.First) {
		d.More = reduce(all, Piece*Pieces, procs, window)
		c.retained += len(d.More)
		d.owner = true
	}
}

// Drop returns up a wait's fine detail.
func (c *TileCutter) Drop(d *Detail) {
	if d.owner {
		c.retained -= len(d.More)
	}
	d.More, d.owner = nil, false
}

// each visits the occupations within a window: those in the ring, up to where
// every P has one that reaches its end, and those that still last.
func (c *TileCutter) each(from, to, now int64, visit func(*poccupancy.Segment)) {
	procs := c.Occupancy.Procs()
	reached := make([]bool, procs)
	left := procs
	c.Occupancy.Ring.Each(from, func(s *poccupancy.Segment) bool {
		if s.Start() < to {
			visit(s)
		}
		if s.End >= to && int(s.Proc) < procs && !reached[s.Proc] {
			reached[s.Proc] = true
			left--
		}
		return left > 0
	})
	c.Occupancy.Current(now, func(s *poccupancy.Segment) {
		if !reached[s.Proc] && s.Start() < to && s.End > from {
			visit(s)
		}
	})
}

// shares divides the wait among the classes. What the ring has forgotten is
// attributed to the unknown class.
func (c *TileCutter) shares(w *schedlatency.Wait) []Share {
	if c.Occupancy.Ring.From() > w.Start {
		total := int64(0)
		for _, ns := range c.byClass {
			total += ns
		}
		c.byClass[poccupancy.Unknown] += max(0, int64(c.Occupancy.AliveProcs())*w.Delay()-total)
	}
	return divide(c.byClass, w.Delay())
}

// divide divides a delay among classes in proportion to what they held.
func divide(byClass []int64, delay int64) []Share {
	total := int64(0)
	for _, ns := range byClass {
		total += ns
	}
	if total <= 0 {
		return []Share{{uint16(poccupancy.Unknown), float64(delay)}}
	}
	var shares []Share
	for class, ns := range byClass {
		if ns > 0 {
			shares = append(shares, Share{uint16(class), float64(ns) / float64(total) * float64(delay)})
		}
	}
	return shares
}

// Split cuts a list of rectangles into pieces of the window with at most Piece
// each; a rectangle that lasts into several pieces is in all of them. Pieces
// hold the same number of beginnings.
func Split(list []MergedSegment, from, to int64) (edges []int64) {
	pieces := min(Pieces, (len(list)+Piece*3/4-1)/(Piece*3/4))
	starts := make([]int64, len(list))
	for i, d := range list {
		starts[i] = d.Start
	}
	slices.Sort(starts)
	edges = []int64{from}
	for i := 1; i < pieces; i++ {
		if edge := starts[i*len(starts)/pieces]; edge > edges[len(edges)-1] {
			edges = append(edges, edge)
		}
	}
	return append(edges, to)
}
