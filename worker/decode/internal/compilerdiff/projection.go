package compilerdiff

import (
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// Interval is a number of bytes of which names alone may not decide.
type Interval struct{ Low, High int64 }

func (i Interval) isExact() bool { return i.Low == i.High }

func (i Interval) union(other Interval) Interval {
	return Interval{min(i.Low, other.Low), max(i.High, other.High)}
}

// stackFrame is a function on a projected path, linked to its caller.
type stackFrame struct {
	caller   *stackFrame
	function int
	depth    Interval // at the first instruction
	checked  bool
	count    int
}

// position is where a projection has arrived: in code of `function` that was
// inlined as one of `nodes` (-1 is the function itself).
type position struct {
	*stackFrame
	nodes []int32
	need  Interval
	sites []*site // where recorded stacks were in it; without any, names decide
}

const (
	mostPositions = 16  // alternatives of a path
	mostWrappers  = 128 // wrappers of one method name that are read
)

// projector finds the frames of stacks of names in one program.
type projector struct {
	program  *gobinary.Program
	rules    StackRules
	wrappers map[string][]int // by the last segment of the name, of methods
	starts   []int            // wrappers that goroutines start with
	rooted   map[string][]position
	isNew    func(function int) bool
	sites    *site // of stacks with addresses of this build
}

func newProjector(p *gobinary.Program, isNew func(function int) bool) *projector {
	j := &projector{program: p, rules: stackRules(p.Arch, p.Settings["-race"] == "true"), wrappers: map[string][]int{}, rooted: map[string][]position{}, isNew: isNew}
	for i := range p.Functions {
		if f := &p.Functions[i]; f.Wrapper {
			if isStart(f.Name) {
				j.starts = append(j.starts, i)
			}
			method := lastSegment(f.Name)
			j.wrappers[method] = append(j.wrappers[method], i)
		}
	}
	return j
}

func isStart(name string) bool {
	return strings.Contains(name, ".gowrap") || strings.HasSuffix(name, "-fm") || strings.Contains(name, "·dwrap·") || strings.Contains(name, ".func")
}

func lastSegment(name string) string {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm")
}

// project walks a stack of names, root first. A name for which `skip` holds is
// passed over if it is not called. It returns the alternatives in which
// the path may end, and how many names were followed.
func (j *projector) project(names []string, skip func(name string) bool) ([]position, int) {
	if len(names) == 0 {
		return nil, 0
	}
	at := located(j.program, j.roots(names[0]), j.sites.following(gobinary.Fold(names[0])))
	for i, name := range names[1:] {
		var next []position
		for _, p := range at {
			next = append(next, j.step(p, name)...)
		}
		if len(next) == 0 && !skip(name) {
			return at, i + 1
		}
		if len(next) > 0 {
			at = merged(next)
		}
	}
	return at, len(names)
}

// merged unites alternatives that arrived in the same code.
func merged(list []position) []position {
	var out []position
	for _, p := range list {
		at := slices.IndexFunc(out, func(o position) bool { return o.function == p.function && slices.Equal(o.nodes, p.nodes) })
		if at < 0 {
			if len(out) < mostPositions {
				out = append(out, p)
			}
			continue
		}
		frame := *out[at].stackFrame
		frame.depth = frame.depth.union(p.depth)
		out[at].stackFrame = &frame
		out[at].need = out[at].need.union(p.need)
		out[at].sites = slices.Concat(out[at].sites, p.sites)
	}
	return out
}

// roots begins at the function of a goroutine, or at the wrapper that calls it.
func (j *projector) roots(name string) []position {
	if known, ok := j.rooted[name]; ok {
		return known
	}
	var found []position
	root := Interval{j.rules.Root, j.rules.Root}
	for _, wrapper := range j.starts {
		if j.reaches(wrapper, name) {
			found = append(found, j.step(j.enter(position{}, wrapper, root), name)...)
		}
	}
	if len(found) == 0 {
		for _, function := range j.program.Find(name) {
			found = append(found, j.enter(position{}, function, root))
		}
	}
	j.rooted[name] = merged(found)
	return j.rooted[name]
}

// enter adds the frame of a function that is called.
func (j *projector) enter(from position, function int, depth Interval) position {
	code, _ := j.program.Code(function) // without code: a function without a check
	frame := &stackFrame{caller: from.stackFrame, function: function, depth: depth, checked: code.Checked, count: 1}
	if from.stackFrame != nil {
		frame.count = from.count + 1
	}
	to := position{stackFrame: frame, nodes: []int32{-1}, need: from.need}
	if code.Checked {
		size := int64(j.program.Functions[function].Frame)
		here := Interval{need(depth.Low, size), need(depth.High, size)}
		to.need = Interval{max(from.need.Low, here.Low), max(from.need.High, here.High)}
	}
	return to
}

// step goes one name further, from where recorded stacks were, if that is known.
func (j *projector) step(from position, name string) []position {
	name = gobinary.Fold(name)
	if next := j.fromSites(from, name); len(next) > 0 {
		return next
	}
	from.sites = nil
	calls := j.callsOf(from)
	next := j.direct(from, calls, j.isNamed(name))
	if nodes := j.children(from, name); len(nodes) > 0 {
		next = append(next, position{from.stackFrame, nodes, from.need, nil})
	}
	if len(next) > 0 {
		return next
	}
	return j.beyond(from, calls, name)
}

func (j *projector) isNamed(name string) func(target int) bool {
	return func(target int) bool { return gobinary.Fold(j.program.Functions[target].Name) == name }
}

// beyond follows calls that reach a name by a wrapper or indirectly.
func (j *projector) beyond(from position, calls []gobinary.Call, name string) []position {
	var next []position
	through := j.direct(from, calls, func(target int) bool {
		return (j.program.Functions[target].Wrapper || j.isNew(target)) && j.reaches(target, name)
	})
	for _, wrapper := range through {
		next = append(next, j.through(wrapper, name)...)
	}
	if len(next) > 0 {
		return next
	}
	return j.indirect(from, calls, name)
}

// callsOf returns the calls of the code at a position.
func (j *projector) callsOf(at position) []gobinary.Call {
	code, err := j.program.Code(at.function)
	if err != nil {
		return nil
	}
	if slices.Contains(at.nodes, -1) {
		return code.Calls
	}
	inlined := j.program.Functions[at.function].Inlined
	var calls []gobinary.Call
	for _, call := range code.Calls {
		for node, left := call.Inline, len(inlined); node >= 0 && int(node) < len(inlined) && left > 0; node, left = inlined[node].Parent, left-1 {
			if slices.Contains(at.nodes, node) {
				calls = append(calls, call)
				break
			}
		}
	}
	return calls
}

// children returns the inlined functions of a name at a position.
func (j *projector) children(at position, name string) []int32 {
	var nodes []int32
	for i, node := range j.program.Functions[at.function].Inlined {
		if slices.Contains(at.nodes, node.Parent) && gobinary.Fold(node.Name) == name {
			nodes = append(nodes, int32(i))
		}
	}
	return nodes
}

// direct enters the targets of direct calls for which a condition holds. A jump
// out of a function removes its frame first, so only wrappers' are followed.
func (j *projector) direct(from position, calls []gobinary.Call, holds func(target int) bool) []position {
	deltas := map[int]Interval{}
	var order []int
	for _, call := range calls {
		if call.Target < 0 || int(call.Target) >= len(j.program.Functions) || call.Tail || !holds(int(call.Target)) {
			continue
		}
		delta, known := deltas[int(call.Target)]
		if !known {
			order = append(order, int(call.Target))
			delta = Interval{int64(call.StackDelta), int64(call.StackDelta)}
		}
		deltas[int(call.Target)] = delta.union(Interval{int64(call.StackDelta), int64(call.StackDelta)})
	}
	var next []position
	for _, target := range order {
		next = append(next, j.enter(from, target, j.below(from, deltas[target])))
	}
	return next
}

// below returns the depth of a function that is called at a stack delta.
func (j *projector) below(from position, delta Interval) Interval {
	return Interval{from.depth.Low + delta.Low + j.rules.ReturnAddress, from.depth.High + delta.High + j.rules.ReturnAddress}
}

// reaches reports whether a function calls or has inlined the name itself.
func (j *projector) reaches(function int, name string) bool {
	name = gobinary.Fold(name)
	for _, node := range j.program.Functions[function].Inlined {
		if node.Parent == -1 && gobinary.Fold(node.Name) == name {
			return true
		}
	}
	code, err := j.program.Code(function)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(code.Calls, func(call gobinary.Call) bool {
		return call.Target >= 0 && int(call.Target) < len(j.program.Functions) && gobinary.Fold(j.program.Functions[call.Target].Name) == name
	})
}

// through goes from a wrapper to the name that it calls, has inlined, or jumps
// to: then it has no frame.
func (j *projector) through(wrapper position, name string) []position {
	name = gobinary.Fold(name)
	next := j.direct(wrapper, j.callsOf(wrapper), j.isNamed(name))
	if nodes := j.children(wrapper, name); len(nodes) > 0 {
		next = append(next, position{wrapper.stackFrame, nodes, wrapper.need, nil})
	}
	if len(next) > 0 {
		return next
	}
	for _, call := range j.callsOf(wrapper) {
		if call.Tail && call.Target >= 0 && int(call.Target) < len(j.program.Functions) && gobinary.Fold(j.program.Functions[call.Target].Name) == name {
			caller := position{wrapper.caller, nil, wrapper.need, nil}
			return []position{j.enter(caller, int(call.Target), wrapper.depth)}
		}
	}
	return nil
}

// indirect follows calls of closures and of methods of interfaces.
func (j *projector) indirect(from position, calls []gobinary.Call, name string) []position {
	var next []position
	for _, kind := range []gobinary.IndirectKind{gobinary.IndirectClosure, gobinary.IndirectInterface, gobinary.IndirectUnknown} {
		delta, known := Interval{}, false
		for _, call := range calls {
			if call.Indirect != kind || call.Tail {
				continue
			}
			here := Interval{int64(call.StackDelta), int64(call.StackDelta)}
			if !known {
				delta, known = here, true
			}
			delta = delta.union(here)
		}
		if known {
			next = append(next, j.indirectTargets(from, kind, j.below(from, delta), name)...)
		}
	}
	return next
}

func (j *projector) indirectTargets(from position, kind gobinary.IndirectKind, depth Interval, name string) []position {
	var next []position
	if kind != gobinary.IndirectInterface {
		for _, wrapper := range j.program.Find(name + "-fm") {
			next = append(next, j.through(j.enter(from, wrapper, depth), name)...)
		}
	}
	if kind != gobinary.IndirectClosure {
		for _, wrapper := range j.methodWrappers(name) {
			next = append(next, j.through(j.enter(from, wrapper, depth), name)...)
		}
	}
	if len(next) > 0 && !(kind == gobinary.IndirectInterface && strings.Contains(name, ".(*")) {
		return next
	}
	for _, function := range j.program.Find(name) {
		next = append(next, j.enter(from, function, depth))
	}
	return next
}

// methodWrappers returns the promoted and pointer methods that call a method.
func (j *projector) methodWrappers(name string) []int {
	var found []int
	list := j.wrappers[lastSegment(name)]
	for _, wrapper := range list[:min(len(list), mostWrappers)] {
		if other := j.program.Functions[wrapper].Name; !isStart(other) && gobinary.Fold(other) != name && j.reaches(wrapper, name) {
			found = append(found, wrapper)
		}
	}
	return found
}
