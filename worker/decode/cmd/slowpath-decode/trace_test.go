package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const traces = "../../testdata/traces/"

func TestTrace(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, test := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"trace", "--cpu-samples", path("cpu"), "--delays", path("delays"), "--memory", "1000000000", traces + "cpusamples.trace", path("out")}, 0, ""},
		{[]string{"trace", "--histograms-only", traces + "hogs.trace", path("brief")}, 0, ""},
		{[]string{"trace", "--cpu-samples", path("none"), traces + "hogs.trace", path("out2")}, 0, ""},
		{[]string{"trace", "--max-bytes", "1000", traces + "hogs.trace", path("out3")}, 2, `{"error":"trace-too-large"`},
		{[]string{"trace", "--max-v1", "1000", traces + "go119-http.trace", path("out3")}, 2, `{"error":"trace-v1-too-large"`},
		{[]string{"trace", cpu, path("out3")}, 2, `{"error":"not-a-trace"`},
		{[]string{"trace", path("missing"), path("out3")}, 70, "no such file"},
		{[]string{"trace", traces + "hogs.trace"}, 64, "takes 2 arguments"},
		{[]string{"trace", traces + "hogs.trace", path("missing/out")}, 70, "no such file"},
		{[]string{"trace-excerpt", "--from", "5", "--to", "1", traces + "hogs.trace", path("cut")}, 64, "--from"},
		{[]string{"trace-excerpt", "--to", "1", traces + "go119-http.trace", path("cut")}, 2, `{"error":"cut-needs-1.22"`},
		{[]string{"trace-excerpt", "--to", "1", path("missing"), path("cut")}, 70, "no such file"},
		{[]string{"gap-explain", "--from", "5", "--to", "5", "--span-end", "9", traces + "hogs.trace"}, 64, "--from < --to"},
		{[]string{"gap-explain", "--from", "4", "--to", "5", "--span-end", "9", "--span-id", "xyz", traces + "hogs.trace"}, 64, "span-id"},
		{[]string{"gap-explain", "--to", "5", "--span-end", "9", "--wall-start", "0", "../../testdata/README.md"}, 2, `{"error":"not-a-trace"`},
	} {
		code, _, err := call(test.args...)
		if code != test.code || !strings.Contains(err, test.err) {
			t.Errorf("%v: %d %s", test.args, code, err)
		}
	}
	for name, there := range map[string]bool{"cpu": true, "delays": true, "out": true, "none": false, "out3": false, "cut": false} {
		if _, err := os.Stat(path(name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is cut out is a trace.
func TestTraceCut(t *testing.T) {
	dir := t.TempDir()
	part, out := filepath.Join(dir, "part"), filepath.Join(dir, "out")
	code, message, err := call("trace-excerpt", "--from", "2200000000", "--to", "2300000000", traces+"hogs.trace", part)
	var cut struct {
		From  int64 `json:"from_ns"`
		To    int64 `json:"to_ns"`
		Bytes int64 `json:"bytes"`
	}
	if code != 0 || json.Unmarshal([]byte(message), &cut) != nil || cut.From > 2200000000 || cut.To < 2300000000 {
		t.Fatal(code, message, err)
	}
	if info, err := os.Stat(part); err != nil || info.Size() != cut.Bytes {
		t.Error(err)
	}
	if code, _, err := call("trace", part, out); code != 0 {
		t.Error(err)
	}
}
