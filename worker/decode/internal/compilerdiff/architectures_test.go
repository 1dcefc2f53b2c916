//go:build long

package compilerdiff

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestPairsOfOtherSettings compares both variants of the example for arm64, and
// with the race detector: the call that appeared is found in each, and one variant
// does not differ from itself.
func TestPairsOfOtherSettings(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	stacks := slices.DeleteFunc(profileStacks(t, clone), func(s Stack) bool { return s.FromCandidate })
	for _, c := range []struct {
		name, arch, cgo string
		flags           []string
	}{{"arm64", "arm64", "0", nil}, {"race", "amd64", "1", []string{"-race"}}} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOARCH", c.arch)
			t.Setenv("CGO_ENABLED", c.cgo)
			base, candidate := build(t, folder, c.flags...), build(t, folder, append(c.flags, "-tags", "helper")...)
			report := compared(t, base, candidate, stacks)
			if len(report.Differences) > 0 || len(report.Paths) == 0 {
				t.Errorf("differences: %+v, %d paths", report.Differences, len(report.Paths))
			}
			if call := find(report, CallNew, clone); call == nil || call.Callee != "ingester/ident.cloneBytes" || call.Grade != GradeBinary {
				t.Errorf("findings: %+v", report.Findings)
			}
			a := assemblyOf(t, base, candidate, clone, [2][]string{})
			isCall := func(one Instruction) bool { return one.Call == "ingester/ident.cloneBytes" }
			if slices.ContainsFunc(a.Base.Instructions, isCall) || !slices.ContainsFunc(a.Candidate.Instructions, isCall) {
				t.Error("the call is not in the assembly of the candidate only")
			}
			if itself := compared(t, base, base, stacks); len(itself.Findings) > 0 {
				t.Errorf("findings of a build and itself: %+v", itself.Findings)
			}
		})
	}
}

func TestLeafClosuresOfArm64ArePairedByTheirInstructions(t *testing.T) {
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CGO_ENABLED", "0")
	checkLeafClosures(t)
}
