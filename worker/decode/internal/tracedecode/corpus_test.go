//go:build corpus

package tracedecode

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/poccupancy"
)

// corpusRoot is the folder of real traces, outside the project.
func corpusRoot() string {
	root := os.Getenv("SLOWPATH_CORPUS")
	if root == "" {
		root = "../../../../../shared/corpus"
	}
	return filepath.Join(root, "traces")
}

// Every trace of the corpus is read as far as the manifest states that the
// reference reader reads it; what it refuses is refused by name.
func TestCorpus(t *testing.T) {
	in, err := os.Open(filepath.Join(corpusRoot(), "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	table := csv.NewReader(in)
	table.Comma, table.LazyQuotes = '\t', true
	rows, err := table.ReadAll()
	if err != nil || len(rows) < 100 {
		t.Fatal(len(rows), err)
	}
	place := map[string]int{}
	for i, name := range rows[0] {
		place[name] = i
	}
	for _, row := range rows[1:] {
		cell := func(name string) string { return row[place[name]] }
		t.Run(cell("file"), func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpusRoot(), cell("file")))
			if err != nil {
				t.Fatal(err)
			}
			events, _ := strconv.ParseInt(cell("events"), 10, 64)
			generations, _ := strconv.ParseInt(cell("generations"), 10, 64)
			matchesManifest(t, data, events, generations, cell("x_exp_trace_result"))
		})
	}
}

func matchesManifest(t *testing.T, data []byte, events, generations int64, reference string) {
	result, err := decode(t, data, DefaultOptions())
	var bad *inputerror.InputError
	switch {
	case errors.As(err, &bad):
		expectInputError(t, bad, events, reference)
	case err != nil:
		t.Error(err)
	default:
		h := result.File.Header
		if events > 0 && (h.Events != events || h.Generations != generations) {
			t.Errorf("%d events, %d generations, want %d, %d", h.Events, h.Generations, events, generations)
		}
		if lost := strings.HasPrefix(reference, "READ"); lost != (h.Unreadable != nil) {
			t.Errorf("lost %+v, but: %s", h.Unreadable, reference)
		}
		if h.DurationNs < 3_600_000_000_000 {
			invariants(decoded{result, t})
		}
	}
}

// expectInputError: only what the reference reader refuses may be refused, what it
// finds nothing in, and two traces in one file.
func expectInputError(t *testing.T, bad *inputerror.InputError, events int64, reference string) {
	slugs := map[string]string{
		"trace version go 1.99": "trace-too-new", "trace version go 1.": "trace-too-old", "not a Go execution trace": "not-a-trace",
		"got event 103": "trace-concatenated", "want 5, got 0": "trace-concatenated",
	}
	for _, sign := range []string{"trace version go 1.99", "trace version go 1.", "not a Go execution trace", "got event 103", "want 5, got 0"} {
		if strings.Contains(reference, sign) {
			if bad.Slug != slugs[sign] {
				t.Errorf("%v, but: %s", bad, reference)
			}
			return
		}
	}
	if reference == "ok" && events > 2 || events > 100 {
		t.Errorf("%v, but %d events: %s", bad, events, reference)
	}
}

// Acceptance numbers of traces that are too large to come along.
func TestAcceptance(t *testing.T) {
	path := func(name string) string { return filepath.Join(corpusRoot(), name+".trace") }
	base := decodeFile(t, path("gen-svc/base"))
	h := base.File.Header
	if h.Events != 340110 || h.Gomaxprocs.First != 2 || h.GC.Cycles != 9 || len(column[int64](base, "stw_start_ns")) != 20 {
		t.Errorf("base: %+v, %d stops", h, len(column[int64](base, "stw_start_ns")))
	}
	expectWaiter(t, base, "main.client|chan receive", 42969, 110_000)
	expectWaiter(t, base, "main.batcher|network", 3987, 8_400)

	head := decodeFile(t, path("gen-svc/rep_head1"))
	client := head.waiter("main.client|chan receive")
	if p99 := head.quantile(client, 0.99); p99 < 1_000_000 {
		t.Error("head: p99", p99)
	}
	before := decodeFile(t, path("gen-svc/rep_base1"))
	if p99 := before.quantile(before.waiter("main.client|chan receive"), 0.99); p99 > 100_000 {
		t.Error("before: p99", p99)
	}
	if share := head.occupancyShare(client, poccupancy.User, "main.hog"); share < 0.3 {
		t.Error("head: occupancy", share)
	}

	nats := decodeFile(t, path("gen-real/nats-server"))
	if nats.File.Header.Events != 623939 {
		t.Error(nats.File.Header.Events)
	}
	for _, loop := range []string{"(*client).readLoop|network", "(*client).writeLoop|sync.(*Cond).Wait"} {
		nats.waiter("github.com/nats-io/nats-server/v2/server." + loop)
	}
}

func expectWaiter(t *testing.T, d decoded, name string, waits uint64, p99 float64) {
	t.Helper()
	waiter := d.waiter(name)
	if n := column[uint64](d, "victim_waits")[waiter]; n != waits {
		t.Errorf("%s: %d waits, want %d", name, n, waits)
	}
	if got := float64(d.quantile(waiter, 0.99)); math.Abs(got-p99) > 0.032*p99 {
		t.Errorf("%s: p99 %v, want %v", name, got, p99)
	}
}

// The prototype took every continuation of a mark phase in a new generation for
// a phase that begins: 53 cycles and 51.8 %. There are 51, and they last 52.6 %.
func TestMarkPhases(t *testing.T) {
	d := decodeFile(t, filepath.Join(corpusRoot(), "gen-misc/gcheavy.trace"))
	gc, h := d.File.Header.GC, d.File.Header
	if share := fmt.Sprintf("%.3f", float64(gc.MarkWallNs)/float64(h.DurationNs)); gc.Cycles != 51 || share != "0.526" {
		t.Error(gc.Cycles, share)
	}
	worker, assist := int64(0), int64(0)
	for i, ns := range column[int64](d, "gc_worker_ns") {
		worker += ns
		assist += column[int64](d, "gc_assist_ns")[i]
	}
	if all := gc.DedicatedNs + gc.FractionalNs + gc.IdleNs; worker > all || worker < all*9/10 || assist > gc.AssistNs {
		t.Errorf("workers %d of %d, assists %d of %d", worker, all, assist, gc.AssistNs)
	}
}
