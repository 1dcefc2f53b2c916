package poccupancy

import (
	"math/rand/v2"
	"testing"
)

// play is a random history on some Ps, and beside the occupancy totals a naive account
// that looks at every nanosecond.
type play struct {
	*rand.Rand
	occupancy   *OccupancyTotals
	waiting     []int64   // by waiter
	class       []int     // by P; -1: does not exist
	occupancyNs [][]int64 // by waiter and class
	held        []int64   // by class
}

const (
	playClasses = 6
	playWaiters = 12
	playProcs   = 3
	playBlock   = 500
)

func newPlay(seed uint64) *play {
	p := &play{Rand: rand.New(rand.NewPCG(seed, 1)), held: make([]int64, playClasses), class: make([]int, playProcs)}
	p.occupancy = NewOccupancyTotals(NewClasses(1), NewSegmentRing(1<<20), playBlock)
	for i := range p.class {
		p.class[i] = -1
	}
	return p
}

// pass lets one nanosecond go by.
func (p *play) pass() {
	for _, class := range p.class {
		if class < 0 {
			continue
		}
		p.held[class]++
		for v, n := range p.waiting {
			p.occupancyNs[v][class] += n
		}
	}
}

func (p *play) act(t int64) {
	switch n := p.IntN(20); {
	case n < 1 && len(p.waiting) < playWaiters:
		p.occupancy.AddWaiter()
		p.waiting = append(p.waiting, 0)
		p.occupancyNs = append(p.occupancyNs, make([]int64, playClasses))
	case n < 8 && len(p.waiting) > 0:
		v := p.IntN(len(p.waiting))
		if p.waiting[v] > 0 && p.IntN(2) == 0 {
			p.occupancy.EndWait(int32(v), t)
			p.waiting[v]--
		} else {
			p.occupancy.BeginWait(int32(v), t)
			p.waiting[v]++
		}
	case n < 18:
		p.occupy(p.IntN(playProcs), t)
	}
}

func (p *play) occupy(proc int, t int64) {
	switch {
	case p.class[proc] < 0:
		p.class[proc] = int(Idle) % playClasses
		p.occupancy.Begin(proc, Kind(p.class[proc]), t)
	case p.IntN(15) == 0:
		p.occupancy.End(proc, t)
		p.class[proc] = -1
	default:
		p.class[proc] = p.IntN(playClasses)
		p.occupancy.Occupy(proc, uint16(p.class[proc]), p.Uint64N(3), t)
	}
}

// The totals equal those counted nanosecond by nanosecond.
func TestOccupancyTotalsMatchNaiveCount(t *testing.T) {
	for seed := range uint64(200) {
		p := newPlay(seed)
		const end = 2000
		for now := int64(1); now < end; now++ {
			if now%100 == 0 {
				p.occupancy.Cut(now)
			}
			p.act(now)
			p.pass()
		}
		p.occupancy.Finish(end)
		got := make([][]int64, len(p.occupancyNs))
		for v := range got {
			got[v] = make([]int64, playClasses)
		}
		blocks := map[uint32]bool{}
		for _, c := range p.occupancy.WaiterOccupancies() {
			got[c.Waiter][c.Class] += c.Ns
			blocks[c.Block] = true
		}
		for v := range got {
			for class := range got[v] {
				if got[v][class] != p.occupancyNs[v][class] {
					t.Fatalf("seed %d waiter %d class %d: %d, want %d", seed, v, class, got[v][class], p.occupancyNs[v][class])
				}
			}
		}
		for class, want := range p.held {
			if p.occupancy.ByClass()[class] != want {
				t.Fatalf("seed %d class %d: held %d, want %d", seed, class, p.occupancy.ByClass()[class], want)
			}
		}
		if len(blocks) > end/playBlock {
			t.Fatalf("blocks %v", blocks)
		}
	}
}

// A P that was there all along but is reported late counts from the
// beginning.
func TestBeginsBeforeItIsKnown(t *testing.T) {
	l := NewOccupancyTotals(NewClasses(1), NewSegmentRing(1<<20), 1000)
	v := int32(l.AddWaiter())
	l.BeginWait(v, 10)
	l.EndWait(v, 30)
	l.Begin(0, Unknown, 0)
	l.Occupy(0, uint16(Idle), 0, 50)
	l.Finish(100)
	if c := l.WaiterOccupancies(); len(c) != 1 || c[0].Ns != 20 || Kind(c[0].Class) != Unknown {
		t.Error(c)
	}
}

