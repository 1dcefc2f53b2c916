package traceintern

import (
	"strings"

	"slowpath.dev/decode/internal/symbolkey"
)

const (
	// MaxGroups bounds the groups, Unnamed and Other included.
	MaxGroups = 1024
	// Unnamed is the group of goroutines that never showed a stack.
	Unnamed = 0
	// Other is the group of all that came after the table was full.
	Other = 1
)

// Group is a kind of goroutine: those that begin in one function, behind
// wrappers that only call what they were given.
type Group struct {
	Name   uint32 // string: the normalized key
	Start  uint32 // string: the function that the goroutines really begin in
	System bool   // the runtime's own
}

// GoroutineGroupInterner numbers groups.
type GoroutineGroupInterner struct {
	names   *StringInterner
	stacks  *StackInterner
	byName  map[string]uint32
	list    []Group
	byStack []groupDecision // what each stack shows of its goroutine
}

// groupDecision is what a stack shows about its goroutine's group.
type groupDecision struct {
	group uint32
	known bool
	final bool // no deeper stack of the same goroutine can show more
}

// NewGroups makes a table with the groups Unnamed and Other.
func NewGroups(strings *StringInterner, stacks *StackInterner) *GoroutineGroupInterner {
	g := &GoroutineGroupInterner{names: strings, stacks: stacks, byName: map[string]uint32{}}
	g.add("(unnamed)", "")
	g.add(Overflow, "")
	return g
}

func (g *GoroutineGroupInterner) add(name, start string) uint32 {
	if i, ok := g.byName[name]; ok {
		return i
	}
	if len(g.list) >= MaxGroups {
		return Other
	}
	i := uint32(len(g.list))
	g.byName[name] = i
	g.list = append(g.list, Group{g.names.Intern(name), g.names.Intern(start), isSystem(start)})
	return i
}

// Len returns the number of groups.
func (g *GoroutineGroupInterner) Len() int { return len(g.list) }

// At returns group i.
func (g *GoroutineGroupInterner) At(i uint32) Group { return g.list[i] }

// Of returns the group of a goroutine from one of its stacks. It is final when no
// other stack can show more: wrappers show what they call only once it runs.
func (g *GoroutineGroupInterner) Of(stack uint32) (group uint32, final bool) {
	for int(stack) >= len(g.byStack) {
		g.byStack = append(g.byStack, groupDecision{})
	}
	v := &g.byStack[stack]
	if !v.known {
		*v = g.classify(g.stacks.Frames(stack))
	}
	return v.group, v.final
}

func (g *GoroutineGroupInterner) classify(frames []uint32) groupDecision {
	if len(frames) == 0 {
		return groupDecision{group: Unnamed, known: true}
	}
	start := g.stacks.Function(frames[len(frames)-1])
	name, final := start, false
	passes := false
	for i := len(frames) - 1; i >= 0; i-- {
		f := g.stacks.Function(frames[i])
		if isWrapper(f) || passes && isClosure(f) {
			passes = passesOn(f)
			continue
		}
		name, final = f, true
		break
	}
	if len(frames) >= maxStackFrames { // its root was cut off
		final = false
	}
	if !final {
		return groupDecision{group: g.add(start, start), known: true}
	}
	return groupDecision{group: g.add(symbolkey.Key(name), start), known: true, final: true}
}

// isSystem reports whether goroutines that begin here are the runtime's own.
func isSystem(start string) bool {
	return strings.HasPrefix(start, "runtime.") && !wrappers[start] || strings.HasPrefix(start, "runtime/trace.")
}

// wrappers are functions whose goroutines do one thing that was given to them
// by a caller, for as long as they live.
var wrappers = map[string]bool{
	"runtime.goexit": true, "runtime.goexit0": true, "runtime.main": true, "runtime.corostart": true, "time.goFunc": true,
}

// isWrapper knows wrappers by name, and by habit: `x.Go(f)` and the like start
// a closure that calls f.
func isWrapper(function string) bool {
	if wrappers[function] {
		return true
	}
	at := strings.LastIndexByte(function, '.')
	last := function[at+1:]
	if isNumbered(last, "gowrap") || isNumbered(last, "deferwrap") {
		return true
	}
	outer, _, isClosure := strings.Cut(function, ".func")
	if !isClosure {
		return false
	}
	outer = outer[strings.LastIndexByte(outer, '.')+1:]
	switch outer {
	case "Go", "TryGo", "GoCtx", "startGoRoutine", "startGoroutine", "serveStreams":
		return true
	}
	return false
}

// passesOn reports whether a wrapper is by habit given closures that only call one
// method: s.startGoRoutine(func() { c.readLoop() }).
func passesOn(function string) bool {
	return strings.Contains(strings.ToLower(function), ".startgoroutine.func")
}

func isClosure(function string) bool {
	return isNumbered(function[strings.LastIndexByte(function, '.')+1:], "func")
}

func isNumbered(s, prefix string) bool {
	digits, ok := strings.CutPrefix(s, prefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
