// Package tracenames gives numbers to what events name: strings, stacks, wake
// reasons, and the groups that goroutines belong to.
package tracenames

import (
	"strings"
	"unicode/utf8"
)

const (
	// longestName bounds one name in bytes; the runtime cuts its own at 1 KiB.
	longestName = 4 << 10
	// allNames bounds the bytes of all names together.
	allNames = 24 << 20
)

// Overflow stands for every name that came after a table was full.
const Overflow = "(other)"

// Strings numbers distinct strings; 0 is "".
type Strings struct {
	index map[string]uint32
	list  []string
	bytes int
}

// NewStrings makes a table that holds "" and Overflow.
func NewStrings() *Strings {
	s := &Strings{index: map[string]uint32{}}
	s.Intern("")
	s.Intern(Overflow)
	return s
}

// Intern gives the number of a string. Bad UTF-8 and NUL become U+FFFD.
func (s *Strings) Intern(text string) uint32 {
	if i, ok := s.index[text]; ok {
		return i
	}
	clean := clean(text)
	if i, ok := s.index[clean]; ok {
		return i
	}
	if s.bytes+len(clean) > allNames {
		return s.index[Overflow]
	}
	i := uint32(len(s.list))
	s.bytes += len(clean)
	s.list = append(s.list, clean)
	s.index[clean] = i
	return i
}

// clean cuts a name to its bound and makes it text.
func clean(text string) string {
	if len(text) > longestName {
		text = text[:longestName]
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
	}
	return strings.Clone(text)
}

// At gives string i.
func (s *Strings) At(i uint32) string { return s.list[i] }

// Columns gives offsets (one more than strings) and bytes.
func (s *Strings) Columns() (offsets []uint32, bytes []byte) {
	offsets = make([]uint32, 1, len(s.list)+1)
	bytes = make([]byte, 0, s.bytes)
	for _, text := range s.list {
		bytes = append(bytes, text...)
		offsets = append(offsets, uint32(len(bytes)))
	}
	return offsets, bytes
}

// Len gives the number of strings.
func (s *Strings) Len() int { return len(s.list) }
