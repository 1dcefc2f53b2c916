package traceblame

const (
	// MaxVictims bounds the victims that are told apart while reading.
	MaxVictims = 512
	// MaxProcs bounds the Ps; what happens on others is not seen.
	MaxProcs = 4096
)

// Ledger holds who occupies each P, and charges the waits of victims to it.
type Ledger struct {
	Classes *Classes
	Ring    *Ring

	procs   []proc
	victims victims
	charges charges
	byClass []int64 // P-time of closed occupations
}

// proc is one P and the state of all victims when its occupation began.
type proc struct {
	alive     bool
	class     uint16
	goroutine uint64
	since     int64
	waited    []int64 // W(since) of the victims known then
}

// NewLedger makes a ledger. block is the grain of charges in ns.
func NewLedger(classes *Classes, ring *Ring, block int64) *Ledger {
	return &Ledger{Classes: classes, Ring: ring, charges: charges{block: block}, victims: newVictims()}
}

// Procs gives one more than the highest number of a P seen.
func (l *Ledger) Procs() int { return len(l.procs) }

// Alive tells whether a P exists.
func (l *Ledger) Alive(p int) bool { return p < len(l.procs) && l.procs[p].alive }

// Begin makes a P exist since a time, occupied by a class.
func (l *Ledger) Begin(p int, class Kind, since int64) {
	for p >= len(l.procs) {
		l.procs = append(l.procs, proc{})
	}
	o := &l.procs[p]
	o.alive, o.class, o.goroutine = true, uint16(class), 0
	l.open(o, since)
}

// End makes a P cease to exist.
func (l *Ledger) End(p int, t int64) {
	l.close(p, t)
	l.procs[p].alive = false
}

// open takes down the victims' state. A P that existed before anything was seen
// begins at 0, where no victim has waited yet.
func (l *Ledger) open(o *proc, since int64) {
	o.since = since
	if since == 0 {
		o.waited = o.waited[:0]
		return
	}
	v := &l.victims
	o.waited = append(o.waited[:0], v.area...)
	for _, i := range v.active {
		o.waited[i] += v.waiting[i] * since
	}
}

// Occupy says that a P is occupied by a class and goroutine from t on.
func (l *Ledger) Occupy(p int, class uint16, goroutine uint64, t int64) {
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
func (l *Ledger) Reclass(p int, class uint16) { l.procs[p].class = class }

// Occupant gives the class of what occupies a P.
func (l *Ledger) Occupant(p int) uint16 { return l.procs[p].class }

// Cut closes the occupations of all Ps at t and opens them again, so that none
// is longer than the time between cuts.
func (l *Ledger) Cut(t int64) {
	for p := range l.procs {
		if o := &l.procs[p]; o.alive && t > o.since {
			l.close(p, t)
			l.open(o, t)
		}
	}
	if t%l.charges.block == 0 {
		l.charges.flush(t - 1)
	}
}

// Finish closes everything.
func (l *Ledger) Finish(t int64) {
	for p := range l.procs {
		if l.procs[p].alive {
			l.End(p, t)
		}
	}
	l.charges.flush(max(0, t-1))
}

// maxLength is what fits a segment; only impossible gaps are longer.
const maxLength = 1<<32 - 1

func (l *Ledger) close(p int, e int64) {
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
	l.victims.charge(o, e, &l.charges)
}

// ByClass gives the P-time of every class, occupations that still last left out.
func (l *Ledger) ByClass() []int64 {
	for len(l.byClass) < l.Classes.Len() {
		l.byClass = append(l.byClass, 0)
	}
	return l.byClass
}

// Snapshot adds to into, by class, the P-time up to t.
func (l *Ledger) Snapshot(into []int64, t int64) []int64 {
	into = append(into[:0], l.ByClass()...)
	for p := range l.procs {
		if o := &l.procs[p]; o.alive {
			into[o.class] += t - o.since
		}
	}
	return into
}

// Current visits the occupations that last at t, as if they ended there.
func (l *Ledger) Current(t int64, visit func(*Segment)) {
	for p := range l.procs {
		if o := &l.procs[p]; o.alive && t > o.since {
			visit(&Segment{End: t, Goroutine: o.goroutine, Length: uint32(min(t-o.since, maxLength)), Proc: uint16(p), Class: o.class})
		}
	}
}

// AliveProcs gives the number of Ps.
func (l *Ledger) AliveProcs() int {
	n := 0
	for p := range l.procs {
		if l.procs[p].alive {
			n++
		}
	}
	return n
}
