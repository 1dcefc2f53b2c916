//go:build long

package compilerdiff

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

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
