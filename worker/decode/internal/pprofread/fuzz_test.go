package pprofread

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
)

// fuzzLimits keep one input cheap.
func fuzzLimits() calltree.Options {
	bounds := inputlimits.Default()
	bounds.Unpacked, bounds.Depth, bounds.Nodes, bounds.Strings, bounds.Legacy, bounds.Text = 1<<20, 512, 1<<18, 1<<20, 1<<16, 256
	return calltree.Options{Limits: bounds}
}

// slow is far beyond what any input within fuzzLimits may take.
const slow = 5 * time.Second

// FuzzReadProfile: whatever comes in, we end soon with a whole file or a named input
// error; what we accept in protobuf, the oracle accepts, and decodes to the same as
// it; what the oracle accepts, we accept, or have a reason of our own.
func FuzzReadProfile(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/profiles/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 10<<10 {
			f.Add(data)
		}
		if p, err := profile.ParseData(data); err == nil && len(data) < 4<<10 {
			var plain bytes.Buffer
			if p.WriteUncompressed(&plain) == nil {
				f.Add(plain.Bytes())
			}
		}
	}
	f.Add(valid(nil))
	f.Add(proto(function1, location1, sample1))
	for _, number := range []byte{2, 3, 4, 5} { // a long text as value, key, unit and name
		f.Add(referredTo(300, 20, number))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		began := time.Now()
		file, err := Read(bytes.NewReader(data), fuzzLimits())
		if took := time.Since(began); took > slow {
			t.Fatalf("took %v", took)
		}
		if err != nil {
			checkRefusal(t, data, err)
			return
		}
		checkWritten(t, file)
		if file.Header.Source.Encoding == "zstd" || file.Header.Source.Dialect == dialectLegacy {
			return
		}
		p, err := profile.ParseData(data)
		if err != nil {
			t.Fatalf("we read what the oracle refuses: %v", err)
		}
		if !anyFarLine(p) && !anyBadText(file) && !anyWrap(p) {
			compare(t, p, file)
		}
	})
}

// ownReasons are faults for which the oracle's opinion does not count.
var ownReasons = map[string]bool{
	"no-samples": true, "negative-values": true, "value-overflow": true, "too-deep": true, "too-many-frames": true, "too-many-nodes": true,
	"strings-too-large": true, "unpacked-too-large": true, "legacy-too-large": true, "not-a-profile": true, "malformed-protobuf": true,
	"too-many-mappings": true, "too-many-comments": true, "too-many-sample-types": true, "message-too-large": true, "compression-ratio": true,
	"trailing-garbage": true, "nested-compression": true, "damaged-legacy": true, "empty-file": true, "invalid-utf8": true, "header-too-large": true,
}

func checkRefusal(t *testing.T, data []byte, err error) {
	t.Helper()
	var bad *inputerror.InputError
	if !errors.As(err, &bad) {
		t.Fatalf("not an input error: %v", err)
	}
	if ownReasons[bad.Slug] {
		return
	}
	if p, err := profile.ParseData(data); err == nil && len(p.Sample) > 0 {
		t.Errorf("the oracle reads what we call %v", bad)
	}
}

func checkWritten(t *testing.T, file *profilefile.File) {
	t.Helper()
	var out bytes.Buffer
	if err := file.Write(&out); err != nil {
		t.Fatal(err)
	}
	if _, err := profilefile.Read(out.Bytes()); err != nil {
		t.Fatalf("what we wrote cannot be read: %v", err)
	}
}

// Where we differ on purpose: lines have 32 bits, names are clean UTF-8.

func anyFarLine(p *profile.Profile) bool {
	for _, l := range p.Location {
		for _, line := range l.Line {
			if line.Line != int64(int32(line.Line)) {
				return true
			}
		}
	}
	return false
}

func anyBadText(f *profilefile.File) bool {
	return bytes.Contains(f.StringsBytes, []byte("\uFFFD")) || len(f.Header.Warnings) > 0 ||
		bytes.ContainsAny(f.StringsBytes, `\`) || bytes.Contains(f.StringsBytes, []byte("[root cut off]"))
}

// anyWrap reports whether sums by the oracle's method may wrap around.
func anyWrap(p *profile.Profile) bool {
	for _, s := range p.Sample {
		for _, v := range s.Value {
			if v > 1<<40 || v < -1<<40 {
				return true
			}
		}
	}
	return false
}
