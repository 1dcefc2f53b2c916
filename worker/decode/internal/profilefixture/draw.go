// Package profilefixture draws profiles for tests: inputs as columns of names,
// results as indented text.
package profilefixture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/profilefile"
)

// Stacks makes a profile of a drawing: a column is a sample of value 1, rows
// go from the root to the leaf, "." is not a frame, "f:12" has a line, and "a>b"
// is one location where b was inlined into a.
//
//	main main main
//	a    a    b
//	b    .    .
func Stacks(drawing string) *profile.Profile {
	b := newBuilder()
	var columns [][]string
	for _, row := range strings.Split(strings.TrimSpace(drawing), "\n") {
		for i, cell := range strings.Fields(row) {
			for len(columns) <= i {
				columns = append(columns, nil)
			}
			if cell != "." {
				columns[i] = append(columns[i], cell)
			}
		}
	}
	for _, column := range columns {
		b.Sample(column, 1)
	}
	return b.Profile
}

// Builder makes a CPU profile stack by stack.
type Builder struct {
	*profile.Profile
	locations map[string]*profile.Location
	functions map[string]*profile.Function
}

func newBuilder() *Builder {
	return &Builder{
		Profile: &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
			PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10, DurationNanos: 1000, TimeNanos: 1,
		},
		locations: map[string]*profile.Location{}, functions: map[string]*profile.Function{},
	}
}

// New makes a builder without samples.
func New() *Builder { return newBuilder() }

// Sample adds a sample, root first; every sample type but the first counts
// ten times the value.
func (b *Builder) Sample(stack []string, value int64) *profile.Sample {
	s := &profile.Sample{}
	for i := range b.SampleType {
		s.Value = append(s.Value, value*[]int64{1, 10, 10, 10}[i])
	}
	for i := len(stack) - 1; i >= 0; i-- {
		s.Location = append(s.Location, b.location(stack[i]))
	}
	b.Profile.Sample = append(b.Profile.Sample, s)
	return s
}

func (b *Builder) location(cell string) *profile.Location {
	if l := b.locations[cell]; l != nil {
		return l
	}
	l := &profile.Location{ID: uint64(len(b.Location) + 1)}
	names := strings.Split(cell, ">")
	for i := len(names) - 1; i >= 0; i-- { // callee first
		name, line := names[i], int64(0)
		if at := strings.LastIndexByte(name, ':'); at > 0 {
			fmt.Sscan(name[at+1:], &line)
			name = name[:at]
		}
		l.Line = append(l.Line, profile.Line{Function: b.function(name), Line: line})
	}
	b.locations[cell] = l
	b.Location = append(b.Location, l)
	return l
}

func (b *Builder) function(name string) *profile.Function {
	if f := b.functions[name]; f != nil {
		return f
	}
	f := &profile.Function{ID: uint64(len(b.Function) + 1), Name: name, SystemName: name, Filename: fileOf(name)}
	b.functions[name] = f
	b.Function = append(b.Function, f)
	return f
}

// fileOf makes names with a dot Go's.
func fileOf(name string) string {
	if pkg, _, ok := strings.Cut(name, "."); ok {
		return "/src/" + pkg + "/file.go"
	}
	return "file.c"
}

// Bytes packs a profile as pprof does.
func Bytes(p *profile.Profile) []byte {
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// Draw returns the tree of keys as text: a line a node, indented by depth, with
// totals per sample type, and self where it is not 0.
func Draw(f *profilefile.File) string {
	var out strings.Builder
	self, total := Totals(f)
	parents := f.Nodes.Parents(len(f.NodeKey))
	depth := make([]int, len(parents))
	for node := range parents {
		name := "(root)"
		if node > 0 {
			depth[node] = depth[parents[node]] + 1
			name = f.String(f.NodeKey[node])
		}
		fmt.Fprintf(&out, "%s%s %s", strings.Repeat("  ", depth[node]), name, numbers(total, node))
		if anyNonZero(self, node) {
			fmt.Fprintf(&out, " self %s", numbers(self, node))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// DrawLines returns the tree of lines as text.
func DrawLines(f *profilefile.File) string {
	var out strings.Builder
	parents := f.LineNodes.Parents(len(f.LineNodeFrame))
	depth := make([]int, len(parents))
	for node := 1; node < len(depth); node++ {
		depth[node] = depth[parents[node]] + 1
		frame := f.LineNodeFrame[node]
		fmt.Fprintf(&out, "%s%s:%d\n", strings.Repeat("  ", depth[node]-1), f.String(f.FunctionName[f.FrameFunction[frame]]), f.FrameLine[frame])
	}
	return out.String()
}

// Totals returns self and total of every key node, per sample type.
func Totals(f *profilefile.File) (self, total [][]int64) {
	parents := f.Nodes.Parents(len(f.NodeKey))
	for _, values := range f.Values {
		s := make([]int64, len(parents))
		for i, node := range f.SampleNode {
			s[node] += values[i]
		}
		t := slices.Clone(s)
		for node := len(t) - 1; node > 0; node-- {
			t[parents[node]] += t[node]
		}
		self, total = append(self, s), append(total, t)
	}
	return self, total
}

func numbers(columns [][]int64, node int) string {
	var parts []string
	for _, column := range columns {
		parts = append(parts, fmt.Sprint(column[node]))
	}
	return strings.Join(parts, "/")
}

func anyNonZero(columns [][]int64, node int) bool {
	for _, column := range columns {
		if column[node] != 0 {
			return true
		}
	}
	return false
}
