package growthlog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
)

func read(data []byte) (*profilefile.File, error) {
	return Read(bytes.NewReader(data), int64(len(data)), calltree.Options{Limits: inputlimits.Default()})
}

func good(t *testing.T, text string) *profilefile.File {
	t.Helper()
	f, err := read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func slug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return fmt.Sprint(err)
}

func warned(f *profilefile.File, want string) bool {
	for _, warning := range f.Header.Warnings {
		if strings.HasPrefix(warning, want+": ") {
			return true
		}
	}
	return false
}

// trace is one growth as an instrumented runtime prints it.
func trace(n int) string {
	return fmt.Sprintf(`runtime: newstack at main.deep+0x25 sp=0x1088 stack=[0x1000, 0x1800] old=2048 new=4096 used=1144 n=%d
goroutine %d [running]:
main.(*T).work(0x21ead27b79f?, {0x93dea8, 0x5?}, ...)
	/src/main/work.go:12 +0x25 fp=0x10b8 sp=0x1090 pc=0x423b45
main.inlined(...)
	/src/main/work.go:40
main.start.func1()
	/src/my main/start.go:7 +0x1 fp=0x10f8 sp=0x10b8 pc=0x423b45
runtime.goexit({})
	/go/src/runtime/asm_amd64.s:1771 +0x1 fp=0x21ead261fe8 sp=0x21ead261fe0 pc=0x4939a1
created by main.start in goroutine 1
	/src/my main/start.go:6 +0x73

`, n, n+7)
}

const traceTree = `(root) 1/1000/2048000
  main.start.func 1/1000/2048000
    main.inlined 1/1000/2048000
      main.(*T).work 1/1000/2048000
        main.deep 1/1000/2048000 self 1/1000/2048000
`

func TestNewstackTrace(t *testing.T) {
	f := good(t, trace(1000))
	if got := profilefixture.Draw(f); got != traceTree {
		t.Error(got)
	}
	if got := profilefixture.DrawLines(f); !strings.Contains(got, "main.(*T).work:12\n") || !strings.Contains(got, "main.start.func1:7\n") {
		t.Error(got)
	}
	g := f.Header.Growth
	if f.Header.Kind != "growth" || f.Header.DefaultSampleType != 1 || f.Header.Period != 1000 || len(f.Header.Warnings) != 0 ||
		g.Dialect != "newstack" || g.Rate != 1000 || !g.RateKnown || g.Sampled != 1 || g.Total != nil || *g.Goroutines != 1 || *g.UsedBytes != 1144000 || g.Truncated {
		t.Errorf("%+v %+v", f.Header, g)
	}
	labels := f.LabelsetLabel
	if len(labels) != 2 || f.String(f.LabelKey[0]) != "new" || f.String(f.LabelValue[0]) != "4096 bytes" || f.String(f.LabelValue[1]) != "2048 bytes" {
		t.Error(labels)
	}
}

func TestTotals(t *testing.T) {
	for _, test := range []struct {
		name, text string
		total      int64
	}{
		{"one", "runtime: stack growths: 2048->506502 4096->9090 start=2048\n", 515592},
		{"printed twice by one process", "runtime: stack growths: 2048->10\nruntime: stack growths: 2048->12 4096->1\n", 13},
		{"another process", "runtime: stack growths: 2048->10 4096->3\nruntime: stack growths: 2048->4\n", 17},
		{"damaged", "runtime: stack growths: 2048->x ->9 7 2048->5\n", 5},
	} {
		f := good(t, test.text)
		if g := f.Header.Growth; *g.Total != test.total || g.Sampled != 0 || len(f.SampleLineNode) != 1 || f.Values[0][0] != 0 {
			t.Errorf("%s: %+v", test.name, g)
		}
	}
}

func TestRate(t *testing.T) {
	for _, test := range []struct {
		name    string
		text    string
		rate    int64
		lost    int64
		warning string
	}{
		{"numbers", trace(500) + trace(1000) + trace(1500), 500, 0, ""},
		{"lines lost", trace(1000) + trace(2000) + trace(3000) + trace(7000), 1000, 3, "lost-growths"},
		{"cut at the start", trace(91000) + trace(92000) + trace(93000), 1000, 90, "lost-growths"},
		{"two processes", trace(1000) + trace(2000) + trace(1000) + trace(2000), 1000, 0, ""},
		{"stated", "# rate: 100\n" + trace(100), 100, 0, ""},
		{"stated otherwise", "# rate: 10\n" + trace(100), 10, 0, "rate-doubtful"},
		{"unknown", strings.ReplaceAll(trace(1), " n=1", ""), 1, 0, "rate-unknown"},
	} {
		f := good(t, test.text)
		g := f.Header.Growth
		if g.Rate != test.rate || g.Lost != test.lost || (len(f.Header.Warnings) > 0) != (test.warning != "") || test.warning != "" && !warned(f, test.warning) {
			t.Errorf("%s: %+v %v", test.name, g, f.Header.Warnings)
		}
	}
}

