package calltree

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Entries are in order of their words afterwards, whatever bits the words differ in, and none is lost.
func TestSortByWord(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, mask := range []uint64{0, 1, 0xff, 0xffff, 1<<63 | 1, 0xfff << 40, ^uint64(0)} {
		for _, count := range []int{0, 1, radixMin - 1, radixMin, 5000} {
			entries := make([]entry, count)
			for i := range entries {
				entries[i] = entry{word: random.Uint64() & mask, row: uint32(i)}
			}
			want := slices.Clone(entries)
			compare := func(x, y entry) int { return cmp.Or(cmp.Compare(x.word, y.word), cmp.Compare(x.row, y.row)) }
			slices.SortFunc(want, compare)
			sortByWord(entries)
			if !slices.IsSortedFunc(entries, func(x, y entry) int { return cmp.Compare(x.word, y.word) }) {
				t.Errorf("mask %x, %d entries: not in order", mask, count)
			}
			slices.SortFunc(entries, compare)
			if !slices.Equal(entries, want) {
				t.Errorf("mask %x, %d entries: not the entries that went in", mask, count)
			}
		}
	}
}
