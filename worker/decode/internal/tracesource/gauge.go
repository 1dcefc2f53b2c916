package tracesource

import (
	"bytes"
	"errors"
	"io"

	"slowpath.dev/decode/internal/inputerror"
)

// generationSizer counts the bytes that the reader takes, keeps the error that it may
// hide, and sees a second header.
type generationSizer struct {
	in     io.Reader
	limits Limits
	v1     bool
	read   int64
	mark   int64 // bytes up to the last generation
	ended  bool  // the end of the file was reached
	err    error // the first error but the end
	second int64 // where another header begins; 0: nowhere
	tail   []byte
}

// Read implements io.Reader.
func (g *generationSizer) Read(p []byte) (int, error) {
	n, err := g.in.Read(p)
	if n > 0 && g.second == 0 {
		g.scan(p[:n])
	}
	g.read += int64(n)
	switch {
	case errors.Is(err, io.EOF) && g.err == nil:
		g.ended = true
	case err == nil && g.v1 && g.read > g.limits.V1:
		err = g.largeV1()
	case err == nil && g.read-g.mark > g.limits.Generation+beyond:
		err = largeGeneration(g.limits.Generation, g.read-g.mark, g.mark)
	}
	if err != nil && g.err == nil && !errors.Is(err, io.EOF) {
		g.err = tooLarge(err, g.limits)
	}
	return n, err
}

const (
	// beyond is what is read of a generation that is too large before the gauge
	// itself stops it: the reader of its batches knows how large it is.
	beyond = 1 << 20
	// noMark is the mark while the bytes of a generation do not matter.
	noMark = 1 << 62
)

func largeGeneration(limit, actual, at int64) *inputerror.InputError {
	return inputerror.New("trace-too-large", "One generation of the trace (about a second, or all of a shorter trace) has %d bytes. It is held in memory as a whole, and at most %d are. Record for a part of a second (/debug/pprof/trace?seconds=0.2), or raise --max-generation where there is memory for that much more.", actual, limit).
		WithLimit(limit, actual, "bytes").AtOffset(at)
}

func (g *generationSizer) largeV1() error {
	return inputerror.New("trace-v1-too-large", "A trace of Go 1.11 to 1.21 is read as a whole and may have %d bytes. Record a shorter one, or raise --max-v1 if there is memory for 25 times as much.", g.limits.V1).
		WithLimit(g.limits.V1, g.read, "bytes")
}

// tooLarge speaks of traces where unpacking speaks of profiles.
func tooLarge(err error, limits Limits) error {
	var bad *inputerror.InputError
	if errors.As(err, &bad) && bad.Slug == "unpacked-too-large" {
		return inputerror.New("trace-too-large", "The trace has more than %d bytes unpacked. Record a shorter one, or raise --max-bytes.", limits.Unpacked).
			WithLimit(limits.Unpacked, *bad.Actual, "bytes").AtOffset(limits.Unpacked)
	}
	return err
}

var headerEnd = []byte(" trace\x00\x00\x00")

// scan searches for a header after the first, also across reads.
func (g *generationSizer) scan(p []byte) {
	joined := p
	from := g.read
	if len(g.tail) > 0 {
		joined = append(g.tail, p[:min(len(p), HeaderBytes)]...)
		if g.find(joined, g.read-int64(len(g.tail))) {
			return
		}
		joined = p
	}
	if g.find(joined, from) {
		return
	}
	g.tail = append([]byte(nil), p[max(0, len(p)-HeaderBytes):]...)
}

func (g *generationSizer) find(data []byte, offset int64) bool {
	for at := 0; ; {
		i := bytes.Index(data[at:], headerEnd)
		if i < 0 {
			return false
		}
		begin := at + i + len(headerEnd) - HeaderBytes
		if begin >= 0 && offset+int64(begin) > 0 && bytes.HasPrefix(data[begin:], []byte("go 1.")) {
			g.second = offset + int64(begin)
			return true
		}
		at += i + 1
	}
}
