package calltree

import (
	"cmp"
	"math/bits"
	"slices"
)

// entry is a sample on its way into order: the word of its stack at the level
// that is being sorted is at hand, so that sorting does not run about memory.
type entry struct {
	word  uint64
	row   uint32
	start uint32 // of the words of its stack
}

// sortRows is step 4: it returns the samples in order of their stacks, equal
// stacks in order of their labels.
func (b *builder) sortRows() []uint32 {
	entries := make([]entry, len(b.rows))
	for row, sample := range b.rows {
		entries[row] = entry{row: uint32(row), start: sample.start}
	}
	b.sortLevel(entries, 0)
	order := make([]uint32, len(entries))
	for i, e := range entries {
		order[i] = e.row
	}
	return order
}

// sortLevel sorts stacks that are equal in all words before level.
func (b *builder) sortLevel(entries []entry, level uint32) {
	for {
		same := true
		for i := range entries {
			e := &entries[i]
			e.word = b.words.all[e.start+level]
			same = same && e.word == entries[0].word
		}
		if !same {
			break
		}
		if b.words.last(entries[0].word) {
			b.sortLabels(entries)
			return
		}
		level++
	}
	sortByWord(entries)
	for i := 0; i < len(entries); {
		j := i + 1
		for j < len(entries) && entries[j].word == entries[i].word {
			j++
		}
		switch {
		case j == i+1:
		case b.words.last(entries[i].word):
			b.sortLabels(entries[i:j])
		default:
			b.sortLevel(entries[i:j], level+1)
		}
		i = j
	}
}

const (
	radixBits = 8
	radixLen  = 1 << radixBits
	// radixMin is the number of entries from which distributing them costs less
	// than comparing them.
	radixMin = 128
)

// sortByWord sorts entries by their words, in place: they are distributed by the
// highest bits in which any of them differ, and then each part is sorted alone.
func sortByWord(entries []entry) {
	if len(entries) < radixMin {
		slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(x.word, y.word) })
		return
	}
	differing := uint64(0)
	for i := range entries {
		differing |= entries[i].word ^ entries[0].word
	}
	if differing == 0 {
		return
	}
	start := distribute(entries, max(0, bits.Len64(differing)-radixBits))
	for part := range radixLen {
		sortByWord(entries[start[part]:start[part+1]])
	}
}

// distribute puts entries in order of radixBits of their words from shift on, and
// returns where each value of these bits starts.
func distribute(entries []entry, shift int) (start [radixLen + 1]int) {
	digit := func(e entry) int { return int(e.word >> shift & (radixLen - 1)) }
	for _, e := range entries {
		start[digit(e)+1]++
	}
	for part := range radixLen {
		start[part+1] += start[part]
	}
	next := start
	for part := range radixLen {
		for next[part] < start[part+1] {
			e := entries[next[part]]
			for to := digit(e); to != part; to = digit(e) {
				e, entries[next[to]] = entries[next[to]], e
				next[to]++
			}
			entries[next[part]] = e
			next[part]++
		}
	}
	return start
}

// sortLabels sorts samples of one stack.
func (b *builder) sortLabels(entries []entry) {
	if len(entries) > 1 && b.dictionary.sets != nil {
		slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(b.labelset(x.row), b.labelset(y.row)) })
	}
}

// labelset returns the final number of a sample's labels.
func (b *builder) labelset(row uint32) uint32 {
	if b.dictionary.sets == nil {
		return 0
	}
	return b.dictionary.sets[b.table.RowLabelset.At(int(row))]
}

// shared counts the frames that two stacks have in common at the root side.
func (b *builder) shared(x, y row) int {
	w := &b.words
	i, j := x.start, y.start
	for n := 0; ; n++ {
		a := w.all[i+uint32(n)]
		difference := a ^ w.all[j+uint32(n)]
		if difference != 0 {
			unused := 64 - w.symbolBits*uint(w.aWord)
			return n*w.aWord + (bits.LeadingZeros64(difference)-int(unused))/int(w.symbolBits)
		}
		if w.last(a) {
			return int(min(x.frames, y.frames))
		}
	}
}
