// Package tracesource reads events from a file that may be packed, damaged,
// cut short, joined from two, or no trace at all, and tells each from the
// others. golang.org/x/exp/trace knows the formats.
package tracesource

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/sniff"
	"slowpath.dev/decode/internal/unpack"
)

// Limits bounds what is read.
type Limits struct {
	Unpacked   int64 // bytes after unpacking
	Ratio      int64 // unpacked bytes per packed byte
	V1         int64 // bytes of a trace of Go 1.11 to 1.21, which is read as a whole
	Generation int64 // bytes of one generation, which is read as a whole
}

// DefaultLimits gives the bounds used when no flag says otherwise.
func DefaultLimits() Limits {
	return Limits{Unpacked: 1 << 30, Ratio: 500, V1: 12 << 20, Generation: 192 << 20}
}

// HeaderBytes is the length of a trace's header.
const HeaderBytes = 16

var header = regexp.MustCompile(`^go 1\.(\d+) trace\x00+`)

// Versions that files are marked with.
const (
	oldestKnown = 11
	FirstV2     = 22 // generations, each whole in itself
	newestKnown = 26
)

var known = map[int]bool{11: true, 19: true, 21: true, 22: true, 23: true, 25: true, 26: true}

// Source is a trace that is being read.
type Source struct {
	Version       int // of the header: 22 for "go 1.22"
	Encoding      string
	Bytes         int64 // of the file
	BytesUnpacked int64 // after Each
	Generations   int64 // whole ones
	Loss          *Loss // after Each: what could not be read
	// Holding, if set, is told how many bytes of a generation are being held,
	// while they become more.
	Holding func(bytes int64)

	unpacked      *unpack.Reader
	gauge         *gauge
	buffered      *bufio.Reader
	batches       *batches // nil: an old trace
	stop          int64    // where the reader was stopped; 0: nowhere
	held          bool     // the reader may hold a generation that is over
	reader        *trace.Reader
	whole         int64 // unpacked bytes up to the end of the last whole generation
	events, syncs int64
	eventsWhole   int64 // events of the whole generations
	next          int64 // up to the end of the one that is delivered now
}

// Loss tells from which byte on nothing was read (an estimate inside a
// generation), and why.
type Loss struct {
	From    int64
	Message string
}

// OpenFile opens the trace in a file. The caller closes it.
func OpenFile(path string, limits Limits) (*Source, func() error, error) {
	return openFile(path, limits, Open)
}

// OpenRawFile is to OpenRaw what OpenFile is to Open.
func OpenRawFile(path string, limits Limits) (*Source, func() error, error) {
	return openFile(path, limits, OpenRaw)
}

func openFile(path string, limits Limits, open func(io.Reader, int64, Limits) (*Source, error)) (*Source, func() error, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the input: %w", err)
	}
	info, err := in.Stat()
	if err == nil {
		var s *Source
		if s, err = open(in, info.Size(), limits); err == nil {
			return s, in.Close, nil
		}
	}
	return nil, nil, errors.Join(err, in.Close())
}

// Open begins to read. Errors are faults of the input, or failures to read.
func Open(in io.Reader, size int64, limits Limits) (*Source, error) {
	s, err := OpenRaw(in, size, limits)
	if err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, s.explain(err)
	}
	return s, nil
}

// OpenRaw looks at the header only: Raw gives the file's bytes, events are not
// read.
func OpenRaw(in io.Reader, size int64, limits Limits) (*Source, error) {
	u, err := unpack.New(in, limits.Unpacked, limits.Ratio)
	if err != nil {
		return nil, err
	}
	s := &Source{Encoding: string(u.Encoding), Bytes: size, unpacked: u}
	s.gauge = &gauge{in: u, limits: limits}
	s.buffered = bufio.NewReaderSize(s.gauge, bufferSize)
	if err := s.readHeader(); err != nil {
		return nil, s.explain(err)
	}
	if s.gauge.v1 = s.Version < FirstV2; s.gauge.v1 && s.gauge.read > limits.V1 {
		return nil, s.gauge.largeV1()
	}
	return s, nil
}

// Raw gives the unpacked file from its beginning, header included.
func (s *Source) Raw() *bufio.Reader {
	s.gauge.limits.Generation = s.gauge.limits.Unpacked + 1
	return s.buffered
}

// Failure gives the reason why bytes ended early, if it is known.
func (s *Source) Failure() error { return s.gauge.err }

