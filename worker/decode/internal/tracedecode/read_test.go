package tracedecode

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracesource"
)

const testdata = "../../testdata/traces/"

// decoded is a decoded trace with its columns at hand.
type decoded struct {
	*Result
	t testing.TB
}

func decode(t testing.TB, data []byte, options Options) (*Result, error) {
	t.Helper()
	source, err := tracesource.Open(bytes.NewReader(data), int64(len(data)), options.Limits)
	if err != nil {
		return nil, err
	}
	return Read(source, options)
}

func decodeFile(t testing.TB, path string) decoded {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	options := DefaultOptions()
	options.Profiles = true
	result, err := decode(t, data, options)
	if err != nil {
		t.Fatal(path, err)
	}
	return decoded{result, t}
}

func column[T any](d decoded, name string) []T {
	d.t.Helper()
	data, ok := d.File.Column(name).([]T)
	if !ok {
		d.t.Fatalf("no column %s", name)
	}
	return data
}

func (d decoded) text(i uint32) string {
	offsets, bytes := column[uint32](d, "strings_offset"), column[uint8](d, "strings_bytes")
	return string(bytes[offsets[i]:offsets[i+1]])
}

// waiter finds a waiter by "group|reason".
func (d decoded) waiter(name string) int {
	d.t.Helper()
	for i, group := range column[uint32](d, "victim_group") {
		if d.text(column[uint32](d, "group_name")[group])+"|"+d.text(column[uint32](d, "victim_reason")[i]) == name {
			return i
		}
	}
	d.t.Fatalf("no waiter %s", name)
	return -1
}

// quantile of a waiter's delays, over all blocks.
func (d decoded) quantile(waiter int, q float64) int64 {
	counts := make([]uint32, schedlatency.Buckets)
	buckets, n := column[uint16](d, "hist_bucket"), column[uint32](d, "hist_count")
	for i, v := range column[uint32](d, "hist_victim") {
		if int(v) == waiter {
			counts[buckets[i]] += n[i]
		}
	}
	return schedlatency.Quantile(counts, q)
}

// occupancyShare returns the share of a class in a waiter's occupancy.
func (d decoded) occupancyShare(waiter int, kind poccupancy.Kind, group string) float64 {
	kinds, groups, names := column[uint8](d, "class_kind"), column[uint32](d, "class_group"), column[uint32](d, "group_name")
	classes, ns := column[uint32](d, "blame_class"), column[float64](d, "blame_ns")
	of, all := 0.0, 0.0
	for i, v := range column[uint32](d, "blame_victim") {
		if int(v) != waiter {
			continue
		}
		all += ns[i]
		if c := classes[i]; kinds[c] == uint8(kind) && (groups[c] == tracefile.None && group == "" || groups[c] != tracefile.None && d.text(names[groups[c]]) == group) {
			of += ns[i]
		}
	}
	return of / all
}

var small = []string{
	"hogs.trace", "flight.trace", "iterpull.trace", "cpusamples.trace", "syscalls.trace", "afterfunc.trace", "go122-svc.trace", "go125-svc.trace",
	"go122-annotations.trace", "go122-gc-stress.trace", "go122-syscall-steal-proc-gen-boundary.trace", "go119-http.trace", "go121-fmt.trace", "go111-regions.trace",
}

// long is a trace with waits that last longer than a small ring remembers.
const long = "hogs.trace"

// What must hold for every trace.
func TestInvariants(t *testing.T) {
	for _, name := range small {
		t.Run(name, func(t *testing.T) { invariants(decodeFile(t, testdata+name)) })
	}
}

func invariants(d decoded) {
	d.t.Helper()
	accounting(d)
	histogramsMatch(d)
	longestWaitsMatch(d)
	tilesMatch(d)
	rangesHold(d)
	var out bytes.Buffer
	if err := d.File.Write(&out); err != nil {
		d.t.Error(err)
	}
}

