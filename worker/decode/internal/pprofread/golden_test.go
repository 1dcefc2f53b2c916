package pprofread

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenProfiles are small, and one of each sort. Their decoded form is the
// contract between the helper and those who read its files.
var goldenProfiles = []string{
	"go-cpu-1.26.pb.gz", "go-heap-1.26.pb.gz", "go-allocs-1.26.pb.gz", "go-mutex-1.26.pb.gz", "go-block-1.26.pb.gz",
	"go-goroutine-1.21.pb.gz", "go-goroutine-debug1.txt", "go-threadcreate-1.27.pb.gz", "go-sample-cpu.pb.gz",
	"parca-ebpf.pb.gz", "parca-labels-cpu.pb.gz", "parca-stripped-cpu.pb.gz", "java-heap.txt", "gobench-legacy.cpu", "cpp-contention.txt",
}

var stemOf = strings.NewReplacer(".pb.gz", "", ".txt", "", ".cpu", "")

func TestGoldenFiles(t *testing.T) {
	for _, name := range goldenProfiles {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.FileName = name
			f, err := ReadFile("../../testdata/profiles/"+name, o)
			if err != nil {
				t.Fatal(err)
			}
			var columns bytes.Buffer
			if err := f.Write(&columns); err != nil {
				t.Fatal(err)
			}
			stem := "../../testdata/golden/" + stemOf.Replace(name)
			golden(t, stem+".slowcol", columns.Bytes())
			golden(t, stem+".txt", []byte(describe(t, f)))
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if that is right, run the test with -update, and raise the format version if readers must change", path)
	}
}

// describe is the readable half of a golden file.
func describe(t *testing.T, f *profilefile.File) string {
	t.Helper()
	header, err := json.MarshalIndent(f.Header, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n\n%s\n%s", header, profilefixture.Draw(f), describeLabels(f))
}

func describeLabels(f *profilefile.File) string {
	totals := map[string][]int64{}
	var order []string
	for i := range f.SampleLineNode {
		labels := columnLabels(f, i)
		if totals[labels] == nil {
			totals[labels] = make([]int64, len(f.Values))
			order = append(order, labels)
		}
		for k := range f.Values {
			totals[labels][k] += f.Values[k][i]
		}
	}
	var out strings.Builder
	for _, labels := range order {
		fmt.Fprintf(&out, "labels {%s} %v\n", labels, totals[labels])
	}
	return out.String()
}
