// Package traceintern numbers what events name: strings, stacks, wake
// reasons, and the groups that goroutines belong to.
package traceintern

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxNameBytes bounds one name in bytes; the runtime cuts its own at 1 KiB.
	maxNameBytes = 4 << 10
	// allNames bounds the bytes of all names together.
	allNames = 24 << 20
)

// Overflow represents every name that came after a table was full.
const Overflow = "(other)"

// StringInterner numbers distinct strings; 0 is "".
type StringInterner struct {
	index map[string]uint32
	list  []string
	bytes int
}

// NewStrings makes a table that holds "" and Overflow.
func NewStrings() *StringInterner {
	s := &StringInterner{index: map[string]uint32{}}
	s.Intern("")
	s.Intern(Overflow)
	return s
}

// Intern returns the number of a string. Bad UTF-8 and NUL become U+FFFD.
func (s *StringInterner) Intern(text string) uint32 {
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
	if len(text) > maxNameBytes {
		text = text[:maxNameBytes]
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
	}
	return strings.Clone(text)
}

// At returns string i.
func (s *StringInterner) At(i uint32) string { return s.list[i] }

// Columns returns offsets (one more than strings) and bytes.
func (s *StringInterner) Columns() (offsets []uint32, bytes []byte) {
	offsets = make([]uint32, 1, len(s.list)+1)
	bytes = make([]byte, 0, s.bytes)
	for _, text := range s.list {
		bytes = append(bytes, text...)
		offsets = append(offsets, uint32(len(bytes)))
	}
	return offsets, bytes
}

// Len returns the number of strings.
func (s *StringInterner) Len() int { return len(s.list) }
