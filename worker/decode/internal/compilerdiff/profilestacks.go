package compilerdiff

import (
	"cmp"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/symbolkey"
)

// mostFrames bounds the frames of a stack: Go's profilers record 128 at most.
const mostFrames = 1024

// StackSum adds stacks of decoded profiles up, by their names.
type StackSum struct {
	regressed map[string]bool
	values    [2]map[string]int64
	included  map[string]bool
	totals    [2]int64
	buildIDs  [2]map[string]bool // that the profiles name
	sites     [2]*site           // where stacks with addresses were; nil without any
	isGrowth  bool               // of stack growths: each ends in the function whose call did not fit
}

// NewStackSum makes an empty sum. Its Stacks are those with one of the functions
// whose keys are given; without keys, all.
func NewStackSum(regressed []string) *StackSum {
	s := &StackSum{regressed: map[string]bool{}, values: [2]map[string]int64{{}, {}}, included: map[string]bool{}, buildIDs: [2]map[string]bool{{}, {}}}
	for _, key := range regressed {
		s.regressed[key] = true
	}
	return s
}

// Add adds the stacks of a profile, by its default sample type.
func (s *StackSum) Add(f *profilefile.File, isCandidate bool) error {
	s.isGrowth = f.Header.Kind == "growth"
	side := 0
	if isCandidate {
		side = 1
	}
	if f.Header.DefaultSampleType < 0 || f.Header.DefaultSampleType >= len(f.Values) {
		return inputerror.New("no-sample-types", "The decoded profile has no default sample type.")
	}
	if len(f.Header.Mappings) > 0 && f.Header.Mappings[0].BuildID != "" {
		s.buildIDs[side][f.Header.Mappings[0].BuildID] = true
	}
	parents := f.LineNodes.Parents(len(f.LineNodeFrame))
	for i, value := range f.Values[f.Header.DefaultSampleType] {
		s.totals[side] += max(value, 0)
		names, isIncluded := s.names(f, parents, f.SampleLineNode[i])
		if value <= 0 || len(names) == 0 {
			continue
		}
		joined := strings.Join(names, "\x00")
		s.values[side][joined] += value
		if isIncluded {
			s.included[joined] = true
		}
	}
	return nil
}

// names returns the stack at a node, root first, and whether it is asked for; none if it is cut.
func (s *StackSum) names(f *profilefile.File, parents []uint32, node uint32) ([]string, bool) {
	var reversed []string
	isIncluded := len(s.regressed) == 0
	for ; node != 0 && len(reversed) < mostFrames; node = parents[node] {
		function := f.FrameFunction[f.LineNodeFrame[node]]
		name := f.String(f.FunctionName[function])
		isIncluded = isIncluded || s.regressed[f.String(f.FunctionKey[function])] || s.regressed[name]
		reversed = append(reversed, name)
	}
	names := make([]string, len(reversed))
	for i, name := range reversed {
		names[len(reversed)-1-i] = name
	}
	if node != 0 || len(names) == 0 || names[0] == symbolkey.TruncatedRoot {
		return nil, false
	}
	return names, isIncluded
}

// otherBuilds returns the sides whose profiles name build IDs, but not that of the side's program.
func (s *StackSum) otherBuilds(programs ...*gobinary.Program) []string {
	sides := []string{}
	for side, p := range programs {
		if ids := s.buildIDs[side]; len(ids) > 0 && !ids[p.BuildID] {
			sides = append(sides, [2]string{"base", "candidate"}[side])
		}
	}
	return sides
}

// includeAll makes Stacks return all stacks.
func (s *StackSum) includeAll() {
	for _, values := range s.values {
		for joined := range values {
			s.included[joined] = true
		}
	}
}

// Stacks returns the stacks of both sides.
func (s *StackSum) Stacks() []Stack {
	var stacks []Stack
	for side, values := range s.values {
		sums := map[string]int64{}
		for joined, value := range values {
			if names := onStack(strings.Split(joined, "\x00")); len(names) > 0 && s.included[joined] {
				sums[strings.Join(names, "\x00")] += value
			}
		}
		for _, joined := range sortedStacks(sums) {
			stacks = append(stacks, Stack{strings.Split(joined, "\x00"), float64(sums[joined]) / float64(s.totals[side]), side == 1})
		}
	}
	return stacks
}

// sortedStacks returns the stacks with the largest values first.
func sortedStacks(sums map[string]int64) []string {
	stacks := make([]string, 0, len(sums))
	for joined := range sums {
		stacks = append(stacks, joined)
	}
	slices.SortFunc(stacks, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b)) })
	return stacks[:min(len(stacks), mostStacks)]
}
