package calltree

import (
	"cmp"
	"math/bits"
	"slices"
)

// entry is a sample on its way into order: the word of its stack at the level
// that is being sorted is at hand, so that sorting does not run about memory.
type entry struct {
	word uint64
	row  uint32
}

// sortRows is step 4: it returns the samples in order of their stacks, equal
// stacks in order of their labels.
func (b *builder) sortRows() []uint32 {
	entries := make([]entry, len(b.rows.start))
	for row := range entries {
		entries[row].row = uint32(row)
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
			e.word = b.words.all[b.rows.start[e.row]+level]
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
	slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(x.word, y.word) })
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
func (b *builder) shared(x, y uint32) int {
	w := &b.words
	i, j := b.rows.start[x], b.rows.start[y]
	for n := 0; ; n++ {
		a := w.all[i+uint32(n)]
		difference := a ^ w.all[j+uint32(n)]
		if difference != 0 {
			unused := 64 - w.symbolBits*uint(w.aWord)
			return n*w.aWord + (bits.LeadingZeros64(difference)-int(unused))/int(w.symbolBits)
		}
		if w.last(a) {
			return int(min(b.rows.frames[x], b.rows.frames[y]))
		}
	}
}
