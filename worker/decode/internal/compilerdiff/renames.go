package compilerdiff

import (
	"slices"

	"slowpath.dev/decode/internal/gobinary"
)

// Rename names a function of the base and one of the candidate, as profiles do, whose
// cost moved from one to the other.
type Rename struct{ Base, Candidate string }

// findPair returns the function of a name in both builds, -1 where there is none.
//
// A function that only one build has is shown beside the one that it was renamed
// from or to, if that one is only in the other build: as the renames say, else the
// only one with the same code.
func findPair(base, candidate *gobinary.Program, name string, renames []Rename) (ours, theirs int) {
	m := match(base, candidate)
	ours, theirs = largestOf(base, name), largestOf(candidate, name)
	if partner, ok := m.toBase[theirs]; ok {
		return partner, theirs
	}
	if partner, ok := m.toCandidate[ours]; ok && theirs < 0 {
		return ours, partner
	}
	switch {
	case ours < 0 && theirs >= 0:
		ours = m.findRenamed(theirs, name, renames)
	case theirs < 0 && ours >= 0:
		theirs = m.reversed().findRenamed(ours, name, reversed(renames))
	}
	return ours, theirs
}

// findRenamed returns the function of the base that a function of the candidate was
// renamed from, -1 for none.
func (m *matching) findRenamed(function int, name string, renames []Rename) int {
	for _, each := range renames {
		if each.Candidate != name {
			continue
		}
		if from := largestOf(m.base, each.Base); from >= 0 && m.isGone(from) {
			return from
		}
	}
	found, parts := -1, []string(nil)
	own := &m.candidate.Functions[function]
	for i := range m.base.Functions {
		f := &m.base.Functions[i]
		if f.Size != own.Size || f.Frame != own.Frame || len(f.Inlined) != len(own.Inlined) || !m.isGone(i) {
			continue
		}
		if parts == nil {
			parts = partsOf(m.candidate, function)
		}
		if len(parts) == 0 || !slices.Equal(parts, partsOf(m.base, i)) {
			continue
		}
		if found >= 0 {
			return -1 // two could be it
		}
		found = i
	}
	return found
}

// isGone reports whether the candidate has no function of the key of one of the base.
func (m *matching) isGone(function int) bool {
	name := m.base.Functions[function].Name
	_, isPaired := m.toCandidate[function]
	return !isPaired && !isRuntime(name) && len(m.candidateKeys[matchKey(name)]) == 0
}

// reversed returns the matching from the candidate to the base.
func (m *matching) reversed() *matching {
	return &matching{m.candidate, m.base, m.toBase, m.toCandidate, m.candidateKeys, m.baseKeys}
}

func reversed(renames []Rename) []Rename {
	turned := make([]Rename, len(renames))
	for i, each := range renames {
		turned[i] = Rename{each.Candidate, each.Base}
	}
	return turned
}
