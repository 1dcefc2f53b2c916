package compilerdiff

import (
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// typeArguments replaces the type arguments of a name in a match key.
const typeArguments = "[…]"

// matchKey returns what a function's name has in common in two builds: without
// type arguments and without the numbers of closures and wrappers.
//
//	main.New.func2.gowrap1       -> main.New.func.gowrap
//	main.Map[go.shape.int].func1 -> main.Map[…].func
//	main.glob..func3             -> main.init.func
func matchKey(name string) string {
	before, after, isGeneric := strings.Cut(gobinary.Fold(name), "[...]")
	key := withoutNumbers(before)
	if isGeneric {
		key += typeArguments + withoutNumbers(after)
	}
	return strings.Replace(key, ".glob..func", ".init.func", 1)
}

// withoutNumbers folds the numbered segments of a name that the compiler made.
func withoutNumbers(name string) string {
	segments := strings.Split(name, ".")
	retained := segments[:0]
	inClosure := false
	for _, segment := range segments {
		switch base := strings.TrimRight(segment, "0123456789"); {
		case inClosure && segment != "" && base == "":
			continue
		case base == segment:
			inClosure = false
		case base == "func":
			if inClosure && len(retained) > 0 && retained[len(retained)-1] == "func" {
				continue
			}
			inClosure, segment = true, base
		case base == "gowrap", base == "deferwrap", strings.HasSuffix(base, "-range"):
			inClosure, segment = true, base
		default:
			inClosure = false
		}
		retained = append(retained, segment)
	}
	return strings.Join(retained, ".")
}

// enclosing returns the name of the declared function that a closure is in.
func enclosing(name string) string {
	before, _, found := strings.Cut(name, ".func")
	if !found {
		before, _, _ = strings.Cut(name, ".gowrap")
	}
	return before
}

// isRuntime reports whether a function belongs to the runtime or to the linker.
func isRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "type:") || strings.HasPrefix(name, "go:") ||
		strings.HasPrefix(name, "internal/runtime/") || !strings.Contains(name, ".")
}

// matching pairs the functions of two builds.
type matching struct {
	base, candidate         *gobinary.Program
	toCandidate, toBase     map[int]int
	baseKeys, candidateKeys map[string][]int

	// keys of functions that are inlined somewhere, once they are needed
	baseInlined, candidateInlined map[string]bool
}

func match(base, candidate *gobinary.Program) *matching {
	m := &matching{
		base: base, candidate: candidate, toCandidate: map[int]int{}, toBase: map[int]int{},
		baseKeys: byKey(base), candidateKeys: byKey(candidate),
	}
	for key, ours := range m.baseKeys {
		m.pairAll(ours, m.candidateKeys[key])
	}
	return m
}

func byKey(p *gobinary.Program) map[string][]int {
	keys := make(map[string][]int, len(p.Functions))
	for i := range p.Functions {
		key := matchKey(p.Functions[i].Name)
		keys[key] = append(keys[key], i)
	}
	return keys
}
