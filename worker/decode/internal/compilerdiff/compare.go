package compilerdiff

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputerror"
)

// Stack is a stack of names, root first, and its share of the values of a side.
type Stack struct {
	Names         []string
	Share         float64
	FromCandidate bool
}

const (
	mostStacks   = 2000
	mostPaths    = 20
	mostFindings = 200
)

type comparison struct {
	*matching
	ours, theirs     *projector
	baseTallies      map[int]tally
	candidateTallies map[int]tally
	report           *Report
	paths            []Path
	crossings        map[string]*crossing
	pairs            map[int]bool // functions of the candidate on paths
	order            []int
	unread           map[Unread]int
	seen             map[string]bool
}

// crossing is an edge that paths cross at one function.
type crossing struct {
	finding Finding
	path    Path
}

// CompareProfiles states what the compiler did differently in the functions on
// the stacks asked for, and what all hot paths need on both builds.
func CompareProfiles(base, candidate *gobinary.Program, sum *StackSum) (*Report, error) {
	c, err := newComparison(base, candidate)
	if err != nil {
		return nil, err
	}
	if c.report.OnlyPGO = isOnlyPGO(base, candidate, c.report.Differences); c.report.OnlyPGO {
		sum.includeAll()
	}
	c.report.OtherBuilds = sum.otherBuilds(base, candidate)
	c.report.Addressed = sum.addressed()
	c.ours.sites, c.theirs.sites = sum.sites[0], sum.sites[1]
	c.compare(sum.Stacks())
	c.report.HotPaths = c.hotPaths(sum)
	return c.report, nil
}

// Compare states what the compiler did differently in the functions on stacks.
func Compare(base, candidate *gobinary.Program, stacks []Stack) (*Report, error) {
	c, err := newComparison(base, candidate)
	if err != nil {
		return nil, err
	}
	c.compare(stacks)
	return c.report, nil
}

func newComparison(base, candidate *gobinary.Program) (*comparison, error) {
	if base.Arch != candidate.Arch {
		return nil, inputerror.New("other-architecture", "The builds are for different architectures: %q and %q.", base.Arch, candidate.Arch)
	}
	m := match(base, candidate)
	c := &comparison{
		matching: m, baseTallies: map[int]tally{}, candidateTallies: map[int]tally{}, crossings: map[string]*crossing{},
		pairs: map[int]bool{}, unread: map[Unread]int{}, seen: map[string]bool{},
		report: &Report{
			Version: Version, Base: buildOf(base), Candidate: buildOf(candidate), Differences: differencesOf(base, candidate),
			Unread: []Unread{}, Paths: []Path{}, Findings: []Finding{}, HotPaths: []HotPath{}, OtherBuilds: []string{}, Addressed: []string{},
			Instances: []Instance{},
		},
	}
	c.ours = newProjector(base, c.isUnmatched(c.toCandidate, base, c.candidateKeys))
	c.theirs = newProjector(candidate, c.isUnmatched(c.toBase, candidate, c.baseKeys))
	return c, nil
}

func (c *comparison) compare(stacks []Stack) {
	stacks = slices.Clone(stacks)
	slices.SortStableFunc(stacks, func(a, b Stack) int { return cmp.Compare(b.Share, a.Share) })
	for _, stack := range stacks[:min(len(stacks), mostStacks)] {
		c.addStack(stack)
	}
	c.finish()
}

func (c *comparison) isUnmatched(matched map[int]int, p *gobinary.Program, others map[string][]int) func(int) bool {
	return func(function int) bool {
		name := p.Functions[function].Name
		_, known := matched[function]
		return !known && !isRuntime(name) && len(others[matchKey(name)]) == 0
	}
}

