package compilerdiff

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
)

const example = "../../../example"

// build compiles a program and reads it.
func build(t *testing.T, folder string, arguments ...string) *gobinary.Program {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	command := exec.Command("go", slices.Concat([]string{"build", "-o", out}, arguments, []string{"."})...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off")
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, printed)
	}
	p, err := gobinary.Open(out, gobinary.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// profileStacks returns the stacks of a profile of a variant of the example.
func profileStacks(t *testing.T, regressed ...string) []Stack {
	t.Helper()
	sum := NewStackSum(regressed)
	for side, variant := range []string{"inlined", "helper"} {
		file, err := pprofread.ReadFile(filepath.Join(example, "artifacts", variant, "cpu.00.pb.gz"), calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if err := sum.Add(file, side == 1); err != nil {
			t.Fatal(err)
		}
	}
	return sum.Stacks()
}

func compared(t *testing.T, base, candidate *gobinary.Program, stacks []Stack) *Report {
	t.Helper()
	report, err := Compare(base, candidate, stacks)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func find(report *Report, kind, function string) *Finding {
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Kind == kind && f.Function == function {
			return f
		}
	}
	return nil
}

func TestTheExampleCrossesAnEdge(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	report := compared(t, build(t, folder), build(t, folder, "-tags", "helper"), profileStacks(t, "ingester/ident.(*Pool).Clone"))
	edge := find(report, EdgeCrossed, "ingester/ident.cloneBytes")
	if edge == nil || edge.Grade != GradePredicted || !edge.Edge.Exact || edge.Edge.From != 4096 || edge.Edge.To != 8192 || edge.Edge.Depth != 3168 {
		t.Fatalf("edge: %+v", edge)
	}
	if edge.Edge.BaseNeed != [2]int64{3120, 3120} || edge.Edge.CandidateNeed != [2]int64{3192, 3192} || edge.Edge.BaseDistance != 48 || edge.Edge.CandidateDistance != -24 {
		t.Errorf("path: %+v", edge.Edge)
	}
	if path := report.Paths[edge.Edge.Path]; len(path.Stack) != 31 || path.Stack[30] != "ingester/ident.cloneBytes" {
		t.Errorf("stack of %d: %v", len(path.Stack), path.Stack)
	}
	clone := "ingester/ident.(*Pool).Clone"
	if call := find(report, CallNew, clone); call == nil || call.Callee != "ingester/ident.cloneBytes" || *call.CalleeFrame != 40 || call.Line != 16 {
		t.Errorf("call: %+v", call)
	}
	if frame := find(report, FrameGrew, clone); frame == nil || *frame.Base.Bytes != 56 || *frame.Candidate.Bytes != 64 {
		t.Errorf("frame: %+v", frame)
	}
}

// TestTheBaseAlonePredictsTheCandidate follows stacks of a build that nothing
// of the candidate was recorded of.
func TestTheBaseAlonePredictsTheCandidate(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	stacks := slices.DeleteFunc(profileStacks(t), func(s Stack) bool { return s.FromCandidate })
	report := compared(t, build(t, folder), build(t, folder, "-tags", "helper"), stacks)
	if edge := find(report, EdgeCrossed, "ingester/ident.cloneBytes"); edge == nil || edge.Edge.CandidateNeed != [2]int64{3192, 3192} {
		t.Fatalf("edge: %+v", edge)
	}
}

func TestTwoBuildsOfOneCommitYieldNothing(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	copied := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(copied, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	stacks := slices.DeleteFunc(profileStacks(t), func(s Stack) bool { return s.FromCandidate })
	report := compared(t, build(t, folder), build(t, copied, "-trimpath"), stacks)
	fmt.Printf("measured one-commit findings=%d differences=%d paths=%d\n", len(report.Findings), len(report.Differences), len(report.Paths))
	if len(report.Findings) > 0 || len(report.Differences) > 0 {
		t.Errorf("findings: %+v, differences: %+v", report.Findings, report.Differences)
	}
	if len(report.Paths) == 0 || len(report.Unread) > 0 {
		t.Errorf("%d paths, unread: %+v", len(report.Paths), report.Unread)
	}
}

func TestGrow(t *testing.T) {
	for _, c := range []struct {
		arch                     string
		isRace                   bool
		size, depth, frame, want int64
	}{
		{"amd64", false, 2048, 1119, 128, 2048},
		{"amd64", false, 2048, 1120, 128, 4096},
		{"amd64", false, 2048, 1119, 129, 4096},
		{"amd64", false, 4096, 3144, 40, 4096},
		{"amd64", false, 4096, 3168, 40, 8192},
		{"amd64", false, 2048, 100, 16384, 32768},
		{"amd64", true, 2048, 320, 8, 4096},
		{"arm64", false, 2048, 1120, 0, 4096},
	} {
		if got := stackRules(c.arch, c.isRace).Grow(c.size, c.depth, c.frame); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestMatchKey(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                             "main.main",
		"main.init.0":                           "main.init.0",
		"main.New.func2":                        "main.New.func",
		"main.New.func2.1":                      "main.New.func",
		"main.New.func2.gowrap1":                "main.New.func.gowrap",
		"main.New.gowrap12":                     "main.New.gowrap",
		"main.New.deferwrap1":                   "main.New.deferwrap",
		"main.New-range1":                       "main.New-range",
		"main.Map[go.shape.int].func1":          "main.Map[…].func",
		"main.glob..func3":                      "main.init.func",
		"main.init.func3":                       "main.init.func",
		"main.(*T).M-fm":                        "main.(*T).M-fm",
		"main.A[go.shape.[]uint8].B[...].func1": "main.A[…].func",
		"":                                      "",
	} {
		if got := matchKey(name); got != want {
			t.Errorf("matchKey(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzMatchKey(f *testing.F) {
	f.Add("main.New.func2.gowrap1")
	f.Fuzz(func(t *testing.T, name string) {
		if key := matchKey(name); len(key) > len(name)+2*len(typeArguments) {
			t.Errorf("matchKey(%q) = %q grows", name, key)
		}
	})
}
