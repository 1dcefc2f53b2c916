// Package gapexplain explains what a goroutine did during a window of a trace in
// which a span records nothing: running, waiting for a processor and behind whom,
// blocked on what, assisting the collector.
//
// The trace is read twice, and of it only the generations around the span: once
// to find the goroutine (find.go), once to follow it (follow.go). Found it is by
// the span's id in what the program wrote into the trace, or by the clock: a
// span begins and ends in code that runs, so its goroutine ran at these moments.
package gapexplain

import (
	"fmt"
	"io"

	"slowpath.dev/decode/internal/traceexcerpt"
	"slowpath.dev/decode/internal/tracesource"
)

// Query is what is to be explained. Times are Unix ns by the clock of the process.
type Query struct {
	From, To           int64   // of the gap
	SpanStart, SpanEnd int64   // of the span that it is in
	ID                 uint64  // of the span; 0: not known
	Marks              []int64 // further moments at which its goroutine may have run
	// WallStart is when the first event of the trace happened; nil: unknown, and the
	// trace is read as a whole.
	WallStart *int64
}

// MaxMarks bounds Ask.Marks.
const MaxMarks = 64

// around is how much is read before and behind a span, in ns: who runs by
// chance is known by how much it runs.
const around = 1_000_000_000

// File explains from the trace in a file.
func File(path string, query Query, limits tracesource.Limits) (*Explanation, error) {
	open, origin, err := opener(path, query, limits)
	if err != nil {
		return nil, err
	}
	f, err := find(open, &query)
	if err != nil {
		return nil, err
	}
	a := f.explanation(&query)
	if a.window.known {
		if err := follow(open, a); err != nil {
			return nil, err
		}
	}
	if a.TraceFrom != nil {
		*a.TraceFrom += origin
	}
	return a, nil
}

// opening returns a trace from its beginning.
type opening func() (*tracesource.Source, func(), error)

// opener returns a way to read the generations around the span, and when they
// begin, in ns since the trace's first event. Without a clock that is all of it.
func opener(path string, query Query, limits tracesource.Limits) (opening, int64, error) {
	whole := func() (*tracesource.Source, func(), error) {
		s, closeFile, err := tracesource.OpenFile(path, limits)
		return s, func() { _ = closeFile() }, err
	}
	raw, closeRaw, err := tracesource.OpenRawFile(path, limits)
	if err != nil {
		return nil, 0, err
	}
	version := raw.Version
	_ = closeRaw()
	if query.WallStart == nil || version < tracesource.FirstV2 {
		return whole, 0, nil
	}
	from := max(0, query.SpanStart-*query.WallStart-around)
	to := max(from, query.SpanEnd-*query.WallStart+around)
	cut, err := traceexcerpt.Plan(path, from, to, limits)
	if err != nil {
		return nil, 0, err
	}
	return func() (*tracesource.Source, func(), error) { return newInterval(cut, path, limits) }, cut.FromNs, nil
}

// newInterval reads a cut without a file for it.
func newInterval(cut *traceexcerpt.Excerpt, path string, limits tracesource.Limits) (*tracesource.Source, func(), error) {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(cut.Write(writer, path, limits)) }()
	s, err := tracesource.Open(reader, cut.Bytes, limits)
	if err != nil {
		_ = reader.Close()
		return nil, nil, fmt.Errorf("opening the cut: %w", err)
	}
	return s, func() { _ = reader.Close() }, nil
}
