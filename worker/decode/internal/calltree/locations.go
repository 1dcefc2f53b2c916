package calltree

import (
	"fmt"

	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/profilefile"
)

// closeLocationTree ends the growth of the tree of locations and looks up what
// its symbols mean.
func (b *builder) closeLocationTree() error {
	parents, symbols := b.table.Trie.Finish()
	b.table.Trie = nil
	for node := 1; node < len(symbols); node++ {
		id := b.table.Symbols.ID(symbols[node])
		location, ok := b.indexes.Locations.Find(id)
		if !ok {
			return fault.New("unknown-location", "A sample names location %d, which the profile does not have. The file is damaged: take the profile again.", id)
		}
		symbols[node] = uint32(location)
	}
	b.parentOf, b.locationOf = parents, symbols
	return nil
}

// depths are what is known of a stack from its leaf node alone.
type depths struct {
	physical []uint32 // locations
	logical  []uint32 // frames, inlined ones included
	root     []uint32 // the node below the root through which the stack passes
}

// measureDepths walks the tree of locations in order of birth, and refuses
// stacks that are too deep.
func (b *builder) measureDepths() (*depths, error) {
	n := len(b.locationOf)
	d := &depths{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	limit := uint32(min(b.options.Limits.Depth, 1<<31))
	deepest := uint32(0)
	for node := 1; node < n; node++ {
		parent := b.parentOf[node]
		d.physical[node] = d.physical[parent] + 1
		d.logical[node] = d.logical[parent] + uint32(len(b.dictionary.framesOf(b.locationOf[node])))
		d.root[node] = d.root[parent]
		if parent == 0 {
			d.root[node] = uint32(node)
		}
		if deepest = max(deepest, d.logical[node]); deepest > limit {
			return nil, tooDeep(int64(limit), int64(deepest))
		}
	}
	b.file.Header.Counts.FramesMax = int64(deepest)
	return d, nil
}

func tooDeep(limit, actual int64) error {
	return fault.New("too-deep", "A stack has more than %d frames. Profilers stop long before; if the file is honest, raise --max-depth.", limit).
		WithLimit(limit, actual, "frames")
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

const none = profilefile.None
