//go:build long

package compilerdiff

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

// TestPredictionsOfTheExample moves the example towards the edge and over it.
// The sizes are those that the patched runtime of the example recorded.
func TestPredictionsOfTheExample(t *testing.T) {
	stacks := profileStacks(t, "ingester/ident.(*Pool).Clone")
	variants, right := 0, 0
	for _, rejections := range []int64{20, 22, 24, 25, 26, 27, 28, 30} {
		folder := filepath.Join(t.TempDir(), fmt.Sprint(rejections))
		if err := os.CopyFS(folder, os.DirFS(filepath.Join(example, "ingester"))); err != nil {
			t.Fatal(err)
		}
		source := filepath.Join(folder, "storage", "storage.go")
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), "maxRejections = 26", fmt.Sprintf("maxRejections = %d", rejections), 1)
		if err := os.WriteFile(source, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		report := compared(t, build(t, folder), build(t, folder, "-tags", "helper"), stacks)
		at := slices.IndexFunc(report.Paths, func(p Path) bool { return p.Stack[len(p.Stack)-1] == "ingester/ident.cloneBytes" })
		if at < 0 {
			t.Fatalf("%d: no path to cloneBytes", rejections)
		}
		base, candidate := report.Paths[at].Base, report.Paths[at].Candidate
		depth := 3120 + 24*(rejections-26)
		if base.Depth != [2]int64{depth, depth} || candidate.Depth != [2]int64{depth + 72, depth + 72} {
			t.Errorf("%d: depths %v and %v", rejections, base.Depth, candidate.Depth)
		}
		for side, isRight := range map[string]bool{
			"base":      (base.Final == 8192) == (rejections >= 28),
			"candidate": (candidate.Final == 8192) == (rejections >= 25),
		} {
			if variants++; isRight {
				right++
			} else {
				t.Errorf("%d: the %s ends at %d and %d", rejections, side, base.Final, candidate.Final)
			}
		}
	}
	fmt.Printf("measured predictions variants=%d right=%d\n", variants, right)
}

func TestBuildsThatDifferOnlyInPGOListWhatWasInlined(t *testing.T) {
	profile, err := filepath.Abs(filepath.Join(example, "artifacts", "inlined", "cpu.00.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(example, "ingester")
	sum := NewStackSum([]string{"no.function"})
	sum.totals, sum.values = exampleSum(t).totals, exampleSum(t).values
	base, candidate := build(t, folder), build(t, folder, "-pgo="+profile)
	report, err := CompareProfiles(base, candidate, sum)
	if err != nil {
		t.Fatal(err)
	}
	gained := slices.IndexFunc(report.Findings, func(f Finding) bool { return f.Kind == InliningGained })
	if !report.OnlyPGO || gained < 0 {
		t.Fatalf("only PGO: %v, differences %v, findings %+v", report.OnlyPGO, report.Differences, report.Findings)
	}
	for _, each := range report.Findings {
		if !each.BuildsDiffer {
			t.Errorf("only the profile can be why: %+v", each)
		}
	}
	checkAffected(t, base, candidate)
}

// checkAffected compares all functions of builds of the same code: those that the profile
// did not affect have the same frames.
func checkAffected(t *testing.T, base, candidate *gobinary.Program) {
	t.Helper()
	c, err := newComparison(base, candidate)
	if err != nil {
		t.Fatal(err)
	}
	affected, other, wrong := 0, 0, 0
	for ours, theirs := range c.toCandidate {
		switch {
		case len(c.baseKeys[matchKey(base.Functions[ours].Name)]) > 1: // a closure may be paired with another
		case c.isAnyAffected(theirs):
			affected++
		case base.Functions[ours].Frame != candidate.Functions[theirs].Frame:
			wrong++
			t.Logf("not affected: %s, frames %d and %d", base.Functions[ours].Name, base.Functions[ours].Frame, candidate.Functions[theirs].Frame)
		default:
			other++
		}
	}
	fmt.Printf("measured pgo-affected affected=%d other=%d wrong=%d\n", affected, other, wrong)
	if affected == 0 || wrong > 0 {
		t.Errorf("%d affected, %d others, of which %d have another frame", affected, other, wrong)
	}
}
