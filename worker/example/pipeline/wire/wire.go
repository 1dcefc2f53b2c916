// Package wire reads and writes the messages of the pipeline: series with their labels and samples, in the wire format of
// protocol buffers, fields numbered as in Prometheus's remote write.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Label is one pair of a series.
type Label struct{ Name, Value string }

// Sample is a value at a time.
type Sample struct {
	Value float64
	AtMs  int64
}

// Series is what one thing that is measured was worth.
type Series struct {
	Labels  []Label
	Samples []Sample
}

// Request is a write.
type Request struct{ Series []Series }

// Texts defines how the texts of a message become strings.
type Texts int

const (
	// ZeroCopy strings lie in the message itself, which must not be written to, and lives as long as any of them.
	ZeroCopy Texts = iota
	// Copy makes each text a separate string, as generated code does.
	Copy
)

// TextsOf returns the way of this name.
func TextsOf(name string) (Texts, error) {
	switch name {
	case "zero-copy":
		return ZeroCopy, nil
	case "copy":
		return Copy, nil
	}
	return 0, fmt.Errorf("no way to unmarshal %q: copy, zero-copy", name)
}

// ErrTruncated means that a message ends too early or names a length beyond its end.
var ErrTruncated = errors.New("the message is cut off")

const (
	kindVarint, kindFixed64, kindBytes, kindFixed32 = 0, 1, 2, 5
)

// How many series a request, and how many labels a series is expected to have.
const usualSeries, usualLabels = 128, 8

// Unmarshal reads a request; what was in it is overwritten, its memory used again.
func (r *Request) Unmarshal(body []byte, texts Texts) error {
	if r.Series == nil {
		r.Series = make([]Series, 0, usualSeries)
	}
	r.Series = r.Series[:0]
	for len(body) > 0 {
		var one field
		if err := one.next(&body); err != nil {
			return err
		}
		if one.number != 1 {
			continue
		}
		if len(r.Series) == cap(r.Series) {
			r.Series = append(r.Series, Series{})
		} else {
			r.Series = r.Series[:len(r.Series)+1]
		}
		if err := r.Series[len(r.Series)-1].unmarshal(one.content, texts); err != nil {
			return err
		}
	}
	return nil
}

func (s *Series) unmarshal(body []byte, texts Texts) error {
	if s.Labels == nil {
		s.Labels = make([]Label, 0, usualLabels)
	}
	s.Labels, s.Samples = s.Labels[:0], s.Samples[:0]
	for len(body) > 0 {
		var one field
		err := one.next(&body)
		switch {
		case err != nil:
		case one.number == 1:
			s.Labels = append(s.Labels, Label{})
			err = s.Labels[len(s.Labels)-1].unmarshal(one.content, texts)
		case one.number == 2:
			s.Samples = append(s.Samples, Sample{})
			err = s.Samples[len(s.Samples)-1].unmarshal(one.content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Label) unmarshal(body []byte, texts Texts) error {
	for len(body) > 0 {
		var one field
		if err := one.next(&body); err != nil {
			return err
		}
		text := &l.Name
		if one.number != 1 {
			text = &l.Value
		}
		if texts == Copy {
			*text = string(one.content)
		} else {
			*text = unsafe.String(unsafe.SliceData(one.content), len(one.content))
		}
	}
	return nil
}

func (s *Sample) unmarshal(body []byte) error {
	for len(body) > 0 {
		var one field
		if err := one.next(&body); err != nil {
			return err
		}
		switch one.number {
		case 1:
			s.Value = math.Float64frombits(one.value)
		case 2:
			s.AtMs = int64(one.value)
		}
	}
	return nil
}

// field is one field of a message: its content, or its value when it is a number.
type field struct {
	number  int
	content []byte
	value   uint64
}

// next takes the first field of a message off it.
func (f *field) next(body *[]byte) error {
	key, n := binary.Uvarint(*body)
	if n <= 0 {
		return ErrTruncated
	}
	rest := (*body)[n:]
	f.number = int(key >> 3)
	switch key & 7 {
	case kindVarint:
		if f.value, n = binary.Uvarint(rest); n <= 0 {
			return ErrTruncated
		}
	case kindFixed64:
		if n = 8; len(rest) < n {
			return ErrTruncated
		}
		f.value = binary.LittleEndian.Uint64(rest)
	case kindFixed32:
		if n = 4; len(rest) < n {
			return ErrTruncated
		}
		f.value = uint64(binary.LittleEndian.Uint32(rest))
	case kindBytes:
		length, at := binary.Uvarint(rest)
		if at <= 0 || length > uint64(len(rest)-at) {
			return ErrTruncated
		}
		n = at + int(length)
		f.content = rest[at:n]
	default:
		return fmt.Errorf("a field of the unknown kind %d", key&7)
	}
	*body = rest[n:]
	return nil
}

// Marshal writes a request.
func (r *Request) Marshal() []byte {
	var out []byte
	for i := range r.Series {
		out = appendBytes(out, 1, r.Series[i].marshal())
	}
	return out
}

func (s *Series) marshal() []byte {
	var out []byte
	for _, label := range s.Labels {
		pair := appendBytes(nil, 1, []byte(label.Name))
		out = appendBytes(out, 1, appendBytes(pair, 2, []byte(label.Value)))
	}
	for _, sample := range s.Samples {
		content := binary.LittleEndian.AppendUint64([]byte{1<<3 | kindFixed64}, math.Float64bits(sample.Value))
		content = binary.AppendUvarint(append(content, 2<<3|kindVarint), uint64(sample.AtMs))
		out = appendBytes(out, 2, content)
	}
	return out
}

func appendBytes(out []byte, number int, content []byte) []byte {
	out = append(out, byte(number<<3|kindBytes))
	return append(binary.AppendUvarint(out, uint64(len(content))), content...)
}