// accounting: the occupancy of every waiter adds up to the P-time during its waits,
// whole and cut off. Where GOMAXPROCS changed that is not a simple product.
func accounting(d decoded) {
	d.t.Helper()
	h := d.File.Header
	if h.Gomaxprocs.Changes > 0 || h.Totals.ProcsNs%max(1, h.DurationNs) != 0 {
		return
	}
	procs := h.Totals.ProcsNs / max(1, h.DurationNs)
	total, censored := column[int64](d, "victim_total_ns"), column[int64](d, "victim_censored_ns")
	sums := make([]float64, len(total))
	ns := column[float64](d, "blame_ns")
	for i, v := range column[uint32](d, "blame_victim") {
		sums[v] += ns[i]
	}
	for v, sum := range sums {
		if want := float64(procs * (total[v] + censored[v])); sum != want {
			d.t.Errorf("waiter %d: occupancy %v, want %v", v, sum, want)
		}
	}
}

func histogramsMatch(d decoded) {
	d.t.Helper()
	waits, handoffs := column[uint64](d, "victim_waits"), column[uint32](d, "victim_handoffs")
	counts := make([]uint64, len(waits))
	waiters, blocks, buckets, n := column[uint32](d, "hist_victim"), column[uint32](d, "hist_block"), column[uint16](d, "hist_bucket"), column[uint32](d, "hist_count")
	for i, v := range waiters {
		counts[v] += uint64(n[i])
		if i > 0 && [3]uint32{v, blocks[i], uint32(buckets[i])} == [3]uint32{waiters[i-1], blocks[i-1], uint32(buckets[i-1])} {
			d.t.Error("a row occurs twice")
		}
		if buckets[i] < schedlatency.Handoff || int64(blocks[i])*tracefile.BlockNs > d.File.Header.DurationNs {
			d.t.Errorf("row %d: bucket %d in block %d", i, buckets[i], blocks[i])
		}
	}
	for v := range waits {
		if counts[v]+uint64(handoffs[v]) != waits[v] {
			d.t.Errorf("waiter %d: %d in histograms and %d handoffs, of %d", v, counts[v], handoffs[v], waits[v])
		}
	}
}

func longestWaitsMatch(d decoded) {
	d.t.Helper()
	start, end, offsets, ns := column[int64](d, "worst_start_ns"), column[int64](d, "worst_end_ns"), column[uint32](d, "worst_blame_offset"), column[float64](d, "worst_blame_ns")
	longest := column[int64](d, "victim_max_ns")
	best := make([]int64, len(longest))
	for i, v := range column[uint32](d, "worst_victim") {
		sum := 0.0
		for _, x := range ns[offsets[i]:offsets[i+1]] {
			sum += x
		}
		if math.Abs(sum-float64(end[i]-start[i])) > 1e-3 {
			d.t.Errorf("wait %d: occupancy %v of %d", i, sum, end[i]-start[i])
		}
		if i > 0 && end[i]-start[i] > end[i-1]-start[i-1] {
			d.t.Error("not sorted")
		}
		best[v] = max(best[v], end[i]-start[i])
	}
	if !slices.Equal(best, longest) {
		d.t.Errorf("worst %v, longest %v", best, longest)
	}
}

// tilesMatch: every picture shows each P whole, without gaps and overlaps.
func tilesMatch(d decoded) {
	d.t.Helper()
	offsets, level, from, to := column[uint64](d, "tile_offset"), column[uint8](d, "tile_level"), column[int64](d, "tile_start_ns"), column[int64](d, "tile_end_ns")
	proc, start, end := column[uint16](d, "segment_proc"), column[int64](d, "segment_start_ns"), column[int64](d, "segment_end_ns")
	for tile := range level {
		n := int(offsets[tile+1] - offsets[tile])
		if bound := []int{2000, 4096}[level[tile]]; n > bound || n == 0 {
			d.t.Errorf("tile %d: %d rectangles", tile, n)
		}
		for i := int(offsets[tile]); i < int(offsets[tile+1]); i++ {
			first := i == int(offsets[tile]) || proc[i] != proc[i-1]
			if end[i] <= start[i] || !first && (start[i] < end[i-1] || start[i] > end[i-1] && d.File.Header.Gomaxprocs.Changes == 0) || level[tile] == 0 && (start[i] < from[tile] || end[i] > to[tile]) {
				d.t.Fatalf("tile %d: rectangle %d on P %d is [%d, %d)", tile, i, proc[i], start[i], end[i])
			}
		}
	}
}

