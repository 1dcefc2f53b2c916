package compilerdiff

import (
	"cmp"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// mostOfOneKey bounds the work for functions of one key.
const mostOfOneKey = 256

// pageAddress is the arm64 instruction that takes the upper part of an address.
const pageAddress = "ADRP"

// place is what tells functions of one key apart without their instructions.
type place struct {
	arguments string
	line      int32 // relative to the enclosing function
	size      uint32
	frame     int32
}

// mostLeaf bounds the instructions that are read of a function without parts.
const mostLeaf = 4096

// placed is a function with its place and what it consists of: the match keys of
// what is inlined in it and of what it calls, sorted; of one that calls and inlines
// nothing, its instructions, none if they are not known.
type placed struct {
	function     int
	place        place
	parts        []string
	instructions []string
}

// pairAll pairs functions of one key. Where as many are in both builds and each has
// an equal place in the other, that decides. Otherwise one was added, removed or
// moved, and the numbers and lines of all behind it have changed: what they consist
// of comes first, then the place, then what is left is paired by likeness.
func (m *matching) pairAll(ours, theirs []int) {
	if len(ours) == 1 && len(theirs) == 1 {
		m.pair(ours[0], theirs[0])
		return
	}
	if len(ours) == 0 || len(theirs) == 0 {
		return
	}
	left, right := sortedByPlace(m.base, ours), sortedByPlace(m.candidate, theirs)
	if slices.EqualFunc(left, right, func(b, c placed) bool { return b.place == c.place }) {
		for i := range left {
			m.pair(left[i].function, right[i].function)
		}
		return
	}
	addParts(m.base, left)
	addParts(m.candidate, right)
	for _, isEqual := range []func(b, c *placed) bool{
		func(b, c *placed) bool { return b.place == c.place && b.isSameCode(c) },
		(*placed).isSameCode,
		func(b, c *placed) bool {
			return b.hasArguments(c) && len(b.parts) > 0 && slices.Equal(b.parts, c.parts)
		},
		func(b, c *placed) bool { return b.hasArguments(c) && b.place.line == c.place.line },
		func(b, c *placed) bool { return b.place.line == c.place.line },
	} {
		left, right = m.pairEqual(left, right, isEqual)
	}
	for _, b := range left {
		if len(right) == 0 {
			return
		}
		most := slices.MaxFunc(right, func(x, y placed) int { return b.compareLikeness(&x, &y) })
		m.pair(b.function, most.function)
		right = slices.DeleteFunc(right, func(c placed) bool { return c.function == most.function })
	}
}

// pairEqual pairs each function with the first equal one, and returns the rest.
func (m *matching) pairEqual(left, right []placed, isEqual func(b, c *placed) bool) (restLeft, restRight []placed) {
	left = slices.DeleteFunc(left, func(b placed) bool {
		at := slices.IndexFunc(right, func(c placed) bool { return isEqual(&b, &c) })
		if at < 0 {
			return false
		}
		m.pair(b.function, right[at].function)
		right = slices.Delete(right, at, at+1)
		return true
	})
	return left, right
}

func (m *matching) pair(base, candidate int) {
	m.toCandidate[base], m.toBase[candidate] = candidate, base
}

func (b *placed) hasArguments(c *placed) bool { return b.place.arguments == c.place.arguments }

// isSameCode reports whether two functions consist of the same, as far as that is known.
func (b *placed) isSameCode(c *placed) bool {
	return b.hasArguments(c) && b.place.size == c.place.size && b.place.frame == c.place.frame && slices.Equal(b.parts, c.parts) &&
		(b.instructions == nil || c.instructions == nil || slices.Equal(b.instructions, c.instructions))
}

// compareLikeness compares how alike two functions are to this one: by the parts they
// share, less those that only one has, then by size.
func (b *placed) compareLikeness(x, y *placed) int {
	return cmp.Or(
		cmp.Compare(likeness(b.parts, x.parts), likeness(b.parts, y.parts)),
		cmp.Compare(distance(b.place.size, y.place.size), distance(b.place.size, x.place.size)),
	)
}

// likeness returns how many elements sorted lists share, less those of one list only.
func likeness(a, b []string) int {
	shared, i, k := 0, 0, 0
	for i < len(a) && k < len(b) {
		switch order := cmp.Compare(a[i], b[k]); {
		case order == 0:
			shared, i, k = shared+1, i+1, k+1
		case order < 0:
			i++
		default:
			k++
		}
	}
	return 3*shared - len(a) - len(b)
}

func distance(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func addParts(p *gobinary.Program, functions []placed) {
	for i := range functions {
		if functions[i].parts = partsOf(p, functions[i].function); len(functions[i].parts) == 0 {
			functions[i].instructions = instructionsOf(p, functions[i].function)
		}
	}
}

// instructionsOf returns the instructions of a function without what linking changes,
// the places of data: those are left out with the instruction that takes the rest of
// an address on arm64. It returns none of a program of columns.
func instructionsOf(p *gobinary.Program, function int) []string {
	found, _, err := p.Disassemble(function, mostLeaf)
	if err != nil {
		return nil
	}
	texts := make([]string, len(found))
	for i, each := range found {
		texts[i] = each.Text
		if strings.Contains(each.Text, "(IP)") || strings.Contains(each.Text, "(SB)") || each.Op == pageAddress || i > 0 && found[i-1].Op == pageAddress {
			texts[i] = each.Shape
		}
	}
	return texts
}

func partsOf(p *gobinary.Program, function int) []string {
	var parts []string
	for _, node := range p.Functions[function].Inlined {
		parts = append(parts, matchKey(node.Name))
	}
	code, err := p.Code(function)
	if err != nil {
		return parts // a damaged function is paired by its place
	}
	for _, call := range code.Calls {
		if call.Target >= 0 && int(call.Target) < len(p.Functions) {
			parts = append(parts, matchKey(p.Functions[call.Target].Name))
		}
	}
	slices.Sort(parts)
	return parts
}

func placeOf(p *gobinary.Program, function int) place {
	f := &p.Functions[function]
	line := f.StartLine
	if found := p.Find(enclosing(f.Name)); len(found) > 0 {
		line -= p.Functions[found[0]].StartLine
	}
	return place{argumentsOf(f.Name), line, f.Size, f.Frame}
}

func sortedByPlace(p *gobinary.Program, functions []int) []placed {
	sorted := make([]placed, 0, min(len(functions), mostOfOneKey))
	for _, function := range functions[:min(len(functions), mostOfOneKey)] {
		sorted = append(sorted, placed{function: function, place: placeOf(p, function)})
	}
	slices.SortStableFunc(sorted, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.place.line, b.place.line), cmp.Compare(a.place.size, b.place.size))
	})
	return sorted
}
