package compilerdiff

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
)

const recordedRun = "main.(*worker).run"

// record builds a program that records a profile of itself, and runs it.
func record(t *testing.T, arguments ...string) (program *gobinary.Program, profile string) {
	t.Helper()
	folder := t.TempDir()
	binary := filepath.Join(folder, "recorded")
	profile = filepath.Join(folder, "cpu.pb.gz")
	made := exec.Command("go", slices.Concat([]string{"build", "-ldflags=-B gobuildid", "-o", binary}, arguments, []string{"."})...)
	made.Dir, made.Env = filepath.Join("testdata", "recorded"), append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "CGO_ENABLED=0")
	if printed, err := made.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, printed)
	}
	if printed, err := exec.Command(binary, profile).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	program, err := gobinary.Open(binary, gobinary.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return program, profile
}

func sumOf(t *testing.T, p *gobinary.Program, path string, hasAddresses bool) *StackSum {
	t.Helper()
	sum := NewStackSum(nil)
	file, err := pprofread.ReadFile(path, calltree.Options{Limits: inputlimits.Default()})
	if err != nil {
		t.Fatal(err)
	}
	if err := sum.Add(file, false); err != nil {
		t.Fatal(err)
	}
	if !hasAddresses {
		return sum
	}
	table, err := pprofread.ReadTable(path, inputlimits.Default())
	if err != nil {
		t.Fatal(err)
	}
	if used, err := sum.AddAddresses(table, p, false); !used || err != nil {
		t.Fatalf("the addresses are not used: %v", err)
	}
	return sum
}

// depthsOf returns the depths of a function on the hot paths, by its caller.
func depthsOf(sizes *StackSizes, function string) map[string][2]int64 {
	depths := map[string][2]int64{}
	for _, path := range sizes.Paths {
		if at := slices.Index(path.Stack, function); at > 0 && at == len(path.Stack)-1 {
			depths[path.Stack[at-1]] = path.Base.Depth
		}
	}
	return depths
}

// buildModes are those in which the program of TestStacksAreFollowedByTheAddressesOfAProfile is linked. The process
// tests add pie, for which Go compiles its standard library once more.
var buildModes = []string{"exe"}

// A real profile of a real program, also mapped elsewhere than it was linked for: by
// its names, a function is called directly that was called by a wrapper.
func TestStacksAreFollowedByTheAddressesOfAProfile(t *testing.T) {
	for _, mode := range buildModes {
		t.Run(mode, func(t *testing.T) {
			p, path := record(t, "-buildmode="+mode)
			byName, byAddress := Measure(p, sumOf(t, p, path, false)), Measure(p, sumOf(t, p, path, true))
			if byName.Addressed || !byAddress.Addressed {
				t.Errorf("by names: %v, by addresses: %v", byName.Addressed, byAddress.Addressed)
			}
			named, addressed := depthsOf(byName, recordedRun), depthsOf(byAddress, recordedRun)
			for _, caller := range []string{"main.call", "main.main.func1"} {
				if named[caller] != addressed[caller] || named[caller][0] == 0 || named[caller][0] != named[caller][1] {
					t.Errorf("%s: %v by names, %v by addresses", caller, named[caller], addressed[caller])
				}
			}
			wrapper := int64(p.Functions[p.Find("main.embedding.run")[0]].Frame) + 8
			if direct, through := named["main.either"], addressed["main.either"]; direct[0] != direct[1] || through[1] != direct[1]+wrapper {
				t.Errorf("%v by names, %v by addresses; the wrapper takes %d", direct, through, wrapper)
			}
		})
	}
}

// Addresses of another build, and of a build without an ID, are not used.
func TestAddressesOfAnotherBuildAreNotUsed(t *testing.T) {
	p, path := record(t)
	table := func() bool {
		read, err := pprofread.ReadTable(path, inputlimits.Default())
		if err != nil {
			t.Fatal(err)
		}
		used, err := NewStackSum(nil).AddAddresses(read, p, false)
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	own := p.BuildID
	for id, want := range map[string]bool{own: true, "0123": false, "": false} {
		p.BuildID = id
		if used := table(); used != want {
			t.Errorf("build ID %q: used %v", id, used)
		}
	}
}

// Where a function is called twice, the call that was executing decides.
func TestTheCallAtAnAddress(t *testing.T) {
	calls := []gobinary.Call{{PC: 100, StackDelta: 8}, {PC: 105, StackDelta: 16}, {PC: 200, StackDelta: 24}}
	for pc, want := range map[uint64]int{0: 3, 99: 0, 104: 1, 109: 1, 150: 0, 204: 1} {
		if found := callsAt(calls, pc); len(found) != want {
			t.Errorf("%d: %v", pc, found)
		}
	}
	if found := callsAt(calls, 109); found[0].StackDelta != 16 {
		t.Errorf("%v", found)
	}
}

func TestSitesAreBounded(t *testing.T) {
	root := &site{count: mostSites - 1}
	root.add([]frameSite{{"main.main", 1, false}, {"main.f", 2, false}})
	root.add([]frameSite{{"main.g", 3, false}})
	if root.count != mostSites || len(root.next) != 1 || len(root.next["main.main"][0].next) != 0 {
		t.Errorf("%+v", root)
	}
}
