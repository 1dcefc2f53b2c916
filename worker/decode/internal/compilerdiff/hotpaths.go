package compilerdiff

import (
	"cmp"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
)

// hotShare is the least share of a side's values on a hot path.
const hotShare = 0.01

// HotPath is a stack of a goroutine with at least hotShare of a side's values in
// its last function and what that calls, and in no function beyond that is not
// the runtime's. Names are those of the base.
type HotPath struct {
	Stack      []string   `json:"stack"`
	Shares     [2]float64 `json:"shares"`               // of the values of base and candidate
	Unfollowed string     `json:"unfollowed,omitempty"` // the first function beyond that was not reached
	Base       *Side      `json:"base"`
	Candidate  *Side      `json:"candidate"`
}

// StackSizes is what one build needs of its stacks.
type StackSizes struct {
	Version int       `json:"version"`
	Build   Build     `json:"build"`
	Paths   []HotPath `json:"paths"`

	Addressed bool `json:"addressed"` // stacks are followed by addresses of profiles
}

// Measure finds the hot paths of profiles of one build.
func Measure(p *gobinary.Program, sum *StackSum) *StackSizes {
	on := newProjector(p, func(int) bool { return false })
	on.sites = sum.sites[0]
	same := func(name string) string { return name }
	finder := &pathFinder{sides: []pathSide{{on, same, func(string) bool { return false }}}}
	return &StackSizes{Version: Version, Build: buildOf(p), Paths: finder.find(sum, same), Addressed: sum.sites[0] != nil}
}

// hotPaths finds the hot paths of the profiles of both sides, on both builds.
func (c *comparison) hotPaths(sum *StackSum) []HotPath {
	translated := func(translate func(string) string) func(string) string {
		known := map[string]string{}
		return func(name string) string {
			if _, ok := known[name]; !ok {
				known[name] = translate(name)
			}
			return known[name]
		}
	}
	isAbsent := func(keys map[string][]int) func(string) bool {
		return func(name string) bool { return len(keys[matchKey(name)]) == 0 }
	}
	same := func(name string) string { return name }
	finder := &pathFinder{
		sides: []pathSide{
			{c.ours, same, isAbsent(c.baseKeys)},
			{c.theirs, translated(c.translate(c.base, c.candidate, c.toCandidate)), isAbsent(c.candidateKeys)},
		},
		moved: c.movedBelow,
	}
	return finder.find(sum, translated(c.translate(c.candidate, c.base, c.toBase)))
}

// movedBelow returns where code of the base's path was moved out of it.
func (c *comparison) movedBelow(base, candidate position) []position {
	var found []position
	for frame := candidate.stackFrame; frame != nil; frame = frame.caller {
		_, moved := c.movedFrom(base, frame)
		found = append(found, moved...)
	}
	return found
}

// hotNode is a function in the tree of hot stacks.
type hotNode struct {
	name     string
	shares   [2]float64
	ending   [2]float64 // of the stacks that end here
	children []*hotNode
}

// hotStack is a stack and its values on both sides.
type hotStack struct {
	joined string
	values [2]int64
}

// hotTree returns the functions in which a side has at least hotShare.
func (s *StackSum) hotTree(translate func(string) string) *hotNode {
	sums := map[string][2]int64{}
	for side, values := range s.values {
		for joined, value := range values {
			names := onStack(strings.Split(joined, "\x00"))
			if side == 1 {
				names = slices.Clone(names)
				for i := range names {
					names[i] = translate(names[i])
				}
			}
			key := strings.Join(names, "\x00")
			sum := sums[key]
			sum[side] += value
			sums[key] = sum
		}
	}
	stacks := make([]hotStack, 0, len(sums))
	for joined, values := range sums {
		stacks = append(stacks, hotStack{joined, values})
	}
	slices.SortFunc(stacks, func(a, b hotStack) int { return strings.Compare(a.joined+"\x00", b.joined+"\x00") })
	root := &hotNode{}
	s.addHot(root, stacks, 0)
	return root
}

// addHot adds the hot functions that follow a common prefix of sorted stacks.
func (s *StackSum) addHot(node *hotNode, stacks []hotStack, prefix int) {
	for first := 0; first < len(stacks); {
		name := nameAt(stacks[first].joined, prefix)
		next := first
		var values, ending [2]int64
		for ; next < len(stacks) && nameAt(stacks[next].joined, prefix) == name; next++ {
			values[0] += stacks[next].values[0]
			values[1] += stacks[next].values[1]
			if len(stacks[next].joined) == prefix+len(name) {
				ending = stacks[next].values
			}
		}
		shares := s.sharesOf(values)
		if name != "" && max(shares[0], shares[1]) >= hotShare {
			child := &hotNode{name: name, shares: shares, ending: s.sharesOf(ending)}
			node.children = append(node.children, child)
			s.addHot(child, stacks[first:next], prefix+len(name)+1)
		}
		first = next
	}
}

func nameAt(joined string, prefix int) string {
	if prefix >= len(joined) {
		return ""
	}
	name, _, _ := strings.Cut(joined[prefix:], "\x00")
	return name
}

