package tracesource

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/tracegen"
)

func storm(t testing.TB, s tracegen.SyntheticTrace) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readThrough reads to the true end, as the reader of traces does: the end of a
// batch is none.
func readThrough(b *batches) []byte {
	var all []byte
	for {
		piece := make([]byte, 1<<17)
		n, err := b.out.Read(piece)
		all = append(all, piece[:n]...)
		if n == 0 && err != nil {
			return all
		}
	}
}

// Whatever the bytes are, the same come out.
func TestBatchesPassEverythingOn(t *testing.T) {
	hogs := load(t, "hogs.trace")
	for name, data := range map[string][]byte{
		"whole": hogs, "Go 1.22": load(t, "go122-svc.trace"), "cut": hogs[:len(hogs)/2], "damaged": damagedAt(hogs, 60_000), "no batches": append(hogs[:16:16], "garbage"...),
		"header only": hogs[:16], "storm": storm(t, tracegen.SyntheticTrace{Procs: 3, Generations: 2, Bytes: 400_000}), "cut in a header": hogs[:20],
		"a size beyond all": append(hogs[:16:16], 1, 1, 1, 1, 0xff, 0xff, 0xff, 0x7f, 5),
	} {
		got := readThrough(newBatches(bufio.NewReaderSize(bytes.NewReader(data), bufferSize), func() error { return nil }))
		if !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(data))
		}
	}
}

// counting counts the bytes that buffers hold, which grow as those of the reader do.
func TestBatchesDoNotGrow(t *testing.T) {
	data := storm(t, tracegen.SyntheticTrace{Procs: 2, Generations: 1, Bytes: 1 << 20})
	b := newBatches(bufio.NewReaderSize(bytes.NewReader(data), bufferSize), func() error { return nil })
	_, _ = b.out.Discard(HeaderBytes)
	large := 0
	for {
		if _, err := b.out.Peek(1); err != nil {
			break
		}
		_, _ = b.out.Discard(b.out.Buffered()) // the header
		if b.left <= handed {
			_, _ = b.out.Discard(b.left)
			continue
		}
		var batch bytes.Buffer
		size := int64(b.left)
		batch.Grow(b.left)
		room := batch.Cap()
		if n, err := io.CopyN(&batch, b.out, size); n != size || err != nil || batch.Cap() != room {
			t.Fatalf("%d of %d bytes, %v; %d became %d", n, size, err, room, batch.Cap())
		}
		large++
	}
	if large < 16 {
		t.Error(large)
	}
}

// The pinned reader still is what release expects: a failure here means that a
// newer one holds two generations again.
func TestRelease(t *testing.T) {
	for _, spilled := range []bool{false, true} {
		data := storm(t, tracegen.SyntheticTrace{Procs: 2, Generations: 3, Bytes: 100_000, Spilled: spilled})
		s, err := Open(bytes.NewReader(data), int64(len(data)), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		released := 0
		begin := s.batches.begin
		s.batches.begin = func() error {
			if s.held && release(s.reader) {
				released++
			}
			return begin()
		}
		if err := s.Each(func(*trace.Event) {}); err != nil || s.Unreadable != nil || s.Generations != 3 || released < 2 {
			t.Errorf("%v: %v %v, %d generations, %d released", spilled, err, s.Unreadable, s.Generations, released)
		}
	}
	if release(&trace.Reader{}) {
		t.Error("nothing is held")
	}
}

// What is reported about a generation that is too large is its true size, and what was
// read before is retained.
func TestLargeGenerationIsMeasured(t *testing.T) {
	limits := DefaultLimits()
	limits.Generation = 3 << 20
	one := storm(t, tracegen.SyntheticTrace{Procs: 4, Generations: 1, Bytes: 8 << 20})
	_, _, err := read(storm(t, tracegen.SyntheticTrace{Procs: 4, Generations: 2, Bytes: 8 << 20}), limits)
	var bad *inputerror.InputError
	if !errors.As(err, &bad) || bad.Slug != "trace-too-large" || *bad.Limit != 3<<20 || *bad.Actual != int64(len(one)) {
		t.Errorf("%v, want %d bytes", err, len(one))
	}
	// A generation of Go 1.25 ends where the next begins, so that what was read of it is one.
	s, events, err := read(storm(t, tracegen.SyntheticTrace{Procs: 4, Generations: 2, Bytes: 8 << 20, Spilled: true}), limits)
	if err != nil || s.Unreadable == nil || !strings.Contains(s.Unreadable.Message, strconv.Itoa(len(one)-1)+" bytes") || events < 400_000 || s.Unreadable.From < 3<<20 || s.Unreadable.From > 7<<19 {
		t.Error(err, s.Unreadable, events, len(one))
	}
	small := storm(t, tracegen.SyntheticTrace{Procs: 4, Generations: 1, Bytes: 1 << 20})
	behind := storm(t, tracegen.SyntheticTrace{Procs: 4, Generations: 1, Bytes: 8 << 20})
	s, events, err = read(append(small, behind[16:]...), limits)
	if err != nil || s.Unreadable == nil || s.Generations != 1 || events < 100_000 {
		t.Error(err, s.Unreadable, events)
	}
}