// addStack follows a stack on both builds as far as both go.
func (c *comparison) addStack(stack Stack) {
	names := onStack(stack.Names)
	if len(names) == 0 {
		return
	}
	own, other, side := c.ours, c.theirs, "base"
	translate, keys := c.translate(c.base, c.candidate, c.toCandidate), c.candidateKeys
	if stack.FromCandidate {
		own, other, side = c.theirs, c.ours, "candidate"
		translate, keys = c.translate(c.candidate, c.base, c.toBase), c.baseKeys
	}
	never := func(string) bool { return false }
	isAbsent := func(name string) bool { return len(keys[matchKey(name)]) == 0 }
	here, followed := own.project(names, never)
	if followed < len(names) && !isRuntime(names[followed]) {
		c.unread[Unread{Side: side, Function: names[followed]}]++
	}
	translated := make([]string, followed)
	for i := range translated {
		translated[i] = translate(names[i])
	}
	there, reached := other.project(translated, isAbsent)
	if reached < followed {
		here, followed = own.project(names[:reached], never)
	}
	if len(here) == 0 || len(there) == 0 {
		return
	}
	if stack.FromCandidate {
		here, there = there, here
	}
	c.addPath(names[:followed], stack.Share, here, there)
	c.addMoved(names[:followed], stack.Share, here[0], there[0])
}

// translate returns a function from names of one build to those of the other.
func (c *comparison) translate(from, to *gobinary.Program, pairs map[int]int) func(string) string {
	return func(name string) string {
		for _, function := range from.Find(name) {
			if other, ok := pairs[function]; ok {
				return gobinary.Fold(to.Functions[other].Name)
			}
		}
		return name
	}
}

// offStack begins the names of functions that run on another stack, or that a
// signal put on this one.
var offStack = []string{
	"runtime.morestack", "runtime.newstack", "runtime.systemstack", "runtime.mcall", "runtime.asmcgocall", "runtime.sigtramp",
	"runtime.sigreturn", "runtime.asyncPreempt", "runtime.goexit", "runtime.mstart", "runtime.rt0_go", "runtime.cgocallback", "runtime._",
}

// onStack returns the part of a stack that is on the goroutine's own stack, or
// nothing if the stack does not begin with a goroutine.
func onStack(names []string) []string {
	if len(names) > 0 && strings.HasPrefix(names[0], "runtime.goexit") {
		names = names[1:]
	}
	at := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "[") || slices.ContainsFunc(offStack, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	if at >= 0 {
		return names[:at]
	}
	return names
}

// addMoved extends a path by calls of functions whose code the base has in the
// caller itself: code that was moved out or is no longer inlined.
func (c *comparison) addMoved(names []string, share float64, base, candidate position) {
	for frame := candidate.stackFrame; frame != nil; frame = frame.caller {
		before, found := c.movedFrom(base, frame)
		for _, moved := range found {
			partner := before.function
			stack := append(slices.Clone(names[:prefixOf(names, c.candidate, c.base, frame.function, partner)]), gobinary.Fold(c.candidate.Functions[moved.function].Name))
			c.addPath(stack, share, []position{{before, nil, needOf(c.base, before), nil}}, []position{moved})
		}
	}
}

// movedFrom returns the calls of a frame whose code its partner on the base's
// path has in itself, and that partner.
func (c *comparison) movedFrom(base position, frame *stackFrame) (*stackFrame, []position) {
	partner, known := c.toBase[frame.function]
	before := frameOf(base.stackFrame, partner)
	if !known || before == nil {
		return nil, nil
	}
	ours, theirs := c.tally(c.base, c.baseTallies, partner), c.tally(c.candidate, c.candidateTallies, frame.function)
	at := position{frame, []int32{-1}, needOf(c.candidate, frame), nil}
	return before, c.theirs.direct(at, c.theirs.callsOf(at), func(target int) bool {
		kind := c.inliningKind(matchKey(c.candidate.Functions[target].Name), ours, theirs)
		return kind == InliningLost || kind == CallNew
	})
}

func frameOf(last *stackFrame, function int) *stackFrame {
	for ; last != nil && last.function != function; last = last.caller {
	}
	return last
}