func TestSnapshot(t *testing.T) {
	l := NewOccupancyTotals(NewClasses(1), NewSegmentRing(1<<20), 1000)
	l.Begin(0, Idle, 0)
	l.Occupy(0, uint16(Scheduler), 0, 40)
	s := l.Snapshot(nil, 100)
	if s[Idle] != 40 || s[Scheduler] != 60 || l.AliveProcs() != 1 {
		t.Error(s)
	}
	seen := 0
	l.Current(100, func(s *Segment) {
		if seen++; s.Start() != 40 || s.End != 100 {
			t.Error(*s)
		}
	})
	if seen != 1 {
		t.Error("nothing lasts")
	}
}

func TestClassesOverflow(t *testing.T) {
	c := NewClasses(1)
	for group := range uint32(2 * MaxClasses) {
		if n := c.Of(User, group); int(n) >= MaxClasses {
			t.Fatal(n)
		}
	}
	if c.Len() != MaxClasses || c.At(c.Of(User, 2*MaxClasses-1)).Group != 1 || c.Of(User, 5) != c.Of(User, 5) {
		t.Error("the tail is not the group Other")
	}
	if c.Of(UserAssist, 1) != uint16(UserAssist) {
		t.Error("Other has a class of its own twice")
	}
}

func TestRingForgetsTheOldest(t *testing.T) {
	const chunkLength = 1000
	r := NewSegmentRing(minChunks * chunkLength * segmentBytes)
	output := []int64{}
	r.BeforeDrop = func(upTo int64) { output = append(output, upTo) }
	const n = 9*chunkLength + 10
	for i := int64(1); i <= n; i++ {
		r.Push(Segment{End: i, Length: 1})
	}
	if r.Total() != n || r.From() != 2*chunkLength || len(output) != 2 || output[0] != chunkLength {
		t.Error(r.Total(), r.From(), output)
	}
	first, count := int64(0), 0
	r.Each(0, func(s *Segment) bool {
		if first == 0 {
			first = s.End
		}
		count++
		return true
	})
	if first != 2*chunkLength+1 || count != 7*chunkLength+10 {
		t.Error(first, count)
	}
	for _, span := range [][2]int64{{0, n}, {2*chunkLength + 5, 2*chunkLength + 6}, {n - 1, n + 5}, {n, n}, {3*chunkLength - 1, 3*chunkLength + 1}} {
		want := 0
		r.Each(span[0], func(s *Segment) bool {
			if s.End <= span[1] {
				want++
			}
			return true
		})
		if got := r.Count(span[0], span[1]); got != want {
			t.Errorf("%v: %d, want %d", span, got, want)
		}
	}
}

// A ring that must remember less forgets the oldest, reports it, and may
// remember as much again later.
func TestRingGivesWay(t *testing.T) {
	r := &SegmentRing{chunk: 4, bound: 32, most: 32, from: -1}
	output := int64(-1)
	r.BeforeDrop = func(upTo int64) { output = upTo }
	for i := range int64(160) {
		r.Push(Segment{End: i + 1, Length: 1})
	}
	before := r.Count(0, 160)
	r.Bound(0)
	if retained := r.Count(0, 160); retained >= before || retained == 0 || output != r.From() || r.Count(0, 160)+int(r.dropped) != 160 || r.Total() != 160 {
		t.Error(before, retained, output, r.From())
	}
	r.Bound(1 << 40)
	for i := range int64(160) {
		r.Push(Segment{End: 161 + i, Length: 1})
	}
	if got := r.Count(0, 320); got < before {
		t.Error(got, before)
	}
	r.Forget()
	if r.Count(0, 320) != 0 || r.Total() != 320 {
		t.Error(r.Total())
	}
}

// Late occupancies take as many rows as they are of waiters, classes and blocks.
func TestLateOccupanciesAreJoined(t *testing.T) {
	l := NewOccupancyTotals(NewClasses(0), NewSegmentRing(0), 1000)
	l.AddWaiter()
	l.Begin(0, User, 0)
	for block := range int64(3) {
		l.Cut((block + 1) * 1000)
	}
	for i := range int64(100 * 4000) {
		l.AddOccupancy(0, uint16(User), i%4000, 1)
	}
	if len(l.occupancies.rows) > loose+10 {
		t.Error(len(l.occupancies.rows))
	}
	l.Finish(4000)
	sum := map[uint32]int64{}
	for _, c := range l.WaiterOccupancies() {
		sum[c.Block] += c.Ns
	}
	for block := range uint32(4) {
		if got := sum[block]; got != 100*1000 {
			t.Error(block, got)
		}
	}
}
