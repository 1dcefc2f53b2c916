package profiletables

import (
	"bytes"
	"testing"
)

// Strings of lengths around that of a page come back as they went in.
func TestStringTableAcrossPages(t *testing.T) {
	var s StringTable
	lengths := []int{0, 1, stringsPage - 1, 0, 1, stringsPage, 0, 7, stringsPage + 1, 0, 3}
	for i, length := range lengths {
		s.Append(bytes.Repeat([]byte{byte('a' + i)}, length))
	}
	total := int64(0)
	for i, length := range lengths {
		total += int64(length)
		if got, want := s.At(int64(i)), bytes.Repeat([]byte{byte('a' + i)}, length); !bytes.Equal(got, want) {
			t.Errorf("string %d of %d bytes is not what went in, of %d", i, len(got), length)
		}
	}
	if s.Len() != len(lengths) || s.Size() != total {
		t.Errorf("%d strings of %d bytes, want %d of %d", s.Len(), s.Size(), len(lengths), total)
	}
}
