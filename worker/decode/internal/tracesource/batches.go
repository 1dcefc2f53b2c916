package tracesource

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"unsafe"

	"golang.org/x/exp/trace"
)

// The reader of golang.org/x/exp/trace holds the batches of one generation, a
// second of the trace, each in a bytes.Buffer; until it has the next one
// complete, it holds two. batches precedes it and halves both.
//
// A bytes.Buffer that reads until it reaches the end makes room for more first,
// and so doubles when it is full. If it gets the end together with the last bytes of
// the batch, as an io.Reader may return them, it does not. What comes behind is
// read again all the same: the end holds for one batch.
//
// And when the next generation begins to be read, all events of the last one
// are out: its batches are let go.
type batches struct {
	in     *bufio.Reader
	out    *bufio.Reader // what the reader of the trace reads from
	begin  func() error  // called when a batch is asked for
	header []byte        // of the batch, not yet read
	left   int           // bytes of the batch after its header
	number uint64        // of its generation; 0 at the end of one
	opaque bool          // no batches were found where they should be
}

const (
	// handed is the smallest buffer that bufio passes to the reader of the trace;
	// reads that are larger go past it, straight into a batch.
	handed = 4096

	batchEvents, batchExperiment, generationEnd = 1, 49, 52 // what a batch may begin with
	maxBatchBytes                               = 64 << 10
)

func newBatches(in *bufio.Reader, begin func() error) *batches {
	b := &batches{in: in, begin: begin}
	b.header, _ = in.Peek(HeaderBytes)
	b.header = append([]byte(nil), b.header...)
	_, _ = in.Discard(len(b.header))
	b.out = bufio.NewReaderSize(b, handed)
	return b
}

// Read implements io.Reader: a header alone, then its batch.
func (b *batches) Read(p []byte) (int, error) {
	if b.opaque {
		return b.in.Read(p)
	}
	if len(b.header) == 0 && b.left == 0 {
		if err := b.begin(); err != nil {
			return 0, err
		}
		if err := b.next(); err != nil || b.opaque {
			n, _ := b.in.Read(p[:min(len(p), b.in.Buffered())])
			return n, err
		}
	}
	if len(b.header) > 0 {
		n := copy(p, b.header)
		b.header = b.header[n:]
		return n, nil
	}
	n, err := io.ReadFull(b.in, p[:min(len(p), b.left)])
	b.left -= n
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.EOF
	case err == nil && b.left == 0 && n > handed:
		err = io.EOF
	}
	return n, err
}

// next takes the header of the next batch. What is not a header is passed on for
// the reader to judge.
func (b *batches) next() error {
	head, err := b.in.Peek(2 + 4*binary.MaxVarintLen64)
	if len(head) == 0 {
		return err
	}
	at := 1
	switch head[0] {
	case generationEnd:
		b.number = 0
	case batchExperiment:
		at++
		fallthrough
	case batchEvents:
		var numbers [4]uint64 // generation, thread, time, size
		for i := range numbers {
			number, n := binary.Uvarint(head[min(at, len(head)):])
			if n <= 0 {
				b.opaque = true
				return nil
			}
			at, numbers[i] = at+n, number
		}
		if numbers[3] > maxBatchBytes {
			b.opaque = true
			return nil
		}
		b.number, b.left = numbers[0], int(numbers[3])
	default:
		b.opaque = true
		return nil
	}
	b.header = append(b.header[:0], head[:at]...)
	_, err = b.in.Discard(at)
	return err
}

// skip passes over the rest of a generation.
func (b *batches) skip() {
	generation := b.number
	for b.next() == nil && !b.opaque && len(b.header) > 0 {
		if b.number != generation && b.number != 0 {
			return // the first batch of the next
		}
		if _, err := b.in.Discard(b.left); err != nil {
			return
		}
		b.header, b.left = b.header[:0], 0
		if b.number == 0 {
			return
		}
	}
}

// release lets go of the batches that the reader still holds. It looks inside
// the pinned reader, as nothing of it can be asked to; where that has changed
// nothing is done, which a test verifies.
func release(reader *trace.Reader) bool {
	generation := reflect.ValueOf(reader).Elem().FieldByName("gen")
	frontier := reflect.ValueOf(reader).Elem().FieldByName("frontier")
	if !generation.IsValid() || generation.Kind() != reflect.Pointer || generation.IsNil() || !frontier.IsValid() || frontier.Kind() != reflect.Slice || frontier.Len() > 0 {
		return false
	}
	held := generation.Elem().FieldByName("batches")
	if !held.IsValid() || held.Kind() != reflect.Map {
		return false
	}
	reflect.NewAt(held.Type(), unsafe.Pointer(held.UnsafeAddr())).Elem().SetZero()
	return true
}
