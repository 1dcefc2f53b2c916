package tracesource

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/inputerror"
)

const testdata = "../../testdata/traces/"

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read counts events, Sync among them.
func read(data []byte, limits Limits) (s *Source, events int, err error) {
	s, err = Open(bytes.NewReader(data), int64(len(data)), limits)
	if err == nil {
		err = s.Each(func(*trace.Event) { events++ })
	}
	return s, events, err
}

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWholeTraces(t *testing.T) {
	for name, want := range map[string]struct {
		version, events int
		generations     int64
	}{
		"hogs.trace": {26, 18786, 6}, "flight.trace": {26, 18817, 1}, "iterpull.trace": {26, 3391, 1}, "cpusamples.trace": {26, 1469, 2},
		"syscalls.trace": {26, 2639, 1}, "afterfunc.trace": {26, 723, 1}, "go122-annotations.trace": {22, 90, 1}, "go122-gc-stress.trace": {22, 3834, 1},
		"go119-http.trace": {19, 2326, 1}, "go121-fmt.trace": {21, 1839, 1}, "go111-regions.trace": {11, 33, 1},
		"go122-syscall-steal-proc-gen-boundary.trace": {22, 9, 1},
	} {
		data := load(t, name)
		for _, form := range [][]byte{data, packed(t, data)} {
			s, events, err := read(form, DefaultLimits())
			if err != nil || s.Unreadable != nil || s.Version != want.version || events != want.events || s.Generations != want.generations || s.BytesUnpacked != int64(len(data)) {
				t.Errorf("%s: %d events, %d generations, %v, %v", name, events, s.Generations, s.Unreadable, err)
			}
		}
	}
}

// Each thing that can be wrong has a separate name.
func TestInputErrors(t *testing.T) {
	hogs, v1 := load(t, "hogs.trace"), load(t, "go119-http.trace")
	version := func(s string) []byte { return append([]byte("go 1."+s+" trace\x00\x00\x00"), hogs[16:]...) }
	small := DefaultLimits()
	small.V1 = 1000
	whole := DefaultLimits()
	for _, test := range []struct {
		name, slug string
		data       []byte
		limits     Limits
	}{
		{"empty", "empty-file", nil, whole},
		{"packed nothing", "empty-file", packed(t, nil), whole},
		{"packed twice", "nested-compression", packed(t, packed(t, hogs)), whole},
		{"text", "not-a-trace", []byte("goroutine profile: total 3"), whole},
		{"web page", "not-a-trace", []byte("<html>"), whole},
		{"part of the header", "trace-truncated", hogs[:9], whole},
		{"header only", "trace-truncated", hogs[:16], whole},
		{"header only, v1", "trace-truncated", v1[:16], whole},
		{"Go 1.5", "trace-too-old", version("5"), whole},
		{"Go 1.10", "trace-too-old", version("10"), whole},
		{"Go 1.27", "trace-too-new", version("27"), whole},
		{"Go 1.24 writes 1.23", "trace-damaged", version("24"), whole},
		{"less than a generation", "trace-truncated", hogs[:8000], whole},
		{"cut v1", "trace-truncated", v1[:len(v1)/2], whole},
		{"damaged v1", "trace-damaged", damagedAt(v1, 500), whole},
		{"two", "trace-concatenated", append(slices.Clone(hogs), hogs...), whole},
		{"two v1", "trace-concatenated", append(slices.Clone(v1), v1...), whole},
		{"large", "trace-too-large", hogs, Limits{Unpacked: 10_000, Ratio: 500, V1: 1 << 20, Generation: 1 << 20}},
		{"large v1", "trace-v1-too-large", v1, small},
	} {
		_, _, err := read(test.data, test.limits)
		var bad *inputerror.InputError
		if !errors.As(err, &bad) || bad.Slug != test.slug || bad.Message == "" {
			t.Errorf("%s: %v, want %s", test.name, err, test.slug)
		}
	}
}

func damagedAt(data []byte, at int) []byte {
	data = slices.Clone(data)
	for i := range 40 {
		data[at+i] ^= 0x55
	}
	return data
}

// What is readable is retained, and what is not is reported.
func TestLoss(t *testing.T) {
	hogs := load(t, "hogs.trace")
	_, all, _ := read(hogs, DefaultLimits())
	zipped := packed(t, hogs)
	for _, test := range []struct {
		name, message string
		data          []byte
		least, most   int // events
		generations   int64
		from          int64 // unpacked bytes read
	}{
		{"cut in the last generation", "ends in the middle", hogs[:len(hogs)-1000], all / 2, all - 1, 5, 80_000},
		{"cut in the middle", "ends in the middle", hogs[:len(hogs)/2], all / 4, all * 2 / 3, 2, 40_000},
		{"garbage behind", "damaged", append(slices.Clone(hogs), strings.Repeat("\xfe", 300)...), all, all, 6, int64(len(hogs))},
		{"damaged", "damaged", damagedAt(hogs, 60_000), all / 4, all * 2 / 3, 2, 40_000},
		{"gzip cut short", "before its end", zipped[:len(zipped)*3/4], all / 4, all - 1, 2, 40_000},
	} {
		s, events, err := read(test.data, DefaultLimits())
		if err != nil || s.Unreadable == nil {
			t.Errorf("%s: %v %v", test.name, s.Unreadable, err)
			continue
		}
		if events < test.least || events > test.most || s.Generations < test.generations || s.Unreadable.From < test.from || s.Unreadable.From > s.BytesUnpacked || !strings.Contains(s.Unreadable.Message, test.message) {
			t.Errorf("%s: %d events of %d, %d generations, %+v", test.name, events, all, s.Generations, s.Unreadable)
		}
	}
}

// A generation that is too large for memory ends the reading, not the program.
func TestLargeGeneration(t *testing.T) {
	limits := DefaultLimits()
	limits.Generation = 30_000
	flight := load(t, "flight.trace")
	if _, _, err := read(flight, limits); err == nil || !strings.Contains(err.Error(), "trace-too-large") {
		t.Error(err)
	}
}

func TestOpenFile(t *testing.T) {
	if _, _, err := OpenFile(filepath.Join(t.TempDir(), "missing"), DefaultLimits()); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	s, closeFile, err := OpenFile(testdata+"hogs.trace", DefaultLimits())
	if err != nil || s.Bytes != 108604 || closeFile() != nil {
		t.Error(err)
	}
}

// A failure of the visitor is not taken for one of the trace.
func TestVisitorPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("swallowed")
		}
	}()
	data := load(t, "hogs.trace")
	s, err := Open(bytes.NewReader(data), 0, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Each(func(*trace.Event) { panic("ours") })
}
