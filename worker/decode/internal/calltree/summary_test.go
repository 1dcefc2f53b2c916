package calltree_test

import (
	"slices"
	"testing"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
)

// spot is a line of a key.
type spot struct {
	key  uint32
	line int32
}

// pathOf returns the names from the root to a node, by parents.
func pathOf[T any](parents []uint32, node uint32, name func(uint32) T) []T {
	var path []T
	for ; node != 0; node = parents[node] {
		path = append(path, name(node))
	}
	slices.Reverse(path)
	return path
}

// bySample adds values up as slowly and plainly as can be: sample by sample,
// every name on its stack once.
func bySample[T comparable](f *profilefile.File, k int, pathOf func(sample int) []T) (own, total map[T]int64) {
	own, total = map[T]int64{}, map[T]int64{}
	for sample, value := range f.Values[k] {
		path := pathOf(sample)
		if len(path) > 0 {
			own[path[len(path)-1]] += value
		}
		seen := map[T]bool{}
		for _, name := range path {
			if !seen[name] {
				total[name] += value
			}
			seen[name] = true
		}
	}
	return own, total
}

func TestSummary(t *testing.T) {
	segments := read(t, profilefixture.Stacks(`
		main.main:5    main.main:5    main.main:6    main.f.func1:3 main.main:5
		main.f.func1:3 main.f.func2:3 main.f.func1:3 main.f.func2:3 .
		main.b:1       main.main:5    main.f.func1:4 main.b:1       .
		main.f.func2:3 main.b:1       main.b:1       .              .
		main.b:1       .              .              .              .
	`))
	t.Run("drawn", func(t *testing.T) { checkSummary(t, segments) })
	for _, name := range []string{"go-cpu-1.26.pb.gz", "go-heap-1.26.pb.gz", "parca-labels-cpu.pb.gz", "java-heap.txt"} {
		f, err := pprofread.ReadFile("../../testdata/profiles/"+name, calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { checkSummary(t, f) })
	}
}

func checkSummary(t *testing.T, f *profilefile.File) {
	parents, lineParents := f.Nodes.Parents(len(f.NodeKey)), f.LineNodes.Parents(len(f.LineNodeFrame))
	keys := func(sample int) []uint32 {
		return pathOf(parents, f.SampleNode[sample], func(n uint32) uint32 { return f.NodeKey[n] })
	}
	spots := func(sample int) []spot {
		return pathOf(lineParents, f.SampleLineNode[sample], func(n uint32) spot {
			frame := f.LineNodeFrame[n]
			return spot{f.FunctionKey[f.FrameFunction[frame]], f.FrameLine[frame]}
		})
	}
	ends := func(sample int) []uint32 { return []uint32{f.SampleNode[sample]} }
	for k := range f.Values {
		own, total := bySample(f, k, keys)
		same(t, "own of keys", own, f.KeyString, f.KeySelf[k])
		same(t, "total of keys", total, f.KeyString, f.KeyTotal[k])
		own2, total2 := bySample(f, k, spots)
		var names []spot
		for i, key := range f.SpotKey {
			names = append(names, spot{key, f.SpotLine[i]})
		}
		same(t, "own of lines", own2, names, f.SpotSelf[k])
		same(t, "total of lines", total2, names, f.SpotTotal[k])
		_, stacks := bySample(f, k, ends)
		same(t, "stacks", stacks, f.StackNode, f.StackValues[k])
	}
	for i, node := range f.StackNode {
		path, hash := pathOf(parents, node, func(n uint32) uint32 { return n }), uint64(0)
		for _, each := range path {
			hash = calltree.PathHash(hash, []byte(f.String(f.NodeKey[each])))
		}
		if f.StackHash[i] != hash || int(f.StackDepth[i]) != len(path) || i > 0 && f.StackNode[i-1] >= node {
			t.Errorf("stack %d: node %d behind %d, hash %x", i, node, f.StackNode[max(0, i-1)], f.StackHash[i])
		}
	}
}

func same[T comparable](t *testing.T, what string, want map[T]int64, names []T, got []int64) {
	t.Helper()
	seen := map[T]bool{}
	for i, name := range names {
		if got[i] != want[name] || seen[name] {
			t.Errorf("%s: %v has %d, want %d", what, name, got[i], want[name])
		}
		seen[name] = true
	}
	for name, value := range want {
		if value != 0 && !seen[name] {
			t.Errorf("%s: %v is missing, with %d", what, name, value)
		}
	}
}

// The sums of sets of labels in a brief file are those of its samples.
func TestBriefLabels(t *testing.T) {
	read := func(brief bool) *profilefile.File {
		options := calltree.Options{Limits: inputlimits.Default(), Brief: brief}
		f, err := pprofread.ReadFile("../../testdata/profiles/parca-labels-cpu.pb.gz", options)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	whole, brief := read(false), read(true)
	if whole.LabelsetValues != nil {
		t.Error("a whole file has sums of sets of labels")
	}
	want := make([]int64, len(whole.LabelsetOffset)-1)
	for sample, set := range whole.SampleLabelset {
		want[set] += whole.Values[0][sample]
	}
	if len(want) < 2 || !slices.Equal(brief.LabelsetValues[0], want) {
		t.Errorf("sums of sets of labels are %d, want %d", brief.LabelsetValues[0], want)
	}
}
