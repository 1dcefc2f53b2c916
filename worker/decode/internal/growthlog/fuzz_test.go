package growthlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
)

// slow is far beyond what any input within the limits may take.
const slow = 5 * time.Second

// FuzzReadGrowth: whatever comes in, we end soon with a whole file that can be
// read back and adds up, or with a named input error.
func FuzzReadGrowth(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/growth/*.log*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 8<<10)])
	}
	f.Add([]byte(trace(1000) + "runtime: stack growths: 2048->1000\n"))
	f.Add([]byte("# rate: 100\n# duration: 120s\nmain.a;main.b;[2048->4096] 12\n"))
	f.Add([]byte(maps))
	bounds := inputlimits.Default()
	bounds.Unpacked, bounds.Depth, bounds.Nodes, bounds.Strings, bounds.Samples = 1<<20, 512, 1<<18, 1<<20, 1<<16
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		began := time.Now()
		file, err := Read(bytes.NewReader(data), int64(len(data)), calltree.Options{Limits: bounds})
		if took := time.Since(began); took > slow {
			t.Fatalf("took %v", took)
		}
		var bad *inputerror.InputError
		if err != nil {
			if !errors.As(err, &bad) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		checkWhole(t, file)
	})
}

func checkWhole(t *testing.T, file *profilefile.File) {
	t.Helper()
	sampled, growths := int64(0), int64(0)
	for i := range file.Values[0] {
		sampled += file.Values[0][i]
		growths += file.Values[1][i]
	}
	if g := file.Header.Growth; sampled != g.Sampled || growths != sampled*g.Rate || g.Rate < 1 || g.Lost < 0 {
		t.Errorf("%d sampled, %d growths: %+v", sampled, growths, g)
	}
	var out bytes.Buffer
	if err := file.Write(&out); err != nil {
		t.Fatal(err)
	}
	if _, err := profilefile.Read(out.Bytes()); err != nil {
		t.Fatalf("what we wrote cannot be read: %v", err)
	}
}