// The sizes follow from the bounds where the runtime does not print them.
func TestSizesFromBounds(t *testing.T) {
	f := good(t, strings.ReplaceAll(trace(1000), " old=2048 new=4096", ""))
	if got := profilefixture.Draw(f); got != traceTree || f.String(f.LabelValue[0]) != "4096 bytes" {
		t.Error(got)
	}
}

// Some runtimes begin the trace with the growing function itself.
func TestTraceOfTheFunctionItself(t *testing.T) {
	itself := "main.deep()\n\t/src/main/work.go:9 +0x25 fp=0x1090 sp=0x1088 pc=0x1\n"
	text := strings.Replace(trace(1000), "main.(*T).work(", itself+"main.(*T).work(", 1)
	if got := profilefixture.Draw(good(t, text)); got != traceTree {
		t.Error(got)
	}
	recursion := strings.Replace(text, "sp=0x1088 pc", "sp=0x1090 pc", 1)
	if got := profilefixture.Draw(good(t, recursion)); strings.Count(got, "main.deep") != 2 {
		t.Error(got)
	}
}

func TestMixedOutput(t *testing.T) {
	noise := "2026/11/21 listening on :80\nok(yes)\n\tindented\nGET /x (200)\n"
	whole := trace(1000)
	at := strings.Index(whole, "main.inlined")
	after := "main.panics()\n\t/src/main/panics.go:3 +0x1\n" // a trace of something else
	f := good(t, noise+whole[:at]+noise+whole[at:]+after+noise+"# a comment\n")
	if got := profilefixture.Draw(f); got != traceTree || f.Header.Growth.OtherLines != 15 || !warned(f, "other-output") {
		t.Error(got, f.Header.Warnings)
	}
}

// A trace that another one interrupts hangs where cut stacks hang.
func TestInterruptedTrace(t *testing.T) {
	whole := trace(2000)
	f := good(t, trace(1000)[:strings.Index(trace(1000), "main.inlined")]+whole)
	if got := profilefixture.Draw(f); !strings.Contains(got, "  [root cut off] 1/1000/2048000\n    main.(*T).work") || !warned(f, "cut-traces") || f.Header.Growth.Truncated {
		t.Error(got, f.Header.Warnings)
	}
}

