package benchfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
)

func read(text string) (*Set, error) {
	return Read(strings.NewReader(text), int64(len(text)), inputlimits.Default())
}

func slug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return fmt.Sprint(err)
}

const sample = `goos: linux
Unit points better=higher
pkg: example.com/a
BenchmarkA-8   	 100	  12.5 ns/op	 3 MB/s	 7 points
BenchmarkB/n=1-8 	 20	 1000 ns/op
pkg: example.com/b
BenchmarkA-8 10 11 ns/op
PASS
`

func TestRead(t *testing.T) {
	s, err := read(sample)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Configs); got != "[[{goos linux} {pkg example.com/a}] [{goos linux} {pkg example.com/b}]]" {
		t.Error(got)
	}
	if got := fmt.Sprint(s.Results); got != "[{A-8 0 100 [{sec/op 1.2500000000000001e-08} {B/s 3e+06} {points 7}]} {B/n=1-8 0 20 [{sec/op 1.0000000000000002e-06}]} {A-8 1 10 [{sec/op 1.1000000000000001e-08}]}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(s.Header.Counts, s.Header.UnitNotes, s.Header.Warnings); got != "{3 2 3 2 0 0} [{points better higher}] []" {
		t.Error(got)
	}
	if valueOf(s.Configs[0], "pkg") != "example.com/a" || valueOf(s.Configs[0], "cpu") != "" {
		t.Error(s.Configs)
	}
}

func written(t *testing.T, s *Set) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestColumns(t *testing.T) {
	s, err := read(sample)
	if err != nil {
		t.Fatal(err)
	}
	data := written(t, s)
	back, err := ReadColumns(data)
	if err != nil || !reflect.DeepEqual(s, back) {
		t.Errorf("%v\n%+v\n%+v", err, s, back)
	}
	path := t.TempDir() + "/a"
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadFile(path, inputlimits.Default()); err != nil || !reflect.DeepEqual(s, again) {
		t.Error(err)
	}
	for i := range data { // whatever is damaged: an input error or a set, never a panic
		broken := bytes.Clone(data)
		broken[i] ^= 0xff
		if _, err := ReadColumns(broken); err != nil && !errors.As(err, new(*inputerror.InputError)) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

func TestMalformedLines(t *testing.T) {
	s, err := read("BenchmarkA 1 2 ns/op\n" + strings.Repeat("BenchmarkA x 2 ns/op\n", 7) + "BenchmarkA 1 NaN x 3 y\nBenchmarkA 1 +Inf x\nBenchmarkStarted\n--- FAIL: BenchmarkB\nBenchmark" + strings.Repeat("z", 200_000) + "\nBenchmarkA 1 4 ns/op")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"malformed-lines: Lines that begin like results but are not results were skipped: line 2 (parsing iteration count: invalid syntax), line 3 (parsing iteration count: invalid syntax), line 4 (parsing iteration count: invalid syntax), line 5 (parsing iteration count: invalid syntax), line 6 (parsing iteration count: invalid syntax) and 2 more.",
		"failures: 1 lines report failed benchmarks or packages: their results may be missing.",
		"not-numbers: 2 measurements are not finite numbers and were left out.",
	}
	if !reflect.DeepEqual(s.Header.Warnings, want) || len(s.Results) != 3 {
		t.Errorf("%q %v", s.Header.Warnings, s.Results)
	}
}

func TestCutOff(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 5000 {
		fmt.Fprintf(z, "BenchmarkA 1 %d ns/op\n", i*i)
	}
	z.Close()
	s, err := Read(bytes.NewReader(packed.Bytes()[:packed.Len()/2]), 1, inputlimits.Default())
	if err != nil || len(s.Results) < 100 || !strings.HasPrefix(s.Header.Warnings[0], "truncated: ") {
		t.Error(err)
	}
	damaged := bytes.Clone(packed.Bytes())
	copy(damaged[packed.Len()/2:], "xxxxxxxxxxxxxxxxxxxxxxxxxxxx")
	if _, err := Read(bytes.NewReader(damaged), 1, inputlimits.Default()); slug(err) != "damaged-gzip" {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	var keys, configs, notes strings.Builder
	for i := range 300 {
		fmt.Fprintf(&keys, "k%d: v\n", i)
		fmt.Fprintf(&notes, "Unit u%d better=higher\n", i)
	}
	for i := range maxConfigs + 1 {
		fmt.Fprintf(&configs, "k: %d\nBenchmarkA 1 2 x\n", i)
	}
	for _, test := range []struct{ want, text string }{
		{"empty-file", ""},
		{"not-benchmarks", "hello\n"},
		{"no-results", "BenchmarkA\nBenchmarkB 1\n"},
		{"too-many-keys", keys.String() + "BenchmarkA 1 2 x\n"},
		{"too-many-configurations", configs.String()},
		{"too-many-unit-notes", "BenchmarkA 1 2 x\n" + notes.String()},
		{"too-many-results", strings.Repeat("BenchmarkA 1 2 x\n", maxResults+1)},
		{"too-many-values", strings.Repeat("BenchmarkA 1"+strings.Repeat(" 1 x", 9000)+"\n", 1000)},
	} {
		if _, err := read(test.text); slug(err) != test.want {
			t.Errorf("%.30q: %v, want %s", test.text, err, test.want)
		}
	}
	small := inputlimits.Default()
	small.Strings = 10
	if _, err := Read(strings.NewReader("Benchmark"+strings.Repeat("A", 20)+" 1 2 x\n"), 1, small); slug(err) != "strings-too-large" {
		t.Error(err)
	}
	if _, err := ReadFile("missing", small); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// valueOf returns the value of a key of a configuration, or "".
func valueOf(config []Pair, key string) string {
	i := slices.IndexFunc(config, func(p Pair) bool { return p.Key == key })
	if i < 0 {
		return ""
	}
	return config[i].Value
}
