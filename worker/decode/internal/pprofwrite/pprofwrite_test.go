package pprofwrite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sort"
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

func decoded(t *testing.T, data []byte) *profilefile.File {
	t.Helper()
	f, err := pprofread.Read(bytes.NewReader(data), calltree.Options{Limits: inputlimits.Default(), AllowNegative: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func written(t *testing.T, b *Builder) (*profile.Profile, []byte) {
	t.Helper()
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(out.Bytes())
	if err != nil {
		t.Fatalf("pprof refuses the export: %v", err)
	}
	return p, out.Bytes()
}

func add(t *testing.T, b *Builder, f *profilefile.File, scale float64, isBase bool) {
	t.Helper()
	if err := b.Add(f, scale, isBase); err != nil {
		t.Fatal(err)
	}
}

// Import, export, import again: nothing is lost, cut stacks included.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"go-cpu-1.26.pb.gz", "go-heap-1.26.pb.gz", "x-tools-cpu.pb.gz", "parca-labels-cpu.pb.gz", "parca-stripped-cpu.pb.gz"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../testdata/profiles/" + name)
			if err != nil {
				t.Fatal(err)
			}
			f := decoded(t, data)
			b := New()
			add(t, b, f, 1, false)
			_, exported := written(t, b)
			again := decoded(t, exported)
			if got, want := profilefixture.Draw(again), profilefixture.Draw(f); got != want {
				t.Errorf("the tree of keys differs:\n%s\nwant\n%s", got, want)
			}
			if got, want := profilefixture.DrawLines(again), profilefixture.DrawLines(f); got != want {
				t.Error("the tree of lines differs")
			}
			if got, want := fmt.Sprint(again.SampleLabelset, again.Values), fmt.Sprint(f.SampleLabelset, f.Values); got != want {
				t.Error("samples or labels differ")
			}
			a, z := again.Header, f.Header
			if a.Kind != z.Kind || a.Period != z.Period || a.DurationNs != z.DurationNs || a.TimeNs != z.TimeNs || a.DefaultSampleType != z.DefaultSampleType || a.CutSamples == 0 != (z.CutSamples == 0) {
				t.Errorf("headers differ: %+v %+v", a, z)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	f := decoded(t, profilefixture.Bytes(profilefixture.Stacks("main main\na b")))
	g := decoded(t, profilefixture.Bytes(profilefixture.Stacks("main main\na c")))
	g.Header.TimeNs, f.Header.TimeNs = 5, 9
	b := New()
	add(t, b, f, 1, false)
	add(t, b, g, 1, false)
	p, _ := written(t, b)
	if got := drawn(p); got != "main a 2\nmain b 1\nmain c 1" {
		t.Error(got)
	}
	if p.DurationNanos != 2000 || p.TimeNanos != 5 {
		t.Error(p.DurationNanos, p.TimeNanos)
	}
	scaled := New()
	add(t, scaled, f, 2.6, false)
	if p, _ = written(t, scaled); drawn(p) != "main a 3\nmain b 3" {
		t.Error(drawn(p))
	}
}

// What pprof shows as File and Build ID comes from the originals, also when
// they are merged, and pprof does not look for binaries.
func TestMappings(t *testing.T) {
	of := func(mappings ...profilefile.Mapping) *profilefile.File {
		f := decoded(t, profilefixture.Bytes(profilefixture.Stacks("main\na")))
		f.Header.Mappings = mappings
		return f
	}
	server, libc, newer := profilefile.Mapping{File: "/bin/server", BuildID: "b1"}, profilefile.Mapping{File: "libc.so", BuildID: "c"}, profilefile.Mapping{File: "/bin/server", BuildID: "b2"}
	b := New()
	add(t, b, of(server, libc), 1, true)
	add(t, b, of(newer, libc), 1, false)
	p, exported := written(t, b)
	if got := fmt.Sprint(decoded(t, exported).Header.Mappings); got != fmt.Sprint([]profilefile.Mapping{server, libc, newer}) {
		t.Error(got)
	}
	merged, err := profile.Merge([]*profile.Profile{p}) // as every command of pprof does first
	if err != nil {
		t.Fatal(err)
	}
	if m := merged.Mapping[0]; m.File != "/bin/server" || m.BuildID != "b1" || !m.HasFunctions || !m.HasFilenames || !m.HasLineNumbers || !m.HasInlineFrames {
		t.Errorf("%+v", m)
	}
	none := New()
	add(t, none, of(), 1, false)
	if p, _ := written(t, none); len(p.Mapping) != 1 || p.Mapping[0].File != "" {
		t.Error(p.Mapping)
	}
	add(t, none, of(server, libc), 1, false)
	if p, _ := written(t, none); len(p.Mapping) != 2 || p.Mapping[0].BuildID != "b1" {
		t.Error(p.Mapping)
	}
}

// drawn returns a line a stack, root first, with its first value.
func drawn(p *profile.Profile) string {
	var lines []string
	for _, s := range p.Sample {
		line := ""
		for i := len(s.Location) - 1; i >= 0; i-- {
			line += s.Location[i].Line[0].Function.Name + " "
		}
		if s.HasLabel("pprof::base", "true") {
			line += "base "
		}
		lines = append(lines, fmt.Sprintf("%s%d", line, s.Value[0]))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// A difference equals that of pprof's own -diff_base.
func TestDifference(t *testing.T) {
	base, candidate := profilefixture.Stacks("main main\na b"), profilefixture.Stacks("main main main\na a c")
	b := New()
	add(t, b, decoded(t, profilefixture.Bytes(candidate)), 1, false)
	add(t, b, decoded(t, profilefixture.Bytes(base)), -1, true)
	p, data := written(t, b)
	if got := drawn(p); got != "main a 2\nmain a base -1\nmain b base -1\nmain c 1" {
		t.Error(got)
	}
	base.SetLabel("pprof::base", []string{"true"})
	base.Scale(-1)
	merged, err := profile.Merge([]*profile.Profile{candidate, base})
	if err != nil {
		t.Fatal(err)
	}
	if drawn(merged) != drawn(p) {
		t.Errorf("pprof prints\n%s", drawn(merged))
	}
	if f := decoded(t, data); len(f.Header.Warnings) == 0 {
		t.Error("a difference is read without a warning")
	}
}

func TestRefusals(t *testing.T) {
	b := New()
	wantSlug(t, b.Write(&bytes.Buffer{}), "no-profiles")
	add(t, b, decoded(t, profilefixture.Bytes(profilefixture.Stacks("a"))), 1, false)
	other := profilefixture.Stacks("a")
	other.SampleType[0].Type = "objects"
	wantSlug(t, b.Add(decoded(t, profilefixture.Bytes(other)), 1, false), "mixed-sample-types")
}

func wantSlug(t *testing.T, err error, slug string) {
	t.Helper()
	var bad *inputerror.InputError
	if !errors.As(err, &bad) || bad.Slug != slug {
		t.Errorf("got %v, want %s", err, slug)
	}
}
