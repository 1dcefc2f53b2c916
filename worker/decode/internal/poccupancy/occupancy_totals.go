package poccupancy

const (
	// MaxWaiters bounds the waiters that are distinguished while reading.
	MaxWaiters = 512
	// MaxProcs bounds the Ps; what happens on others is not seen.
	MaxProcs = 4096
)

// OccupancyTotals holds who occupies each P, and adds it to their waits.
type OccupancyTotals struct {
	Classes *OccupantClasses
	Ring    *SegmentRing

	procs       []proc
	waiters     waiters
	occupancies occupancies
	byClass     []int64 // P-time of closed occupations
}

// proc is one P and the state of all waiters when its occupation began.
type proc struct {
	alive     bool
	class     uint16
	goroutine uint64
	since     int64
	waited    []int64 // W(since) of the waiters known then
}

// NewOccupancyTotals makes empty totals. block is the resolution of occupancies in ns.
func NewOccupancyTotals(classes *OccupantClasses, ring *SegmentRing, block int64) *OccupancyTotals {
	return &OccupancyTotals{Classes: classes, Ring: ring, occupancies: occupancies{block: block}, waiters: newWaiters()}
}

// Procs returns one more than the highest number of a P seen.
func (l *OccupancyTotals) Procs() int { return len(l.procs) }

// Begin makes a P exist since a time, occupied by a class.
func (l *OccupancyTotals) Begin(p int, class Kind, since int64) {
	for p >= len(l.procs) {
		l.procs = append(l.procs, proc{})
	}
	o := &l.procs[p]
	o.alive, o.class, o.goroutine = true, uint16(class), 0
	l.open(o, since)
}

// End makes a P cease to exist.
func (l *OccupancyTotals) End(p int, t int64) {
	l.close(p, t)
	l.procs[p].alive = false
}

// open takes down the waiters' state. A P that existed before anything was seen
// begins at 0, where no waiter has waited yet.
func (l *OccupancyTotals) open(o *proc, since int64) {
	o.since = since
	if since == 0 {
		o.waited = o.waited[:0]
		return
	}
	v := &l.waiters
	o.waited = append(o.waited[:0], v.area...)
	for _, i := range v.active {
		o.waited[i] += v.waiting[i] * since
	}
}

// Occupy records that a P is occupied by a class and goroutine from t on.
func (l *OccupancyTotals) Occupy(p int, class uint16, goroutine uint64, t int64) {
	o := &l.procs[p]
	if o.class == class && o.goroutine == goroutine {
		return
	}
	if t > o.since {
		l.close(p, t)
		l.open(o, t)
	}
	o.class, o.goroutine = class, goroutine
}

// Reclass corrects the class of what occupies a P, back to its beginning.
func (l *OccupancyTotals) Reclass(p int, class uint16) { l.procs[p].class = class }

// Occupant returns the class of what occupies a P.
func (l *OccupancyTotals) Occupant(p int) uint16 { return l.procs[p].class }

// Cut closes the occupations of all Ps at t and opens them again, so that none
// is longer than the time between cuts.
func (l *OccupancyTotals) Cut(t int64) {
	for p := range l.procs {
		if o := &l.procs[p]; o.alive && t > o.since {
			l.close(p, t)
			l.open(o, t)
		}
	}
	if t%l.occupancies.block == 0 {
		l.occupancies.flush(t - 1)
	}
}

// Finish closes everything.
func (l *OccupancyTotals) Finish(t int64) {
	for p := range l.procs {
		if l.procs[p].alive {
			l.End(p, t)
		}
	}
	l.occupancies.flush(max(0, t-1))
}

// maxLength is what fits a segment; only impossible gaps are longer.
const maxLength = 1<<32 - 1

func (l *OccupancyTotals) close(p int, e int64) {
	o := &l.procs[p]
	length := e - o.since
	if length <= 0 {
		return
	}
	for int(o.class) >= len(l.byClass) {
		l.byClass = append(l.byClass, 0)
	}
	l.byClass[o.class] += length
	l.Ring.Push(Segment{End: e, Goroutine: o.goroutine, Length: uint32(min(length, maxLength)), Proc: uint16(p), Class: o.class})
	l.waiters.addOccupancy(o, e, &l.occupancies)
}

// ByClass returns the P-time of every class, occupations that still last left out.
func (l *OccupancyTotals) ByClass() []int64 {
	for len(l.byClass) < l.Classes.Len() {
		l.byClass = append(l.byClass, 0)
	}
	return l.byClass
}

// Snapshot adds to into, by class, the P-time up to t.
func (l *OccupancyTotals) Snapshot(into []int64, t int64) []int64 {
	into = append(into[:0], l.ByClass()...)
	for p := range l.procs {
		if o := &l.procs[p]; o.alive {
			into[o.class] += t - o.since
		}
	}
	return into
}

// Current visits the occupations that last at t, as if they ended there.
func (l *OccupancyTotals) Current(t int64, visit func(*Segment)) {
	for p := range l.procs {
		if o := &l.procs[p]; o.alive && t > o.since {
			visit(&Segment{End: t, Goroutine: o.goroutine, Length: uint32(min(t-o.since, maxLength)), Proc: uint16(p), Class: o.class})
		}
	}
}

// AliveProcs returns the number of Ps.
func (l *OccupancyTotals) AliveProcs() int {
	n := 0
	for p := range l.procs {
		if l.procs[p].alive {
			n++
		}
	}
	return n
}
