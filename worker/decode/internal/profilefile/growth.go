package profilefile

// KindGrowth is the kind of decoded stack-growth logs.
const KindGrowth = "growth"

// Growth is what only a stack-growth log holds. Counts marked "printed" are
// in the log itself; nil where the log does not have them.
type Growth struct {
	Dialect    string        `json:"dialect"`     // newstack, folded or bpftrace
	Rate       int64         `json:"rate"`        // every how many-th growth was recorded; 1 when unknown
	RateKnown  bool          `json:"rate_known"`  // known from the log or its numbering
	Sampled    int64         `json:"sampled"`     // growths recorded
	Lost       int64         `json:"lost"`        // recorded ones that the numbering misses
	Total      *int64        `json:"total"`       // printed: all growths
	Totals     []GrowthTotal `json:"totals"`      // printed: all growths by old size
	DurationNs *int64        `json:"duration_ns"` // printed
	Goroutines *int64        `json:"goroutines"`  // different ones that the recorded growths are of
	StartBytes *int64        `json:"start_bytes"` // printed: size of a new goroutine's stack
	UsedBytes  *int64        `json:"used_bytes"`  // bytes in use when copied, times rate
	Truncated  bool          `json:"truncated"`   // the log ends inside a trace
	OtherLines int64         `json:"other_lines"` // lines of something else
	CutStanzas int64         `json:"cut_stanzas"` // traces that end before their root
	Shrunk     int64         `json:"shrunk"`      // stacks copied by the collector to shrink them, left out
}

// GrowthTotal is how many stacks of one size have grown.
type GrowthTotal struct {
	OldBytes int64 `json:"old_bytes"`
	Count    int64 `json:"count"`
}
