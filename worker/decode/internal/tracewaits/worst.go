package tracewaits

import "sort"

const (
	// WorstOverall and WorstOfVictim are how many waits are looked at one by one.
	WorstOverall  = 50
	WorstOfVictim = 5
)

// Wait is one of the worst waits.
type Wait struct {
	Victim         int32
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

// Delay gives the length of the wait in ns.
func (w *Wait) Delay() int64 { return w.End - w.Start }

// IsWorst tells whether a wait of such a delay is among the worst so far.
func (t *Table) IsWorst(victim int32, delay int64) bool {
	if delay < Handoff {
		return false
	}
	v := &t.Victims[victim]
	return len(v.Worst) < WorstOfVictim || delay > v.Worst[len(v.Worst)-1].Delay() ||
		len(t.Overall) < WorstOverall || delay > t.Overall[len(t.Overall)-1].Delay()
}

// Keep takes one of the worst waits in.
func (t *Table) Keep(w *Wait) {
	v := &t.Victims[w.Victim]
	v.Worst = insert(v.Worst, w, WorstOfVictim)
	t.Overall = insert(t.Overall, w, WorstOverall)
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

// Worst gives all waits kept, longest first, each once.
func (t *Table) Worst() []*Wait {
	seen := map[*Wait]bool{}
	var all []*Wait
	for _, w := range t.Overall {
		w.Overall = true
		seen[w] = true
		all = append(all, w)
	}
	for i := range t.Victims {
		for _, w := range t.Victims[i].Worst {
			if !seen[w] {
				all = append(all, w)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Delay() > all[j].Delay() })
	return all
}
