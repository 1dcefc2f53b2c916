package tracesource

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/inputerror"
)

// A loop over events reads from Reader, calls Step with each, and Finish how it
// ended; Guard keeps the reader's panics from ending the program. The loop
// marks where the events are needed, because a call through a function value
// would cost a copy of each on the heap.

// Reader returns the reader of events. Its panics are errors of the input.
func (s *Source) Reader() *trace.Reader { return s.reader }

// Step must receive every event.
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
	s.sizer.mark = s.next
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

// inReader reports, while a panic is being recovered, whether the reader's code
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
// goroutine or P could be read, or when the file is not a single trace.
func (s *Source) Finish(err error) error {
	if errors.Is(err, io.EOF) && s.sizer.err == nil {
		err = nil
	}
	s.reader = nil // with the generation that it still holds
	if bad := s.drain(); err == nil {
		err = bad
	}
	if err == nil {
		if s.events == 0 {
			return s.reportEmpty()
		}
		return nil
	}
	nothingWhole := s.Generations == 0 && s.reportTruncation(err)
	err = s.explainFailure(err)
	var bad *inputerror.InputError
	if s.events == 0 || nothingWhole || !errors.As(err, &bad) || bad.Slug == "trace-concatenated" {
		return err
	}
	s.Unreadable = &UnreadableRange{From: s.readUpTo(), Message: bad.Message}
	return nil
}

// bytesPerEvent is what an event takes in a file whose own average is not known.
const bytesPerEvent = 5

// readUpTo estimates how many bytes the delivered events came from: those of
// whole generations, and of the one that broke off as many as its events take
// on average. The reader does not report it.
func (s *Source) readUpTo() int64 {
	each := int64(bytesPerEvent)
	if s.eventsWhole > 0 {
		each = max(1, s.whole/s.eventsWhole)
	}
	return min(s.BytesUnpacked, s.whole+each*(s.events-s.eventsWhole))
}

// drain reads the rest, to know its size and whether its packing is whole.
func (s *Source) drain() error {
	if s.sizer.err == nil {
		s.sizer.v1, s.sizer.mark = false, noMark
		_, _ = io.Copy(io.Discard, s.buffered) // the gauge keeps the error
	}
	s.BytesUnpacked = s.sizer.read
	s.unpacked.Close()
	return s.sizer.err
}

func (s *Source) reportEmpty() error {
	if s.BytesUnpacked <= HeaderBytes {
		return inputerror.New("trace-truncated", "The file ends after its header. Was the program stopped while it wrote the trace?").WithActual(s.BytesUnpacked, "bytes")
	}
	return inputerror.New("trace-empty", "The trace holds no events of goroutines or processors.").WithActual(s.BytesUnpacked, "bytes")
}

// explainFailure names an error. What the file itself shows comes first: the reader's
// messages speak of consequences.
func (s *Source) explainFailure(err error) error {
	var bad *inputerror.InputError
	g := s.sizer
	switch {
	case errors.As(err, &bad):
		return tooLarge(err, g.limits)
	case g.second > 0:
		return inputerror.New("trace-concatenated", "A second trace begins at byte %d of this file. Upload the traces one by one.", g.second).AtOffset(g.second)
	case g.err != nil:
		return g.err
	case s.reportTruncation(err):
		if s.sizer.read <= HeaderBytes {
			return inputerror.New("trace-truncated", "The file ends after its header. Was the program stopped while it wrote the trace?").WithActual(g.read, "bytes").AtOffset(g.read)
		}
		return inputerror.New("trace-truncated", "The file ends in the middle (%s). It was cut short: fetch or copy it again, or stop the trace before the program ends.", short(err)).
			WithActual(g.read, "bytes").AtOffset(s.next)
	}
	return inputerror.New("trace-damaged", "The trace is damaged (%s). Fetch or copy the file again.", short(err)).AtOffset(s.next)
}

// reportTruncation reports whether the reader's trouble is that the file ended.
func (s *Source) reportTruncation(err error) bool {
	if !s.sizer.ended || s.buffered.Buffered() > 0 {
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

// short returns the first line of an error, which may dump pages.
func short(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if len(line) > 200 {
		line = line[:200] + "..."
	}
	return strings.ToValidUTF8(line, "?")
}
