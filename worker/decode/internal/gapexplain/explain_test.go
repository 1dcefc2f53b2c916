package gapexplain

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slowpath.dev/decode/internal/tracesource"
)

// span is what a tracing library would have recorded of a request.
type span struct {
	id         uint64
	start, end time.Time
	gap        [2]time.Time // between two calls that were recorded
}

func (s *span) ask() Query {
	return Query{
		From: s.gap[0].UnixNano(), To: s.gap[1].UnixNano(), SpanStart: s.start.UnixNano(), SpanEnd: s.end.UnixNano(),
		ID: s.id, Marks: []int64{s.gap[0].UnixNano(), s.gap[1].UnixNano()},
	}
}

// record runs a program under a separate trace and returns the file.
func record(t *testing.T, procs int, program func()) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	path := filepath.Join(t.TempDir(), "real.trace")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(out); err != nil {
		t.Fatal(err)
	}
	program()
	trace.Stop()
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// serve answers requests one after the other in a goroutine of their own each, a
// while apart, and returns their spans.
func serve(n int, write func(ctx context.Context, s *span), gap func()) []span {
	spans := make([]span, n)
	for i := range spans {
		var done sync.WaitGroup
		done.Add(1)
		go func() {
			defer done.Done()
			handle(&spans[i], 0xabcdef0012345600+uint64(i), write, gap)
		}()
		done.Wait()
		time.Sleep(4 * time.Millisecond)
	}
	return spans
}

func handle(s *span, id uint64, write func(ctx context.Context, s *span), gap func()) {
	ctx, task := trace.NewTask(context.Background(), "request")
	defer task.End()
	s.id, s.start = id, time.Now()
	if write != nil {
		write(ctx, s)
	}
	time.Sleep(300 * time.Microsecond) // a call that is recorded
	s.gap[0] = time.Now()
	gap()
	s.gap[1] = time.Now()
	time.Sleep(300 * time.Microsecond)
	s.end = time.Now()
}

func spin(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// waits runs for 2 ms and then waits 5 ms for an answer.
func waits() {
	spin(2 * time.Millisecond)
	results := make(chan int)
	go answer(results)
	<-results
}

func answer(to chan<- int) {
	time.Sleep(5 * time.Millisecond)
	to <- 1
}

func explain(t *testing.T, path string, query Query) *Explanation {
	t.Helper()
	a, err := File(path, query, tracesource.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if a.Basis == ByID || a.Basis == ByClock {
		sum := int64(0)
		for _, p := range a.States {
			sum += p.Ns
			if occupied := sumOf(p.Occupancies); p.Occupancies != nil && math.Abs(occupied-float64(p.Ns)) > 1 {
				t.Errorf("%s: %v ns attributed of %d", p.State, occupied, p.Ns)
			}
		}
		if sum != a.GapNs {
			t.Errorf("parts sum to %d of %d ns: %+v", sum, a.GapNs, a.States)
		}
		at := int64(0)
		for _, p := range a.Intervals {
			if p.From != at {
				t.Errorf("a piece begins at %d, not %d", p.From, at)
			}
			at = p.To
		}
		if a.IntervalsTotal <= maxIntervals && at != a.GapNs {
			t.Errorf("pieces end at %d of %d", at, a.GapNs)
		}
	}
	return a
}

func sumOf(list []Occupancy) float64 {
	sum := 0.0
	for _, b := range list {
		sum += b.Ns
	}
	return sum
}

func (a *Explanation) ns(state, reason string) int64 {
	sum := int64(0)
	for _, p := range a.States {
		if p.State == state && (reason == "" || p.Reason == reason) {
			sum += p.Ns
		}
	}
	return sum
}

// quarrel is what is wrong with one recording.
type quarrel []string

func (q *quarrel) Errorf(format string, args ...any) {
	*q = append(*q, fmt.Sprintf(format, args...))
}

// undisturbed looks at recordings until one is as it should be. The machine may
// take the processor away in the middle of a program, and a trace records the truth
// about that too: what is wrong with every one of them is wrong with us.
func undisturbed(t *testing.T, look func(q *quarrel)) {
	t.Helper()
	var last quarrel
	for attempt := range 12 {
		time.Sleep(time.Duration(attempt) * 50 * time.Millisecond) // what disturbs often passes
		last = nil
		if look(&last); len(last) == 0 {
			return
		}
	}
	t.Errorf("%s", strings.Join(last, "\n"))
}

func near(got, want int64) bool { return got > want*8/10 && got < want*4 }

var ways = map[string]func(ctx context.Context, s *span){
	"hexadecimal": func(ctx context.Context, s *span) { trace.Log(ctx, "span_id", fmt.Sprintf("%016x", s.id)) },
	"traceparent": func(ctx context.Context, s *span) {
		trace.Logf(ctx, "otel", "00-4bf92f3577b34da6a3ce929d0e0e4736-%016x-01", s.id)
	},
	"datadog": func(ctx context.Context, s *span) {
		trace.Log(ctx, "datadog.uint64_span_id", string(binary.LittleEndian.AppendUint64(nil, s.id)))
	},
	"region": func(ctx context.Context, s *span) {
		defer trace.StartRegion(ctx, fmt.Sprintf("span %016X", s.id)).End()
	},
	"task": func(ctx context.Context, s *span) {
		_, task := trace.NewTask(ctx, fmt.Sprintf("push-%016x", s.id))
		task.End()
	},
}

func TestByID(t *testing.T) {
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			undisturbed(t, func(q *quarrel) {
				var spans []span
				path := record(t, 2, func() { spans = serve(3, write, waits) })
				a := explain(t, path, spans[1].ask())
				if a.Basis != ByID || a.Why != "" || a.Goroutine == nil || !strings.Contains(a.Goroutine.Group, "serve.func") {
					t.Fatalf("%+v", a)
				}
				if a.Clock.Anchored || a.Clock.ApartNs == nil || *a.Clock.ApartNs < 0 || *a.Clock.ApartNs > 300_000 {
					q.Errorf("%+v", a.Clock)
				}
				if !near(a.ns(running, ""), 2_000_000) || !near(a.ns(blocked, "chan receive"), 5_000_000) {
					q.Errorf("%+v", a.States)
				}
				for _, p := range a.States {
					if p.State == blocked && (p.Waker == nil || !strings.HasSuffix(p.Waker.Group, "gapexplain.answer") || !strings.Contains(fmt.Sprint(p.Stack), "gapexplain.waits")) {
						q.Errorf("%+v %+v", p, p.Waker)
					}
				}
			})
		})
	}
}

