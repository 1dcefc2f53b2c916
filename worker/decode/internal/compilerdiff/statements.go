package compilerdiff

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// A size that changes by less says nothing.
const (
	sizeShare = 0.10
	sizeBytes = 64
)

// runtimeKinds are the kinds of findings on calls into the runtime, by the
// prefix of the function that is called.
var runtimeKinds = []struct {
	kind     string
	prefixes []string
}{
	{HeapAllocationNew, []string{
		"runtime.newobject", "runtime.makeslice", "runtime.growslice", "runtime.convT", "runtime.makemap", "runtime.makechan",
		"runtime.concatstring", "runtime.slicebytetostring", "runtime.mallocgc", "runtime.mallocTiny", "runtime.mallocSmall",
	}},
	{WriteBarrierNew, []string{"runtime.gcWriteBarrier", "runtime.wbMove", "runtime.wbZero", "runtime.typedmemmove"}},
	{BoundsChecks, []string{"runtime.panicIndex", "runtime.panicSlice", "runtime.panicBounds"}},
}

func runtimeKind(name string) string {
	for _, each := range runtimeKinds {
		if slices.ContainsFunc(each.prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return each.kind
		}
	}
	return ""
}

// tally is what one function's code consists of, by match key.
type tally struct {
	inlined map[string]int
	called  map[string]int
	names   map[string]string
	lines   map[string]int32
	targets map[string]int
	runtime map[runtimeCall][]int32 // lines
	whole   bool
	checked bool
}

// runtimeCall is a kind of call into the runtime from the code of a function,
// which may be inlined.
type runtimeCall struct{ kind, origin string }

func tallyOf(p *gobinary.Program, function int) tally {
	t := tally{map[string]int{}, map[string]int{}, map[string]string{}, map[string]int32{}, map[string]int{}, map[runtimeCall][]int32{}, false, false}
	f := &p.Functions[function]
	for _, node := range f.Inlined {
		key := matchKey(node.Name)
		t.inlined[key]++
		t.names[key] = gobinary.Fold(node.Name)
		t.lines[key] = node.CallLine
	}
	code, err := p.Code(function)
	if err != nil {
		return t
	}
	t.whole, t.checked = code.Complete, code.Checked
	for _, call := range code.Calls {
		if call.Target < 0 || int(call.Target) >= len(p.Functions) {
			continue
		}
		name := p.Functions[call.Target].Name
		if kind := runtimeKind(name); kind != "" {
			origin := ""
			if call.Inline >= 0 && int(call.Inline) < len(f.Inlined) {
				origin = matchKey(f.Inlined[call.Inline].Name)
			}
			t.runtime[runtimeCall{kind, origin}] = append(t.runtime[runtimeCall{kind, origin}], call.Line)
		}
		key := matchKey(name)
		t.called[key]++
		t.names[key], t.lines[key], t.targets[key] = gobinary.Fold(name), call.Line, int(call.Target)
	}
	return t
}

// statements compares a function of the base with its match.
func (c *comparison) statements(base, candidate int) []Finding {
	ours, theirs := c.tally(c.base, c.baseTallies, base), c.tally(c.candidate, c.candidateTallies, candidate)
	var found []Finding
	for _, key := range sortedKeys(ours.inlined, theirs.inlined, theirs.called) {
		if kind := c.inliningKind(key, ours, theirs); kind != "" {
			found = append(found, c.inlining(kind, key, base, candidate))
		}
	}
	found = append(found, c.runtimeCalls(ours, theirs, candidate)...)
	return append(found, c.sizes(base, candidate, ours, theirs)...)
}

// inliningKind decides what became of a callee. That an entry of the inline
// tree is missing proves little: "lost" and "gained" need the calls as well.
func (c *comparison) inliningKind(key string, ours, theirs tally) string {
	name := cmp.Or(theirs.names[key], ours.names[key])
	switch {
	case isRuntime(name):
		return ""
	case theirs.inlined[key] < ours.inlined[key] && theirs.called[key] > ours.called[key]:
		return InliningLost
	case theirs.inlined[key] > ours.inlined[key] && theirs.called[key] < ours.called[key]:
		return InliningGained
	case theirs.called[key] > 0 && ours.called[key] == 0 && ours.inlined[key] == 0 && len(c.baseKeys[key]) == 0:
		return CallNew
	}
	return ""
}

