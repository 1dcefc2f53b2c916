package compilerdiff

import (
	"cmp"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// mostInstances is how many instances of generic functions a report lists.
const mostInstances = 200

// What became of an instance.
const (
	InstanceAdded   = "added"
	InstanceRemoved = "removed"
	InstanceChanged = "changed"
)

// Instance is an instance of a generic function that one build has, or whose code
// differs. Its closures are not listed: they come and go with it.
type Instance struct {
	Change    string        `json:"change"`
	Function  string        `json:"function"`  // as profiles name it: Map[...]
	Arguments string        `json:"arguments"` // go.shape.int
	OnStack   bool          `json:"on_stack"`  // on one of the stacks that were followed
	Base      *InstanceCode `json:"base"`
	Candidate *InstanceCode `json:"candidate"`
}

// InstanceCode is what is compared of an instance: bytes, and calls inlined in it.
type InstanceCode struct {
	Size    uint32 `json:"size"`
	Frame   int32  `json:"frame"`
	Inlined int    `json:"inlined"`
}

// instances lists the instances that differ, those on stacks first, and how many of
// them are beyond the limit.
func (c *comparison) instances() (listed []Instance, omitted int) {
	base, candidate := instancesOf(c.base), instancesOf(c.candidate)
	onStacks := map[string]bool{}
	for function := range c.pairs {
		onStacks[gobinary.Fold(c.candidate.Functions[function].Name)] = true
		if partner, ok := c.toBase[function]; ok {
			onStacks[gobinary.Fold(c.base.Functions[partner].Name)] = true
		}
	}
	found := []Instance{}
	add := func(change string, name string, ours, theirs *InstanceCode) {
		function := gobinary.Fold(name)
		found = append(found, Instance{change, cut(function), cut(argumentsOf(name)), onStacks[function], ours, theirs})
	}
	for name, theirs := range candidate {
		ours, ok := base[name]
		switch {
		case !ok:
			add(InstanceAdded, name, nil, codeOf(c.candidate, theirs))
		case !isSameCode(c.base, c.candidate, ours, theirs):
			add(InstanceChanged, name, codeOf(c.base, ours), codeOf(c.candidate, theirs))
		}
	}
	for name, ours := range base {
		if _, ok := candidate[name]; !ok {
			add(InstanceRemoved, name, codeOf(c.base, ours), nil)
		}
	}
	slices.SortFunc(found, func(a, b Instance) int {
		return cmp.Or(-compareBool(a.OnStack, b.OnStack), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Arguments, b.Arguments))
	})
	shown := min(len(found), mostInstances)
	return found[:shown], len(found) - shown
}

// instancesOf returns the instances of generic functions and of methods of generic
// types by name.
func instancesOf(p *gobinary.Program) map[string]int {
	found := map[string]int{}
	for i := range p.Functions {
		f := &p.Functions[i]
		if argumentsOf(f.Name) == "" || f.Wrapper || isRuntime(f.Name) || isNumbered(f.Name) {
			continue
		}
		found[f.Name] = i
	}
	return found
}

// isNumbered reports whether a name has a part that the compiler numbers: a closure
// or a wrapper.
func isNumbered(name string) bool {
	_, behind, _ := strings.Cut(gobinary.Fold(name), "[...]")
	return behind != withoutNumbers(behind)
}

// argumentsOf returns the type arguments in a name, without the outer brackets.
func argumentsOf(name string) string {
	first, last := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if first < 0 || last <= first {
		return ""
	}
	return name[first+1 : last]
}

// isSameCode reports whether an instance has the same size, frame and inlined calls.
func isSameCode(base, candidate *gobinary.Program, ours, theirs int) bool {
	b, c := &base.Functions[ours], &candidate.Functions[theirs]
	return b.Size == c.Size && b.Frame == c.Frame && haveSameInlining(base, candidate, ours, theirs)
}

// haveSameInlining reports whether the same functions are inlined in both, in the same places.
func haveSameInlining(base, candidate *gobinary.Program, ours, theirs int) bool {
	b, c := &base.Functions[ours], &candidate.Functions[theirs]
	return slices.EqualFunc(b.Inlined, c.Inlined, func(one, other gobinary.InlinedFunction) bool {
		return one.Parent == other.Parent && matchKey(one.Name) == matchKey(other.Name)
	})
}

func codeOf(p *gobinary.Program, function int) *InstanceCode {
	f := &p.Functions[function]
	return &InstanceCode{f.Size, f.Frame, len(f.Inlined)}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
