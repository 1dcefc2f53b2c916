package benchcompare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/benchfile"
	"slowpath.dev/decode/internal/inputlimits"
)

func set(t *testing.T, text string) []*benchfile.Set {
	t.Helper()
	s, err := benchfile.Read(strings.NewReader(text), int64(len(text)), inputlimits.Default())
	if err != nil {
		t.Fatal(err)
	}
	return []*benchfile.Set{s}
}

func lines(head, name string, values ...float64) string {
	var out strings.Builder
	out.WriteString(head)
	for _, v := range values {
		fmt.Fprintf(&out, "Benchmark%s 10 %v ns/op\n", name, v)
	}
	return out.String()
}

func TestStory(t *testing.T) {
	a := Compare([]*benchfile.Set{loaded(t, "../../testdata/bench/strings.txt")}, []*benchfile.Set{loaded(t, "../../testdata/bench/integers.txt")})
	if len(a.Rows) != 7 || len(a.Geomeans) != 4 || len(a.Differs) != 0 || len(a.Unpaired) != 0 {
		t.Fatalf("%+v", a)
	}
	verdicts := map[string]string{}
	for _, r := range a.Rows {
		verdicts[r.Name+" "+r.Unit] = fmt.Sprintf("%.3f %v %s", *r.Ratio, r.Significant, *r.Better)
	}
	for row, want := range map[string]string{
		"Lookup/series=100-2 sec/op": "0.478 true less", "Lookup/series=100-2 B/s": "2.086 true more", "Parse-2 allocs/op": "1.000 false less",
	} {
		if verdicts[row] != want {
			t.Errorf("%s: %s, want %s", row, verdicts[row], want)
		}
	}
	if r := a.Rows[0]; r.Config["cpu"] != "AMD EPYC" || r.Base.Values[0] != 23.09e-9 || r.Base.N != 8 {
		t.Errorf("%+v", r)
	}
}

// Keys that differ between the sides are ignored, and reported; keys that vary inside a
// side are not.
func TestConfigurations(t *testing.T) {
	base := set(t, lines("cpu: A\npkg: p\n", "X-8", 1, 2, 3)+lines("pkg: q\n", "X-8", 5))
	candidate := set(t, lines("cpu: B\ncommit: 9\npkg: p\n", "X-4", 2, 3, 4)+lines("pkg: q\n", "X-4", 5))
	a := Compare(base, candidate)
	got, err := json.Marshal(a.Differs)
	want := `[{"key":"commit","base":[],"candidate":["9"]},{"key":"cpu","base":["A"],"candidate":["B"]},{"key":"gomaxprocs","base":["8"],"candidate":["4"]}]`
	if err != nil || string(got) != want {
		t.Errorf("%s", got)
	}
	if len(a.Rows) != 2 || a.Rows[0].Config["pkg"] != "p" || a.Rows[1].Config["pkg"] != "q" || a.Rows[0].Name != "X" || len(a.Geomeans) != 2 {
		t.Errorf("%+v", a.Rows)
	}
	same := Compare(base, base)
	if len(same.Rows) != 2 || same.Rows[0].Name != "X-8" || len(same.Differs) != 0 {
		t.Errorf("%+v", same)
	}
}

func TestUnpaired(t *testing.T) {
	a := Compare(set(t, lines("", "X", 1)+lines("", "Y", 2, 4)), set(t, lines("", "X", 1)+lines("", "Z", 3)))
	got, err := json.Marshal(a.Unpaired)
	want := `[{"side":"base","name":"Y","unit":"sec/op","n":2,"center":3.0000000000000004e-9},{"side":"candidate","name":"Z","unit":"sec/op","n":1,"center":3.0000000000000004e-9}]`
	if err != nil || string(got) != want {
		t.Errorf("%s", got)
	}
	if g := a.Geomeans[0]; len(g.Warnings) != 1 || g.Rows != 1 || *g.Ratio != 1 {
		t.Errorf("%+v", g)
	}
}

func TestWarnings(t *testing.T) {
	a := Compare(set(t, "Unit x better=higher\n"+lines("", "X", 1, 2)+"BenchmarkX 1 7 x\nBenchmarkBad 1\n"), set(t, "Unit x better=lower\nFAIL\tp\n"+lines("", "X", 3)+"BenchmarkX 1 8 x 5 y\n"))
	text := fmt.Sprint(a.Warnings)
	for _, want := range []string{"base: malformed-lines", "candidate: failures", "unit-notes: The files disagree on better of x"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s", want, text)
		}
	}
	r := a.Rows[0]
	if fmt.Sprint(r.Warnings) != "[base: need >= 6 samples for confidence interval at level 0.95 candidate: need >= 6 samples for confidence interval at level 0.95 need >= 4 samples to detect a difference at alpha level 0.05]" ||
		r.Base.Low != nil || r.Significant {
		t.Errorf("%+v", r)
	}
	if *a.Rows[1].Better != "more" {
		t.Errorf("%+v", a.Rows[1])
	}
}

func TestBetter(t *testing.T) {
	for unit, want := range map[string]string{"sec/op": "less", "B/s": "more", "probes/op": "less", "req/s": "more", "req/sec": "more", "points": ""} {
		got := better(nil, unit)
		if got == nil && want != "" || got != nil && *got != want {
			t.Errorf("%s: %v", unit, got)
		}
	}
	a := Compare(set(t, "Unit x/op better=odd\nBenchmarkA 1 0 x/op\n"), set(t, "BenchmarkA 1 3 x/op\n"))
	if r := a.Rows[0]; r.Better != nil || r.Ratio != nil || a.Geomeans[0].Ratio != nil {
		t.Errorf("%+v", r)
	}
}

func TestProcs(t *testing.T) {
	for name, want := range map[string]string{"X-8": "X 8", "X": "X ", "X-": "X- ", "X/a-b": "X/a-b ", "X/n=1-16": "X/n=1 16"} {
		rest, procs := cutProcs(name)
		if rest+" "+procs != want {
			t.Errorf("%s: %s %s", name, rest, procs)
		}
	}
}
