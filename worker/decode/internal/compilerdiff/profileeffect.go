package compilerdiff

import "slices"

// pgoSetting is the setting of a build that names its PGO profile.
const pgoSetting = "-pgo"

// isAnyAffected reports whether a setting that differs between the builds may be why
// one of these functions of the candidate differs. A PGO profile changes what is inlined
// and which methods are called directly; any other setting may change all code.
func (c *comparison) isAnyAffected(functions ...int) bool {
	switch differences := c.report.Differences; {
	case len(differences) == 0:
		return false
	case len(differences) > 1 || differences[0].Setting != pgoSetting:
		return true
	}
	return slices.ContainsFunc(functions, c.isProfileAffected)
}

// isProfileAffected reports whether other PGO profiles may be why a function differs.
// They are not if both builds inlined the same functions in it, call the same functions
// that both have, and allocate as often: then what differs is in its source. Functions
// of the candidate only were not affected if nothing is inlined in them.
func (c *comparison) isProfileAffected(candidate int) bool {
	base, isMatched := c.toBase[candidate]
	if !isMatched {
		return len(c.candidate.Functions[candidate].Inlined) > 0
	}
	if !haveSameInlining(c.base, c.candidate, base, candidate) {
		return true
	}
	ours, theirs := c.tally(c.base, c.baseTallies, base), c.tally(c.candidate, c.candidateTallies, candidate)
	if ours.allocations() != theirs.allocations() {
		return true
	}
	return slices.ContainsFunc(sortedKeys(ours.called, theirs.called), func(key string) bool {
		isInBoth := len(c.baseKeys[key]) > 0 && len(c.candidateKeys[key]) > 0
		return isInBoth && !isRuntime(key) && ours.called[key] != theirs.called[key]
	})
}

func (t *tally) allocations() (count int) {
	for call, lines := range t.runtime {
		if call.kind == HeapAllocationNew {
			count += len(lines)
		}
	}
	return count
}

// functionsOf returns the functions with a frame on paths of the candidate.
func functionsOf(paths []position) []int {
	var found []int
	for _, at := range paths {
		for frame := at.stackFrame; frame != nil; frame = frame.caller {
			found = append(found, frame.function)
		}
	}
	return found
}
