package benchfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/inputlimits"
)

const eventsFile = "../../testdata/bench/maps.json"

// printed returns what go test would have printed without -json.
func printed(t *testing.T, data []byte) string {
	t.Helper()
	var text strings.Builder
	for line := range bytes.Lines(data) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		text.WriteString(e.Output)
	}
	return text.String()
}

// Events yield what the printed output yields.
func TestEventsAreThePrintedOutput(t *testing.T) {
	data, err := os.ReadFile(eventsFile)
	if err != nil {
		t.Fatal(err)
	}
	events, err := read(string(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := read(printed(t, data))
	if err != nil {
		t.Fatal(err)
	}
	if events.Header.Source.Dialect != "go test -json" || plain.Header.Source.Dialect != "benchfmt" {
		t.Error(events.Header.Source, plain.Header.Source)
	}
	plain.Header.Source = events.Header.Source
	if !reflect.DeepEqual(events, plain) || len(events.Results) != 24 || events.Header.Counts.Failed == 0 {
		t.Errorf("%+v\n%+v", events, plain)
	}
}

// line makes an event.
func line(pkg, test, output string) string {
	raw, _ := json.Marshal(event{"output", pkg, test, output})
	return string(raw) + "\n"
}

func TestEvents(t *testing.T) {
	begin := line("a", "", "pkg: a\n") + line("b", "", "pkg: b\n")
	for _, test := range []struct{ name, text, want, warnings string }{
		{"packages in turns", begin + line("a", "BenchmarkA", "BenchmarkA \t") + line("b", "BenchmarkB", "BenchmarkB 1 5 x\n") + line("a", "BenchmarkA", " 1 7 x\nBenchmarkC 1 8 x\n"),
			"[{A 0 1 [{x 7}]} {C 0 1 [{x 8}]} {B 1 1 [{x 5}]}] [[{pkg a}] [{pkg b}]]", "[]"},
		{"another test prints between", line("a", "BenchmarkA", "BenchmarkA \t") + line("a", "TestX", "key: v\n") + line("a", "BenchmarkA", " 1 7 x\n"), "[{A 0 1 [{x 7}]}] [[{key v}]]", "[]"},
		{"a test ends in a line", line("a", "T", "BenchmarkA 1 7 x") + `{"Action":"pass","Package":"a","Test":"T"}` + "\n" + line("a", "T", "BenchmarkB 1 7 x\n"), "[{A 0 1 [{x 7}]} {B 0 1 [{x 7}]}] [[]]", "[]"},
		{"without an end of line", line("a", "BenchmarkA", "BenchmarkA 1 7 x"), "[{A 0 1 [{x 7}]}] [[]]", "[]"},
		{"among other lines", "go: downloading x\n{\n[]\n7\n" + line("a", "", "BenchmarkA 1 7 x\n") + "{}\n" + strings.Repeat("x", 1<<20) + "\n" + line("a", "", "BenchmarkB 1 7 x\n"),
			"[{A 0 1 [{x 7}]} {B 0 1 [{x 7}]}] [[]]", "[other-lines: 6 lines are not events of go test -json and were skipped.]"},
		{"cut off", line("a", "", "BenchmarkA 1 7 x\n") + line("a", "", "BenchmarkB 1 7 x\n")[:60], "[{A 0 1 [{x 7}]}] [[]]", "[truncated: The file ends in the middle of an event; the lines before it were read.]"},
		{"failures and bad lines", line("a", "", "BenchmarkA 1 7 x\nBenchmarkA y 7 x\n--- FAIL: BenchmarkB\n") + `{"ImportPath":"c","Action":"build-fail"}` + "\n", "[{A 0 1 [{x 7}]}] [[]]",
			"[malformed-lines: Lines that begin like results but are not results were skipped: line 2 of a (parsing iteration count: invalid syntax). failures: 2 lines report failed benchmarks or packages: their results may be missing.]"},
	} {
		s, err := read(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := fmt.Sprint(s.Results, " ", s.Configs); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
		if got := fmt.Sprint(s.Header.Warnings); got != test.warnings {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

func TestEventsRefused(t *testing.T) {
	var open, packages strings.Builder
	for i := range maxOpenLines + 1 {
		open.WriteString(line("a", fmt.Sprint(i), "x"))
		packages.WriteString(line(fmt.Sprint(i), "", "Benchmark\n"))
	}
	for _, test := range []struct{ want, text string }{
		{"not-benchmarks", line("a", "TestA", "ok\n")},
		{"not-benchmarks", line("a", "BenchmarkA", "BenchmarkA\n")},
		{"no-results", line("a", "BenchmarkA", "BenchmarkA x y\n")},
		{"too-many-unfinished-lines", open.String()},
		{"too-many-packages", packages.String()},
	} {
		if _, err := read(test.text); slug(err) != test.want {
			t.Errorf("%.60q: %v, want %s", test.text, err, test.want)
		}
	}
	small := inputlimits.Default()
	small.Strings = 100
	for _, text := range []string{line("a", "", "Benchmark"+strings.Repeat("A", 200)+" 1 2 x\n"), line("a", "", strings.Repeat("A", 200))} {
		if _, err := Read(strings.NewReader(text), int64(len(text)), small); slug(err) != "strings-too-large" {
			t.Error(err)
		}
	}
}

var update = flag.Bool("update", false, "write the golden file anew")

// The decoded form is what others read: it is the contract.
func TestGoldenEvents(t *testing.T) {
	const golden = "../../testdata/golden/bench-maps.slowcol"
	set, err := ReadFile(eventsFile, inputlimits.Default())
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, set)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs (%v); if that is right, run the test with -update", golden, err)
	}
}
