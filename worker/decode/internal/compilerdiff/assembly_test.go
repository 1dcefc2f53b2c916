package compilerdiff

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/gobinary"
)

const clone = "ingester/ident.(*Pool).Clone"

func assemblyOf(t *testing.T, base, candidate *gobinary.Program, name string, profiles [2][]string) *Assembly {
	t.Helper()
	a, err := Disassemble(base, candidate, name, nil, profiles)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestTheExampleSideBySide aligns the function whose helper is no longer inlined.
func TestTheExampleSideBySide(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	base, candidate := build(t, folder), build(t, folder, "-tags", "helper")
	a := assemblyOf(t, base, candidate, clone, [2][]string{})
	if a.Base.Frame != 56 || a.Candidate.Frame != 64 || a.Base.Omitted != 0 || a.Candidate.Missing != nil {
		t.Fatalf("base: %+v, candidate: %+v", a.Base, a.Candidate)
	}
	same, calls := 0, map[string][2]int{}
	var order [2][]int
	for _, row := range a.Rows {
		for side, at := range []*int{row.Base, row.Candidate} {
			if at == nil {
				continue
			}
			order[side] = append(order[side], *at)
			if one := []*Listing{a.Base, a.Candidate}[side].Instructions[*at]; one.Call != "" && row.Base != nil != (row.Candidate != nil) {
				count := calls[one.Call]
				count[side]++
				calls[one.Call] = count
			}
		}
		if row.Same {
			same++
		}
	}
	for side, listing := range []*Listing{a.Base, a.Candidate} {
		if len(order[side]) != len(listing.Instructions) || !slices.IsSorted(order[side]) {
			t.Errorf("side %d: rows %v", side, order[side])
		}
	}
	if calls["ingester/ident.cloneBytes"] != [2]int{0, 1} || calls["runtime.memmove"] != [2]int{1, 0} || len(calls) != 2 {
		t.Errorf("calls without partner: %v", calls)
	}
	if same < len(a.Candidate.Instructions)*3/4 {
		t.Errorf("%d of %d instructions are the same", same, len(a.Candidate.Instructions))
	}
	if !slices.ContainsFunc(a.Base.Files, func(file string) bool { return strings.HasSuffix(file, "/sync/atomic/type.go") }) || a.Base.Functions[2] != "sync/atomic.(*Int64).Add" {
		t.Errorf("files %v, functions %v", a.Base.Files, a.Base.Functions)
	}
}

func TestAFunctionThatIsInOneBuildOnly(t *testing.T) {
	folder := filepath.Join(example, "ingester")
	base, candidate := build(t, folder), build(t, folder, "-tags", "helper")
	a := assemblyOf(t, base, candidate, "ingester/ident.cloneBytes", [2][]string{})
	if a.Base.Missing == nil || *a.Base.Missing != MissingAbsent || len(a.Candidate.Instructions) == 0 || len(a.Rows) != len(a.Candidate.Instructions) {
		t.Errorf("base: %+v, %d rows", a.Base, len(a.Rows))
	}
	inlined := assemblyOf(t, nil, base, "sync/atomic.(*Int64).Add", [2][]string{})
	if inlined.Base != nil || inlined.Candidate.Missing == nil || *inlined.Candidate.Missing != MissingInlined || !slices.Contains(inlined.Candidate.InlinedIn, clone) {
		t.Errorf("candidate: %+v", inlined.Candidate)
	}
}

// TestSamplesOfInstructions uses a profile with addresses of the program, mapped
// elsewhere, and one of another build.
func TestSamplesOfInstructions(t *testing.T) {
	p := build(t, filepath.Join(example, "ingester"))
	f := p.Functions[p.Find(clone)[0]]
	const mapped, offset, linked = 0x7f0000000000, 0x1000, 0x401000
	kind := "cpu"
	write := func(buildID string, addresses ...uint64) string {
		mapping := &profile.Mapping{ID: 1, Start: mapped, Limit: mapped + 1<<24, Offset: offset, BuildID: buildID}
		recorded := &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kind, Unit: "nanoseconds"}},
			Mapping:    []*profile.Mapping{mapping},
		}
		for i, addr := range addresses {
			recorded.Location = append(recorded.Location, &profile.Location{ID: uint64(i + 1), Mapping: mapping, Address: addr})
		}
		recorded.Sample = []*profile.Sample{
			{Location: []*profile.Location{recorded.Location[0], recorded.Location[1], recorded.Location[0]}, Value: []int64{1, 10}},
			{Location: []*profile.Location{recorded.Location[1], recorded.Location[0]}, Value: []int64{2, 20}},
			{Location: []*profile.Location{recorded.Location[2]}, Value: []int64{4, 40}},
		}
		path := filepath.Join(t.TempDir(), "cpu.pb.gz")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := recorded.Write(file); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	process := f.Entry - linked + mapped
	addresses := []uint64{process + 4, process + 0x80 + 4, process + uint64(f.Size)} // in a call, and behind the function
	a := assemblyOf(t, nil, p, clone, [2][]string{nil, {write(p.BuildID, addresses...), write("other", addresses...)}})
	samples := a.Candidate.Samples
	if samples.Used != 1 || samples.Profiles != 2 || samples.Reason != nil || samples.Type != "cpu" || samples.Unit != "nanoseconds" || samples.Total != 70 {
		t.Errorf("samples: %+v", samples)
	}
	for _, one := range a.Candidate.Instructions {
		want := map[uint32][2]int64{4: {10, 10}, 0x80: {20, 20}}[one.Offset]
		if one.Self != want[0] || one.Total != want[1] {
			t.Errorf("%+v, not %v", one, want)
		}
	}
	cpu := write(p.BuildID, addresses...)
	kind = "alloc_space"
	allocs := write(p.BuildID, addresses...)
	for _, paths := range [][]string{{allocs, cpu}, {cpu, allocs}} {
		mixed := assemblyOf(t, nil, p, clone, [2][]string{nil, paths}).Candidate
		if mixed.Samples.Type != "cpu" || mixed.Samples.Used != 1 || mixed.Samples.Total != 70 || mixed.Instructions[1].Self > 10 {
			t.Errorf("of profiles of two types: %+v", mixed.Samples)
		}
	}
	for reason, path := range map[string]string{
		SamplesOtherBuild: write("other", addresses...), SamplesNoBuildID: write("", addresses...), SamplesNoAddresses: write(p.BuildID, 0, 0, 0),
	} {
		unused := assemblyOf(t, nil, p, clone, [2][]string{nil, {path}}).Candidate.Samples
		if unused.Used != 0 || unused.Reason == nil || *unused.Reason != reason {
			t.Errorf("%s: %+v", reason, unused)
		}
	}
}