func TestTruncatedLog(t *testing.T) {
	whole := trace(1000) + trace(2000)
	for cut := len(trace(1000)) + 20; cut < len(whole)-60; cut += 13 {
		f := good(t, whole[:cut])
		g := f.Header.Growth
		ended := strings.Contains(whole[len(trace(1000)):cut], "runtime.goexit({})\n\t") && strings.HasSuffix(whole[:cut], "\n")
		if g.Sampled != 2 || !g.Truncated && !ended && !strings.Contains(whole[len(trace(1000)):cut], "goexit({})\n\t/go/src/runtime/asm_amd64.s:1771 +0x1 fp=0x21ead261fe8 sp=0x21ead261fe0 pc=0x4939a1\n") {
			t.Fatalf("cut at %d: %+v\n%s", cut, g, whole[:cut])
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(whole))
	z.Close()
	f, err := read(packed.Bytes()[:packed.Len()-30])
	if err != nil || f.Header.Growth.Sampled < 1 || !f.Header.Growth.Truncated || !warned(f, "truncated-log") {
		t.Error(err)
	}
}

func TestElidedFrames(t *testing.T) {
	f := good(t, strings.Replace(trace(1000), "main.inlined(...)", "...23 frames elided...\nmain.inlined(...)", 1))
	if got := profilefixture.Draw(f); !strings.Contains(got, "main.inlined 1/1000/2048000\n      [frames elided]") {
		t.Error(got)
	}
}

func TestFolded(t *testing.T) {
	f := good(t, "# rate: 100\n# duration: 120s\n# total: 2043\nruntime.goexit.abi0;main.a;main.b;runtime.morestack;runtime.newstack 12\nmain.a;[2048->4096] 3\nmain.a;main.b;[2048->4096] 5\n\nnonsense\nmain.a;runtime.shrinkstack;runtime.copystack 9\n")
	want := `(root) 20/2000/1638400
  main.a 20/2000/1638400 self 3/300/614400
    main.b 17/1700/1024000 self 17/1700/1024000
`
	g := f.Header.Growth
	if got := profilefixture.Draw(f); got != want || f.Header.DurationNs != 120e9 || g.Rate != 100 || *g.Total != 2043 || g.Shrunk != 9 || g.OtherLines != 1 ||
		!warned(f, "shrinks") || g.Dialect != "folded" || *g.DurationNs != 120e9 {
		t.Error(got, g)
	}
}

const maps = `Attaching 2 probes...


@growth[
    runtime.newstack+0
    runtime.morestack+143
    main.work+25
    main.main.func1+0x12
    runtime.goexit.abi0+1
, 2048, 4096]: 15
@growth[
        4a1b20 runtime.copystack+0 (/srv/app)
        4a1b21 runtime.newstack+1100 (/srv/app)
        4a1b22 main.work+25 (/srv/app)
        7f1b23 0x7f1b23 (/srv/lib.so)
, app, 8192]: 2
@growth[1024, 4096, 8192,
    main.other+1
    0x4a1b20
    [unknown]
]: 1
@start[123]: 4
@us[
    main.work+1
]: 
[0]     12 |@@@@|
`

func TestBpftrace(t *testing.T) {
	f := good(t, maps)
	want := `(root) 18/18/43008
  [unknown] 1/1/4096
    [unknown] 1/1/4096
      main.other 1/1/4096 self 1/1/4096
  [unknown] lib.so 2/2/8192
    main.work 2/2/8192 self 2/2/8192
  main.main.func 15/15/30720
    main.work 15/15/30720 self 15/15/30720
`
	if got := profilefixture.Draw(f); got != want || f.Header.Growth.Rate != 1 || !f.Header.Growth.RateKnown || f.Header.Growth.OtherLines != 3 {
		t.Error(got, f.Header.Growth)
	}
	twice := good(t, maps+maps+"@growth[\n main.cut+1\n")
	if !warned(twice, "printed-again") || twice.Header.Growth.Sampled != 36 || !twice.Header.Growth.Truncated {
		t.Error(twice.Header.Warnings)
	}
}

// Real captures: one map holds a stack several times, once a thread, and not
// every probe sees the goroutine's stack.
func TestBpftraceCaptures(t *testing.T) {
	for _, test := range []struct {
		name     string
		sampled  int64
		shrunk   int64
		segments string
		warnings []string
	}{
		{"morestack.log.gz", 49318, 0, "ingester/ident.(*Pool).Clone 24658/24658/101003264\n", nil},
		{"perf.log", 29725, 0, "ingester/commitlog.(*Log).newEntry 14863/14863/0 self", []string{"callers-only"}},
		{"newstack.log", 29451, 0, "(root) 29451/29451/0 self", []string{"without-path"}},
		{"copystack.log", 159155, 1, "(root) 159155/159155/488923136 self", []string{"shrinks", "without-path"}},
		{"printed.log.gz", 142834, 0, "ingester/commitlog.(*Log).newEntry 71414/71414/0 self", []string{"callers-only", "printed-again"}},
	} {
		f, err := ReadFile("../../testdata/growth/bpftrace-"+test.name, calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Fatal(err)
		}
		var warnings []string
		for _, w := range f.Header.Warnings {
			warnings = append(warnings, w[:strings.Index(w, ":")])
		}
		slices.Sort(warnings)
		g, segments := f.Header.Growth, profilefixture.Draw(f)
		if g.Sampled != test.sampled || g.Shrunk != test.shrunk || g.OtherLines != 0 || !slices.Equal(warnings, test.warnings) || !strings.Contains(segments, test.segments) {
			t.Errorf("%s: %+v %q\n%s", test.name, g, f.Header.Warnings, segments)
		}
	}
}

// What no stack shows is in the key: the functions after it, and the size.
func TestBpftraceKeys(t *testing.T) {
	f := good(t, `@growth[8192,
    runtime.morestack_noctxt.abi0+0
    main.grand+5
, main.F[go.shape.int,go.shape.string], main.caller+12]: 2
@growth[
    runtime.morestack.abi0+0
    main.grand+5
, node-7, 4711]: 1
`)
	want := `(root) 3/3/16384
  main.grand 3/3/16384 self 1/1/0
    main.caller 2/2/16384
      main.F[...] 2/2/16384 self 2/2/16384
`
	if got := profilefixture.Draw(f); got != want || !warned(f, "callers-only") {
		t.Error(got, f.Header.Warnings)
	}
}

func TestRefusals(t *testing.T) {
	small := inputlimits.Default()
	small.Depth, small.Samples, small.Functions, small.Locations, small.Strings = 3, 2, 5, 4, 200
	for _, test := range []struct {
		want, text string
		bounds     inputlimits.Limits
	}{
		{"empty-file", "", inputlimits.Default()},
		{"not-a-growth-log", "hello\n", inputlimits.Default()},
		{"not-a-growth-log", "{}", inputlimits.Default()},
		{"no-growths", "# rate: 10\nmain.a;runtime.shrinkstack 3\n", inputlimits.Default()},
		{"value-overflow", "# rate: 9007199254740992\nmain.a;main.b 9007199254740992\n", inputlimits.Default()},
		{"too-deep", trace(1000), small},
		{"too-deep", "a;b;c;d 1\n", small},
		{"too-deep", "@stack[\n a.b\n a.c\n a.d\n a.e\n]: 3\n", small},
		{"too-many-samples", "a;b 1\na;b 1\na;b 1\n", small},
		{"too-many-functions", "a;b 1\nc;d;e 1\nf;g 1\n", withLocations(small, 90)},
		{"too-many-locations", "a;b 1\nc;d;e 1\n", small},
		{"strings-too-large", "a;" + strings.Repeat("b", 300) + " 1\n", small},
		{"unpacked-too-large", "a;b 1\n", withUnpacked(small, 3)},
	} {
		_, err := Read(strings.NewReader(test.text), 1, calltree.Options{Limits: test.bounds})
		if slug(err) != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	if _, err := ReadFile("missing", calltree.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func withLocations(l inputlimits.Limits, n int64) inputlimits.Limits {
	l.Locations, l.Samples = n, n
	return l
}

func withUnpacked(l inputlimits.Limits, n int64) inputlimits.Limits { l.Unpacked = n; return l }

// A line that does not end costs no more than its bound.
func TestLongLines(t *testing.T) {
	f := good(t, trace(1000)+strings.Repeat("x", 3*maxLineBytes)+"\n"+trace(2000))
	if g := f.Header.Growth; g.Sampled != 2 || g.OtherLines != 1 {
		t.Errorf("%+v", g)
	}
}

func TestTimes(t *testing.T) {
	if n, ok := times(3, 4); n != 12 || !ok {
		t.Error(n)
	}
	if _, ok := times(math.MaxInt64/2, 3); ok {
		t.Error("no overflow seen")
	}
}

// The files of the example's three variants: what the story counts.
func TestExample(t *testing.T) {
	for _, test := range []struct {
		name           string
		sampled, total int64
		grows          string
	}{
		{"ingester-inlined.log.gz", 56, 57249, "ingester/retry.(*Retrier).Attempt"},
		{"ingester-helper.log.gz", 98, 99724, "ingester/ident.cloneBytes"},
		{"ingester-pool.log.gz", 1, 1289, ""},
	} {
		f, err := ReadFile("../../testdata/growth/"+test.name, calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Fatal(err)
		}
		g := f.Header.Growth
		if g.Sampled != test.sampled || *g.Total != test.total || g.Rate != 1000 || *g.StartBytes != 2048 || !strings.Contains(profilefixture.Draw(f), test.grows+" ") {
			t.Errorf("%s: %+v\n%s", test.name, g, profilefixture.Draw(f))
		}
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// Decoded logs that readers in other languages are tested against: they are the contract.
func TestGoldenFiles(t *testing.T) {
	for _, variant := range []string{"inlined", "helper", "pool"} {
		f, err := ReadFile("../../testdata/growth/ingester-"+variant+".log.gz", calltree.Options{Limits: inputlimits.Default()})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := f.Write(&out); err != nil {
			t.Fatal(err)
		}
		path := "../../testdata/golden/growth-" + variant + ".slowcol"
		if *update {
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s differs (%v); if that is right, run the test with -update", path, err)
		}
	}
}