func needOf(p *gobinary.Program, last *stackFrame) Interval {
	var reached Interval
	for ; last != nil; last = last.caller {
		if size := int64(p.Functions[last.function].Frame); last.checked {
			reached = Interval{max(reached.Low, need(last.depth.Low, size)), max(reached.High, need(last.depth.High, size))}
		}
	}
	return reached
}

// prefixOf returns how many names of a stack lead to a function.
func prefixOf(names []string, candidate, base *gobinary.Program, function, partner int) int {
	ours, theirs := gobinary.Fold(base.Functions[partner].Name), gobinary.Fold(candidate.Functions[function].Name)
	for i := len(names) - 1; i >= 0; i-- {
		if name := gobinary.Fold(names[i]); name == ours || name == theirs {
			return i + 1
		}
	}
	return len(names)
}

// addPath records the functions of a path and the edges that it crosses.
func (c *comparison) addPath(names []string, share float64, base, candidate []position) {
	joined := strings.Join(names, "\x00")
	if c.seen[joined] {
		return
	}
	c.seen[joined] = true
	for _, at := range candidate {
		for frame := at.stackFrame; frame != nil; frame = frame.caller {
			if !c.pairs[frame.function] {
				c.pairs[frame.function] = true
				c.order = append(c.order, frame.function)
			}
		}
	}
	path := Path{Stack: names, Share: share, Base: sideOf(c.base, c.ours.rules, base), Candidate: sideOf(c.candidate, c.theirs.rules, candidate)}
	if len(c.paths) < mostPaths {
		c.paths = append(c.paths, path)
	}
	finding, crosses := c.edge(base, candidate)
	if !crosses {
		return
	}
	if known := c.crossings[finding.Function]; known != nil {
		known.finding.Edge.Paths++
		return
	}
	c.crossings[finding.Function] = &crossing{finding, path}
}

func sideOf(p *gobinary.Program, rules StackRules, at []position) Side {
	depth, reached := at[0].depth, at[0].need
	for _, each := range at[1:] {
		depth, reached = depth.union(each.depth), reached.union(each.need)
	}
	final, _ := finals(p, rules, at, startSizes[0])
	side := Side{
		Depth: [2]int64{depth.Low, depth.High}, Need: [2]int64{reached.Low, reached.High}, Start: startSizes[0],
		Final: final.High, Limit: final.High - rules.Guard, Distance: final.High - rules.Guard - reached.High,
	}
	for frame := at[0].stackFrame; frame != nil; frame = frame.caller {
		f := &p.Functions[frame.function]
		side.Frames = append(side.Frames, Frame{gobinary.Fold(f.Name), frame.depth.High, f.Frame, frame.checked, f.Wrapper})
	}
	slices.Reverse(side.Frames)
	return side
}

// finals returns the stack sizes at the end of a path, and the function whose
// call made the stack grow to the largest.
func finals(p *gobinary.Program, rules StackRules, at []position, start int64) (Interval, int) {
	final, grower := Interval{math.MaxInt64, 0}, -1
	for _, each := range at {
		low, _ := finalOf(p, rules, each.stackFrame, start, func(i Interval) int64 { return i.Low })
		high, by := finalOf(p, rules, each.stackFrame, start, func(i Interval) int64 { return i.High })
		if high > final.High {
			grower = by
		}
		final = Interval{min(final.Low, low), max(final.High, high)}
	}
	return final, grower
}

func finalOf(p *gobinary.Program, rules StackRules, last *stackFrame, size int64, depth func(Interval) int64) (int64, int) {
	frames := make([]*stackFrame, 0, last.count)
	for ; last != nil; last = last.caller {
		frames = append(frames, last)
	}
	grower := -1
	for _, frame := range slices.Backward(frames) {
		if !frame.checked {
			continue
		}
		grown := rules.Grow(size, depth(frame.depth), int64(p.Functions[frame.function].Frame))
		if grown > size {
			size, grower = grown, frame.function
		}
	}
	return size, grower
}

