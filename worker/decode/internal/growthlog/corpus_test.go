//go:build corpus

package growthlog

import (
	"os"
	"path/filepath"
	"testing"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputlimits"
)

// Every log of the corpus is read without a warning but that of other output.
func TestCorpus(t *testing.T) {
	root := os.Getenv("SLOWPATH_CORPUS")
	if root == "" {
		root = "../../../../../shared/corpus"
	}
	paths, err := filepath.Glob(filepath.Join(root, "growth/*.log*"))
	if err != nil || len(paths) == 0 {
		t.Fatal("nothing there", err)
	}
	for _, path := range paths {
		f, err := ReadFile(path, calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		g := f.Header.Growth
		if g.Rate != 1000 || g.Lost != 0 || g.Total == nil || *g.Total < g.Sampled*g.Rate || *g.Total > (g.Sampled+int64(len(g.Totals)))*g.Rate || g.OtherLines > 1 {
			t.Errorf("%s: %+v %v", path, g, f.Header.Warnings)
		}
	}
}
