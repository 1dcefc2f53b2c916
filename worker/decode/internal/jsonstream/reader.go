// Package jsonstream reads JSON as it arrives, holding no more of the input
// than the text at hand. The caller states what it expects; null is always
// accepted and is nothing.
package jsonstream

import (
	"bytes"
	"errors"
	"io"

	"slowpath.dev/decode/internal/inputerror"
)

// Limits bound what one input may ask for.
type Limits struct {
	Depth int // brackets inside each other
	Text  int // bytes of one string or number
}

// Reader returns the values of a stream of JSON documents, one after the other.
type Reader struct {
	r       io.Reader
	limits  Limits
	buffer  []byte
	at, end int   // what the buffer still holds
	base    int64 // offset of buffer[0] in the input
	ended   bool
	depth   int
	scratch []byte
}

const window = 64 << 10

// ErrTruncated is the slug of the error for an input that ends inside a value.
const ErrTruncated = "truncated-json"

// NewReader begins to read.
func NewReader(r io.Reader, limits Limits) *Reader {
	return &Reader{r: r, limits: limits, buffer: make([]byte, window)}
}

// Offset returns the position of the next byte in the input.
func (r *Reader) Offset() int64 { return r.base + int64(r.at) }

// more reads on; what is before keep is dropped. It returns how far the
// bytes that are retained have moved towards the front.
func (r *Reader) more(keep int) (moved int, err error) {
	if r.ended {
		return 0, io.EOF
	}
	if r.end == len(r.buffer) {
		if keep > len(r.buffer)/2 {
			moved = keep
			r.base += int64(keep)
			r.end = copy(r.buffer, r.buffer[keep:r.end])
			r.at -= keep
		} else {
			r.buffer = append(r.buffer, make([]byte, len(r.buffer))...)
		}
	}
	n, err := r.r.Read(r.buffer[r.end:])
	r.end += n
	if errors.Is(err, io.EOF) {
		r.ended = true
		err = nil
		if n == 0 {
			err = io.EOF
		}
	}
	return moved, err
}

