package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const spans = "../../testdata/spans/"

func TestSpans(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, test := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"spans", "--memory", "1000000000", spans + "pushes.otlp.json", path("out")}, 0, ""},
		{[]string{"spans", spans + "pushes.otlp.pb", path("proto")}, 0, ""},
		{[]string{"spans", "--max-spans", "5", spans + "pushes.otlp.json", path("none")}, 2, `{"error":"too-many-spans"`},
		{[]string{"spans", "--max-depth", "2", spans + "pushes.jaeger.json", path("none")}, 2, `{"error":"too-deep"`},
		{[]string{"spans", "--max-unpacked", "100", spans + "pushes.zipkin.json", path("none")}, 2, `{"error":"unpacked-too-large"`},
		{[]string{"spans", "--max-strings", "10", spans + "pushes.zipkin.json", path("none")}, 2, `{"error":"strings-too-large"`},
		{[]string{"spans", "--max-attributes", "3", spans + "distributor.otlp.jsonl", path("none")}, 2, `{"error":"too-many-attributes"`},
		{[]string{"spans", cpu, path("none")}, 2, `{"error":"not-spans"`},
		{[]string{"spans", path("missing"), path("none")}, 70, "no such file"},
		{[]string{"spans", spans + "pushes.otlp.json"}, 64, "takes 2 arguments"},
		{[]string{"spans", "--nonsense", "1", "2"}, 64, "nonsense"},
	} {
		code, _, err := call(test.args...)
		if code != test.code || !strings.Contains(err, test.err) || code == exitBadInput && strings.Count(err, "\n") != 1 {
			t.Errorf("%v: %d %s", test.args, code, err)
		}
	}
	for name, there := range map[string]bool{"out": true, "proto": true, "none": false} {
		if _, err := os.Stat(path(name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}
