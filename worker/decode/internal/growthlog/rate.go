package growthlog

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"slowpath.dev/decode/internal/profilefile"
)

// numbering gathers the numbers ("n=2000") of recorded growths. The runtime
// counts growths of each old size on their own.
type numbering struct {
	bySize map[int64][]int64
}

func (n *numbering) add(oldBytes, number int64) {
	if n.bySize == nil {
		n.bySize = map[int64][]int64{}
	}
	n.bySize[oldBytes] = append(n.bySize[oldBytes], number)
}

// rate returns the most frequent distance between neighboring numbers (from 0
// on), the smaller of equals, which lost and doubled lines do not disturb; 0
// for none.
func (n *numbering) rate() int64 {
	seen := map[int64]int{}
	for _, numbers := range n.bySize {
		slices.Sort(numbers)
		last := int64(0)
		for _, number := range numbers {
			if number > last {
				seen[number-last]++
			}
			last = number
		}
	}
	best, most := int64(0), 0
	for distance, times := range seen {
		if times > most || times == most && distance < best {
			best, most = distance, times
		}
	}
	return best
}

// lost counts the numbers that should be there and are not. Where more are
// there than should be (logs of several processes in one file), nothing is
// known.
func (n *numbering) lost(rate int64) int64 {
	missing := int64(0)
	for _, numbers := range n.bySize {
		if len(numbers) > 0 {
			missing += max(0, numbers[len(numbers)-1]/rate-int64(len(numbers)))
		}
	}
	return missing
}

// computeRate decides by how much recorded growths are multiplied.
func (c *profileBuilder) computeRate() {
	i := &c.info
	numbered := c.numbers.rate()
	switch {
	case i.Rate > 0: // stated by a comment
		i.RateKnown = true
		if numbered > 0 && numbered != i.Rate {
			c.warn("rate-doubtful", "The log states that every %d-th growth was recorded, but the growths are numbered in steps of %d.", i.Rate, numbered)
		}
	case numbered > 0:
		i.Rate, i.RateKnown = numbered, true
	case i.Dialect == dialectBpftrace: // a probe counts every call
		i.Rate, i.RateKnown = 1, true
	default:
		i.Rate = 1
		if i.Sampled > 0 {
			c.warn("rate-unknown", "The sampling rate is unknown: counts are as printed. A line '# rate: 1000' in the log sets it.")
		}
	}
	if numbered > 0 {
		i.Lost = c.numbers.lost(numbered)
	}
	if i.Lost > 0 {
		c.warn("lost-growths", "%d recorded growths are missing by their numbers: the log was cut at its start, or lines were lost.", i.Lost)
	}
}

// totals keeps what the log prints of all growths, by old size.
type totals struct {
	past    map[int64]int64 // of processes that had ended before
	current map[int64]int64
	printed bool
}

// take reads "2048->506502 4096->9090 start=2048". The same process may print
// its totals more than once, and they only rise; where they fall, another
// process has begun.
func (t *totals) take(text []byte, start **int64) {
	next := map[int64]int64{}
	for _, field := range bytes.Fields(text) {
		if size, ok := bytes.CutPrefix(field, []byte("start=")); ok {
			if n, ok := parseNatural(size); ok {
				*start = &n
			}
			continue
		}
		old, count, _ := bytes.Cut(field, []byte("->"))
		size, known := parseNatural(old)
		n, counted := parseNatural(count)
		if known && counted {
			next[size] = n
		}
	}
	for size, n := range t.current {
		if next[size] < n {
			t.endProcess()
			break
		}
	}
	t.current, t.printed = next, true
}

func (t *totals) endProcess() {
	if t.past == nil {
		t.past = map[int64]int64{}
	}
	for size, n := range t.current {
		t.past[size] += n
	}
}

// computeTotals writes what was printed, in order of size.
func (c *profileBuilder) computeTotals() {
	c.totals.endProcess()
	if !c.totals.printed {
		return
	}
	sum := int64(0)
	for size, n := range c.totals.past {
		c.info.Totals = append(c.info.Totals, profilefile.GrowthTotal{OldBytes: size, Count: n})
		sum += n
	}
	slices.SortFunc(c.info.Totals, func(a, b profilefile.GrowthTotal) int { return int(min(1, max(-1, a.OldBytes-b.OldBytes))) })
	c.info.Total = &sum
}

// largest is the largest number believed: beyond 2^53 neither a count of
// growths nor a size can be real.
const largest = 1 << 53

// parseNatural reads a decimal number that is not negative.
func parseNatural(text []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil && n >= 0 && n <= largest
}

// comment reads a line like "# rate: 1000"; false when it is none of ours.
func (c *profileBuilder) comment(line []byte) bool {
	key, value, ok := bytes.Cut(bytes.TrimLeft(line, "# \t"), []byte(":"))
	if !ok || len(line) == 0 || line[0] != '#' {
		return false
	}
	value = bytes.TrimSpace(value)
	switch string(bytes.ToLower(bytes.TrimSpace(key))) {
	case "rate":
		if n, ok := parseNatural(value); ok && n > 0 {
			c.info.Rate = n
		}
	case "duration":
		c.duration(string(value))
	case "total":
		if n, ok := parseNatural(value); ok {
			c.totals.current, c.totals.printed = map[int64]int64{0: n}, true
		}
	default:
		return false
	}
	return true
}

// duration reads "120s", "2m" or a plain number of seconds.
func (c *profileBuilder) duration(text string) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if ns := d.Nanoseconds(); err == nil && ns > 0 {
		c.info.DurationNs = &ns
	}
}
