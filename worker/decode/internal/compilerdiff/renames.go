package compilerdiff

import (
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// Rename names a function of the base and one of the candidate, as profiles do, whose
// cost moved from one to the other.
type Rename struct{ Base, Candidate string }

// findPair returns the function of a name in both builds, -1 where there is none.
//
// A function that only one build has is shown beside the one that it was renamed
// from or to, if that one is only in the other build: as the renames say, else the
// only one with the same code, else the only one of its name in another package or
// of another type, else the only one that its callers called instead.
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
	if found >= 0 {
		return found
	}
	return m.findChanged(function)
}

// findChanged returns the function of the base that one of the candidate was renamed
// from although its code has changed, -1 if none is the only one that could be it.
func (m *matching) findChanged(function int) int {
	m.baseInlined, m.candidateInlined = inlinedKeys(m.base), inlinedKeys(m.candidate)
	back := m.reversed()
	if !back.isRemoved(function) {
		return -1 // the base inlines it everywhere
	}
	own := splitName(m.candidate.Functions[function].Name)
	for _, isOne := range []func(a, b nameParts) bool{isMoved, isMethodOfRenamedType} {
		found := m.onlyGone(func(i int) bool { return isOne(own, splitName(m.base.Functions[i].Name)) })
		if found < 0 {
			continue
		}
		from := splitName(m.base.Functions[found].Name)
		// the base's must not be one of several that are new in the candidate either
		if back.onlyGone(func(i int) bool { return isOne(from, splitName(m.candidate.Functions[i].Name)) }) == function {
			return found
		}
	}
	return m.findReplaced(function)
}

// findReplaced returns the only function that is gone of those that the callers of a
// new one called or inlined, if the new one is the only one that these call in its
// place; -1 otherwise.
func (m *matching) findReplaced(function int) int {
	before := goneCalleeOf(m.candidate, function, m.toBase, m.base, m.isRemoved)
	if before < 0 {
		return -1
	}
	back := m.reversed()
	if goneCalleeOf(m.base, before, m.toCandidate, m.candidate, back.isRemoved) != function {
		return -1
	}
	return before
}

// goneCalleeOf returns the only function of another build that is gone and that the
// partners of all callers of a function use; -1 if there is none or are several.
func goneCalleeOf(p *gobinary.Program, function int, partners map[int]int, other *gobinary.Program, isGone func(int) bool) int {
	key, counts, callers := matchKey(p.Functions[function].Name), map[string]int{}, 0
	for i := range p.Functions {
		partner, isPaired := partners[i]
		if !isPaired || isRuntime(p.Functions[i].Name) || !slices.Contains(partsOf(p, i), key) {
			continue
		}
		callers++
		for _, each := range slices.Compact(partsOf(other, partner)) {
			counts[each]++
		}
	}
	if callers == 0 {
		return -1
	}
	found := -1
	for i := range other.Functions {
		if counts[matchKey(other.Functions[i].Name)] < callers || !isGone(i) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// onlyGone returns the only function of the base that is gone and meets a condition,
// -1 if there is none or are several.
func (m *matching) onlyGone(isOne func(int) bool) int {
	found := -1
	for i := range m.base.Functions {
		if !isOne(i) || !m.isRemoved(i) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// nameParts is the match key of a function in parts: net/http, (*Client), Do.
type nameParts struct{ pkg, receiver, name string }

// splitName returns the parts of a name. Functions without a receiver, and closures
// of such, have none.
func splitName(name string) nameParts {
	key := matchKey(name)
	path, rest, _ := cutPackage(key)
	receiver, method, isMethod := strings.Cut(rest, ".")
	if !isMethod || isClosurePart(method) {
		return nameParts{path, "", rest}
	}
	return nameParts{path, receiver, method}
}

// cutPackage cuts a match key behind the path of the package.
func cutPackage(key string) (path, rest string, found bool) {
	slash := strings.LastIndexByte(key, '/')
	before, after, found := strings.Cut(key[slash+1:], ".")
	return key[:slash+1] + before, after, found
}

// isClosurePart reports whether what follows a name is a closure or a wrapper in it.
func isClosurePart(rest string) bool {
	first, _, _ := strings.Cut(rest, ".")
	return first == "func" || first == "gowrap" || first == "deferwrap" || strings.HasSuffix(first, "-range")
}

// isMoved reports whether a function has the receiver and the name of another, in
// another package. Every program has main.main, and packages have init.
func isMoved(a, b nameParts) bool {
	return a.pkg != b.pkg && a.receiver == b.receiver && a.name == b.name && a.name != "init" && a.name != "main"
}

// isMethodOfRenamedType reports whether a method has the name of another of its
// package whose type has another name.
func isMethodOfRenamedType(a, b nameParts) bool {
	return a.pkg == b.pkg && a.name == b.name && a.receiver != "" && b.receiver != "" && a.receiver != b.receiver
}

// isGone reports whether the candidate has no function of the key of one of the base.
func (m *matching) isGone(function int) bool {
	name := m.base.Functions[function].Name
	_, isPaired := m.toCandidate[function]
	return !isPaired && !isRuntime(name) && len(m.candidateKeys[matchKey(name)]) == 0
}

// reversed returns the matching from the candidate to the base.
func (m *matching) reversed() *matching {
	return &matching{m.candidate, m.base, m.toBase, m.toCandidate, m.candidateKeys, m.baseKeys, m.candidateInlined, m.baseInlined}
}

// isRemoved reports whether the candidate neither has nor inlines a function of the
// key of one of the base.
func (m *matching) isRemoved(function int) bool {
	return m.isGone(function) && !m.candidateInlined[matchKey(m.base.Functions[function].Name)]
}

// inlinedKeys returns the match keys of all functions that are inlined somewhere.
func inlinedKeys(p *gobinary.Program) map[string]bool {
	keys := map[string]bool{}
	for i := range p.Functions {
		for _, node := range p.Functions[i].Inlined {
			keys[matchKey(node.Name)] = true
		}
	}
	return keys
}

func reversed(renames []Rename) []Rename {
	turned := make([]Rename, len(renames))
	for i, each := range renames {
		turned[i] = Rename{each.Candidate, each.Base}
	}
	return turned
}
