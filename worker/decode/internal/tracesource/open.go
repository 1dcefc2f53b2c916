// Package tracesource reads events from a file that may be packed, damaged,
// cut short, joined from two, or no trace at all, and distinguishes each from the
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

	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/sniff"
)

// Limits bounds what is read.
type Limits struct {
	Unpacked   int64 // bytes after unpacking
	Ratio      int64 // unpacked bytes per packed byte
	V1         int64 // bytes of a trace of Go 1.11 to 1.21, which is read as a whole
	Generation int64 // bytes of one generation, which is read as a whole
}

// DefaultLimits returns the bounds used without flags.
func DefaultLimits() Limits {
	return Limits{Unpacked: 1 << 30, Ratio: 500, V1: 12 << 20, Generation: 192 << 20}
}

// HeaderBytes is the length of a trace's header.
const HeaderBytes = 16

var header = regexp.MustCompile(`^go 1\.(\d+) trace\x00+`)

// Versions that files are marked with.
const (
	minKnownVersion = 11
	FirstV2         = 22 // generations, each whole in itself
	maxKnownVersion = 26
)

var known = map[int]bool{11: true, 19: true, 21: true, 22: true, 23: true, 25: true, 26: true}

// Source is a trace that is being read.
type Source struct {
	Version       int // of the header: 22 for "go 1.22"
	Encoding      string
	Bytes         int64            // of the file
	BytesUnpacked int64            // after Each
	Generations   int64            // whole ones
	Unreadable    *UnreadableRange // after Each: what could not be read
	// Holding, if set, receives how many bytes of a generation are being held,
	// while they become more.
	Holding func(bytes int64)

	unpacked      *decompress.Reader
	sizer         *generationSizer
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

// UnreadableRange describes from which byte on nothing was read (an estimate inside a
// generation), and why.
type UnreadableRange struct {
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
		return nil, s.explainFailure(err)
	}
	return s, nil
}

// OpenRaw reads the header only: Raw returns the file's bytes, events are not
// read.
func OpenRaw(in io.Reader, size int64, limits Limits) (*Source, error) {
	u, err := decompress.New(in, limits.Unpacked, limits.Ratio)
	if err != nil {
		return nil, err
	}
	s := &Source{Encoding: string(u.Encoding), Bytes: size, unpacked: u}
	s.sizer = &generationSizer{in: u, limits: limits}
	s.buffered = bufio.NewReaderSize(s.sizer, bufferSize)
	if err := s.readHeader(); err != nil {
		return nil, s.explainFailure(err)
	}
	if s.sizer.v1 = s.Version < FirstV2; s.sizer.v1 && s.sizer.read > limits.V1 {
		return nil, s.sizer.largeV1()
	}
	return s, nil
}

// Raw returns the unpacked file from its beginning, header included.
func (s *Source) Raw() *bufio.Reader {
	s.sizer.limits.Generation = s.sizer.limits.Unpacked + 1
	return s.buffered
}

// Failure returns the reason why bytes ended early, if it is known.
func (s *Source) Failure() error { return s.sizer.err }

const bufferSize = 64 << 10

// readHeader looks at the header without taking it.
func (s *Source) readHeader() error {
	head, err := s.buffered.Peek(bufferSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) == 0 {
		return inputerror.New("empty-file", "The file is empty after decompression. Was the program stopped while it wrote the trace?").WithLimit(1, 0, "bytes")
	}
	if inner := decompress.EncodingOf(head); inner != decompress.Plain {
		return inputerror.New("nested-compression", "Inside the %s is %s again. Unpack the file once and upload that.", s.Encoding, inner).WithLimit(1, 2, "layers")
	}
	found := header.FindSubmatch(head)
	if found == nil || len(head) < HeaderBytes {
		return notATrace(head, errors.Is(err, io.EOF))
	}
	s.Version, err = strconv.Atoi(string(found[1]))
	switch {
	case err != nil || !known[s.Version] && s.Version >= minKnownVersion && s.Version <= maxKnownVersion:
		return inputerror.New("trace-damaged", "The header says \"go 1.%s\", which no Go version writes. Fetch or copy the file again.", found[1]).AtOffset(0)
	case s.Version < minKnownVersion:
		return inputerror.New("trace-too-old", "The trace was recorded by Go 1.%d. Traces are read from Go 1.11 on: record it with a newer Go.", s.Version).
			WithLimit(minKnownVersion, int64(s.Version), "minor version of Go")
	case s.Version > maxKnownVersion:
		return inputerror.New("trace-too-new", "The trace was recorded by a newer Go: its format is that of Go 1.%d, and the newest known here is that of 1.%d. Update Slowpath.", s.Version, maxKnownVersion).
			WithLimit(maxKnownVersion, int64(s.Version), "minor version of Go")
	}
	return nil
}

// notATrace describes what else the file seems to be.
func notATrace(head []byte, whole bool) error {
	if len(head) < HeaderBytes && whole && strings.HasPrefix(string(head), "go 1."[:min(5, len(head))]) {
		return inputerror.New("trace-truncated", "The file ends inside its header. It was cut short: fetch or copy it again.").WithLimit(HeaderBytes, int64(len(head)), "bytes")
	}
	guess := map[string]string{
		sniff.Pprof: "It looks like a pprof profile.", sniff.GrowthLog: "It looks like a stack-growth log.",
		sniff.Bench: "It looks like the output of Go benchmarks.", sniff.Zip: "It is a zip archive: unpack it and upload the files in it.",
		sniff.SpansOTLP: "It looks like a set of spans.", sniff.SpansJaeger: "It looks like a set of spans.", sniff.SpansZipkin: "It looks like a set of spans.",
		sniff.MetricsText: "It looks like a page of metrics.",
	}[sniff.Detect(head, whole).Kind]
	if guess == "" {
		guess = "Fetch one with /debug/pprof/trace?seconds=5."
	}
	return inputerror.New("not-a-trace", "This is not a Go execution trace. %s", guess).AtOffset(0)
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
	bytes := s.sizer.read - int64(s.buffered.Buffered()) - s.sizer.mark
	if s.Holding != nil {
		s.Holding(bytes)
	}
	if bytes <= s.sizer.limits.Generation {
		return nil
	}
	begin := s.sizer.mark
	s.stop, s.sizer.mark = begin+bytes, noMark
	s.batches.skip()
	end := s.sizer.read - int64(s.buffered.Buffered()+len(s.batches.header))
	s.sizer.err = largeGeneration(s.sizer.limits.Generation, end-begin, begin)
	return s.sizer.err
}

// consumed returns how many unpacked bytes the reader has taken.
func (s *Source) consumed() int64 {
	n := s.sizer.read - int64(s.buffered.Buffered())
	if s.batches != nil {
		n -= int64(s.batches.out.Buffered() + len(s.batches.header))
	}
	if s.stop > 0 {
		n = min(n, s.stop)
	}
	return n
}
