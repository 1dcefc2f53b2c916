package schedlatency

import (
	"math/rand/v2"
	"slices"
	"testing"

	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

// The definition of buckets is part of the file format.
func TestBuckets(t *testing.T) {
	for _, test := range []struct {
		ns     int64
		bucket uint16
	}{{-1, 0}, {0, 0}, {31, 31}, {32, 32}, {63, 63}, {64, 64}, {65, 64}, {66, 65}, {127, 95}, {128, 96}, {1_000_000, 509}, {1<<63 - 1, Buckets - 1}} {
		if got := Bucket(test.ns); got != test.bucket {
			t.Errorf("%d: bucket %d, want %d", test.ns, got, test.bucket)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		ns := random.Int64N(1 << random.IntN(62))
		b := Bucket(ns)
		if start, end := BucketStart(b), BucketStart(b+1); ns < start || ns >= end || float64(end-start) > max(1, float64(start)*0.032) {
			t.Fatalf("%d is not in [%d, %d)", ns, start, end)
		}
	}
}

func TestQuantile(t *testing.T) {
	counts := make([]uint32, Buckets)
	if Quantile(counts, 0.5) != 0 {
		t.Error("of nothing")
	}
	for ns := range int64(32) {
		counts[Bucket(ns)]++
	}
	for q, want := range map[float64]int64{0: 0, 0.5: 15, 1: 31} {
		if got := Quantile(counts, q); got != want {
			t.Errorf("%v: %d, want %d", q, got, want)
		}
	}
}

func newTable() *Table {
	names := traceintern.NewStrings()
	return New(traceintern.NewGroups(names, traceintern.NewStacks(names)), nil)
}

func TestTable(t *testing.T) {
	table := newTable()
	v := table.Waiter(3, 2)
	if table.Waiter(3, 2) != v || table.Waiter(3, 1) == v || table.Waiter(4, 2) == v {
		t.Error("waiters are confused")
	}
	table.Add(v, 50, 40, 7, 1)
	table.Add(v, 60, 3, 7, 1) // a handoff
	table.Add(v, 3*tracefile.BlockNs, 40, 8, 2)
	table.Add(v, 20, 41, tracefile.None, 1) // named late
	table.Censor(v, 100, true, false)
	table.Censor(v, 10, true, true)
	got := table.Waiters[v]
	if got.Waits != 4 || got.TotalNs != 124 || got.MaxNs != 41 || got.Handoffs != 1 || got.Left != 2 || got.Right != 1 || got.CensoredNs != 110 || got.Stack() != 1 {
		t.Errorf("%+v", got)
	}
	if len(got.Wakers) != 3 || got.Wakers[0] != (Waker{7, 2, 43}) {
		t.Error(got.Wakers)
	}
	want := []Row{{uint32(v), 0, Bucket(40), 1}, {uint32(v), 0, Bucket(41), 1}, {uint32(v), 3, Bucket(40), 1}}
	if rows := table.Rows(); !slices.Equal(rows, want) {
		t.Error(rows)
	}
}

// However many groups wait, the tail is one.
func TestWaitersOverflow(t *testing.T) {
	table := newTable()
	for group := range uint32(1000) {
		for reason := range uint8(60) {
			table.Add(table.Waiter(group, reason), 100, 100, 1, 1)
		}
	}
	total := int64(0)
	for _, v := range table.Waiters {
		total += v.Waits
	}
	if len(table.Waiters) > 512 || total != 60_000 {
		t.Error(len(table.Waiters), total)
	}
}

func TestJoin(t *testing.T) {
	a := Waiter{Waits: 1, TotalNs: 10, MaxNs: 10, Wakers: []Waker{{1, 1, 10}}}
	b := Waiter{Waits: 2, TotalNs: 30, MaxNs: 20, Wakers: []Waker{{1, 1, 10}, {2, 1, 20}}, Stacks: map[uint32]*StackLatency{5: {2, 30}}, Hidden: map[uint16]uint32{3: 1}, Handoffs: 1, CensoredNs: 4}
	a.Join(&b)
	if a.Waits != 3 || a.TotalNs != 40 || a.MaxNs != 20 || len(a.Wakers) != 2 || a.Wakers[0].TotalNs != 20 || a.Stacks[5].Waits != 2 || a.Hidden[3] != 1 || a.Handoffs != 1 || a.CensoredNs != 4 {
		t.Errorf("%+v", a)
	}
}

func TestLongestWaitsAreRetained(t *testing.T) {
	table := newTable()
	random := rand.New(rand.NewPCG(4, 4))
	var all []int64
	for range 5000 {
		waiter := table.Waiter(random.Uint32N(20), 0)
		delay := random.Int64N(1 << 40)
		all = append(all, delay)
		if table.IsLongest(waiter, delay) {
			table.KeepLongest(&Wait{Waiter: waiter, Start: 7, End: 7 + delay})
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	for i, w := range table.Overall {
		if w.Delay() != all[i] {
			t.Fatalf("place %d: %d, want %d", i, w.Delay(), all[i])
		}
	}
	longest := table.Longest()
	if len(table.Overall) != LongestOverall || len(longest) < 20*LongestPerWaiter || !slices.IsSortedFunc(longest, func(a, b *Wait) int { return int(b.Delay() - a.Delay()) }) {
		t.Error(len(table.Overall), len(longest))
	}
	if table.IsLongest(0, Handoff-1) {
		t.Error("a handoff is no wait")
	}
}
