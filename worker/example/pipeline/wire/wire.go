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

// Texts says how the texts of a message become strings.
type Texts int

const (
	// ZeroCopy strings lie in the message itself, which must not be written to, and lives as long as any of them.
	ZeroCopy Texts = iota
	// Copy makes each text a string of its own, as generated code does.
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

// ErrTruncated says that a message ends too early or names a length beyond its end.
var ErrTruncated = errors.New("the message is cut off")

const (
	kindVarint, kindFixed64, kindBytes, kindFixed32 = 0, 1, 2, 5
)

// Unmarshal reads a request; what was in it is overwritten, its memory used again.
func (r *Request) Unmarshal(body []byte, texts Texts) error {
	r.Series = r.Series[:0]
	return fields(body, func(number int, content []byte, _ uint64) error {
		if number != 1 {
			return nil
		}
		if len(r.Series) < cap(r.Series) {
			r.Series = r.Series[:len(r.Series)+1]
		} else {
			r.Series = append(r.Series, Series{})
		}
		return r.Series[len(r.Series)-1].unmarshal(content, texts)
	})
}

func (s *Series) unmarshal(body []byte, texts Texts) error {
	s.Labels, s.Samples = s.Labels[:0], s.Samples[:0]
	return fields(body, func(number int, content []byte, _ uint64) error {
		switch number {
		case 1:
			s.Labels = append(s.Labels, Label{})
			return s.Labels[len(s.Labels)-1].unmarshal(content, texts)
		case 2:
			s.Samples = append(s.Samples, Sample{})
			return s.Samples[len(s.Samples)-1].unmarshal(content)
		}
		return nil
	})
}

func (l *Label) unmarshal(body []byte, texts Texts) error {
	return fields(body, func(number int, content []byte, _ uint64) error {
		switch number {
		case 1:
			l.Name = text(content, texts)
		case 2:
			l.Value = text(content, texts)
		}
		return nil
	})
}

func (s *Sample) unmarshal(body []byte) error {
	return fields(body, func(number int, _ []byte, value uint64) error {
		switch number {
		case 1:
			s.Value = math.Float64frombits(value)
		case 2:
			s.AtMs = int64(value)
		}
		return nil
	})
}

func text(content []byte, texts Texts) string {
	if texts == ZeroCopy {
		return unsafe.String(unsafe.SliceData(content), len(content))
	}
	return string(content)
}

// fields calls back for each field: with its content, or its value when it is a number.
func fields(body []byte, each func(number int, content []byte, value uint64) error) error {
	for len(body) > 0 {
		key, n := binary.Uvarint(body)
		if n <= 0 {
			return ErrTruncated
		}
		content, value, rest, err := field(int(key&7), body[n:])
		if err != nil {
			return err
		}
		if err = each(int(key>>3), content, value); err != nil {
			return err
		}
		body = rest
	}
	return nil
}

func field(kind int, body []byte) (content []byte, value uint64, rest []byte, err error) {
	switch kind {
	case kindVarint:
		value, n := binary.Uvarint(body)
		if n <= 0 {
			return nil, 0, nil, ErrTruncated
		}
		return nil, value, body[n:], nil
	case kindFixed64:
		if len(body) < 8 {
			return nil, 0, nil, ErrTruncated
		}
		return nil, binary.LittleEndian.Uint64(body), body[8:], nil
	case kindBytes:
		length, n := binary.Uvarint(body)
		if n <= 0 || length > uint64(len(body)-n) {
			return nil, 0, nil, ErrTruncated
		}
		end := n + int(length)
		return body[n:end], 0, body[end:], nil
	case kindFixed32:
		if len(body) < 4 {
			return nil, 0, nil, ErrTruncated
		}
		return nil, uint64(binary.LittleEndian.Uint32(body)), body[4:], nil
	}
	return nil, 0, nil, fmt.Errorf("a field of the unknown kind %d", kind)
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