// edge compares the stack sizes at the end of a path.
func (c *comparison) edge(base, candidate []position) (Finding, bool) {
	var finding Finding
	for _, start := range startSizes {
		before, _ := finals(c.base, c.ours.rules, base, start)
		after, grower := finals(c.candidate, c.theirs.rules, candidate, start)
		if grower < 0 || (after.Low <= before.Low && after.High <= before.High) {
			continue
		}
		if finding.Edge != nil {
			finding.Edge.Starts = append(finding.Edge.Starts, start)
			continue
		}
		finding = c.about(EdgeCrossed, grower)
		finding.Grade, finding.BuildsDiffer = GradePredicted, c.isAnyAffected(functionsOf(candidate)...)
		from := before.High
		if after.Low <= before.High {
			finding.Grade, from = GradePossible, before.Low
		}
		finding.Edge = c.edgeOf(base, candidate, start, from, after.High)
		finding.Edge.Exact = finding.Edge.Exact && finding.Grade == GradePredicted && !finding.BuildsDiffer
	}
	return finding, finding.Edge != nil
}

func (c *comparison) edgeOf(base, candidate []position, start, from, to int64) *Edge {
	ours, theirs := base[0].need, candidate[0].need
	exact := len(base) == 1 && len(candidate) == 1
	for _, at := range base {
		ours, exact = ours.union(at.need), exact && at.depth.isExact()
	}
	for _, at := range candidate {
		theirs, exact = theirs.union(at.need), exact && at.depth.isExact()
	}
	return &Edge{
		Exact: exact && start == startSizes[0], From: from, To: to, Start: start, Starts: []int64{start},
		Depth: from - c.theirs.rules.Guard, BaseNeed: [2]int64{ours.Low, ours.High}, CandidateNeed: [2]int64{theirs.Low, theirs.High},
		BaseDistance: from - c.ours.rules.Guard - ours.High, CandidateDistance: from - c.theirs.rules.Guard - theirs.High, Paths: 1,
	}
}

// finish puts paths and findings in order.
func (c *comparison) finish() {
	crossings := make([]*crossing, 0, len(c.crossings))
	for _, each := range c.crossings {
		crossings = append(crossings, each)
	}
	slices.SortFunc(crossings, func(a, b *crossing) int {
		return cmp.Or(cmp.Compare(b.path.Share, a.path.Share), strings.Compare(a.finding.Function, b.finding.Function))
	})
	var findings []Finding
	for i, each := range crossings {
		if i < mostPaths {
			each.finding.Edge.Path = len(c.report.Paths)
			c.report.Paths = append(c.report.Paths, each.path)
			findings = append(findings, each.finding)
		}
	}
	c.report.Paths = append(c.report.Paths, c.paths...)
	for _, candidate := range c.order {
		if base, ok := c.toBase[candidate]; ok && !isRuntime(c.candidate.Functions[candidate].Name) {
			findings = append(findings, c.statements(base, candidate)...)
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return slices.Index(kindOrder, a.Kind) - slices.Index(kindOrder, b.Kind)
	})
	c.report.Omitted = max(0, len(findings)-mostFindings)
	c.report.Findings = append(c.report.Findings, findings[:min(len(findings), mostFindings)]...)
	c.report.Instances, c.report.OmittedInstances = c.instances()
	for unread, count := range c.unread {
		unread.Stacks = count
		c.report.Unread = append(c.report.Unread, unread)
	}
	slices.SortFunc(c.report.Unread, func(a, b Unread) int {
		return cmp.Or(b.Stacks-a.Stacks, strings.Compare(a.Side, b.Side), strings.Compare(a.Function, b.Function))
	})
	c.report.Unread = c.report.Unread[:min(len(c.report.Unread), mostPaths)]
}