// Who wrote nothing is found by the clock: no other goroutine ran at four moments.
func TestByClock(t *testing.T) {
	undisturbed(t, func(q *quarrel) {
		var spans []span
		path := record(t, 2, func() { spans = serve(5, nil, waits) })
		for i := range spans {
			query := spans[i].ask()
			query.ID = 0
			a := explain(t, path, query)
			if a.Basis != ByClock || a.Hit != 4 || a.ChanceProbability > maxChanceProbability || !near(a.ns(blocked, "chan receive"), 5_000_000) {
				q.Errorf("%d: %+v", i, a)
			}
		}
	})
}

// A trace that is read from its middle yields the same.
func TestPieceOfATrace(t *testing.T) {
	undisturbed(t, func(q *quarrel) {
		var spans []span
		var began time.Time
		path := record(t, 2, func() {
			began = time.Now()
			spans = serve(2, nil, waits)
			time.Sleep(2500 * time.Millisecond)
			spans = append(spans, serve(2, nil, waits)...)
			time.Sleep(2500 * time.Millisecond)
		})
		query := spans[3].ask()
		query.ID = 0
		whole := explain(t, path, query)
		wall := began.UnixNano()
		query.WallStart = &wall
		cut := explain(t, path, query)
		if cut.Clock.Snapshots >= whole.Clock.Snapshots {
			q.Errorf("%d snapshots of %d: nothing was left out", cut.Clock.Snapshots, whole.Clock.Snapshots)
		}
		if whole.Basis != ByClock || cut.Basis != ByClock || cut.Goroutine.ID != whole.Goroutine.ID || distance(cut.ns(blocked, ""), whole.ns(blocked, "")) > 1000 {
			q.Errorf("%+v\n%+v", whole, cut)
		}
		if distance(*cut.TraceFrom, *whole.TraceFrom) > 1_000_000 {
			q.Errorf("the gap is at %d, or at %d", *cut.TraceFrom, *whole.TraceFrom)
		}
	})
}

