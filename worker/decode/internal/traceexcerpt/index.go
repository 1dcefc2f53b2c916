// Package traceexcerpt cuts whole generations out of an execution trace, without
// decoding events: a generation (about a second) holds its own strings, stacks
// and states, so that a header and some generations are a trace.
//
// Format (Go 1.22 and newer; runtime/trace.go, internal/trace/tracev2): a header
// of 16 bytes, then batches: a type byte, for experimental ones a byte more,
// and as varints the generation, the thread, a time and the length, then as many
// bytes. From Go 1.26 on a separate byte ends each generation.
package traceexcerpt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/tracesource"
)

// Types of events that structure a file.
const (
	eventBatch        = 1
	frequencyEvent    = 8
	experimentalBatch = 49
	syncEvent         = 50
	endOfGeneration   = 52
	maxBatchBytes     = 64 << 10
	ownEnd            = 26 // the version from which on generations have an end
)

// generation is one generation in a file: bytes [from, to), begun at time ticks.
type generation struct {
	from, to int64
	number   uint64
	ticks    uint64
	perTick  float64 // ns; 0: unknown for the generation
}

// startNs returns the absolute time at which a generation begins, as the reader
// of events reckons it.
func (g *generation) startNs() int64 { return int64(float64(g.ticks) * g.perTick) }

// indexer walks over the batches of a file.
type indexer struct {
	in       *bufio.Reader
	at       int64 // bytes read
	version  int
	list     []generation // whole ones
	open     *generation
	failed   error // of the last byte read
	complete bool  // the file ends where a batch ends
}

// index finds the whole generations of a file. It stops at damage.
func index(s *tracesource.Source) ([]generation, error) {
	x := &indexer{in: s.Raw(), version: s.Version}
	if err := x.skip(tracesource.HeaderBytes); err != nil {
		return nil, failure(s, err)
	}
	err := x.walk()
	if x.open != nil && x.version < ownEnd && x.complete {
		x.close(x.at)
	}
	if len(x.list) == 0 {
		return nil, failure(s, err)
	}
	return x.list, nil
}

// failure names what is wrong with a file of which nothing is whole.
func failure(s *tracesource.Source, err error) error {
	var bad *inputerror.InputError
	switch {
	case s.Failure() != nil:
		return s.Failure()
	case errors.As(err, &bad):
		return bad
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return inputerror.New("trace-truncated", "The file ends before the end of its first generation, so there is no complete generation to extract.")
	}
	return err
}

func (x *indexer) walk() error {
	for {
		start := x.at
		kind, err := x.byte()
		if err != nil {
			x.complete = errors.Is(err, io.EOF)
			return err
		}
		switch kind {
		case endOfGeneration:
			if x.open == nil || x.version < ownEnd {
				return damaged(start)
			}
			x.close(x.at)
			continue
		case experimentalBatch:
			if _, err := x.byte(); err != nil {
				return err
			}
		case eventBatch:
		default:
			return damaged(start)
		}
		if err := x.batch(start); err != nil {
			return err
		}
	}
}

func damaged(at int64) error {
	return inputerror.New("trace-damaged", "The trace is damaged: at byte %d no batch of events begins.", at).AtOffset(at)
}

// batch reads the rest of a batch that began at start.
func (x *indexer) batch(start int64) error {
	var fields [4]uint64 // generation, thread, time, length
	for i := range fields {
		value, err := binary.ReadUvarint(x)
		if err != nil && x.failed == nil { // not the file's end: the number is too long
			return damaged(start)
		}
		if err != nil {
			return err
		}
		fields[i] = value
	}
	if fields[0] == 0 || fields[3] > maxBatchBytes {
		return damaged(start)
	}
	if x.open != nil && x.open.number != fields[0] {
		if x.version >= ownEnd {
			return damaged(start)
		}
		x.close(start)
	}
	if x.open == nil {
		x.open = &generation{from: start, number: fields[0], ticks: fields[2]}
	}
	x.open.ticks = min(x.open.ticks, fields[2])
	head, err := x.in.Peek(int(min(fields[3], 16)))
	if err != nil {
		return err
	}
	if perTick := clock(head); perTick > 0 {
		x.open.perTick = perTick
	}
	return x.skip(int64(fields[3]))
}

// clock reads the length of a tick in ns from the batch that holds it: that of
// the frequency in ticks a second, behind a sync event from Go 1.25 on.
func clock(head []byte) float64 {
	if len(head) > 0 && head[0] == syncEvent {
		head = head[1:]
	}
	if len(head) < 2 || head[0] != frequencyEvent {
		return 0
	}
	frequency, n := binary.Uvarint(head[1:])
	if n <= 0 || frequency == 0 {
		return 0
	}
	return 1.0 / (float64(frequency) / 1e9)
}

// close ends the open generation. One without a clock is none: the reader would
// refuse it.
func (x *indexer) close(at int64) {
	x.open.to = at
	if x.open.perTick > 0 {
		x.list = append(x.list, *x.open)
	}
	x.open = nil
}

// ReadByte implements io.ByteReader.
func (x *indexer) ReadByte() (byte, error) { return x.byte() }

func (x *indexer) byte() (byte, error) {
	b, err := x.in.ReadByte()
	if err == nil {
		x.at++
	}
	x.failed = err
	return b, err
}

func (x *indexer) skip(n int64) error {
	skipped, err := x.in.Discard(int(n))
	x.at += int64(skipped)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the trace: %w", err)
	}
	return err
}
