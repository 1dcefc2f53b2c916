package pprofread

import (
	"bytes"
	"io"
	"testing"

	"slowpath.dev/decode/internal/profilegen"
)

// BenchmarkRead decodes 12 MB of plain protobuf and writes the columns;
// unpacking is left out, since it is the library's speed.
func BenchmarkRead(b *testing.B) {
	var in bytes.Buffer
	if err := profilegen.Write(&in, profilegen.ProfileShape{Seed: 1, Samples: 100_000, Functions: 8_000, Depth: 62}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(in.Len()))
	b.ReportAllocs()
	for b.Loop() {
		f, err := Read(bytes.NewReader(in.Bytes()), options())
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
