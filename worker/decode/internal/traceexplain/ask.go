// Package traceexplain tells what a goroutine did during a window of a trace in
// which a span says nothing: running, waiting for a processor and behind whom,
// blocked on what, assisting the collector.
//
// The trace is read twice, and of it only the generations around the span: once
// to find the goroutine (find.go), once to follow it (follow.go). Found it is by
// the span's id in what the program wrote into the trace, or by the clock: a
// span begins and ends in code that runs, so its goroutine ran at these moments.
package traceexplain

import (
	"fmt"
	"io"

	"slowpath.dev/decode/internal/tracecut"
	"slowpath.dev/decode/internal/tracesource"
)

// Ask is what is to be explained. Times are Unix ns by the clock of the process.
type Ask struct {
	From, To           int64   // of the gap
	SpanStart, SpanEnd int64   // of the span that it is in
	ID                 uint64  // of the span; 0: not known
	Marks              []int64 // further moments at which its goroutine may have run
	// WallStart is when the first event of the trace happened; nil: the trace does
	// not tell, and is read as a whole.
	WallStart *int64
}

// MostMarks bounds Ask.Marks.
const MostMarks = 64

// around is how much is read before and behind a span, in ns: who runs by
// chance is known by how much it runs.
const around = 1_000_000_000

// File explains from the trace in a file.
func File(path string, ask Ask, limits tracesource.Limits) (*Answer, error) {
	open, origin, err := opener(path, ask, limits)
	if err != nil {
		return nil, err
	}
	f, err := find(open, &ask)
	if err != nil {
		return nil, err
	}
	a := f.answer(&ask)
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

// opening gives a trace from its beginning.
type opening func() (*tracesource.Source, func(), error)

// opener gives a way to read the generations around the span, and when they
// begin, in ns since the trace's first event. Without a clock that is all of it.
func opener(path string, ask Ask, limits tracesource.Limits) (opening, int64, error) {
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
	if ask.WallStart == nil || version < tracesource.FirstV2 {
		return whole, 0, nil
	}
	from := max(0, ask.SpanStart-*ask.WallStart-around)
	to := max(from, ask.SpanEnd-*ask.WallStart+around)
	cut, err := tracecut.Plan(path, from, to, limits)
	if err != nil {
		return nil, 0, err
	}
	return func() (*tracesource.Source, func(), error) { return piece(cut, path, limits) }, cut.FromNs, nil
}

// piece reads a cut without a file for it.
func piece(cut *tracecut.Cut, path string, limits tracesource.Limits) (*tracesource.Source, func(), error) {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(cut.Write(writer, path, limits)) }()
	s, err := tracesource.Open(reader, cut.Bytes, limits)
	if err != nil {
		_ = reader.Close()
		return nil, nil, fmt.Errorf("opening the cut: %w", err)
	}
	return s, func() { _ = reader.Close() }, nil
}
