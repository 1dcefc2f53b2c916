package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

const cpu = "../../testdata/profiles/go-cpu-1.26.pb.gz"

const bench = "../../testdata/bench/"

const growth = "../../testdata/growth/ingester-inlined.log.gz"

func call(args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = run(args, streams{&o, &e})
	return code, o.String(), e.String()
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, test := range []struct {
		args []string
		code int
		err  string
	}{
		{nil, 64, "usage:"},
		{[]string{"nonsense"}, 64, "usage:"},
		{[]string{"profile", cpu, out}, 0, ""},
		{[]string{"profile", "--max-depth", "10", "--name", "x", "--memory", "1000000000", cpu, out}, 2, `{"error":"too-deep"`},
		{[]string{"profile", empty, out}, 2, `{"error":"empty-file","message":"The file is empty. Was the download interrupted, or the disk full?","limit":1,"actual":0,"unit":"bytes","offset":null}`},
		{[]string{"profile", filepath.Join(dir, "missing"), out}, 70, "no such file"},
		{[]string{"profile", cpu, filepath.Join(dir, "missing", "out")}, 70, "no such file"},
		{[]string{"profile", cpu}, 64, "takes 2 arguments"},
		{[]string{"profile", "--nonsense", cpu, out}, 64, "nonsense"},
		{[]string{"profile", "--help"}, 0, "max-unpacked"},
		{[]string{"sniff", empty}, 2, `{"error":"empty-file"`},
		{[]string{"sniff", filepath.Join(dir, "missing")}, 70, "no such file"},
		{[]string{"sniff"}, 64, "takes 1 arguments"},
		{[]string{"version", "x"}, 64, "takes 0 arguments"},
		{[]string{"export"}, 64, "--out"},
		{[]string{"export", "--out", out}, 64, "--out"},
		{[]string{"export", "--out", out, "--base", cpu}, 64, "--out"},
		{[]string{"export", "--out", out, "a", "--base", cpu, "--candidate", cpu}, 64, "--out"},
		{[]string{"export", "--scale", "x", "--out", out, cpu}, 64, "scale"},
		{[]string{"export", "--out", out, cpu}, 2, `{"error":"not-columns"`},
		{[]string{"export", "--out", out, "missing"}, 70, "no such file"},
		{[]string{"growth", cpu, out}, 2, `{"error":"not-a-growth-log"`},
		{[]string{"growth", "--max-depth", "3", growth, out}, 2, `{"error":"too-deep"`},
		{[]string{"growth", "--memory", "1000000000", growth, out}, 0, ""},
		{[]string{"growth", growth}, 64, "takes 2 arguments"},
		{[]string{"growth", filepath.Join(dir, "missing"), out}, 70, "no such file"},
		{[]string{"bench", cpu, out}, 2, `{"error":"not-benchmarks"`},
		{[]string{"bench", bench + "strings.txt", out}, 0, ""},
		{[]string{"bench", "--nonsense", out}, 64, "nonsense"},
		{[]string{"bench-compare", "--base", bench + "strings.txt"}, 64, "--candidate"},
		{[]string{"bench-compare", "--base", bench + "strings.txt", "--candidate", bench + "integers.txt", "--max-strings", "1"}, 2, "strings-too-large"},
		{[]string{"bench-compare", "--base", out, "--candidate", "missing"}, 70, "no such file"},
		{[]string{"bench-compare", "--nonsense", "1"}, 64, "nonsense"},
		{[]string{"generate"}, 64, "takes 1 arguments"},
		{[]string{"generate", filepath.Join(dir, "missing", "out")}, 70, "no such file"},
	} {
		code, _, err := call(test.args...)
		if code != test.code || !strings.Contains(err, test.err) || code == exitBadInput && strings.Count(err, "\n") != 1 {
			t.Errorf("%v: %d %s", test.args, code, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSniff(t *testing.T) {
	code, out, _ := call("sniff", cpu)
	if code != 0 || out != `{"kind":"pprof","encoding":"gzip","detail":"protobuf"}`+"\n" {
		t.Error(code, out)
	}
}

func TestVersion(t *testing.T) {
	_, out, _ := call("version")
	var version struct {
		Version, Go string
		Formats     map[string]int
	}
	if err := json.Unmarshal([]byte(out), &version); err != nil || version.Version == "" || version.Go == "" || version.Formats["slowpath.profile"] != 2 {
		t.Error(out, err)
	}
}

// Decoded and printed output compare alike.
func TestBenchCompare(t *testing.T) {
	decoded := filepath.Join(t.TempDir(), "a")
	if code, _, err := call("bench", bench+"strings.txt", decoded); code != 0 {
		t.Fatal(err)
	}
	_, raw, _ := call("bench-compare", "--base", bench+"strings.txt", "--candidate", bench+"integers.txt")
	code, out, err := call("bench-compare", "--base", decoded, "--candidate", bench+"integers.txt")
	if code != 0 || out != raw || !strings.HasPrefix(out, `{"rows":[{"name":"Lookup/series=100-2","unit":"sec/op"`) {
		t.Error(code, out, err)
	}
}

// The whole way: generate, decode, export, and pprof reads it.
func TestWholeWay(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	good := func(args ...string) {
		t.Helper()
		if code, _, err := call(args...); code != 0 {
			t.Fatalf("%v: %d %s", args, code, err)
		}
	}
	good("generate", "--seed", "3", "--samples", "200", "--functions", "50", path("a.pb.gz"))
	good("generate", "--seed", "3", "--draw", "1", "--slower", "50", "--samples", "200", "--functions", "50", path("b.pb.gz"))
	good("profile", path("a.pb.gz"), path("a.slowcol"))
	good("profile", path("b.pb.gz"), path("b.slowcol"))
	good("export", "--out", path("merged.pb.gz"), path("a.slowcol"), path("b.slowcol"))
	good("export", "--base", path("a.slowcol"), "--candidate", path("b.slowcol"), "--out", path("diff.pb.gz"), "--base-scale", "2")
	a, b := total(t, path("a.pb.gz")), total(t, path("b.pb.gz"))
	if got := total(t, path("merged.pb.gz")); got != a+b {
		t.Errorf("merged %d, want %d", got, a+b)
	}
	if got := total(t, path("diff.pb.gz")); got != b-2*a {
		t.Errorf("difference %d, want %d", got, b-2*a)
	}
}

func total(t *testing.T, path string) (sum int64) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p, err := profile.Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		sum += s.Value[0]
	}
	return sum
}
