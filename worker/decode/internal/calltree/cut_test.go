package calltree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/profilefixture"
)

// goProfile makes a builder whose profile is one of a Go program.
func goProfile(types ...string) *profilefixture.Builder {
	b := profilefixture.New()
	b.Sample([]string{"runtime.main", "main.main", "main.short"}, 1)
	if types != nil {
		b.SampleType = nil
		for _, name := range types {
			b.SampleType = append(b.SampleType, &profile.ValueType{Type: name, Unit: "count"})
		}
		for _, s := range b.Profile.Sample {
			s.Value = make([]int64, len(types))
			s.Value[0] = 1
		}
	}
	return b
}

// deep returns a stack of n frames: root, then a different function each.
func deep(root string, n int) []string {
	stack := []string{root}
	for i := 1; i < n; i++ {
		stack = append(stack, fmt.Sprintf("main.f%d", i))
	}
	return stack
}

func TestCutStacks(t *testing.T) {
	heap := []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}
	for _, test := range []struct {
		name   string
		types  []string
		stacks [][]string
		cut    int64
	}{
		{"cpu one short of the limit", nil, [][]string{deep("main.middle", 63)}, 0},
		{"cpu at the limit", nil, [][]string{deep("main.middle", 64)}, 1},
		{"the last entry was inlined", nil, [][]string{deep("main.x>main.y>main.z", 64)}, 1},
		{"inlined frames count since Go 1.21", nil, [][]string{append(deep("main.middle", 61), "main.a>main.b>main.c")}, 1},
		{"inlined frames did not count up to Go 1.20", nil, [][]string{append(deep("main.middle", 62), "main.a>main.b>main.c"), deep("main.other", 64)}, 1},
		{"a true root of the runtime", nil, [][]string{deep("runtime.main", 64), deep("runtime.mcall", 64)}, 0},
		{"the root of shorter stacks", nil, [][]string{deep("main.worker", 64), {"main.worker", "main.x"}}, 0},
		{"the root of shorter stacks, but recursive", nil, [][]string{append(deep("main.walk", 63), "main.walk"), {"main.walk", "main.x"}}, 1},
		{"heap, old limit", heap, [][]string{deep("main.middle", 32)}, 1},
		{"heap, old limit not reached", heap, [][]string{deep("main.middle", 31)}, 0},
		{"heap, frames of the runtime left out", heap, [][]string{deep("main.middle", 30), {"runtime.main", "main.main", "main.middle"}}, 1},
		{"heap, new limit", heap, [][]string{deep("main.middle", 128), deep("main.other", 40)}, 1},
		{"heap, under the new limit nothing at 32", heap, [][]string{deep("main.a", 32), deep("main.b", 90)}, 0},
		{"contention", []string{"contentions", "delay"}, [][]string{deep("main.middle", 32)}, 1},
		{"goroutine", []string{"goroutine"}, [][]string{deep("main.middle", 128)}, 1},
		{"other kinds have no limit", []string{"objects"}, [][]string{deep("main.middle", 64)}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := goProfile(test.types...)
			for _, stack := range test.stacks {
				b.Sample(stack, 1)
			}
			f := read(t, b.Profile)
			if f.Header.CutSamples != test.cut {
				t.Errorf("%d cut, want %d", f.Header.CutSamples, test.cut)
			}
			if marked := strings.Contains(profilefixture.Draw(f), "\n  [root cut off] "); marked != (test.cut > 0) {
				t.Errorf("the tree does not say so:\n%s", profilefixture.Draw(f))
			}
		})
	}
}

// Programs in other languages have no such limit.
func TestOnlyGoStacksAreCut(t *testing.T) {
	b := profilefixture.New()
	b.Sample([]string{"main"}, 1)
	b.Sample(deep("middle", 64), 1)
	for _, f := range b.Function {
		f.Filename = "file.cc"
	}
	if f := read(t, b.Profile); f.Header.CutSamples != 0 {
		t.Errorf("%d cut", f.Header.CutSamples)
	}
}

// A cut stack leaves nothing at its false root, and a whole one that begins
// alike stays where it is.
func TestCutStacksHangApart(t *testing.T) {
	b := goProfile()
	b.Sample(append(deep("main.walk", 63), "main.walk"), 2)
	b.Sample([]string{"main.walk", "main.f1"}, 3)
	want(t, strings.Join(strings.Split(profilefixture.Draw(read(t, b.Profile)), "\n")[:4], "\n")+"\n", `
		(root) 6/60
		  [root cut off] 2/20
		    main.walk 2/20
		      main.f1 2/20
		`)
}
