package benchfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
)

// FuzzReadBench: whatever comes in, printed or decoded, yields a named input error or
// a set that can be written and reads back the same.
func FuzzReadBench(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/bench/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 2<<10)])
	}
	f.Add([]byte(sample))
	events, err := os.ReadFile(eventsFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(events[:4<<10])
	f.Add([]byte(line("a", "BenchmarkA", "BenchmarkA \t") + "x\n" + line("a", "BenchmarkA", " 1 7 x\nFAIL\t")))
	if s, err := read(sample); err == nil {
		var out bytes.Buffer
		if s.Write(&out) == nil {
			f.Add(out.Bytes())
		}
	}
	bounds := inputlimits.Default()
	bounds.Unpacked, bounds.Strings = 1<<20, 1<<20
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		set, err := Read(bytes.NewReader(data), int64(len(data)), bounds)
		if bytes.HasPrefix(data, []byte(magic)) {
			set, err = ReadColumns(data)
		}
		if err != nil {
			if !errors.As(err, new(*inputerror.InputError)) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		again, err := ReadColumns(written(t, set))
		if err != nil || len(again.Results) != len(set.Results) || len(set.Results) > 0 && !bytes.HasPrefix(data, []byte(magic)) && !reflect.DeepEqual(again.Results, set.Results) {
			t.Fatalf("%v: %+v is not %+v", err, again, set)
		}
	})
}
