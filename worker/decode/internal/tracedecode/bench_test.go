package tracedecode

import (
	"bytes"
	"os"
	"testing"

	"slowpath.dev/decode/internal/tracesource"
)

// benched is the trace of the benchmarks: SLOWPATH_TRACE, or a small one.
func benched(b *testing.B) []byte {
	b.Helper()
	path := os.Getenv("SLOWPATH_TRACE")
	if path == "" {
		path = "../../testdata/traces/hogs.trace"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func benchmarkRead(b *testing.B, options Options) {
	data := benched(b)
	b.SetBytes(int64(len(data)))
	events := int64(0)
	for b.Loop() {
		source, err := tracesource.Open(bytes.NewReader(data), int64(len(data)), options.Limits)
		if err != nil {
			b.Fatal(err)
		}
		result, err := Read(source, options)
		if err != nil {
			b.Fatal(err)
		}
		events += result.File.Header.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

func BenchmarkRead(b *testing.B) { benchmarkRead(b, DefaultOptions()) }

func BenchmarkHistogramsOnly(b *testing.B) {
	options := DefaultOptions()
	options.HistogramsOnly = true
	benchmarkRead(b, options)
}
