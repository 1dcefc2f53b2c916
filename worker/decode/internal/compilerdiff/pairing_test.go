package compilerdiff

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

// built compiles a program of one file.
func built(t *testing.T, source string) *gobinary.Program {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example.com/small\n\ngo 1.22\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return build(t, folder)
}

const closures = `package main

import "os"

//go:noinline
func red(n int) int { return n + len(os.Args) }

//go:noinline
func green(n int) int { return n - len(os.Args) }

//go:noinline
func blue(n int) int { return n * len(os.Args) }

//go:noinline
func fill(to *[]func(int) int) {
ADDED	*to = append(*to, func(n int) int { return red(n) })
	*to = append(*to, func(n int) int { return green(n) })
}

func main() {
	var all []func(int) int
	fill(&all)
	sum := blue(1)
	for _, each := range all {
		sum += each(2)
	}
	os.Exit(sum)
}
`

func TestAClosureAddedBeforeOthersOfEqualSizeIsNotPairedWithThem(t *testing.T) {
	base := built(t, strings.ReplaceAll(closures, "ADDED", ""))
	candidate := built(t, strings.ReplaceAll(closures, "ADDED", "\t*to = append(*to, func(n int) int { return blue(n) })\n"))
	m := match(base, candidate)
	for from, to := range map[string]string{"main.fill.func1": "main.fill.func2", "main.fill.func2": "main.fill.func3"} {
		partner, ok := m.toCandidate[base.Find(from)[0]]
		if !ok || candidate.Functions[partner].Name != to {
			t.Errorf("%s is paired with %q, not %s", from, candidate.Functions[partner].Name, to)
		}
	}
	if _, ok := m.toBase[candidate.Find("main.fill.func1")[0]]; ok {
		t.Error("the added closure is paired")
	}
}

const leafClosures = `package main

import "os"

var offset = len(os.Args)

//go:noinline
func fill(to *[]func(int) int) {
ADDED	*to = append(*to, func(n int) int { return n*3 + offset })
	*to = append(*to, func(n int) int { return n*5 + offset })
	*to = append(*to, func(n int) int { return n*9 + offset })
}

func main() {
	MORE
	var all []func(int) int
	fill(&all)
	sum := 0
	for _, each := range all {
		sum += each(2)
	}
	os.Exit(sum)
}
`

func TestAClosureThatCallsNothingIsPairedByItsInstructions(t *testing.T) { checkLeafClosures(t) }

// checkLeafClosures adds closures before others of the same size that call and inline
// nothing; the data that they read moves.
func checkLeafClosures(t *testing.T) {
	t.Helper()
	write := func(added, more string) *gobinary.Program {
		return built(t, strings.NewReplacer("ADDED", added, "MORE", more).Replace(leafClosures))
	}
	base := write("", "")
	for name, c := range map[string]struct {
		added string
		to    map[string]string
	}{
		"another": {"\t*to = append(*to, func(n int) int { return n*2 + offset })\n", map[string]string{"main.fill.func1": "main.fill.func2", "main.fill.func2": "main.fill.func3", "main.fill.func3": "main.fill.func4"}},
		"none":    {"\n", map[string]string{"main.fill.func1": "main.fill.func1", "main.fill.func2": "main.fill.func2", "main.fill.func3": "main.fill.func3"}},
	} {
		candidate := write(c.added, "println(os.Getpid(), os.Getenv(\"X\"))")
		m := match(base, candidate)
		for from, to := range c.to {
			partner, ok := m.toCandidate[base.Find(from)[0]]
			if !ok || candidate.Functions[partner].Name != to {
				t.Errorf("%s: %s is paired with %q, not %s", name, from, candidate.Functions[partner].Name, to)
			}
		}
	}
}

const generic = `package main

import "os"

type number interface{ ~int | ~int64 | ~float64 }

//go:noinline
func sum[T number](all []T) (total T) {
	for _, each := range all {
		total += each
	}
	CHANGED
	return total
}

//go:noinline
func last[T any](all []T) T { return all[len(all)-1] }

func main() {
	n := len(os.Args)
	println(USED, n)
}
`

func TestInstancesOfGenericFunctionsAreListed(t *testing.T) {
	write := func(changed, used string) *gobinary.Program {
		return built(t, strings.NewReplacer("CHANGED", changed, "USED", used).Replace(generic))
	}
	same := "last([]string{\"a\"}), "
	base := write("", same+"sum([]int{n}), sum([]int64{2})")
	candidate := write("if len(all) > 9 { os.Exit(len(all)) }", same+"sum([]int{n}), sum([]float64{2})")
	report := compared(t, base, candidate, []Stack{{Names: []string{"runtime.main", "main.main", "main.sum[...]"}, Share: 1}})
	var found []string
	for _, each := range report.Instances {
		found = append(found, each.Change+" "+each.Function+" "+each.Arguments)
	}
	want := []string{"added main.sum[...] go.shape.float64", "changed main.sum[...] go.shape.int", "removed main.sum[...] go.shape.int64"}
	if !slices.Equal(found, want) {
		t.Errorf("instances: %q", found)
	}
	for _, each := range report.Instances {
		if !each.OnStack || (each.Base == nil) != (each.Change == InstanceAdded) || (each.Candidate == nil) != (each.Change == InstanceRemoved) {
			t.Errorf("%+v", each)
		}
	}
	if again := compared(t, base, base, nil); len(again.Instances) > 0 {
		t.Errorf("equal builds have other instances: %+v", again.Instances)
	}
}
