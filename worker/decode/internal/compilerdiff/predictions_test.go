//go:build long

package compilerdiff

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	report, err := CompareProfiles(build(t, folder), build(t, folder, "-pgo="+profile), sum)
	if err != nil {
		t.Fatal(err)
	}
	gained := slices.IndexFunc(report.Findings, func(f Finding) bool { return f.Kind == InliningGained })
	if !report.OnlyPGO || gained < 0 || !report.Findings[gained].BuildsDiffer {
		t.Fatalf("only PGO: %v, differences %v, findings %+v", report.OnlyPGO, report.Differences, report.Findings)
	}
}