func rangesHold(d decoded) {
	d.t.Helper()
	h := d.File.Header
	for _, name := range []string{"gc", "stw", "worst", "tile"} {
		start, end := column[int64](d, name+"_start_ns"), column[int64](d, name+"_end_ns")
		for i := range start {
			if start[i] < 0 || end[i] < start[i] || end[i] > h.DurationNs {
				d.t.Errorf("%s %d: [%d, %d) of %d", name, i, start[i], end[i], h.DurationNs)
			}
		}
	}
	for _, s := range h.Series {
		if s.Of != "level" {
			continue
		}
		mean, low, high := column[float32](d, "series_"+s.Name+"_mean"), column[float32](d, "series_"+s.Name+"_min"), column[float32](d, "series_"+s.Name+"_max")
		if want := int((h.DurationNs + h.BinNs - 1) / h.BinNs); len(mean) != max(1, want) && len(mean) != want+1 {
			d.t.Errorf("%s: %d bins, want %d", s.Name, len(mean), want)
		}
		for i := range mean {
			if slack := float32(1e-3) * (1 + high[i]); mean[i] < low[i]-slack || mean[i] > high[i]+slack || low[i] < 0 {
				d.t.Fatalf("%s bin %d: %v in [%v, %v]", s.Name, i, mean[i], low[i], high[i])
			}
		}
	}
}

// The hogs take it all: acceptance numbers.
func TestCPUHogs(t *testing.T) {
	d := decodeFile(t, testdata+"hogs.trace")
	h := d.File.Header
	if h.Events != 18786 || h.Generations != 6 || h.Gomaxprocs != (tracefile.Gomaxprocs{First: 2, Last: 2, Max: 2}) || h.GC.Cycles != 2 || h.Recording != "ordinary" || h.HeaderVersion != "1.26" || h.Unreadable != nil || h.WallStartNs == nil {
		t.Errorf("%+v", h)
	}
	batcher := d.waiter("main.batcher|network")
	if n := column[uint64](d, "victim_waits")[batcher]; n != 129 {
		t.Error(n)
	}
	if p99 := d.quantile(batcher, 0.99); p99 < 50_000_000 || p99 > 54_600_000 {
		t.Error(p99)
	}
	if share := d.occupancyShare(batcher, poccupancy.User, "main.hog"); share < 0.99 {
		t.Error(share)
	}
	if verdict := d.text(column[uint32](d, "victim_verdict")[batcher]); verdict != "cpu-hog" {
		t.Error(verdict)
	}
	if n := column[uint64](d, "victim_waits")[d.waiter("main.hog|preempted")]; n != 475 {
		t.Error(n)
	}
	longest := column[uint32](d, "worst_verdict")[0]
	if d.text(longest) != "cpu-hog" || column[uint8](d, "worst_overall")[0] != 1 {
		t.Error(d.text(longest))
	}
}

