package traceseries

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Bins hold what counting every millisecond yields, also when they had to
// become wider.
func TestSeriesAgainstNaive(t *testing.T) {
	for _, bins := range []int{1000, MaxBins + 5000, 5 * MaxBins} {
		random := rand.New(rand.NewPCG(uint64(bins), 1))
		s := New()
		values := make([]int64, bins)
		level, events, seen := int64(0), 0, 0.0
		for i := range bins {
			s.Advance(int64(i) * BaseBin)
			if random.IntN(3) == 0 {
				value := random.Int64N(100)
				s.Move(Running, value-level)
				level = value
				s.Tick(Created)
				events++
			}
			values[i] = level
		}
		s.Finish(int64(bins) * BaseBin)
		each := int(s.Bin() / BaseBin)
		mean, low, high := s.Level(Running)
		if len(mean) > MaxBins || len(mean) != (bins+each-1)/each {
			t.Fatalf("%d bins of %d ms, for %d ms", len(mean), each, bins)
		}
		for i := range mean {
			check(t, values, i*each, min(bins, (i+1)*each), mean[i], low[i], high[i])
		}
		for _, n := range s.Count(Created) {
			seen += float64(n)
		}
		if int(seen) != events {
			t.Errorf("%v events, want %d", seen, events)
		}
	}
}

func check(t *testing.T, values []int64, from, to int, mean, low, high float32) {
	t.Helper()
	sum, least, most := int64(0), int64(math.MaxInt64), int64(0)
	if from > 0 { // a bin begins with the level before
		least, most = values[from-1], values[from-1]
	} else {
		least = 0
	}
	for _, v := range values[from:to] {
		sum, least, most = sum+v, min(least, v), max(most, v)
	}
	want := float64(sum) / float64(to-from)
	if math.Abs(float64(mean)-want) > 1e-3*(1+want) || int64(low) != least || int64(high) != most {
		t.Fatalf("bins %d to %d: %v in [%v, %v], want %v in [%d, %d]", from, to, mean, low, high, want, least, most)
	}
}

// A gap that no program has does not make bins for all of it.
func TestImpossibleGap(t *testing.T) {
	s := New()
	s.Move(Runnable, 3)
	s.Advance(1 << 59)
	s.Finish(1 << 60)
	mean, _, _ := s.Level(Runnable)
	if len(mean) > MaxBins || mean[len(mean)/2] != 3 {
		t.Error(len(mean))
	}
}

func TestEmpty(t *testing.T) {
	s := New()
	s.Finish(0)
	if mean, _, _ := s.Level(Running); len(mean) != 1 {
		t.Error(mean)
	}
}
