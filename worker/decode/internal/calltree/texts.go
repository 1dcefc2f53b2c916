package calltree

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// texts numbers strings: first in order of arrival, then, when all are known,
// by their bytes, so that the numbers do not depend on the order of input.
type texts struct {
	arrived map[string]uint32
	all     []string
	rank    []uint32
	mended  int // strings that had bytes we replaced
}

func newTexts() *texts {
	return &texts{arrived: map[string]uint32{"": 0}, all: []string{""}}
}

// add numbers a string by arrival.
func (t *texts) add(text string) uint32 {
	if n, ok := t.arrived[text]; ok {
		return n
	}
	n := uint32(len(t.all))
	t.arrived[text] = n
	t.all = append(t.all, text)
	return n
}

// clean gives valid UTF-8 without NUL: every bad byte becomes U+FFFD. NUL is
// valid UTF-8, but neither PostgreSQL nor C tools can hold it.
func (t *texts) clean(raw []byte) string {
	if utf8.Valid(raw) && !slices.Contains(raw, 0) {
		return string(raw)
	}
	t.mended++
	return strings.ReplaceAll(string([]rune(string(raw))), "\x00", "\uFFFD")
}

// order fixes the numbers: rank[arrival] is the place among all strings sorted
// by bytes, and the empty string is 0.
func (t *texts) order() (offsets []uint32, bytes []byte) {
	order := make([]uint32, len(t.all))
	size := 0
	for i, text := range t.all {
		order[i] = uint32(i)
		size += len(text)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(t.all[a], t.all[b]) })
	t.rank = make([]uint32, len(order))
	offsets = make([]uint32, 1, len(order)+1)
	bytes = make([]byte, 0, size)
	for place, n := range order {
		t.rank[n] = uint32(place)
		bytes = append(bytes, t.all[n]...)
		offsets = append(offsets, uint32(len(bytes)))
	}
	t.arrived = nil
	return offsets, bytes
}