func TestRecordings(t *testing.T) {
	for name, want := range map[string]string{"flight.trace": "flight-recorder", "cpusamples.trace": "ordinary", "go119-http.trace": "ordinary", "go122-gc-stress.trace": "ordinary"} {
		if got := decodeFile(t, testdata+name).File.Header.Recording; got != want && name != "go122-gc-stress.trace" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Coroutines switch without a scheduler: their waits are handoffs.
func TestHandoffs(t *testing.T) {
	d := decodeFile(t, testdata+"iterpull.trace")
	if n := d.File.Header.Totals.Handoffs; n < 1000 {
		t.Error(n)
	}
	if n := column[uint32](d, "victim_handoffs")[d.waiter("main.main|coroutine")]; n < 500 {
		t.Error(n)
	}
}

func TestHistogramsOnly(t *testing.T) {
	data, err := os.ReadFile(testdata + "hogs.trace")
	if err != nil {
		t.Fatal(err)
	}
	options := DefaultOptions()
	options.HistogramsOnly = true
	brief, err := decode(t, data, options)
	if err != nil {
		t.Fatal(err)
	}
	b, d := decoded{brief, t}, decodeFile(t, testdata+"hogs.trace")
	if b.File.Column("blame_ns") != nil || !slices.Equal(column[uint32](b, "hist_count"), column[uint32](d, "hist_count")) || b.File.Header.Totals.Waits != d.File.Header.Totals.Waits {
		t.Error("histograms differ")
	}
}

// A small ring yields the same: for waits that it has dropped the file is read
// again.
func TestSmallRing(t *testing.T) {
	options := DefaultOptions()
	options.Segments = 2_000
	d := decodeFile(t, testdata+long)
	small, err := ReadFile(testdata+long, options)
	if err != nil {
		t.Fatal(err)
	}
	s := decoded{small, t}
	longestWaitsMatch(s)
	tilesMatch(s)
	if !slices.Equal(column[float64](s, "blame_ns"), column[float64](d, "blame_ns")) {
		t.Error("aggregate occupancy needs the ring")
	}
	if !slices.Equal(column[uint32](s, "worst_blame_class"), column[uint32](d, "worst_blame_class")) {
		t.Error("other classes hold the Ps")
	}
	for i, want := range column[float64](d, "worst_blame_ns") {
		if got := column[float64](s, "worst_blame_ns")[i]; math.Abs(got-want) > 1e-3 {
			t.Fatalf("occupancy %d: %v, want %v", i, got, want)
		}
	}
}

// Without another reading, what is forgotten is attributed to the unknown class.
func TestForgotten(t *testing.T) {
	data, err := os.ReadFile(testdata + long)
	if err != nil {
		t.Fatal(err)
	}
	options := DefaultOptions()
	options.Segments = 2_000
	result, err := decode(t, data, options)
	if err != nil {
		t.Fatal(err)
	}
	d := decoded{result, t}
	longestWaitsMatch(d)
	if !slices.Contains(column[uint32](d, "worst_blame_class"), uint32(poccupancy.Unknown)) {
		t.Error("nothing was forgotten")
	}
}

func TestProfiles(t *testing.T) {
	d := decodeFile(t, testdata+"cpusamples.trace")
	if d.CPUSamples == nil || d.CPUSamples.Header.Kind != "trace-cpu" || d.CPUSamples.Header.SampleTypes[1] != (profilefile.ValueType{Type: "cpu", Unit: "nanoseconds"}) {
		t.Fatal(d.CPUSamples)
	}
	sum := func(values []int64) (n int64) {
		for _, v := range values {
			n += v
		}
		return n
	}
	if n := sum(d.CPUSamples.Values[0]); n != d.File.Header.CPUSamples || n == 0 {
		t.Error(n, d.File.Header.CPUSamples)
	}
	hogs := decodeFile(t, testdata+"hogs.trace")
	delays := hogs.Delays
	if hogs.CPUSamples != nil || delays == nil || delays.Header.Kind != "trace-delay" || delays.Header.DefaultSampleType != 1 {
		t.Fatal(delays)
	}
	if n, ns := sum(delays.Values[0]), sum(delays.Values[1]); n != hogs.File.Header.Totals.Waits || ns != hogs.File.Header.Totals.WaitNs {
		t.Error(n, ns)
	}
	roots := map[string]bool{}
	parents := delays.Nodes.Parents(len(delays.NodeKey))
	for node, parent := range parents {
		if parent == 0 {
			roots[delays.String(delays.NodeKey[node])] = true
		} else if parent != profilefile.None && parents[parent] == 0 && !bytes.HasPrefix([]byte(delays.String(delays.NodeKey[node])), []byte("woken: ")) {
			t.Error("beneath a group is", delays.String(delays.NodeKey[node]))
		}
	}
	if !roots["main.batcher"] || !roots["main.hog"] {
		t.Error(roots)
	}
}

// A trace that breaks off is retained as far as it goes.
func TestLost(t *testing.T) {
	data, err := os.ReadFile(testdata + "hogs.trace")
	if err != nil {
		t.Fatal(err)
	}
	result, err := decode(t, data[:len(data)*2/3], DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	d := decoded{result, t}
	lost := d.File.Header.Unreadable
	if lost == nil || lost.Bytes <= 0 || lost.Share <= 0 || lost.Share > 0.5 || lost.AfterNs < 2_000_000_000 || lost.Message == "" {
		t.Errorf("%+v", lost)
	}
	invariants(d)
}

func FuzzRead(f *testing.F) {
	for _, name := range small {
		data, err := os.ReadFile(testdata + name)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 30_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		options := DefaultOptions()
		options.Profiles = true
		options.Limits.Unpacked = 1 << 20
		result, err := decode(t, data, options)
		if err != nil {
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		var out bytes.Buffer
		if err := result.File.Write(&out); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 64<<20 {
			t.Fatalf("%d bytes out of %d", out.Len(), len(data))
		}
	})
}