// The occupants that a goroutine waited for are reported, and that it is unknown who waited
// when all run all the time.
func TestRunnable(t *testing.T) {
	undisturbed(t, func(q *quarrel) {
		var spans []span
		path := record(t, 1, func() {
			var stop atomic.Bool
			var hogs sync.WaitGroup
			for range 2 {
				hogs.Go(func() { hog(&stop) })
			}
			spans = serve(3, ways["hexadecimal"], func() { runtime.Gosched(); runtime.Gosched() })
			stop.Store(true)
			hogs.Wait()
		})
		a := explain(t, path, spans[1].ask())
		waited := a.ns(runnable, "")
		if a.Basis != ByID || waited < 5_000_000 {
			q.Errorf("%+v", a)
			return
		}
		for _, p := range a.States {
			if p.State == runnable && p.Ns > waited/2 && (p.Reason != "runtime.Gosched" || !strings.Contains(p.Occupancies[0].Group, "TestRunnable.func") || p.Occupancies[0].Ns < 0.8*float64(p.Ns)) {
				q.Errorf("%+v", p)
			}
		}
		if !strings.Contains(a.Processors[0].Group, "TestRunnable.func") || a.Procs != 1 {
			q.Errorf("%d: %+v", a.Procs, a.Processors)
		}
	})
}

func hog(stop *atomic.Bool) {
	for !stop.Load() {
		spin(100 * time.Microsecond)
	}
}

// What collects is distinguished from what runs.
func TestGcOverlap(t *testing.T) {
	var spans []span
	path := record(t, 2, func() { spans = serve(2, ways["hexadecimal"], runtime.GC) })
	a := explain(t, path, spans[1].ask())
	if a.GC.Cycles == 0 || a.GC.MarkNs == 0 || a.GC.MarkNs > a.GapNs || a.GC.StopNs == 0 {
		t.Errorf("%+v", a.GC)
	}
}

// The span's clock is another: the moment at which its id was written represents
// its beginning.
func TestAnchored(t *testing.T) {
	undisturbed(t, func(q *quarrel) {
		var spans []span
		path := record(t, 2, func() { spans = serve(2, ways["hexadecimal"], waits) })
		moved := spans[1]
		for _, at := range []*time.Time{&moved.start, &moved.end, &moved.gap[0], &moved.gap[1]} {
			*at = at.Add(26 * time.Hour)
		}
		a, straight := explain(t, path, moved.ask()), explain(t, path, spans[1].ask())
		if a.Basis != ByID || !a.Clock.Anchored || distance(a.ns(blocked, ""), straight.ns(blocked, "")) > 300_000 {
			q.Errorf("%+v", a)
		}
		moved.id = 0
		if a := explain(t, path, moved.ask()); a.Basis != NoExplanation || a.Why != Outside || len(a.States) != 0 {
			q.Errorf("%+v", a)
		}
	})
}

// A span of another process finds no goroutine.
func TestNobody(t *testing.T) {
	var spans []span
	path := record(t, 2, func() { spans = serve(4, nil, waits) })
	other := spans[1]
	other.id = 0
	other.start = other.end.Add(500 * time.Microsecond) // between two requests
	other.gap = [2]time.Time{other.start, other.start.Add(time.Millisecond)}
	other.end = other.start.Add(2 * time.Millisecond)
	a := explain(t, path, other.ask())
	if a.Basis != NoGoroutine || a.Why != NoMatch && a.Why != ByChance || len(a.States) != 0 || len(a.Processors) == 0 {
		t.Errorf("%+v", a)
	}
}

// Traces of before Go 1.25 have no wall clock.
func TestNoClock(t *testing.T) {
	query := Query{From: 1, To: 2, SpanStart: 0, SpanEnd: 3, ID: 77}
	for _, name := range []string{"go122-svc.trace", "go119-http.trace"} {
		a := explain(t, filepath.Join("..", "..", "testdata", "traces", name), query)
		if a.Basis != NoExplanation || a.Why != NoClock || a.TraceFrom != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestNames(t *testing.T) {
	const id = 0x00f067aa0ba902b7
	for text, want := range map[string]bool{
		"00f067aa0ba902b7": true, "span=00F067AA0BA902B7.": true, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": true,
		"": false, "f067aa0ba902b7": false, "a00f067aa0ba902b7": false, "00f067aa0ba902b7a": false, "00f067aa0ba902b8": false,
	} {
		if names(text, id) != want {
			t.Errorf("%q", text)
		}
	}
}