const bufferSize = 64 << 10

// readHeader looks at the header without taking it.
func (s *Source) readHeader() error {
	head, err := s.buffered.Peek(bufferSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) == 0 {
		return fault.New("empty-file", "The file holds nothing but its packing. Was the program stopped while it wrote the trace?").WithLimit(1, 0, "bytes")
	}
	if inner := unpack.EncodingOf(head); inner != unpack.Plain {
		return fault.New("nested-compression", "Inside the %s is %s again. Unpack the file once and upload that.", s.Encoding, inner).WithLimit(1, 2, "layers")
	}
	found := header.FindSubmatch(head)
	if found == nil || len(head) < HeaderBytes {
		return notATrace(head, errors.Is(err, io.EOF))
	}
	s.Version, err = strconv.Atoi(string(found[1]))
	switch {
	case err != nil || !known[s.Version] && s.Version >= oldestKnown && s.Version <= newestKnown:
		return fault.New("trace-damaged", "The header says \"go 1.%s\", which no Go writes. Fetch or copy the file again.", found[1]).At(0)
	case s.Version < oldestKnown:
		return fault.New("trace-too-old", "The trace was recorded by Go 1.%d. Traces are read from Go 1.11 on: record it with a newer Go.", s.Version).
			WithLimit(oldestKnown, int64(s.Version), "minor version of Go")
	case s.Version > newestKnown:
		return fault.New("trace-too-new", "The trace was recorded by a newer Go: its format is that of Go 1.%d, and the newest known here is that of 1.%d. Update Slowpath.", s.Version, newestKnown).
			WithLimit(newestKnown, int64(s.Version), "minor version of Go")
	}
	return nil
}

// notATrace says what else the file seems to be.
func notATrace(head []byte, whole bool) error {
	if len(head) < HeaderBytes && whole && strings.HasPrefix(string(head), "go 1."[:min(5, len(head))]) {
		return fault.New("trace-truncated", "The file ends inside its header. It was cut short: fetch or copy it again.").WithLimit(HeaderBytes, int64(len(head)), "bytes")
	}
	guess := map[string]string{
		sniff.Pprof: "It looks like a pprof profile.", sniff.GrowthLog: "It looks like a stack-growth log.",
		sniff.Bench: "It looks like the output of Go benchmarks.", sniff.Zip: "It is a zip archive: unpack it and upload the files in it.",
		sniff.SpansOTLP: "It looks like a set of spans.", sniff.SpansJaeger: "It looks like a set of spans.", sniff.SpansZipkin: "It looks like a set of spans.",
		sniff.MetricsText: "It looks like a page of metrics.",
	}[sniff.Of(head, whole).Kind]
	if guess == "" {
		guess = "Fetch one with /debug/pprof/trace?seconds=5."
	}
	return fault.New("not-a-trace", "This is not a Go execution trace. %s", guess).At(0)
}

// begin makes the reader; one of an old trace reads all of it.
func (s *Source) begin() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	if s.Version < FirstV2 {
		s.reader, err = trace.NewReader(s.buffered)
		return err
	}
	s.batches = newBatches(s.buffered, s.beginBatch)
	s.reader, err = trace.NewReader(s.batches.out)
	return err
}

// beginBatch is called when the next batch is asked for: the first time behind
// a generation's events these are over.
func (s *Source) beginBatch() error {
	if s.held {
		s.held = false
		release(s.reader)
	}
	bytes := s.gauge.read - int64(s.buffered.Buffered()) - s.gauge.mark
	if s.Holding != nil {
		s.Holding(bytes)
	}
	if bytes <= s.gauge.limits.Generation {
		return nil
	}
	begin := s.gauge.mark
	s.stop, s.gauge.mark = begin+bytes, noMark
	s.batches.skip()
	end := s.gauge.read - int64(s.buffered.Buffered()+len(s.batches.header))
	s.gauge.err = largeGeneration(s.gauge.limits.Generation, end-begin, begin)
	return s.gauge.err
}

// consumed gives how many unpacked bytes the reader has taken.
func (s *Source) consumed() int64 {
	n := s.gauge.read - int64(s.buffered.Buffered())
	if s.batches != nil {
		n -= int64(s.batches.out.Buffered() + len(s.batches.header))
	}
	if s.stop > 0 {
		n = min(n, s.stop)
	}
	return n
}