func TestAlign(t *testing.T) {
	sequence := func(texts ...string) (found []aligned) {
		for _, text := range texts {
			op, _, _ := strings.Cut(text, " ")
			found = append(found, aligned{op, op, text, ""})
		}
		return found
	}
	for _, c := range []struct {
		base, candidate []aligned
		want            string
	}{
		{sequence("A", "B", "C"), sequence("A", "C"), "AA B- CC"},
		{sequence("A 1", "A 2"), sequence("A 2"), "A- AA"},
		{sequence(), sequence("A", "B"), "-A -B"},
		{sequence("A"), sequence("B"), "A- -B"},
		{nil, nil, ""},
	} {
		var got []string
		for _, row := range align(c.base, c.candidate) {
			pair := []byte("--")
			if row.Base != nil {
				pair[0] = c.base[*row.Base].op[0]
			}
			if row.Candidate != nil {
				pair[1] = c.candidate[*row.Candidate].op[0]
			}
			got = append(got, string(pair))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v and %v: %v", c.base, c.candidate, got)
		}
	}
}

const renamed = `package main

import "os"

//go:noinline
func NAME(n int) int {
	for n > 9 {
		n -= len(os.Args)
		os.Getpid()
	}
	return n CHANGE
}

func main() { os.Exit(NAME(len(os.Args))) }
`

