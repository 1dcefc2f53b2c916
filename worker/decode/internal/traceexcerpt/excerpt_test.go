package traceexcerpt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/tracesource"
)

const testdata = "../../testdata/traces/"

// events returns the times and kinds of all events, Sync left out, since the
// first event.
func events(t testing.TB, data []byte) (times []int64, kinds []trace.EventKind) {
	t.Helper()
	s, err := tracesource.Open(bytes.NewReader(data), int64(len(data)), tracesource.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	first := int64(-1)
	err = s.Each(func(ev *trace.Event) {
		if first < 0 {
			first = int64(ev.Time())
		}
		if ev.Kind() != trace.EventSync {
			times, kinds = append(times, int64(ev.Time())-first), append(kinds, ev.Kind())
		}
	})
	if err != nil || s.Unreadable != nil {
		t.Fatal(err, s.Unreadable)
	}
	return times, kinds
}

func cut(path string, from, to int64) (*Excerpt, []byte, error) {
	c, err := Plan(path, from, to, tracesource.DefaultLimits())
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	err = c.Write(&out, path, tracesource.DefaultLimits())
	return c, out.Bytes(), err
}

// What is cut out has the same events as the same time of the whole, and the
// time that was asked for is in it.
func TestCutIsThePart(t *testing.T) {
	path := testdata + "hogs.trace"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	times, kinds := events(t, data)
	last := times[len(times)-1]
	for _, span := range [][2]int64{{0, 0}, {1_200_000_000, 1_300_000_000}, {900_000_000, 2_100_000_000}, {last - 10, last}, {0, last}, {4_900_000_000, 1 << 62}} {
		c, part, err := cut(path, span[0], span[1])
		if err != nil || int64(len(part)) != c.Bytes {
			t.Fatal(span, err, len(part))
		}
		if c.FromNs > span[0] || c.ToNs < span[1] {
			t.Errorf("%v is not in [%d, %d]", span, c.FromNs, c.ToNs)
		}
		partTimes, partKinds := events(t, part)
		// Where generations meet they overlap a little, and events that follow
		// each other are moved to do so in time: compare behind that.
		skip := min(100, len(partTimes)/2)
		at, found := slices.BinarySearch(times, partTimes[skip]+c.FromNs)
		if !found {
			t.Fatalf("%v: event %d is not in the whole", span, skip)
		}
		for i, time := range partTimes[skip:] {
			if times[at+i] != time+c.FromNs || kinds[at+i] != partKinds[skip+i] {
				t.Fatalf("%v: event %d at %d, want %d", span, i, time+c.FromNs, times[at+i])
			}
		}
	}
}

func TestOtherVersions(t *testing.T) {
	for _, name := range []string{"go122-svc.trace", "go125-svc.trace", "flight.trace", "go122-gc-stress.trace"} {
		_, part, err := cut(testdata+name, 0, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		if times, _ := events(t, part); len(times) < 1000 {
			t.Error(name, len(times))
		}
	}
}

func TestInputErrors(t *testing.T) {
	dir := t.TempDir()
	hogs, err := os.ReadFile(testdata + "hogs.trace")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := append(bytes.Clone(hogs[:16]), "nonsense"...)
	for _, test := range []struct {
		path, slug string
		from, to   int64
	}{
		{testdata + "go119-http.trace", "cut-needs-1.22", 0, 1},
		{write("short", hogs[:5000]), "trace-truncated", 0, 1},
		{write("header", hogs[:16]), "trace-truncated", 0, 1},
		{write("damaged", damaged), "trace-damaged", 0, 1},
		{write("empty", nil), "empty-file", 0, 1},
		{write("text", []byte("goroutine profile: total 3 and more")), "not-a-trace", 0, 1},
		{testdata + "hogs.trace", "cut-outside", -5, -1},
	} {
		_, _, err := cut(test.path, test.from, test.to)
		var bad *inputerror.InputError
		if !errors.As(err, &bad) || bad.Slug != test.slug {
			t.Errorf("%s: %v, want %s", test.path, err, test.slug)
		}
	}
	// A damaged end does not keep anybody from cutting before it.
	if _, part, err := cut(write("cut", hogs[:len(hogs)-500]), 0, 1); err != nil || len(part) < 10_000 {
		t.Error(len(part), err)
	}
	if _, _, err := cut(filepath.Join(dir, "missing"), 0, 1); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzExcerpt(f *testing.F) {
	for _, name := range []string{"go122-annotations.trace", "go122-syscall-steal-proc-gen-boundary.trace", "iterpull.trace"} {
		data, err := os.ReadFile(testdata + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, int64(0), int64(1000))
	}
	f.Fuzz(func(t *testing.T, data []byte, from, to int64) {
		s, err := tracesource.OpenRaw(bytes.NewReader(data), int64(len(data)), tracesource.DefaultLimits())
		if err != nil || s.Version < tracesource.FirstV2 {
			return
		}
		list, err := index(s)
		if err != nil {
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		end := int64(tracesource.HeaderBytes)
		for _, g := range list {
			if g.from < end || g.to <= g.from {
				t.Fatalf("generations overlap: %+v", list)
			}
			end = g.to
		}
		c, err := choose(list, from, to)
		if err == nil && (c.pieces[0] < tracesource.HeaderBytes || c.pieces[1] > end || c.pieces[0] >= c.pieces[1]) {
			t.Fatal(c)
		}
	})
}
