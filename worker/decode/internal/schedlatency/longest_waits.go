package schedlatency

import "sort"

const (
	// LongestOverall and LongestPerWaiter are how many waits are examined one by one.
	LongestOverall   = 50
	LongestPerWaiter = 5
)

// Wait is one of the longest waits.
type Wait struct {
	Waiter         int32
	Goroutine      uint64
	Start, End     int64
	QueueAhead     uint32 // goroutines runnable when it became so
	Overtakes      uint32 // became runnable later, but ran before
	WakerGroup     uint32 // tracefile.None: the runtime
	WakerGoroutine uint64
	WakerStack     uint32
	BlockStack     uint32
	Proc           uint32 // where it ran in the end; tracefile.None: unknown
	Overall        bool

	Detail any // what others keep about it
}

// Delay returns the length of the wait in ns.
func (w *Wait) Delay() int64 { return w.End - w.Start }

// IsLongest reports whether a wait of such a delay is among the worst so far.
func (t *Table) IsLongest(waiter int32, delay int64) bool {
	if delay < Handoff {
		return false
	}
	v := &t.Waiters[waiter]
	return len(v.Longest) < LongestPerWaiter || delay > v.Longest[len(v.Longest)-1].Delay() ||
		len(t.Overall) < LongestOverall || delay > t.Overall[len(t.Overall)-1].Delay()
}

// KeepLongest takes one of the longest waits in.
func (t *Table) KeepLongest(w *Wait) {
	v := &t.Waiters[w.Waiter]
	v.Longest = insert(v.Longest, w, LongestPerWaiter)
	t.Overall = insert(t.Overall, w, LongestOverall)
}

// insert keeps a list sorted, longest first, and no longer than bound.
func insert(list []*Wait, w *Wait, bound int) []*Wait {
	at := sort.Search(len(list), func(i int) bool { return list[i].Delay() < w.Delay() })
	if at >= bound {
		return list
	}
	if len(list) < bound {
		list = append(list, nil)
	}
	copy(list[at+1:], list[at:])
	list[at] = w
	return list
}

// Longest returns all waits retained, longest first, each once.
func (t *Table) Longest() []*Wait {
	seen := map[*Wait]bool{}
	var all []*Wait
	for _, w := range t.Overall {
		w.Overall = true
		seen[w] = true
		all = append(all, w)
	}
	for i := range t.Waiters {
		for _, w := range t.Waiters[i].Longest {
			if !seen[w] {
				all = append(all, w)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Delay() > all[j].Delay() })
	return all
}
