package tracesource

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/fault"
)

// A loop over events reads from Reader, tells Step of each, and Finish how it
// ended; Guard keeps the reader's panics from ending the program. The loop
// stands where the events are needed, because a call through a function value
// would cost a copy of each on the heap.

// Reader gives the reader of events. Its panics are the input's fault.
func (s *Source) Reader() *trace.Reader { return s.reader }

// Step must be told of every event.
func (s *Source) Step(isSync bool) {
	if !isSync {
		s.events++
		return
	}
	if s.syncs++; s.syncs > 1 {
		s.Generations++
	}
	s.eventsWhole = s.events
	s.whole, s.next = s.next, s.consumed()
	s.held = true
	s.gauge.mark = s.next
}

// Guard turns a panic of the reader into an error: to be deferred. The reader
// checks less of old traces than of new ones, so that it may also panic when an
// event is asked for its details.
func Guard(err *error) {
	cause := recover()
	if cause == nil {
		return
	}
	if !inReader() {
		panic(cause)
	}
	*err = fmt.Errorf("%v", cause)
}

// inReader tells, while a panic is being recovered, whether the reader's code
// raised it: whether that is the first code behind the runtime's own.
func inReader() bool {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	panicked := false
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "runtime."):
			panicked = panicked || strings.Contains(frame.Function, "anic")
		case panicked:
			return strings.HasPrefix(frame.Function, "golang.org/x/exp/trace")
		}
		if !more {
			return false
		}
	}
}

// Each calls visit for every event, in order, and finishes.
func (s *Source) Each(visit func(*trace.Event)) error {
	return s.Finish(s.deliver(visit))
}

func (s *Source) deliver(visit func(*trace.Event)) (err error) {
	defer Guard(&err)
	ev := new(trace.Event)
	for {
		*ev, err = s.reader.ReadEvent()
		if err != nil {
			return err
		}
		s.Step(ev.Kind() == trace.EventSync)
		visit(ev)
	}
}

// Finish judges the error with which the events ended. When the file is damaged
// or cut short it sets Loss; it is an error only when not one event of a
// goroutine or P could be read, or when the file is no single trace.
func (s *Source) Finish(err error) error {
	if errors.Is(err, io.EOF) && s.gauge.err == nil {
		err = nil
	}
	s.reader = nil // with the generation that it still holds
	if bad := s.drain(); err == nil {
		err = bad
	}
	if err == nil {
		if s.events == 0 {
			return s.nothing()
		}
		return nil
	}
	nothingWhole := s.Generations == 0 && s.cutShort(err)
	err = s.explain(err)
	var bad *fault.Fault
	if s.events == 0 || nothingWhole || !errors.As(err, &bad) || bad.Slug == "trace-concatenated" {
		return err
	}
	s.Loss = &Loss{From: s.readUpTo(), Message: bad.Message}
	return nil
}

// bytesPerEvent is what an event takes in a file whose own average is not known.
const bytesPerEvent = 5

// readUpTo estimates how many bytes the delivered events came from: those of
// whole generations, and of the one that broke off as many as its events take
// on average. The reader does not tell.
func (s *Source) readUpTo() int64 {
	each := int64(bytesPerEvent)
	if s.eventsWhole > 0 {
		each = max(1, s.whole/s.eventsWhole)
	}
	return min(s.BytesUnpacked, s.whole+each*(s.events-s.eventsWhole))
}

// drain reads the rest, to know its size and whether its packing is whole.
func (s *Source) drain() error {
	if s.gauge.err == nil {
		s.gauge.v1, s.gauge.mark = false, noMark
		_, _ = io.Copy(io.Discard, s.buffered) // the gauge keeps the error
	}
	s.BytesUnpacked = s.gauge.read
	s.unpacked.Close()
	return s.gauge.err
}

func (s *Source) nothing() error {
	if s.BytesUnpacked <= HeaderBytes {
		return fault.New("trace-truncated", "The file ends after its header. Was the program stopped while it wrote the trace?").WithActual(s.BytesUnpacked, "bytes")
	}
	return fault.New("trace-empty", "The trace holds no events of goroutines or processors.").WithActual(s.BytesUnpacked, "bytes")
}

// explain names an error. What the file itself shows comes first: the reader's
// messages speak of consequences.
func (s *Source) explain(err error) error {
	var bad *fault.Fault
	g := s.gauge
	switch {
	case errors.As(err, &bad):
		return tooLarge(err, g.limits)
	case g.second > 0:
		return fault.New("trace-concatenated", "A second trace begins at byte %d of this file. Upload the traces one by one.", g.second).At(g.second)
	case g.err != nil:
		return g.err
	case s.cutShort(err):
		if s.gauge.read <= HeaderBytes {
			return fault.New("trace-truncated", "The file ends after its header. Was the program stopped while it wrote the trace?").WithActual(g.read, "bytes").At(g.read)
		}
		return fault.New("trace-truncated", "The file ends in the middle (%s). It was cut short: fetch or copy it again, or stop the trace before the program ends.", short(err)).
			WithActual(g.read, "bytes").At(s.next)
	}
	return fault.New("trace-damaged", "The trace is damaged (%s). Fetch or copy the file again.", short(err)).At(s.next)
}

// cutShort tells whether the reader's trouble is that the file ended.
func (s *Source) cutShort(err error) bool {
	if !s.gauge.ended || s.buffered.Buffered() > 0 {
		return false
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	text := err.Error()
	for _, sign := range []string{
		"failed to read full batch", "likely truncated", "EOF", "malformatted base-128 varint", "no frequency event",
		"no EvFrequency event", "no clock snapshot", "invalid func string ID", "invalid file string ID", "invalid stack ID", "unknown pc",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// short gives the first line of an error, which may dump pages.
func short(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if len(line) > 200 {
		line = line[:200] + "..."
	}
	return strings.ToValidUTF8(line, "?")
}
