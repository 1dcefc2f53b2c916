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
	all     []string            // by arrival, and after sort by bytes
	rank    []uint32            // number by bytes, of a number by arrival
	broken  map[string]struct{} // those that are no UTF-8, as they came
	nuls    int                 // strings that held NUL
}

func newTexts() *texts {
	return &texts{arrived: map[string]uint32{"": 0}, all: []string{""}, broken: map[string]struct{}{}}
}

// add numbers a string by arrival; the empty string is 0.
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
	if utf8.Valid(raw) {
		t.nuls++
	} else {
		t.broken[string(raw)] = struct{}{}
	}
	return strings.ReplaceAll(string([]rune(string(raw))), "\x00", "\uFFFD")
}

// sort ends the arrivals and numbers all strings by their bytes.
func (t *texts) sort() {
	order := identity(len(t.all))
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(t.all[a], t.all[b]) })
	t.rank = make([]uint32, len(order))
	sorted := make([]string, len(order))
	for place, n := range order {
		t.rank[n] = uint32(place)
		sorted[place] = t.all[n]
	}
	t.all, t.arrived = sorted, nil
}

// keep writes the strings that are in use, and gives the place of each there.
func (t *texts) keep(used []bool) (offsets []uint32, bytes []byte, place []uint32) {
	place = make([]uint32, len(t.all))
	offsets = []uint32{0}
	for i, text := range t.all {
		if !used[i] {
			continue
		}
		place[i] = uint32(len(offsets) - 1)
		bytes = append(bytes, text...)
		offsets = append(offsets, uint32(len(bytes)))
	}
	return offsets, bytes, place
}

func identity(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}