// Peek returns the first byte of the next value without taking it, or 0 at the
// end of the input.
func (r *Reader) Peek() (byte, error) {
	for {
		for r.at < r.end {
			switch c := r.buffer[r.at]; c {
			case ' ', '\n', '\r', '\t', 0xEF, 0xBB, 0xBF: // a byte order mark precedes some files
				r.at++
			default:
				return c, nil
			}
		}
		if _, err := r.more(r.at); errors.Is(err, io.EOF) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// take passes over one byte that must be next.
func (r *Reader) take(want byte) error {
	c, err := r.Peek()
	if err != nil {
		return err
	}
	if c != want {
		return r.unexpected(c, "'"+string(want)+"'")
	}
	r.at++
	return nil
}

func (r *Reader) unexpected(c byte, want string) error {
	if c == 0 && r.ended && r.at == r.end {
		return r.truncated()
	}
	return inputerror.New("malformed-json", "At byte %d the JSON has %q where %s should be. Export the file again.", r.Offset(), string(rune(c)), want).AtOffset(r.Offset())
}

func (r *Reader) truncated() error {
	at := r.base + int64(r.end)
	return inputerror.New(ErrTruncated, "The JSON ends after %d bytes, inside a value. The file was cut short: fetch or copy it again.", at).
		WithActual(at, "bytes").AtOffset(at)
}

// isNull takes null, if that is next.
func (r *Reader) isNull() (bool, error) {
	c, err := r.Peek()
	if err != nil || c != 'n' {
		return false, err
	}
	return true, r.word("null")
}

func (r *Reader) enter(open byte) error {
	if err := r.take(open); err != nil {
		return err
	}
	r.depth++
	if r.depth > r.limits.Depth {
		return inputerror.New("json-too-deep", "The JSON has more than %d brackets inside each other at byte %d.", r.limits.Depth, r.Offset()).
			WithLimit(int64(r.limits.Depth), int64(r.depth), "brackets").AtOffset(r.Offset())
	}
	return nil
}

// Object takes an object. each is called at every value with its key, which is
// valid until it reads on, and must take the value.
func (r *Reader) Object(each func(key []byte) error) error {
	if null, err := r.isNull(); null || err != nil {
		return err
	}
	if err := r.enter('{'); err != nil {
		return err
	}
	return r.list('}', func() error {
		key, err := r.String()
		if err != nil {
			return err
		}
		// The key is in the buffer: the colon must not move it.
		r.scratch = append(r.scratch[:0], key...)
		if err := r.take(':'); err != nil {
			return err
		}
		return each(r.scratch)
	})
}

// Array takes an array. each must take one element.
func (r *Reader) Array(each func() error) error {
	if null, err := r.isNull(); null || err != nil {
		return err
	}
	if err := r.enter('['); err != nil {
		return err
	}
	return r.list(']', each)
}

func (r *Reader) list(closing byte, each func() error) error {
	c, err := r.Peek()
	if err != nil {
		return err
	}
	for c != closing {
		if err := each(); err != nil {
			return err
		}
		if c, err = r.Peek(); err != nil {
			return err
		}
		if c == ',' {
			r.at++
			if c, err = r.Peek(); err != nil {
				return err
			}
			if c == closing {
				return r.unexpected(c, "another value")
			}
		} else if c != closing {
			return r.unexpected(c, "',' or '"+string(closing)+"'")
		}
	}
	r.at++
	r.depth--
	return nil
}

// String takes a string; it is valid until the next call.
func (r *Reader) String() ([]byte, error) {
	if null, err := r.isNull(); null || err != nil {
		return nil, err
	}
	if err := r.take('"'); err != nil {
		return nil, err
	}
	start, seen, escaped := r.at, 0, false
	for {
		rest := r.buffer[start+seen : r.end]
		for {
			i := bytes.IndexByte(rest, '"')
			if i < 0 {
				break
			}
			if j := bytes.IndexByte(rest[:i], '\\'); j >= 0 {
				escaped = true
				if j+2 > len(rest) {
					break
				}
				seen += j + 2
				rest = rest[j+2:]
				continue
			}
			text := r.buffer[start : start+seen+i]
			r.at = start + seen + i + 1
			if escaped {
				return r.unescape(text)
			}
			return text, nil
		}
		if r.end-start > r.limits.Text {
			return nil, r.tooLong()
		}
		if !escaped && bytes.IndexByte(rest, '\\') < 0 {
			seen = r.end - start // nothing there that looking again would change
		}
		moved, err := r.more(start)
		if errors.Is(err, io.EOF) {
			return nil, r.truncated()
		} else if err != nil {
			return nil, err
		}
		start -= moved
	}
}

func (r *Reader) tooLong() error {
	return inputerror.New("text-too-long", "A text of the JSON at byte %d is longer than %d bytes.", r.Offset(), r.limits.Text).
		WithLimit(int64(r.limits.Text), int64(r.end-r.at), "bytes").AtOffset(r.Offset())
}

// Scalar takes a string, number or word (true, false) as text; null is nothing.
// It is valid until the next call.
func (r *Reader) Scalar() ([]byte, error) {
	c, err := r.Peek()
	if err != nil {
		return nil, err
	}
	switch {
	case c == '"':
		return r.String()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case c == 't':
		return []byte("true"), r.word("true")
	case c == 'f':
		return []byte("false"), r.word("false")
	case c == 'n':
		return nil, r.word("null")
	}
	return nil, r.unexpected(c, "a text or number")
}

func (r *Reader) number() ([]byte, error) {
	start, i := r.at, r.at
	for {
		for i < r.end && isNumeric(r.buffer[i]) {
			i++
		}
		if i < r.end {
			break
		}
		if i-start > r.limits.Text {
			return nil, r.tooLong()
		}
		moved, err := r.more(start)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		start, i = start-moved, i-moved
	}
	r.at = i
	return r.buffer[start:i], nil
}

func isNumeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func (r *Reader) word(want string) error {
	for i := range len(want) {
		if r.at == r.end {
			if _, err := r.more(r.at); errors.Is(err, io.EOF) {
				return r.truncated()
			} else if err != nil {
				return err
			}
		}
		if r.buffer[r.at] != want[i] {
			return r.unexpected(r.buffer[r.at], want)
		}
		r.at++
	}
	return nil
}

// Skip passes over one value of any kind.
func (r *Reader) Skip() error {
	c, err := r.Peek()
	if err != nil {
		return err
	}
	switch c {
	case '{':
		if err := r.enter('{'); err != nil {
			return err
		}
		return r.list('}', func() error {
			if _, err := r.String(); err != nil {
				return err
			}
			if err := r.take(':'); err != nil {
				return err
			}
			return r.Skip()
		})
	case '[':
		return r.Array(r.Skip)
	}
	_, err = r.Scalar()
	return err
}
