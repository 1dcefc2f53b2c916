//go:build corpus

package spanread

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Every file of the corpus yields the spans, services and traces that its
// manifest lists; spans that were sent twice count there twice.
func TestCorpus(t *testing.T) {
	root := os.Getenv("SLOWPATH_CORPUS")
	if root == "" {
		root = "../../../../../shared/corpus"
	}
	in, err := os.Open(filepath.Join(root, "spans/manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines := csv.NewReader(in)
	lines.Comma = '\t'
	rows, err := lines.ReadAll()
	if err != nil || len(rows) < 50 {
		t.Fatal(len(rows), err)
	}
	for _, row := range rows[1:] {
		file, err := ReadFile(filepath.Join(root, "spans", row[0]), DefaultOptions())
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		check(t, file)
		c := file.Header.Counts
		for i, got := range map[int]int64{6: c.Spans + c.Repeated, 7: c.Services, 8: c.Traces} {
			want, _ := strconv.ParseInt(row[i], 10, 64)
			if got != want && !(i == 7 && want == 0) { // services of Jaeger's model were not counted
				t.Errorf("%s: column %d is %d, want %d", row[0], i, got, want)
			}
		}
	}
}
