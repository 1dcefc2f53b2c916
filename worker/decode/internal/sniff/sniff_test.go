package sniff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"slowpath.dev/decode/internal/inputerror"
)

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}

func words(size int, order binary.AppendByteOrder, values ...uint64) []byte {
	var out []byte
	for _, v := range values {
		if size == 4 {
			out = order.AppendUint32(out, uint32(v))
		} else {
			out = order.AppendUint64(out, v)
		}
	}
	return out
}

func TestKindsByContent(t *testing.T) {
	long := strings.Repeat("x", 2*Window)
	for name, test := range map[string]struct {
		data   string
		kind   string
		detail string
	}{
		"protobuf":                  {"\x0a\x04\x08\x01\x10\x02\x32\x00", Pprof, Protobuf},
		"protobuf, strings first":   {"\x32\x00\x32\x04main", Pprof, Protobuf},
		"protobuf cut":              {"\x0a\x04\x08\x01\x10\x02\x32\x09main", Pprof, Protobuf},
		"protobuf longer than seen": {"\x0a\x04\x08\x01\x10\x02\x32\x80\x80\x80\x01" + long, Pprof, Protobuf},
		"protobuf damaged later":    {strings.Repeat("\x0a\x04\x08\x01\x10\x02", 4) + "\xff\xff\xff", Pprof, Protobuf},
		"protobuf with a period":    {"\x60\x05\x0a\x02\x08\x01", Pprof, Protobuf},
		"protobuf cut in a length":  {"\x0a\x04\x08\x01\x10\x02\x32", Pprof, Protobuf},
		"legacy cpu 64":             {string(words(8, binary.LittleEndian, 0, 3, 0, 10000, 0)), Pprof, LegacyCPU},
		"legacy cpu 32":             {string(words(4, binary.LittleEndian, 0, 3, 0, 10000, 0)), Pprof, LegacyCPU},
		"legacy cpu 64 big":         {string(words(8, binary.BigEndian, 0, 3, 1, 10000, 0)), Pprof, LegacyCPU},
		"legacy cpu 32 big":         {string(words(4, binary.BigEndian, 0, 3, 1, 10000, 0)), Pprof, LegacyCPU},
		"legacy heap":               {"heap profile: 1: 2 [3: 4] @ heap/1048576\n", Pprof, LegacyHeap},
		"legacy heap behind words":  {"logged heap profile:  1:  2 [ 3: 4] @ heapprofile\n", Pprof, LegacyHeap},
		"legacy count":              {"# comment\n\ngoroutine profile: total 5\n", Pprof, LegacyCount},
		"legacy contention":         {"--- contentionz 1 ---\n", Pprof, LegacyContention},
		"legacy mutex":              {"--- mutex:\ncycles/second=1\n", Pprof, LegacyContention},
		"legacy thread":             {"\n--- threadz 1 ---\n", Pprof, LegacyThread},
		"legacy java":               {"--- heapz 1 ---\nformat = java\n", Pprof, LegacyJava},
		"folded with a rate":        {"# rate: 1000\nmain.a;main.b 12\n", GrowthLog, GrowthFolded},
		"folded of anything":        {"main.a;main.b 12\n", Unknown, "text"},
		"bpftrace":                  {"Attaching 1 probe...\n\n@growth[\n    main.f+1\n, 2048, 4096]: 7\n", GrowthLog, GrowthBpftrace},
		"bpftrace by its frames":    {"@[\n\t4a1b20 runtime.newstack+0 (/app)\n\tmain.f+1\n]: 7\n", GrowthLog, GrowthBpftrace},
		"bpftrace of something":     {"@us[\n    main.f+1\n]: 7\n", Unknown, "bpftrace"},
		"trace":                     {"go 1.26 trace\x00\x00\x00", GoTrace, "go1.26"},
		"otlp":                      {`{"resourceSpans":[]}`, SpansOTLP, "json"},
		"otlp, snake":               {`{"resource_spans":[]}`, SpansOTLP, "json"},
		"otlp lines":                {"{\"resourceSpans\":[]}\n{\"resourceSpans\":[]}\n", SpansOTLP, "json"},
		"otlp cut by the window":    {`{"resourceSpans":["` + long, SpansOTLP, "json"},
		"otlp with a mark":          {"\ufeff {\"resourceSpans\":[]}", SpansOTLP, "json"},
		"jaeger":                    {`{"data":[{"traceID":"a","spans":[{"traceID":"a","operationName":"x"}],"processes":{}}]}`, SpansJaeger, "json"},
		"jaeger, processes first":   {`{"data":[{"processes":{}}]}`, SpansJaeger, "json"},
		"jaeger, one trace":         {`{"traceID":"a","spans":[]}`, SpansJaeger, "json"},
		"jaeger, a batch":           {`{"process":{"serviceName":"api"},"spans":[]}`, SpansJaeger, "json"},
		"jaeger, a span":            {`[{"traceID":"a","operationName":"x"}]`, SpansJaeger, "json"},
		"zipkin":                    {`[{"traceId":"a","id":"b","name":"x"}]`, SpansZipkin, "json"},
		"zipkin, nested":            {`[[{"traceId":"a","id":"b"}]]`, SpansZipkin, "json"},
		"json":                      {`{"key":"resourceSpans", "n": 1, "m": null, "l": ["spans", true]}`, Unknown, "json"},
		"json cut":                  {`{"a":`, Unknown, "json"},
		"growth log":                {"starting\nruntime: newstack at f sp=1\ngoroutine 1 [running]:\n", GrowthLog, "newstack traces"},
		"growth totals":             {"runtime: stack growths: 2048->5 start=2048\n", GrowthLog, "newstack traces"},
		"folded stacks":             {"main;f;runtime.newstack;runtime.copystack 15\n", GrowthLog, "folded stacks"},
		"bench":                     {"goos: linux\nBenchmarkDecode-2   \t 100\t 12345 ns/op\n", Bench, "go test -bench"},
		"bench as events":           {"go: downloading a\n{\"Action\":\"start\",\"Package\":\"a\"}\n{\"Action\":\"output\",\"Package\":\"a\",\"Output\":\"BenchmarkA-2 \\t\"}\n", Bench, BenchEvents},
		"tests as events":           {"{\"Time\":\"t\",\"Action\":\"start\",\"Package\":\"a\"}\n", Bench, BenchEvents},
		"actions of others":         {`{"resourceSpans":[{"Action":"start","Package":"a"}]}`, SpansOTLP, "json"},
		"metrics":                   {"# HELP go_goroutines Number.\n# TYPE go_goroutines gauge\ngo_goroutines 5\n", MetricsText, "prometheus text"},
		"metrics scraped":           {"# SCRAPE 1795168968127\nup 1\n", MetricsText, "prometheus text"},
		"metrics bare":              {"up{job=\"a\"} 1 1395066363000\n", MetricsText, "prometheus text"},
		"zip":                       {"PK\x03\x04", Zip, "zip archive"},
		"tar":                       {strings.Repeat("a", 257) + "ustar\x0000", Tar, "tar archive"},
		"empty zip":                 {"PK\x05\x06", Zip, "zip archive"},
		"goroutine dump":            {"goroutine 1 [running]:\nmain.main()\n", Unknown, "goroutine-dump"},
		"html":                      {" <html>", Unknown, "html"},
		"text":                      {"hello world, nothing to see\n", Unknown, "text"},
		"binary":                    {"\xff\xfe\x00\x01", Unknown, "binary"},
		"zeros":                     {strings.Repeat("\x00", 100), Unknown, "binary"},
		"field zero":                {"\x0a\x02\x00\x00", Unknown, "binary"},
		"bad submessage":            {"\x0a\x02\xff\xff", Unknown, "binary"},
		"submessage too long":       {"\x0a\x03\x0a\x7fx", Unknown, "binary"},
		"key cut":                   {"\x0a\x04\x08\x01\x10\x02\xff", Unknown, "binary"},
		"fixed fields":              {"\x0a\x0e\x09aaaaaaaa\x0daaaa\x60\x01", Pprof, Protobuf},
		"fixed fields cut":          {"\x0a\x03\x09aa", Unknown, "binary"},
	} {
		t.Run(name, func(t *testing.T) {
			for encoding, data := range packings(t, []byte(test.data)) {
				got, err := Read(bytes.NewReader(data))
				if err != nil || got.Kind != test.kind || got.Detail != test.detail || string(got.Encoding) != encoding {
					t.Errorf("%s: got %+v %v, want %s, %s", encoding, got, err, test.kind, test.detail)
				}
			}
		})
	}
}

