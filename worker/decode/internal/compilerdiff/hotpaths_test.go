package compilerdiff

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
)

// exampleSum adds profiles of the base of the example up.
func exampleSum(t *testing.T) *StackSum {
	t.Helper()
	sum := NewStackSum(nil)
	for _, name := range []string{"cpu.00.pb.gz", "cpu.01.pb.gz", "cpu.02.pb.gz"} {
		file, err := pprofread.ReadFile(filepath.Join(example, "artifacts", "inlined", name), calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if err := sum.Add(file, false); err != nil {
			t.Fatal(err)
		}
	}
	return sum
}

func TestAHotPathOfTheBaseCrossesInABuildWithoutAProfile(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	base, candidate := build(t, folder), build(t, folder, "-tags", "helper")
	report, err := CompareProfiles(base, candidate, exampleSum(t))
	if err != nil {
		t.Fatal(err)
	}
	crossing := slices.DeleteFunc(slices.Clone(report.HotPaths), func(p HotPath) bool { return p.Candidate.Final == p.Base.Final })
	if len(crossing) == 0 {
		t.Fatal("no hot path crosses")
	}
	path := crossing[0]
	last := path.Candidate.Frames[len(path.Candidate.Frames)-1]
	if path.Base.Need != [2]int64{3120, 3120} || path.Base.Limit != 3168 || path.Base.Distance != 48 || last.Function != "ingester/ident.cloneBytes" {
		t.Errorf("base %+v, candidate ends in %+v", path.Base, last)
	}
	if path.Candidate.Need != [2]int64{3192, 3192} || path.Candidate.Limit != 7264 || path.Shares[0] < hotShare {
		t.Errorf("candidate %+v", path.Candidate)
	}
	if call := path.Base.Runtime; call == nil || !strings.HasPrefix(call.Function, "runtime.") {
		t.Errorf("runtime: %+v", call)
	}
	alone := Measure(base, exampleSum(t))
	if len(alone.Paths) != len(report.HotPaths) || alone.Paths[0].Candidate != nil {
		t.Errorf("%d paths of one build, %d of two", len(alone.Paths), len(report.HotPaths))
	}
	again, err := CompareProfiles(base, base, exampleSum(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range again.HotPaths {
		if same.Base.Need != same.Candidate.Need {
			t.Errorf("equal builds differ: %v", same.Stack)
		}
	}
}

func TestHotFunctionsAreCutAtTheShare(t *testing.T) {
	sum := NewStackSum(nil)
	sum.totals[0] = 1000
	sum.values[0] = map[string]int64{
		"main.a\x00main.b":             9,
		"main.a\x00main.b\x00main.c":   6,
		"main.a\x00main.d":             985,
		"main.a\x00main.d\x00main.e.f": 9,
		"main.a\x00runtime.mallocgc":   12,
	}
	root := sum.hotTree(func(name string) string { return name })
	var found []string
	for _, leaf := range root.children[0].leaves(nil, nil) {
		found = append(found, strings.Join(leaf, " "))
	}
	if want := []string{"main.a main.b", "main.a main.d", "main.a runtime.mallocgc"}; !slices.Equal(found, want) {
		t.Errorf("hot: %v", found)
	}
}

func TestOnlyBuildsOfOneCommitDifferOnlyInPGO(t *testing.T) {
	settings := func(revision, race string) *gobinary.Program {
		return &gobinary.Program{Settings: map[string]string{"vcs.revision": revision, "-race": race}}
	}
	base, other := settings("a", ""), settings("a", "")
	other.PGO = "default.pgo"
	for _, each := range []struct {
		candidate *gobinary.Program
		want      bool
	}{{other, true}, {settings("a", ""), false}, {settings("a", "true"), false}} {
		if got := isOnlyPGO(base, each.candidate, differencesOf(base, each.candidate)); got != each.want {
			t.Errorf("%+v: %v", each.candidate, got)
		}
	}
	other.Settings["vcs.revision"] = "b"
	if isOnlyPGO(base, other, differencesOf(base, other)) {
		t.Error("builds of two commits differ in their code too")
	}
}

func TestPGOProfilesAreComparedByContentWhereItIsKnown(t *testing.T) {
	program := func(path, sha256 string) *gobinary.Program {
		return &gobinary.Program{PGO: path, PGOSHA256: sha256, Settings: map[string]string{}}
	}
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	for _, each := range []struct {
		base, candidate *gobinary.Program
		want            []Difference
	}{
		{program("p", a), program("p", a), []Difference{}},
		{program("p", a), program("q", a), []Difference{}},
		{program("p", a), program("p", b), []Difference{{"-pgo", "p (SHA-256 aaaaaaaaaaaa)", "p (SHA-256 bbbbbbbbbbbb)"}}},
		{program("p", a), program("p", ""), []Difference{}},
		{program("p", ""), program("q", b), []Difference{{"-pgo", "p", "q"}}},
		{program("", a), program("p", a), []Difference{{"-pgo", "", "p"}}},
	} {
		if got := differencesOf(each.base, each.candidate); !slices.Equal(got, each.want) {
			t.Errorf("%+v, %+v: %v", each.base, each.candidate, got)
		}
	}
}

// The candidate has other code in a function in which nothing else is inlined: its profile
// cannot be why. The same of a version of Go is not known.
func TestOtherPGOProfilesLowerOnlyWhatTheyCanAffect(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	base, candidate := build(t, folder), build(t, folder, "-tags", "helper")
	stacks := profileStacks(t, "ingester/ident.(*Pool).Clone")
	candidate.PGO = "other.pgo"
	report := compared(t, base, candidate, stacks)
	if len(report.Differences) != 1 || len(report.Findings) == 0 {
		t.Fatalf("differences %+v, findings %+v", report.Differences, report.Findings)
	}
	for _, each := range report.Findings {
		if each.BuildsDiffer || each.Edge != nil && !each.Edge.Exact {
			t.Errorf("lowered: %+v", each)
		}
	}
	candidate.GoVersion = "go1.99.0"
	for _, each := range compared(t, base, candidate, stacks).Findings {
		if !each.BuildsDiffer {
			t.Errorf("not lowered by another version of Go: %+v", each)
		}
	}
	candidate.GoVersion = base.GoVersion
	clone := base.Find("ingester/ident.(*Pool).Clone")[0]
	base.Functions[clone].Inlined = append(base.Functions[clone].Inlined, gobinary.InlinedFunction{Name: "other.f", Parent: -1})
	if call := find(compared(t, base, candidate, stacks), CallNew, "ingester/ident.(*Pool).Clone"); call == nil || !call.BuildsDiffer {
		t.Errorf("not lowered, though other functions are inlined: %+v", call)
	}
}