func (s *StackSum) sharesOf(values [2]int64) [2]float64 {
	return [2]float64{shareOf(values[0], s.totals[0]), shareOf(values[1], s.totals[1])}
}

func shareOf(value, total int64) float64 {
	if total <= 0 {
		return 0
	}
	return float64(value) / float64(total)
}

// leadsToUser reports whether a function that is not the runtime's follows.
func (n *hotNode) leadsToUser() bool {
	return !isRuntime(n.name) || slices.ContainsFunc(n.children, (*hotNode).leadsToUser)
}

// leaves appends the paths to the last functions below a node.
func (n *hotNode) leaves(names []string, found [][]string) [][]string {
	names = append(slices.Clone(names), n.name)
	if len(n.children) == 0 {
		return append(found, names)
	}
	for _, child := range n.children {
		found = child.leaves(names, found)
	}
	return found
}

// pathSide is one build on which paths are followed.
type pathSide struct {
	*projector
	translate func(string) string
	isAbsent  func(string) bool
}

// pathFinder follows hot paths on one build or two.
type pathFinder struct {
	sides []pathSide
	moved func(base, candidate position) []position
	paths []HotPath

	isGrowth bool
}

func (f *pathFinder) find(sum *StackSum, toBase func(string) string) []HotPath {
	f.paths = []HotPath{}
	f.isGrowth = sum.isGrowth
	f.walk(sum.hotTree(toBase), nil, nil)
	slices.SortStableFunc(f.paths, func(a, b HotPath) int {
		return cmp.Or(cmp.Compare(max(b.Shares[0], b.Shares[1]), max(a.Shares[0], a.Shares[1])), slices.Compare(a.Stack, b.Stack))
	})
	return f.paths
}

// walk visits a node; tails are the hot calls into the runtime on the way to it.
// Of stack growths every function in which one ends is the end of a path.
func (f *pathFinder) walk(node *hotNode, names []string, tails [][]string) {
	isLast := true
	tails = slices.Clone(tails)
	for _, child := range node.children {
		if !f.isGrowth && !child.leadsToUser() && len(names) > 0 {
			tails = child.leaves(names, tails)
		}
	}
	for _, child := range node.children {
		if f.isGrowth || child.leadsToUser() {
			isLast = false
			f.walk(child, append(slices.Clone(names), child.name), tails)
		}
	}
	switch {
	case len(names) == 0:
	case f.isGrowth && max(node.ending[0], node.ending[1]) >= hotShare:
		f.add(names, node.ending, tails)
	case isLast && !f.isGrowth:
		f.add(names, node.shares, tails)
	}
}

// add follows a path on each side, as far as all go.
func (f *pathFinder) add(names []string, shares [2]float64, tails [][]string) {
	whole := len(names)
	for _, side := range f.sides {
		_, followed := side.follow(names)
		names = names[:followed]
	}
	if len(names) == 0 {
		return
	}
	path := HotPath{Stack: names, Shares: shares}
	if len(names) < whole {
		path.Unfollowed = names[:whole][len(names)]
	}
	at := slices.IndexFunc(f.paths, func(known HotPath) bool { return slices.Equal(known.Stack, names) })
	if at >= 0 {
		f.paths[at].Shares[0] += shares[0]
		f.paths[at].Shares[1] += shares[1]
		return
	}
	var base []position
	for i, side := range f.sides {
		found, _ := side.follow(names)
		if len(found) == 0 {
			return
		}
		reached := side.sideOf(found)
		if i == 1 {
			for _, moved := range f.moved(base[0], found[0]) {
				reached = deeper(reached, side.sideOf([]position{moved}))
			}
		}
		reached.Runtime = side.deepestCall(tails)
		if i == 0 {
			path.Base, base = &reached, found
		} else {
			path.Candidate = &reached
		}
	}
	f.paths = append(f.paths, path)
}

func (s pathSide) follow(names []string) ([]position, int) {
	translated := make([]string, len(names))
	for i, name := range names {
		translated[i] = s.translate(name)
	}
	return s.project(translated, s.isAbsent)
}

func (s pathSide) sideOf(at []position) Side { return sideOf(s.program, s.rules, at) }

// deepestCall returns the call into the runtime that reaches deepest. Such calls
// grow a stack only when they are made: many are made seldom.
func (s pathSide) deepestCall(tails [][]string) *RuntimeCall {
	var deepest *RuntimeCall
	for _, tail := range tails {
		at, _ := s.follow(tail)
		if len(at) == 0 {
			continue
		}
		if need := s.sideOf(at).Need; deepest == nil || need[1] > deepest.Need[1] {
			deepest = &RuntimeCall{tail[len(tail)-1], need}
		}
	}
	return deepest
}

// deeper returns the side that needs more, with what both need at least.
func deeper(a, b Side) Side {
	low := max(a.Need[0], b.Need[0])
	if b.Need[1] > a.Need[1] {
		a = b
	}
	a.Need[0] = low
	return a
}
