package calltree

import (
	"encoding/binary"
	"math/bits"

	"slowpath.dev/decode/internal/inputerror"
)

// words holds stacks as words over the alphabet of frames. A symbol is a
// frame's number plus one; symbols are ordered root first, from the highest bits of a
// word down, and at least one zero symbol ends a stack. So stacks order as
// their words do, and no word but the last of a stack ends in a zero symbol.
type words struct {
	symbolBits uint
	aWord      int // symbols in a word
	all        []uint64
}

func newWords(frames int) words {
	symbolBits := uint(max(2, bits.Len(uint(frames))))
	return words{symbolBits: symbolBits, aWord: int(64 / symbolBits)}
}

// last reports whether a word ends its stack.
func (w *words) last(word uint64) bool { return word&(1<<w.symbolBits-1) == 0 }

// at returns symbol i of the stack that starts at word start.
func (w *words) at(start uint32, i int) uint32 {
	word := w.all[int(start)+i/w.aWord]
	shift := w.symbolBits * uint(w.aWord-1-i%w.aWord)
	return uint32(word >> shift & (1<<w.symbolBits - 1))
}

// append adds a stack of frames, root first, and returns where it starts.
func (w *words) append(frames []uint32) (start uint32) {
	start = uint32(len(w.all))
	word, room := uint64(0), w.aWord
	for _, frame := range frames {
		word = word<<w.symbolBits | uint64(frame+1)
		if room--; room == 0 {
			w.all = append(w.all, word)
			word, room = 0, w.aWord
		}
	}
	w.all = append(w.all, word<<(w.symbolBits*uint(room)))
	return start
}

// row is what is known of a sample beside its values and labels.
type row struct {
	start    uint32 // of its words
	frames   uint32 // frames, inlined ones included
	physical uint32 // locations
	top      uint32 // frames of the outermost location
}

// packStacks is step 2.
func (b *builder) packStacks() error {
	d, n := &b.dictionary, int(b.file.Header.Counts.Samples)
	b.words = newWords(len(d.frames))
	// Ids take two bytes on average, so that mostly one allocation is enough.
	b.words.all = make([]uint64, 0, b.table.Stacks.Size()/2/int64(b.words.aWord)+int64(n))
	b.rows = make([]row, 0, n)
	deepest, total := 0, int64(0)
	limit := b.options.Limits.FramesFor(b.options.Source.BytesUnpacked)
	var locations, frames []uint32
	for ids := range b.table.Stacks.Drain() {
		var err error
		if locations, err = b.locationsOf(locations[:0], ids); err != nil {
			return err
		}
		frames = frames[:0]
		for i := len(locations) - 1; i >= 0; i-- {
			if frame := d.frameOfLocation[locations[i]]; frame != none {
				frames = append(frames, frame)
			} else {
				frames = append(frames, d.framesOf(int(locations[i]))...)
				d.noteInlined(locations[i])
			}
			if int64(len(frames)) > b.options.Limits.Depth {
				return tooDeep(b.options.Limits.Depth, int64(len(frames)))
			}
		}
		if total += int64(len(frames)); total > limit {
			return tooManyFrames(limit, total)
		}
		deepest = max(deepest, len(frames))
		b.rows = append(b.rows, row{b.words.append(frames), uint32(len(frames)), uint32(len(locations)), uint32(d.topOf(locations))})
	}
	b.file.Header.Counts.FramesMax = int64(deepest)
	if !b.options.Brief {
		d.findInlined()
	}
	d.frameOfLocation, d.locationStart, d.locationFrames = nil, nil, nil
	return nil
}

// topOf counts the frames of the outermost location.
func (d *dictionary) topOf(locations []uint32) int {
	if len(locations) == 0 {
		return 0
	}
	outermost := locations[len(locations)-1]
	if d.frameOfLocation[outermost] != none {
		return 1
	}
	return len(d.framesOf(int(outermost)))
}

// locationsOf looks up the location ids of a stack, which the reader has found
// to be well-formed varints.
func (b *builder) locationsOf(locations []uint32, ids []byte) ([]uint32, error) {
	for len(ids) > 0 {
		id, n := uint64(ids[0]), 1
		switch {
		case id < 0x80:
		case len(ids) > 1 && ids[1] < 0x80:
			id, n = id&0x7f|uint64(ids[1])<<7, 2
		case len(ids) > 2 && ids[2] < 0x80:
			id, n = id&0x7f|uint64(ids[1]&0x7f)<<7|uint64(ids[2])<<14, 3
		default:
			id, n = binary.Uvarint(ids)
		}
		location, ok := b.indexes.Locations.Find(id)
		if !ok || n <= 0 {
			return nil, inputerror.New("unknown-location", "A sample names location %d, which the profile does not have. The file is damaged: record the profile again.", id)
		}
		locations = append(locations, uint32(location))
		ids = ids[n:]
	}
	return locations, nil
}

func tooDeep(limit, actual int64) error {
	return inputerror.New("too-deep", "A stack has more than %d frames. Profilers stop long before; if the file is valid, raise --max-depth.", limit).
		WithLimit(limit, actual, "frames")
}

func tooManyFrames(limit, actual int64) error {
	return inputerror.New("too-many-frames", "The stacks of this profile have more than %d frames, more than a file of its size can hold. Record a shorter profile; if the file is valid, raise --max-frames.", limit).
		WithLimit(limit, actual, "frames")
}