func (c *comparison) inlining(kind, key string, base, candidate int) Finding {
	ours, theirs := c.baseTallies[base], c.candidateTallies[candidate]
	finding := c.about(kind, candidate)
	finding.Callee, finding.Line = cmp.Or(theirs.names[key], ours.names[key]), cmp.Or(theirs.lines[key], ours.lines[key])
	finding.Base = &Values{Inlined: ptr(ours.inlined[key]), Called: ptr(ours.called[key])}
	finding.Candidate = &Values{Inlined: ptr(theirs.inlined[key]), Called: ptr(theirs.called[key])}
	calling, program := theirs, c.candidate
	if kind == InliningGained { // the frame that is now in the caller's
		calling, program = ours, c.base
	}
	if target, ok := calling.targets[key]; ok {
		callee := &program.Functions[target]
		finding.CalleeFrame, finding.CalleeFile, finding.CalleeLine = &callee.Frame, path.Base(callee.File), callee.StartLine
	}
	return finding
}

// runtimeCalls compares calls into the runtime by the code that they are in:
// code that was inlined here only in one build was not compared before.
func (c *comparison) runtimeCalls(ours, theirs tally, candidate int) []Finding {
	var found []Finding
	for _, kind := range []string{HeapAllocationNew, WriteBarrierNew, BoundsChecks} {
		if kind != HeapAllocationNew && c.base.GoVersion != c.candidate.GoVersion {
			continue // the functions have other names
		}
		before, after, line := 0, 0, int32(0)
		for call, lines := range theirs.runtime {
			if call.kind == kind && ours.inlined[call.origin] == theirs.inlined[call.origin] && len(lines) > len(ours.runtime[call]) {
				before, after, line = before+len(ours.runtime[call]), after+len(lines), slices.Max(lines)
			}
		}
		if after > before {
			finding := c.about(kind, candidate)
			finding.Line, finding.Base, finding.Candidate = line, &Values{Called: &before}, &Values{Called: &after}
			found = append(found, finding)
		}
	}
	return found
}

func (c *comparison) sizes(base, candidate int, ours, theirs tally) []Finding {
	var found []Finding
	b, a := &c.base.Functions[base], &c.candidate.Functions[candidate]
	add := func(kind, grade string, before, after Values) {
		finding := c.about(kind, candidate)
		finding.Grade, finding.Base, finding.Candidate = grade, &before, &after
		found = append(found, finding)
	}
	frames := []Values{{Bytes: ptr(int(b.Frame))}, {Bytes: ptr(int(a.Frame))}}
	switch {
	case a.Frame > b.Frame:
		add(FrameGrew, GradeBinary, frames[0], frames[1])
	case a.Frame < b.Frame:
		add(FrameShrank, GradeBinary, frames[0], frames[1])
	}
	if ours.whole && theirs.whole && ours.checked != theirs.checked {
		add(StackCheck, GradeBinary, Values{Check: &ours.checked}, Values{Check: &theirs.checked})
	}
	change := int64(a.Size) - int64(b.Size)
	if change = max(change, -change); change > sizeBytes && float64(change) > sizeShare*float64(b.Size) {
		add(CodeSize, GradeInformation, Values{Bytes: ptr(int(b.Size))}, Values{Bytes: ptr(int(a.Size))})
	}
	return found
}

func (c *comparison) about(kind string, candidate int) Finding {
	f := &c.candidate.Functions[candidate]
	return Finding{
		Kind: kind, Grade: GradeBinary, BuildsDiffer: c.isAnyAffected(candidate), Function: gobinary.Fold(f.Name),
		Arguments: cut(argumentsOf(f.Name)), File: path.Base(f.File), StartLine: f.StartLine,
	}
}

func (c *comparison) tally(p *gobinary.Program, of map[int]tally, function int) tally {
	known, ok := of[function]
	if !ok {
		known = tallyOf(p, function)
		of[function] = known
	}
	return known
}

func sortedKeys(maps ...map[string]int) []string {
	var keys []string
	for _, each := range maps {
		for key := range each {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func ptr[T any](value T) *T { return &value }
