package growthlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLineBytes bounds one line. What is longer is not a line of ours: it is cut
// there, and the rest passed over.
const maxLineBytes = 64 << 10

// lines returns one line after the other, without its end.
type lines struct {
	r   *bufio.Reader
	err error // why reading stopped, other than at the end
	// whole reports whether the line given last had an end.
	whole bool
}

// newLines hides what r is: a larger buffer would be taken over, and its size be the bound.
func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(struct{ io.Reader }{r}, maxLineBytes)}
}

// next returns a line, valid until the next call; false at the end.
func (l *lines) next() ([]byte, bool) {
	if l.err != nil {
		return nil, false
	}
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = l.r.ReadSlice('\n')
		}
	}
	l.whole = err == nil
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	if len(line) == 0 && err != nil {
		return nil, false
	}
	return bytes.TrimRight(line, "\r\n"), true
}
