package profilefile_test

import (
	"bytes"
	"os"
	"testing"

	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
)

// TestFormerVersion reads files that the version before wrote; they are what the present one writes.
func TestFormerVersion(t *testing.T) {
	for _, name := range []string{"go-cpu-1.26", "parca-labels-cpu"} {
		former, present := readFile(t, "former/"+name+"-1"), readFile(t, "golden/"+name)
		if profilefixture.Draw(former) != profilefixture.Draw(present) {
			t.Errorf("%s: the trees of keys differ", name)
		}
		if profilefixture.DrawLines(former) != profilefixture.DrawLines(present) {
			t.Errorf("%s: the trees of lines differ", name)
		}
	}
}

func TestFormerVersionDamaged(t *testing.T) {
	data, err := os.ReadFile("../../testdata/former/go-cpu-1.26-1.slowcol")
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(data, []byte(`"line_node_node"`), []byte(`"line_node_nod_"`), 1)
	if _, err := profilefile.Read(damaged); err == nil {
		t.Error("a file without the nodes of lines is read")
	}
}

func readFile(t *testing.T, name string) *profilefile.File {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name + ".slowcol")
	if err != nil {
		t.Fatal(err)
	}
	f, err := profilefile.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
