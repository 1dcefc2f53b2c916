package calltree_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
)

func read(t *testing.T, p *profile.Profile, change ...func(*calltree.Options)) *profilefile.File {
	t.Helper()
	options := calltree.Options{Limits: inputlimits.Default()}
	for _, c := range change {
		c(&options)
	}
	f, err := pprofread.Read(bytes.NewReader(profilefixture.Bytes(p)), options)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func want(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimLeft(strings.ReplaceAll(want, "\n\t\t", "\n"), "\n")
	want = strings.TrimRight(want, "\t")
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTrees(t *testing.T) {
	f := read(t, profilefixture.Stacks(`
		main.main:5 main.main:5    main.main:6 main.main:5     main.main:5
		main.a:1    main.a:2>sub:9 main.a:1    main.a:2>sub:9  .
		main.b:1    .              main.b:1    .               .
	`))
	want(t, profilefixture.Draw(f), `
		(root) 5/50
		  main.main 5/50 self 1/10
		    main.a 4/40
		      main.b 2/20 self 2/20
		      sub 2/20 self 2/20
		`)
	want(t, profilefixture.DrawLines(f), `
		main.main:5
		  main.a:1
		    main.b:1
		  main.a:2
		    sub:9
		main.main:6
		  main.a:1
		    main.b:1
		`)
	if got := fmt.Sprint(f.SampleLineNode, f.Values); got != "[1 3 5 8] [[1 1 2 1] [10 10 20 10]]" {
		t.Errorf("samples: %s", got)
	}
	if c := f.Header.Counts; c != (profilefile.Counts{Samples: 5, Locations: 5, Functions: 4, Stacks: 4, FramesMax: 3}) {
		t.Errorf("counts: %+v", c)
	}
}

// Names that normalize to the same key share a node, in whatever order the
// lines put them.
func TestKeysFold(t *testing.T) {
	f := read(t, profilefixture.Stacks(`
		main.f.func1 main.f.func2 main.f.func1 main.f.func2 main.a.gowrap1
		main.x       main.x       main.y       .            main.a
		main.z       main.w       .            .            .
	`))
	want(t, profilefixture.Draw(f), `
		(root) 5/50
		  main.a 1/10
		    main.a 1/10 self 1/10
		  main.f.func 4/40 self 1/10
		    main.x 2/20
		      main.w 1/10 self 1/10
		      main.z 1/10 self 1/10
		    main.y 1/10 self 1/10
		`)
}

func TestStacksWithoutFramesSitAtTheRoot(t *testing.T) {
	b := profilefixture.New()
	b.Sample(nil, 3)
	b.Sample([]string{"main"}, 1)
	b.Sample(nil, 4)
	want(t, profilefixture.Draw(read(t, b.Profile)), `
		(root) 8/80 self 7/70
		  main 1/10 self 1/10
		`)
}

func TestFramesWithoutFunction(t *testing.T) {
	b := profilefixture.New()
	s := b.Sample([]string{"x", "y", "z"}, 1)
	b.Mapping = []*profile.Mapping{{ID: 1, Limit: 9, File: "/lib/libc.so.6"}, {ID: 2, Start: 9, Limit: 99, File: `C:\bin\app.exe`}}
	for i, l := range s.Location {
		l.Line = nil
		if i < 2 {
			l.Mapping = b.Mapping[i]
		}
	}
	f := read(t, b.Profile)
	want(t, profilefixture.Draw(f), `
		(root) 1/10
		  [unknown] 1/10
		    [unknown] app.exe 1/10
		      [unknown] libc.so.6 1/10 self 1/10
		`)
	if got := f.String(f.FunctionFile[len(f.FunctionFile)-1]); got != "/lib/libc.so.6" {
		t.Errorf("file: %s", got)
	}
}

func TestLabels(t *testing.T) {
	b := profilefixture.New()
	for range 2 {
		b.Sample([]string{"a"}, 1).Label = map[string][]string{"k": {"v", "w"}, "j": {"v"}}
	}
	s := b.Sample([]string{"a"}, 1)
	s.NumLabel, s.NumUnit = map[string][]int64{"bytes": {1024}, "request": {7}, "took": {5}}, map[string][]string{"took": {"ms"}}
	b.Sample([]string{"a"}, 1)
	f := read(t, b.Profile)
	var got []string
	for i, set := range f.SampleLabelset {
		line := fmt.Sprintf("%d:", f.Values[0][i])
		for _, l := range f.LabelsetLabel[f.LabelsetOffset[set]:f.LabelsetOffset[set+1]] {
			line += fmt.Sprintf(" %s=%s", f.String(f.LabelKey[l]), f.String(f.LabelValue[l]))
		}
		got = append(got, line)
	}
	if text := strings.Join(got, "\n"); text != "1:\n1: bytes=1024 bytes request=7 bytes took=5 ms\n2: j=v k=v k=w" {
		t.Error(text)
	}
	if set := f.SampleLabelset[0]; set != 0 {
		t.Errorf("no labels is set %d, not 0", set)
	}
}

func TestNoLabelsNoColumns(t *testing.T) {
	if f := read(t, profilefixture.Stacks("a")); f.SampleLabelset != nil || f.LabelKey != nil {
		t.Error("label columns without labels")
	}
}

// Names are hostile: NUL is replaced, everything else is retained as it is.
func TestNames(t *testing.T) {
	for name, clean := range map[string]string{
		"nul\x00": "nul\uFFFD", "<img onerror=x>": "<img onerror=x>",
		"\u202Eright": "\u202Eright", "tab\tnew\nline": "tab\tnew\nline", strings.Repeat("long", 1<<14): strings.Repeat("long", 1<<14),
	} {
		b := profilefixture.New()
		s := b.Sample([]string{"f"}, 1)
		s.Location[0].Line[0].Function.Name = name
		f := read(t, b.Profile)
		if got := f.String(f.FunctionName[0]); got != clean {
			t.Errorf("%q became %q", name, got)
		}
		warned := strings.Contains(strings.Join(f.Header.Warnings, ""), "nul-in-names")
		if warned != (name != clean) {
			t.Errorf("%q: warnings %v", name, f.Header.Warnings)
		}
	}
}

// Names that are not UTF-8 are counted, each once however often it is used, and refused.
func TestBrokenNames(t *testing.T) {
	b := profilefixture.New()
	for _, round := range []string{"a", "b"} {
		for _, name := range []string{"bad\xff\xfeutf8", "\xc3", "good"} {
			s := b.Sample([]string{round + name}, 1)
			s.Location[0].Line[0].Function.Name = name
		}
	}
	_, err := pprofread.Read(bytes.NewReader(profilefixture.Bytes(b.Profile)), calltree.Options{Limits: inputlimits.Default()})
	var refused *inputerror.InputError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	want(t, string(refused.JSON()), `{"error":"invalid-utf8","message":"2 names are not UTF-8, which the format requires: the file is damaged, or a tool wrote names without encoding them. Record the profile again, or repair its string table.","limit":0,"actual":2,"unit":"strings","offset":null}`)
}

// The hash of a path is stable forever: these numbers may never change.
func TestPathHash(t *testing.T) {
	for _, test := range []struct {
		path []string
		hash uint64
	}{
		{nil, 0},
		{[]string{""}, 0xefd01f60ba992926},
		{[]string{"main.main"}, 0xa19b83c87b77dffc},
		{[]string{"runtime.main", "main.main"}, 0x2a077e041a64aa4b},
		{[]string{"main.main", "runtime.main"}, 0x2dc6846cf231cfa2},
		{[]string{"日本"}, 0x1230c55089fe4e43},
	} {
		hash := uint64(0)
		for _, key := range test.path {
			hash = calltree.PathHash(hash, []byte(key))
		}
		if hash != test.hash {
			t.Errorf("hash of %q is %#x, not %#x", test.path, hash, test.hash)
		}
	}
	f := read(t, profilefixture.Stacks("runtime.main\nmain.main"))
	if len(f.StackHash) != 1 || f.StackHash[0] != calltree.PathHash(calltree.PathHash(0, []byte("runtime.main")), []byte("main.main")) {
		t.Errorf("the file's hashes are others: %x", f.StackHash)
	}
}

func TestDifferencesMayBeNegative(t *testing.T) {
	marked := profilefixture.New()
	marked.Sample([]string{"a"}, 1)
	marked.Sample([]string{"a"}, -3).Label = map[string][]string{"pprof::base": {"true"}}
	window := profilefixture.New()
	window.SampleType = []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}
	window.Sample([]string{"a"}, -3)
	forced := profilefixture.New()
	forced.Sample([]string{"a"}, -3)
	for name, f := range map[string]*profilefile.File{
		"marked": read(t, marked.Profile), "window": read(t, window.Profile),
		"forced": read(t, forced.Profile, func(o *calltree.Options) { o.AllowNegative = true }),
	} {
		if len(f.Header.Warnings) != 1 || !strings.HasPrefix(f.Header.Warnings[0], "negative-values: ") {
			t.Errorf("%s: %v", name, f.Header.Warnings)
		}
	}
}

func TestAllZeroWarns(t *testing.T) {
	b := profilefixture.New()
	b.Sample([]string{"a"}, 0)
	if f := read(t, b.Profile); len(f.Header.Warnings) != 1 || !strings.HasPrefix(f.Header.Warnings[0], "all-zero: ") {
		t.Errorf("%v", f.Header.Warnings)
	}
}
