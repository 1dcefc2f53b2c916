// Package protostream reads protobuf messages as they arrive: it goes into
// messages that are too large to hold, and returns those that are not as bytes.
package protostream

import (
	"encoding/binary"
	"errors"
	"io"

	"slowpath.dev/decode/internal/inputerror"
)

// The wire types of fields.
const (
	Varint  = 0
	Fixed64 = 1
	Bytes   = 2
	Fixed32 = 5
)

// Field is one field. Of bytes, Value is the length; Data is there only when
// the field was read from memory.
type Field struct {
	Number int
	Wire   int
	Value  uint64
	Data   []byte
}

// Reader returns the fields of a stream.
type Reader struct {
	r       io.Reader
	longest int // bytes of a message that is given as a whole
	buffer  []byte
	at, end int
	base    int64
	ended   bool
}

const (
	window    = 256 << 10
	maxVarint = 10
	maxField  = 1<<29 - 1
)

// ErrTruncated is the slug of the error for an input that ends inside a field.
const ErrTruncated = "truncated-protobuf"

// NewReader begins to read. longest bounds what Take returns.
func NewReader(r io.Reader, longest int) *Reader {
	return &Reader{r: r, longest: longest, buffer: make([]byte, window)}
}

// Offset returns the position of the next byte in the input.
func (r *Reader) Offset() int64 { return r.base + int64(r.at) }

// fill makes n bytes ready, or fewer at the end of the input. The buffer grows
// only after it was filled, so a length that is only claimed costs nothing.
func (r *Reader) fill(n int) error {
	for r.end-r.at < n && !r.ended {
		if r.at > 0 && len(r.buffer)-r.at < n || r.at == r.end {
			r.base += int64(r.at)
			r.end = copy(r.buffer, r.buffer[r.at:r.end])
			r.at = 0
		}
		if r.end == len(r.buffer) {
			r.buffer = append(r.buffer, make([]byte, min(len(r.buffer), n-r.end+window))...)
		}
		got, err := r.r.Read(r.buffer[r.end:])
		r.end += got
		if errors.Is(err, io.EOF) {
			r.ended = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// ToEnd is the end of a message that is the whole input.
const ToEnd = int64(1) << 62

// Fields calls each for every field up to an offset. Bytes that each leaves are
// passed over.
func (r *Reader) Fields(end int64, each func(Field) error) error {
	for {
		if r.end-r.at < 2*maxVarint {
			if err := r.fill(2 * maxVarint); err != nil {
				return err
			}
		}
		if r.at == r.end && end == ToEnd || r.Offset() == end {
			return nil
		}
		f, n, problem := head(r.buffer[r.at:r.end])
		if problem != "" {
			if r.ended && r.end-r.at < 2*maxVarint && problem == cutOff {
				return r.truncated()
			}
			return r.malformed(problem)
		}
		r.at += n
		if f.Wire != Bytes {
			if r.Offset() > end {
				return r.malformed(tooLong)
			}
			if err := each(f); err != nil {
				return err
			}
			continue
		}
		if f.Value > uint64(end) || r.Offset()+int64(f.Value) > end {
			return r.malformed(tooLong)
		}
		stop := r.Offset() + int64(f.Value)
		if err := each(f); err != nil {
			return err
		}
		if err := r.skipTo(stop); err != nil {
			return err
		}
	}
}

// Take returns the bytes of a field; they are valid until the next call.
func (r *Reader) Take(length uint64) ([]byte, error) {
	if length > uint64(r.longest) {
		return nil, inputerror.New("message-too-large", "At byte %d one message has %d bytes; %d are the limit.", r.Offset(), length, r.longest).
			WithLimit(int64(r.longest), int64(min(length, 1<<62)), "bytes").AtOffset(r.Offset())
	}
	n := int(length)
	if r.end-r.at < n {
		if err := r.fill(n); err != nil {
			return nil, err
		}
		if r.end-r.at < n {
			return nil, r.truncated()
		}
	}
	data := r.buffer[r.at : r.at+n]
	r.at += n
	return data, nil
}

func (r *Reader) skipTo(stop int64) error {
	for r.Offset() < stop {
		if r.at == r.end {
			if err := r.fill(1); err != nil {
				return err
			}
			if r.at == r.end {
				return r.truncated()
			}
		}
		r.at += int(min(stop-r.Offset(), int64(r.end-r.at)))
	}
	return nil
}

func (r *Reader) truncated() error {
	at := r.base + int64(r.end)
	return inputerror.New(ErrTruncated, "The file ends after %d bytes, inside a message. It was cut short: fetch or copy it again.", at).
		WithActual(at, "bytes").AtOffset(at)
}

func (r *Reader) malformed(problem string) error {
	return inputerror.New("malformed-protobuf", "At byte %d this is not valid protobuf: %s. Export it again.", r.Offset(), problem).AtOffset(r.Offset())
}

const (
	cutOff  = "a field is cut off"
	tooLong = "a field is longer than what holds it"
	number  = "it has a field number that protobuf does not allow"
	wire    = "it has a field of an unknown wire type"
)

// head reads the key of a field, and its value or length.
func head(data []byte) (f Field, n int, problem string) {
	key, n := binary.Uvarint(data)
	if n < 0 {
		return f, 0, number
	}
	if n == 0 {
		return f, 0, cutOff
	}
	if key>>3 == 0 || key>>3 > maxField {
		return f, 0, number
	}
	f.Number, f.Wire = int(key>>3), int(key&7)
	rest := data[n:]
	switch f.Wire {
	case Varint, Bytes:
		value, m := binary.Uvarint(rest)
		if m < 0 {
			return f, 0, tooLong
		}
		if m == 0 {
			return f, 0, cutOff
		}
		f.Value = value
		return f, n + m, ""
	case Fixed64:
		if len(rest) < 8 {
			return f, 0, cutOff
		}
		f.Value = binary.LittleEndian.Uint64(rest)
		return f, n + 8, ""
	case Fixed32:
		if len(rest) < 4 {
			return f, 0, cutOff
		}
		f.Value = uint64(binary.LittleEndian.Uint32(rest))
		return f, n + 4, ""
	}
	return f, 0, wire
}

// Next takes the first field of a message in memory and returns the rest; ok is
// false where the message ends or is damaged, and err holds which.
func Next(data []byte) (f Field, rest []byte, ok bool, err error) {
	if len(data) == 0 {
		return f, nil, false, nil
	}
	f, n, problem := head(data)
	if problem == "" && f.Wire == Bytes && f.Value > uint64(len(data)-n) {
		problem = tooLong
	}
	if problem != "" {
		return f, nil, false, inputerror.New("malformed-protobuf", "A message is not valid protobuf: %s. Export it again.", problem)
	}
	if f.Wire == Bytes {
		f.Data = data[n : n+int(f.Value)]
		n += int(f.Value)
	}
	return f, data[n:], true, nil
}
