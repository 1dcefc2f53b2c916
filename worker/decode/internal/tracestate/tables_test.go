package tracestate

import (
	"math/rand/v2"
	"testing"
)

func TestQueueAgainstNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	q := &queue{}
	var live []uint64
	for step := range 20_000 {
		if len(live) == 0 || random.IntN(2) == 0 {
			live = append(live, q.push())
			if random.IntN(500) == 0 { // many come and go
				for range queueBucket {
					q.remove(q.push())
				}
			}
		} else {
			i := random.IntN(len(live))
			want := uint32(0)
			for _, n := range live {
				if n < live[i] {
					want++
				}
			}
			if got := q.before(live[i]); got != want {
				t.Fatalf("step %d: %d, want %d", step, got, want)
			}
			q.remove(live[i])
			live = append(live[:i], live[i+1:]...)
		}
		if q.next > queueSize/2 { // only numbers that are still in the ring are exact
			break
		}
	}
}

func TestQueueForgetsTheOldest(t *testing.T) {
	q := &queue{}
	old := q.push()
	for range queueSize {
		q.remove(q.push())
	}
	last := q.push()
	q.remove(old)
	if q.before(old) != 0 || q.before(last) > 1 {
		t.Error(q.before(old), q.before(last))
	}
}

func TestGoroutinesAgainstMap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	table, want := newGoroutines(), map[uint64]*goroutine{}
	for range 200_000 {
		id := random.Uint64N(5000)
		if random.IntN(3) == 0 {
			id <<= 40
		}
		g := table.find(id)
		if g != want[id] {
			t.Fatal("found another")
		}
		switch {
		case g == nil:
			want[id] = table.add(id)
		case random.IntN(2) == 0:
			table.remove(g)
			delete(want, id)
		}
	}
	seen := 0
	table.each(func(g *goroutine) {
		if seen++; want[g.id] != g {
			t.Fatal("a stranger")
		}
	})
	if seen != len(want) || seen != table.used {
		t.Error(seen, len(want), table.used)
	}
}
