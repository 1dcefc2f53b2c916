package tracegc

import (
	"math"
	"sort"
)

// perDecade is how many windows there are between powers of ten.
const perDecade = 6

// Windows returns the lengths in ns of the windows in which utilization is
// computed: from 10 us to 1 s, evenly on a logarithmic scale.
func Windows() []int64 {
	var windows []int64
	for i := range 5*perDecade + 1 {
		windows = append(windows, int64(math.Round(math.Pow(10, 4+float64(i)/perDecade))))
	}
	return windows
}

// curve is utilization as a step function, and the least mean of it in windows
// of every length as far as it has been examined.
//
// The mean in a window that slides is piecewise linear; its minimum has an edge
// of the window on a step. It changes by at most 1/window a time unit, so when
// it is above the minimum found it can be left alone for a while.
type curve struct {
	times   []int64
	values  []float64
	sums    []float64 // integral up to times[i]
	seekers []seeker
	end     int64
}

// seeker slides one window along the curve.
type seeker struct {
	window      int64
	at          int64 // left edge
	left, right int   // steps at or before the edges
	began       bool  // at is set
	looked      bool  // at least once
	min         float64
	longest     int64 // left edge at the minimum
}

func newCurve() *curve {
	c := &curve{}
	for _, w := range Windows() {
		c.seekers = append(c.seekers, seeker{window: w, min: 1})
	}
	return c
}

func (c *curve) empty() bool { return len(c.times) == 0 }

// add appends a step; of steps at one time the lowest counts.
func (c *curve) add(t int64, value float64) {
	if n := len(c.times); n > 0 {
		if c.values[n-1] == value {
			return
		}
		if c.times[n-1] == t {
			c.values[n-1] = min(c.values[n-1], value)
			return
		}
	}
	c.times, c.values = append(c.times, t), append(c.values, value)
}

// maxSteps is how many steps are retained before those that are done with go.
const maxSteps = 1 << 20

// shrink looks at what it can and forgets what no window needs any more.
func (c *curve) shrink() {
	if len(c.times) < maxSteps {
		return
	}
	c.advance(c.times[len(c.times)-1], false)
	needed := len(c.times)
	for i := range c.seekers {
		needed = min(needed, c.seekers[i].left)
	}
	if needed < maxSteps/8 { // all within one second: take more memory
		return
	}
	c.times, c.values, c.sums = append([]int64(nil), c.times[needed:]...), append([]float64(nil), c.values[needed:]...), append([]float64(nil), c.sums[needed:]...)
	for i := range c.seekers {
		c.seekers[i].left -= needed
		c.seekers[i].right -= needed
	}
}

// advance lets all windows slide as far as their right edge stays at or before
// end; last is true if nothing comes after it.
func (c *curve) advance(end int64, last bool) {
	for i := len(c.sums); i < len(c.times); i++ {
		sum := 0.0
		if i > 0 {
			sum = c.sums[i-1] + c.values[i-1]*float64(c.times[i]-c.times[i-1])
		}
		c.sums = append(c.sums, sum)
	}
	for i := range c.seekers {
		c.slide(&c.seekers[i], end, last)
	}
}

func (c *curve) slide(s *seeker, end int64, last bool) {
	if !s.began {
		s.began, s.at = true, c.times[0]
	}
	if last && !s.looked && end-s.at < s.window {
		s.window = max(1, end-s.at)
	}
	// Before the end the next step behind the right edge must be known.
	stop := end - s.window
	for s.at < stop || last && s.at == stop {
		mean := (c.integral(&s.right, s.at+s.window) - c.integral(&s.left, s.at)) / float64(s.window)
		s.looked = true
		if mean < s.min {
			s.min, s.longest = mean, s.at
		}
		if s.at == stop {
			return
		}
		next := min(c.after(s.left), c.after(s.right)-s.window)
		next = max(next, s.at+int64((mean-s.min)*float64(s.window)), s.at+1)
		if last {
			next = min(next, stop)
		}
		s.at = next
	}
}

// integral returns the integral up to t and moves an index to the step at or
// before it. t must not fall from call to call.
func (c *curve) integral(index *int, t int64) float64 {
	i := *index
	for range 8 {
		if i+1 < len(c.times) && c.times[i+1] <= t {
			i++
		}
	}
	if i+1 < len(c.times) && c.times[i+1] <= t {
		i += sort.Search(len(c.times)-i-1, func(k int) bool { return c.times[i+1+k] > t })
	}
	*index = i
	return c.sums[i] + c.values[i]*float64(t-c.times[i])
}

func (c *curve) after(i int) int64 {
	if i+1 < len(c.times) {
		return c.times[i+1]
	}
	return math.MaxInt64
}

// MMU returns the minimum mutator utilization of every window of Windows, and
// where the worst window begins; after Finish. Without steps it returns nil. A
// window longer than the trace counts as the whole trace.
func (c *GcFollower) MMU() (utilization []float64, longest []int64) {
	curve := c.util.curve
	if curve.empty() || curve.end <= curve.times[0] && !c.finished {
		return nil, nil
	}
	if !c.finished {
		c.finished = true
		curve.advance(curve.end, true)
	}
	for _, s := range curve.seekers {
		utilization, longest = append(utilization, max(0, s.min)), append(longest, s.longest)
	}
	return utilization, longest
}
