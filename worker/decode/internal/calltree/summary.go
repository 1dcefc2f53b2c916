package calltree

import (
	"cmp"
	"slices"
)

// The summary is what a comparison reads first, made here once because here it
// costs one more walk over the trees: distinct stacks with their sums, and the
// totals of every key and of every line. Recursion counts once: in preorder a
// node is the outermost of its name if it comes after the subtree of the last
// outermost one.

// spot is a line of a function, as a key names it.
type spot struct {
	key  uint32
	line int32
}

// summarizeLines writes own and total values by (key, line).
func (b *builder) summarizeLines() {
	f, d := b.file, &b.dictionary
	used := make([]bool, len(d.frames))
	for _, frame := range b.lineFrame[1:] {
		used[frame] = true
	}
	spotOf := func(frame int) spot {
		function, line := unpackFrame(d.frames[frame])
		return spot{d.functions[function].key, line}
	}
	compare := func(x, y spot) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.line, y.line)) }
	spots := []spot{}
	for frame, yes := range used {
		if yes {
			spots = append(spots, spotOf(frame))
		}
	}
	slices.SortFunc(spots, compare)
	spots = slices.Compact(spots)
	names := make([]uint32, len(d.frames))
	for frame, yes := range used {
		if yes {
			at, _ := slices.BinarySearchFunc(spots, spotOf(frame), compare)
			names[frame] = uint32(at)
		}
	}
	for _, s := range spots {
		f.SpotKey = append(f.SpotKey, s.key)
		f.SpotLine = append(f.SpotLine, s.line)
	}
	f.SpotSelf, f.SpotTotal = sums(b.lineSize, nameLookup{b.lineFrame, names}, len(spots), f.SampleLineNode, f.Values)
}

// summarizeStacks writes the distinct stacks of keys, and own and total values
// by key.
func (b *builder) summarizeStacks() {
	f := b.file
	b.addStacks()
	hashStacks(f)
	place, count := make([]uint32, len(f.StringsOffset)-1), uint32(0)
	for _, key := range f.NodeKey[1:] {
		count += 1 - place[key]
		place[key] = 1
	}
	f.KeyString = make([]uint32, 0, count)
	for key, used := range place {
		if used == 1 {
			place[key] = uint32(len(f.KeyString))
			f.KeyString = append(f.KeyString, uint32(key))
		}
	}
	f.KeySelf, f.KeyTotal = sums(b.nodeSize, nameLookup{f.NodeKey, place}, len(f.KeyString), f.StackNode, f.StackValues)
}

// addStacks adds samples up by the node of keys that they end at, in preorder.
// A stack whose values are all 0 stays.
func (b *builder) addStacks() {
	f := b.file
	order := make([]uint64, len(f.SampleNode)) // node, then sample
	sorted := true
	for i, node := range f.SampleNode {
		order[i] = uint64(node)<<32 | uint64(i)
		sorted = sorted && (i == 0 || order[i-1] < order[i])
	}
	if !sorted {
		slices.Sort(order)
	}
	f.StackNode, f.StackDepth = make([]uint32, 0, len(order)), make([]uint32, 0, len(order))
	f.StackValues = make([][]int64, len(f.Values))
	for k := range f.StackValues {
		f.StackValues[k] = make([]int64, 0, len(order))
	}
	for i, each := range order {
		node, sample := uint32(each>>32), uint32(each)
		if i == 0 || f.StackNode[len(f.StackNode)-1] != node {
			f.StackNode = append(f.StackNode, node)
			f.StackDepth = append(f.StackDepth, b.sampleDepth[sample])
			for k := range f.StackValues {
				f.StackValues[k] = append(f.StackValues[k], 0)
			}
		}
		for k := range f.StackValues {
			f.StackValues[k][len(f.StackNode)-1] += f.Values[k][sample]
		}
	}
	b.sampleDepth = nil
}

// nameLookup returns the name of a node: names[of[node]].
type nameLookup struct{ of, names []uint32 }

func (n nameLookup) at(node uint32) uint32 { return n.names[n.of[node]] }

// sums returns own and total values by name. Trees are given by the sizes of
// their subtrees in preorder; ends are the nodes that values belong to,
// ascending.
func sums(sizes []uint32, name nameLookup, names int, ends []uint32, values [][]int64) (own, total [][]int64) {
	running := make([][]int64, len(values))
	own, total = make([][]int64, len(values)), make([][]int64, len(values))
	for k := range values {
		running[k] = make([]int64, len(ends)+1)
		own[k], total[k] = make([]int64, names), make([]int64, names)
		for i, value := range values[k] {
			running[k][i+1] = running[k][i] + value
			if ends[i] > 0 {
				own[k][name.at(ends[i])] += value
			}
		}
	}
	open := make([]uint32, names) // where the last outermost node of a name ends
	at := 0                       // the first value at or after the node
	for node := 1; node < len(sizes); node++ {
		for at < len(ends) && int(ends[at]) < node {
			at++
		}
		n, end := name.at(uint32(node)), uint32(node)+sizes[node]
		if uint32(node) < open[n] {
			continue
		}
		open[n] = end
		// Most subtrees hold few values: look from here, doubling the step.
		step := 1
		for at+step <= len(ends) && ends[at+step-1] < end {
			step *= 2
		}
		rest, _ := slices.BinarySearch(ends[at+step/2:min(at+step, len(ends))], end)
		for k := range values {
			total[k][n] += running[k][at+step/2+rest] - running[k][at]
		}
	}
	return own, total
}
