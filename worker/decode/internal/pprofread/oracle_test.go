package pprofread

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
	"slowpath.dev/decode/internal/profilegen"
	"slowpath.dev/decode/internal/symbolkey"
)

// options are the usual ones.
func options() calltree.Options { return calltree.Options{Limits: inputlimits.Default()} }

// Every profile must decode to the same as with github.com/google/pprof.
func TestReadAgreesWithTheOracle(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/profiles/*")
	if err != nil || len(paths) < 10 {
		t.Fatalf("testdata is missing: %v %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, data)
		})
	}
}

func TestReadAgreesWithTheOracleOnGeneratedProfiles(t *testing.T) {
	for _, shape := range []profilegen.ProfileShape{
		{Seed: 1, Samples: 3000, Functions: 400, Depth: 60},
		{Seed: 2, Samples: 500, Functions: 3, Depth: 200},
		{Seed: 3, Samples: 1, Functions: 9, Depth: 2},
		{Seed: 4, Samples: 20_000, Functions: 6_000, Depth: 8}, // more than a page of everything
	} {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			var out bytes.Buffer
			if err := profilegen.Write(&out, shape); err != nil {
				t.Fatal(err)
			}
			agree(t, out.Bytes())
		})
	}
}

// agree compares what we read with what the oracle reads.
func agree(t *testing.T, data []byte) {
	t.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatalf("the oracle refuses the input: %v", err)
	}
	f, err := Read(bytes.NewReader(data), options())
	if err != nil {
		t.Fatalf("we refuse what the oracle reads: %v", err)
	}
	nameFromComments(p, data) // the oracle passes over them
	compare(t, p, f)
}

// compare checks a decoded profile against the oracle's.
func compare(t *testing.T, p *profile.Profile, f *profilefile.File) {
	t.Helper()
	if got, want := int(f.Header.Counts.Samples), len(p.Sample); got != want {
		t.Errorf("samples: %d, want %d", got, want)
	}
	if got, want := fmt.Sprint(f.Header.Period, f.Header.TimeNs, f.Header.DurationNs), fmt.Sprint(p.Period, p.TimeNanos, p.DurationNanos); got != want {
		t.Errorf("period, time, duration: %s, want %s", got, want)
	}
	if got, want := f.Header.DefaultSampleType, defaultType(p); got != want {
		t.Errorf("default sample type: %d, want %d", got, want)
	}
	want := expect(p)
	got := actual(f)
	for what, sums := range want {
		if !reflect.DeepEqual(got[what], sums) {
			t.Errorf("%s: %v, want %v", what, got[what], sums)
		}
	}
	for what := range got {
		if want[what] == nil {
			t.Errorf("%s: %v, want nothing", what, got[what])
		}
	}
}

func defaultType(p *profile.Profile) int {
	i, err := p.SampleIndexByName("")
	if err != nil {
		return len(p.SampleType) - 1
	}
	return i
}

// sums are values per sample type by what they are the sum of.
type sums map[string][]int64

func (s sums) add(what string, values []int64) {
	if s[what] == nil {
		s[what] = make([]int64, len(values))
	}
	for i, v := range values {
		s[what][i] += v
	}
}

// expect computes totals, self and cum by key and by line, and totals by
// labels, from the oracle's samples, one by one.
func expect(p *profile.Profile) sums {
	out := sums{}
	units, _ := p.NumLabelUnits()
	for _, s := range p.Sample {
		out.add("total", s.Value)
		out.add("labels "+oracleLabels(s, units), s.Value)
		var frames []string // leaf first
		for _, l := range s.Location {
			frames = append(frames, oracleFrames(l)...)
		}
		addStack(out, frames, s.Value)
	}
	return out
}

func oracleFrames(l *profile.Location) []string {
	if len(l.Line) == 0 {
		name := symbolkey.Unknown
		if l.Mapping != nil && l.Mapping.File != "" && path.Base(l.Mapping.File) != "/" {
			name += " " + path.Base(l.Mapping.File)
		}
		return []string{name + "\x00" + name + ":0"}
	}
	var frames []string
	for _, line := range l.Line {
		name := line.Function.Name
		if name == "" {
			name = line.Function.SystemName
		}
		if name == "" {
			name = symbolkey.Unknown
		}
		frames = append(frames, fmt.Sprintf("%s\x00%s:%d", symbolkey.Key(name), name, line.Line))
	}
	return frames
}

// addStack adds one stack, leaf first, of "key NUL name:line" frames.
func addStack(out sums, frames []string, values []int64) {
	if len(frames) == 0 {
		out.add("self (root)", values)
		return
	}
	key, line, _ := strings.Cut(frames[0], "\x00")
	out.add("self "+key, values)
	out.add("self line "+line, values)
	out.add(fmt.Sprintf("depth %d", len(frames)), values)
	seen := map[string]bool{}
	for _, frame := range frames {
		key, line, _ := strings.Cut(frame, "\x00")
		for _, what := range []string{"cum " + key, "cum line " + line} {
			if !seen[what] {
				seen[what] = true
				out.add(what, values)
			}
		}
	}
}

func oracleLabels(s *profile.Sample, units map[string]string) string {
	var parts []string
	for key, values := range s.Label {
		for _, value := range values {
			parts = append(parts, key+"="+value)
		}
	}
	for key, values := range s.NumLabel {
		for i, value := range values {
			unit := units[key]
			if i < len(s.NumUnit[key]) && s.NumUnit[key][i] != "" {
				unit = s.NumUnit[key][i]
			}
			parts = append(parts, fmt.Sprintf("%s=%d %s", key, value, unit))
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, ",")
}

// actual computes the same from the columns, and checks on the way that both
// trees are equal.
func actual(f *profilefile.File) sums {
	out := sums{}
	parents, lineParents := f.Nodes.Parents(len(f.NodeKey)), f.LineNodes.Parents(len(f.LineNodeFrame))
	for i, leaf := range f.SampleLineNode {
		values := make([]int64, len(f.Values))
		for k := range values {
			values[k] = f.Values[k][i]
		}
		out.add("total", values)
		out.add("labels "+columnLabels(f, i), values)
		var frames []string
		node := f.SampleNode[i]
		for line := leaf; line != 0; line = lineParents[line] {
			fn := f.FrameFunction[f.LineNodeFrame[line]]
			name := f.String(f.FunctionName[fn])
			if f.NodeKey[node] != f.FunctionKey[fn] {
				out.add("the trees differ at "+name, values)
			}
			node = parents[node]
			if name != symbolkey.TruncatedRoot {
				frames = append(frames, fmt.Sprintf("%s\x00%s:%d", f.String(f.FunctionKey[fn]), name, f.FrameLine[f.LineNodeFrame[line]]))
			}
		}
		addStack(out, frames, values)
	}
	return out
}

func columnLabels(f *profilefile.File, i int) string {
	if f.SampleLabelset == nil {
		return ""
	}
	var parts []string
	set := f.SampleLabelset[i]
	for _, l := range f.LabelsetLabel[f.LabelsetOffset[set]:f.LabelsetOffset[set+1]] {
		parts = append(parts, f.String(f.LabelKey[l])+"="+f.String(f.LabelValue[l]))
	}
	sort.Strings(parts)
	return strings.Join(parts, ",")
}

// What is written and read again is the same, and its indexes fit.
func TestColumnsSurviveTheFile(t *testing.T) {
	data, err := os.ReadFile("../../testdata/profiles/go-heap-1.26.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(bytes.NewReader(data), options())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	again, err := profilefile.Read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	f.Summary = profilefile.Summary{} // follows from the rest, so an export has no need of it
	if !reflect.DeepEqual(f, again) {
		t.Error("the file read back differs from the one written")
	}
}

// The same samples in another order, under other ids, give the same columns.
func TestOrderAndIdsDoNotMatter(t *testing.T) {
	data, err := os.ReadFile("../../testdata/profiles/go-cpu-1.26.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	want := columnsOf(t, profilefixture.Bytes(p))
	for i, j := 0, len(p.Sample)-1; i < j; i, j = i+1, j-1 {
		p.Sample[i], p.Sample[j] = p.Sample[j], p.Sample[i]
	}
	for i, l := range p.Location {
		l.ID = 1<<40 + uint64(len(p.Location)-i)
	}
	for i, fn := range p.Function {
		fn.ID = uint64(len(p.Function)-i) * 1_000_003
	}
	if got := columnsOf(t, profilefixture.Bytes(p)); !reflect.DeepEqual(got, want) {
		t.Error("the columns depend on order or ids")
	}
}

func columnsOf(t *testing.T, data []byte) *profilefile.File {
	t.Helper()
	f, err := Read(bytes.NewReader(data), options())
	if err != nil {
		t.Fatal(err)
	}
	f.Header.Source = profilefile.Source{Encoding: string(decompress.Gzip)}
	return f
}