func packings(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"plain": data, "gzip": gzipped(data), "zstd": w.EncodeAll(data, nil)}
}

func TestPackingsThatBreak(t *testing.T) {
	whole := gzipped([]byte("\x0a\x04\x08\x01\x10\x02\x32\x00"))
	for name, test := range map[string]struct {
		data []byte
		want Detection
	}{
		"twice":           {gzipped(whole), Detection{Unknown, "gzip", "nested-gzip"}},
		"header cut":      {whole[:5], Detection{Unknown, "gzip", "truncated-gzip"}},
		"header damaged":  {append([]byte{0x1f, 0x8b, 9}, whole[3:]...), Detection{Unknown, "gzip", "damaged-gzip"}},
		"body cut":        {whole[:12], Detection{Unknown, "gzip", "truncated-gzip"}},
		"cut behind data": {whole[:len(whole)-4], Detection{Pprof, "gzip", Protobuf}},
		"zstd cut":        {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0}, Detection{Unknown, "zstd", "truncated-zstd"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(bytes.NewReader(test.data))
			if err != nil || got != test.want {
				t.Errorf("got %+v %v, want %+v", got, err, test.want)
			}
		})
	}
}

func TestEmptyFile(t *testing.T) {
	_, err := Read(bytes.NewReader(nil))
	var bad *inputerror.InputError
	if !errors.As(err, &bad) || bad.Slug != "empty-file" {
		t.Error(err)
	}
}

type closed struct{}

func (closed) Read([]byte) (int, error) { return 0, os.ErrClosed }

func TestReadErrors(t *testing.T) {
	if _, err := Read(closed{}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

func TestRealProfiles(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/profiles/*")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(in)
		if err != nil || got.Kind != Pprof {
			t.Errorf("%s: %+v %v", path, got, err)
		}
		_ = in.Close()
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte("\x0a\x04\x08\x01\x10\x02\x32\x00"))
	f.Add([]byte(`{"data":[{"spans":[]}]}`))
	f.Add([]byte("# TYPE a counter\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, whole := range []bool{true, false} {
			if got := Detect(data, whole); got.Kind == "" || got.Detail == "" {
				t.Errorf("%+v", got)
			}
		}
	})
}