func TestARenamedFunctionIsShownOfBothSides(t *testing.T) {
	write := func(name, change string) *gobinary.Program {
		return built(t, strings.NewReplacer("NAME", name, "CHANGE", change).Replace(renamed))
	}
	base, same, other := write("before", ""), write("after", ""), write("after", "+ os.Getppid() + os.Getuid()")
	for _, each := range []struct {
		candidate *gobinary.Program
		name      string
		renames   []Rename
		isPaired  bool
	}{
		{same, "main.after", nil, true},
		{same, "main.before", nil, true},
		{other, "main.after", nil, true}, // main calls it instead
		{other, "main.before", nil, true},
		{other, "main.after", []Rename{{"main.before", "main.after"}}, true},
		{other, "main.before", []Rename{{"main.before", "main.after"}}, true},
		{other, "main.after", []Rename{{"main.main", "main.after"}, {"main.absent", "main.after"}}, true},
	} {
		a, err := Disassemble(base, each.candidate, each.name, each.renames, [2][]string{})
		if err != nil {
			t.Fatal(err)
		}
		if isPaired := a.Base.Name == "main.before" && a.Base.Missing == nil && a.Candidate.Name == "main.after" && a.Candidate.Missing == nil; isPaired != each.isPaired {
			t.Errorf("%s, renames %v: base %q, candidate %q", each.name, each.renames, a.Base.Name, a.Candidate.Name)
		}
	}
}

const replaced = `package main

import "os"

type TYPE struct{ n int }

//go:noinline
func (t *TYPE) Read(n int) int { return t.n + n CHANGE }

//go:noinline
func (t *TYPE) Write(n int) int { return t.n * n CHANGE }

//go:noinline
func helper(n int) int { return n + os.Getpid() }

func INLINED(n int) int { return n + len(os.Args) }

func main() {
	t := &TYPE{helper(2)}
	os.Exit(t.Read(1) + t.Write(3) + INLINED(4))
}
`

// TestAFunctionOfARenamedTypeIsShownOfBothSides: two methods of one type, whose
// callers called both, are distinguished by their names; what is inlined is not gone.
func TestAFunctionOfARenamedTypeIsShownOfBothSides(t *testing.T) {
	write := func(name, change, inlined string) *gobinary.Program {
		return built(t, strings.NewReplacer("TYPE", name, "CHANGE", change, "INLINED", inlined).Replace(replaced))
	}
	base, candidate := write("Old", "", "small"), write("New", "+ os.Getpid()", "tiny")
	for name, want := range map[string][2]string{
		"main.(*New).Read":  {"main.(*Old).Read", "main.(*New).Read"},
		"main.(*Old).Write": {"main.(*Old).Write", "main.(*New).Write"},
		"main.helper":       {"main.helper", "main.helper"},
	} {
		a, err := Disassemble(base, candidate, name, nil, [2][]string{})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{a.Base.Name, a.Candidate.Name}; got != want || a.Base.Missing != nil || a.Candidate.Missing != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	a, err := Disassemble(base, candidate, "main.tiny", nil, [2][]string{})
	if err != nil || a.Base.Missing == nil {
		t.Errorf("an inlined function: %+v, %v", a.Base, err)
	}
}

// TestWhatIsNoLongerInlinedWasNotRenamed: the base inlines a function that the
// candidate calls, and the candidate has none of another one.
func TestWhatIsNoLongerInlinedWasNotRenamed(t *testing.T) {
	write := func(first, second string) *gobinary.Program {
		return built(t, strings.NewReplacer("FIRST", first, "SECOND", second).Replace(swapped))
	}
	base, candidate := write("", "//go:noinline"), write("//go:noinline", "")
	for _, name := range []string{"main.first", "main.second"} {
		a, err := Disassemble(base, candidate, name, nil, [2][]string{})
		if err != nil {
			t.Fatal(err)
		}
		if (a.Base.Missing == nil) == (a.Candidate.Missing == nil) {
			t.Errorf("%s: base %q, candidate %q", name, a.Base.Name, a.Candidate.Name)
		}
	}
}

const swapped = `package main

import "os"

FIRST
func first(n int) int { return n + len(os.Args) }

SECOND
func second(n int) int { return n * len(os.Args) }

func main() { os.Exit(first(1) + second(3)) }
`

func TestPartsOfNames(t *testing.T) {
	for name, want := range map[string]nameParts{
		"net/http.(*Client).Do":            {"net/http", "(*Client)", "Do"},
		"net/http.(*Client).Do.func1":      {"net/http", "(*Client)", "Do.func"},
		"example.com/a.b/c.New":            {"example.com/a.b/c", "", "New"},
		"example.com/a.b/c.New.func2":      {"example.com/a.b/c", "", "New.func"},
		"main.Pool[go.shape.int].Get":      {"main", "Pool[…]", "Get"},
		"main.run.gowrap1":                 {"main", "", "run.gowrap"},
		"main.(*Pool[go.shape.a/b.T]).Get": {"main", "(*Pool[…])", "Get"},
	} {
		if got := splitName(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
