package pprofread

import (
	"errors"
	"io"

	"slowpath.dev/decode/internal/inputerror"
)

// stream returns one protobuf field after the other from a reader, holding no
// more of the input than the field at hand.
type stream struct {
	r      io.Reader
	buffer []byte
	at     int   // first byte not yet taken
	end    int   // end of what the buffer holds
	base   int64 // offset of buffer[0] in the unpacked input
	ended  bool
}

// window is the size at which the buffer starts; it grows for longer fields.
const window = 256 << 10

// maxVarint is the length of the longest varint.
const maxVarint = 10

func newStream(r io.Reader) *stream {
	return &stream{r: r, buffer: make([]byte, window)}
}

// offset returns the position of the next byte in the unpacked input.
func (s *stream) offset() int64 { return s.base + int64(s.at) }

// fill makes n bytes ready, or fewer at the end of the input. The buffer grows
// only after it was filled, so a length that is only claimed costs nothing.
func (s *stream) fill(n int) error {
	for s.end-s.at < n && !s.ended {
		if s.at > 0 && len(s.buffer)-s.at < n || s.at == s.end {
			s.base += int64(s.at)
			s.end = copy(s.buffer, s.buffer[s.at:s.end])
			s.at = 0
		}
		if s.end == len(s.buffer) {
			s.buffer = append(s.buffer, make([]byte, min(len(s.buffer), n-s.end+window))...)
		}
		got, err := s.r.Read(s.buffer[s.end:])
		s.end += got
		if errors.Is(err, io.EOF) {
			s.ended = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// next reads the key of the next field and, for a varint or fixed field, its
// value; for bytes, value is their length, and they are taken with bytes or
// skip. ok is false at the end of the input.
func (s *stream) next() (f field, ok bool, err error) {
	if s.end-s.at < 2*maxVarint {
		if err := s.fill(2 * maxVarint); err != nil {
			return f, false, err
		}
		if s.at == s.end {
			return f, false, nil
		}
	}
	rest, start := s.buffer[s.at:s.end], s.offset()
	n, problem := f.decode(rest, true)
	if problem != "" {
		if s.ended && len(rest) < 2*maxVarint && (problem == varintProblem || problem == lengthProblem) {
			return f, false, truncated(start + int64(len(rest)))
		}
		return f, false, malformed(problem, start)
	}
	s.at += n
	return f, true, nil
}

// bytes takes n bytes; they are valid until the next call.
func (s *stream) bytes(n int) ([]byte, error) {
	if s.end-s.at < n {
		if err := s.fill(n); err != nil {
			return nil, err
		}
		if s.end-s.at < n {
			return nil, truncated(s.base + int64(s.end))
		}
	}
	data := s.buffer[s.at : s.at+n]
	s.at += n
	return data, nil
}

// skip passes over n bytes without holding them.
func (s *stream) skip(n uint64) error {
	for n > 0 {
		if s.at == s.end {
			if err := s.fill(1); err != nil {
				return err
			}
			if s.at == s.end {
				return truncated(s.base + int64(s.end))
			}
		}
		step := min(n, uint64(s.end-s.at))
		s.at += int(step)
		n -= step
	}
	return nil
}

func truncated(offset int64) error {
	return inputerror.New("truncated-profile", "The profile ends in the middle of a field, after %d unpacked bytes. The file was cut short: fetch or copy it again.", offset).
		WithActual(offset, "bytes").AtOffset(offset)
}

func malformed(problem string, offset int64) *inputerror.InputError {
	return inputerror.New("malformed-protobuf", "The file begins like a pprof profile, but at byte %d it is not valid: %s. Record the profile again.", offset, problem).AtOffset(offset)
}
