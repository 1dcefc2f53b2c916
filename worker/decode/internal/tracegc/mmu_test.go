package tracegc

import (
	"math"
	"math/rand/v2"
	"testing"
)

// least looks at every window that begins or ends at a step.
func least(times []int64, values []float64, window int64) float64 {
	first, last := times[0], times[len(times)-1]
	window = min(window, last-first)
	integral := func(from, to int64) (sum float64) {
		for i, t := range times {
			end := last
			if i+1 < len(times) {
				end = times[i+1]
			}
			if held := min(to, end) - max(from, t); held > 0 {
				sum += values[i] * float64(held)
			}
		}
		return sum
	}
	found := 1.0
	for _, t := range times {
		for _, from := range []int64{t, t - window} {
			if from >= first && from+window <= last {
				found = min(found, integral(from, from+window)/float64(window))
			}
		}
	}
	return found
}

func TestSlideAgainstNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for round := range 60 {
		c := newCurve()
		at := int64(random.IntN(1000))
		for range 2 + random.IntN(60) {
			c.add(at, float64(random.IntN(5))/4)
			at += 1 + int64(random.ExpFloat64()*float64(int64(1000)<<(4*(round%4))))
			if round%3 == 0 && random.IntN(5) == 0 {
				c.advance(c.times[len(c.times)-1], false)
			}
		}
		c.add(at, 0)
		c.end = c.times[len(c.times)-1]
		c.advance(c.end, true)
		for i, window := range Windows() {
			if want, got := least(c.times, c.values, window), c.seekers[i].min; math.Abs(got-want) > 1e-9 {
				t.Fatalf("round %d window %d: %v, want %v", round, window, got, want)
			}
		}
	}
}

// Steps that no window needs any more are forgotten without changing anything.
func TestShrink(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	whole, shrunk := newCurve(), newCurve()
	at := int64(0)
	for range maxSteps + maxSteps/2 {
		value := float64(random.IntN(4)) / 3
		whole.add(at, value)
		shrunk.add(at, value)
		shrunk.shrink()
		at += 1 + random.Int64N(4000)
	}
	for _, c := range []*curve{whole, shrunk} {
		c.end = c.times[len(c.times)-1]
		c.advance(c.end, true)
	}
	if len(shrunk.times) >= len(whole.times) {
		t.Error("nothing was forgotten")
	}
	for i := range whole.seekers {
		if a, b := whole.seekers[i], shrunk.seekers[i]; math.Abs(a.min-b.min) > 1e-9 || a.longest != b.longest {
			t.Errorf("window %d: %v at %d, want %v at %d", a.window, b.min, b.longest, a.min, a.longest)
		}
	}
}

func TestWindows(t *testing.T) {
	w := Windows()
	if w[0] != 10_000 || w[len(w)-1] != 1_000_000_000 || len(w) != 31 || w[6] != 100_000 {
		t.Error(w)
	}
}

func TestEmptyTraceHasNoMMU(t *testing.T) {
	c := New()
	c.Finish(100)
	if u, _ := c.MMU(); u != nil {
		t.Error(u)
	}
}

func TestSinceBeforeTheTrace(t *testing.T) {
	c := New()
	c.Sync(1)
	c.Metric("/sched/gomaxprocs:threads", 2, 5)
	c.util.curve.add(10, 0.5)
	c.util.sinceBefore()
	if v := c.util.curve.values; v[0] != 0.5 || v[1] != 0 {
		t.Error(v)
	}
}

func TestPhases(t *testing.T) {
	c := New()
	c.Mark(false, 30, 3, 50) // had begun before
	c.Mark(true, 100, 10, 60)
	c.Mark(true, 200, 20, 70) // is still there
	c.Mark(false, 300, 25, 90)
	want := []Phase{{Span{0, 50}, 30, 3}, {Span{60, 90}, 200, 15}}
	if len(c.Phases) != 2 || c.Phases[0] != want[0] || c.Phases[1] != want[1] {
		t.Error(c.Phases)
	}
}
