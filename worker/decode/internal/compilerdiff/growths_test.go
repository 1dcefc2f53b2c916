//go:build long

package compilerdiff

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

var (
	growthHead = regexp.MustCompile(`^runtime: newstack at (.+)\+0x[0-9a-f]+ .* old=(\d+) new=(\d+) used=(\d+) `)
	frameHead  = regexp.MustCompile(`^(\S.*)\([^()]*\)$`)
	frameAt    = regexp.MustCompile(`^\t.* \+0x([0-9a-f]+)`)
)

// growth is what a patched runtime printed of one growth; names are root first.
// Offsets are those of frames behind the entry, -1 for functions inlined in one.
type growth struct {
	names           []string
	offsets         []int64
	old, size, used int64
}

func readGrowths(text []byte) []growth {
	var found []growth
	var names []string
	var offsets []int64
	for _, line := range append(strings.Split(string(text), "\n"), "") {
		switch head := growthHead.FindStringSubmatch(line); {
		case head != nil:
			number := func(i int) int64 { n, _ := strconv.ParseInt(head[i], 10, 64); return n }
			found = append(found, growth{nil, nil, number(2), number(3), number(4)})
			names, offsets = []string{head[1]}, []int64{0}
		case frameAt.MatchString(line) && len(offsets) > 1:
			offsets[len(offsets)-1], _ = strconv.ParseInt(frameAt.FindStringSubmatch(line)[1], 16, 64)
		case strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "goroutine "):
		case strings.HasPrefix(line, "created by "), line == "":
			if len(found) > 0 && found[len(found)-1].names == nil && len(names) > 1 {
				found[len(found)-1].names = slices.Clone(names)
				slices.Reverse(found[len(found)-1].names)
				found[len(found)-1].offsets = slices.Clone(offsets)
				slices.Reverse(found[len(found)-1].offsets)
			}
		default:
			if frame := frameHead.FindStringSubmatch(line); frame != nil {
				names, offsets = append(names, frame[1]), append(offsets, -1)
			}
		}
	}
	return slices.DeleteFunc(found, func(g growth) bool {
		return g.names == nil || !strings.HasPrefix(g.names[0], "runtime.goexit")
	})
}

// bars counts how often the projection of growths is right.
type bars struct{ all, inside, exact, edge int }

func (b *bars) add(p *gobinary.Program, j *projector, g growth, names []string) {
	b.all++
	at, followed := j.project(names, func(string) bool { return false })
	if followed < len(names) || len(at) == 0 {
		return
	}
	depth := at[0].depth
	for _, each := range at {
		depth = depth.union(each.depth)
	}
	frame := int64(p.Functions[at[0].function].Frame)
	if depth.Low <= g.used && g.used <= depth.High {
		b.inside++
	}
	if depth.isExact() {
		b.exact++
	}
	if j.rules.Grow(g.old, depth.High, frame) == g.size {
		b.edge++
	}
}

// misses tells whether the 95% confidence interval of a share (Wilson 1927)
// excludes a bar: which growths happen differs between runs of the program.
func (b *bars) misses(hits int, bar float64) bool {
	const z = 1.96
	n, share := float64(b.all), float64(hits)/float64(b.all)
	middle, half := share+z*z/(2*n), z*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return (middle+half)/(1+z*z/n) < bar
}

func (b *bars) print(name string) {
	fmt.Printf("measured %s growths=%d inside=%d exact=%d edge=%d\n", name, b.all, b.inside, b.exact, b.edge)
}

// sitesOf returns where the functions of a growth were, without wrappers, as profiles
// have them: callers are in their call. Of several functions of a name, it is the one
// with a call there; if there are several, the address is unknown.
func sitesOf(p *gobinary.Program, g growth) []frameSite {
	var frames []frameSite
	pc, inlined := uint64(0), false
	for i := 1; i < len(g.names); i++ {
		if g.offsets[i] < 0 { // inlined in the one before
			frames = append(frames, frameSite{g.names[i], pc, inlined})
			inlined = true
			continue
		}
		pc, inlined = 0, false
		back := uint64(max(g.offsets[i]-1, 0))
		found := slices.DeleteFunc(slices.Clone(p.Find(g.names[i])), func(f int) bool {
			code, err := p.Code(f)
			return err != nil || back > 0 && len(callsAt(code.Calls, p.Functions[f].Entry+back)) == 0
		})
		if len(found) == 1 {
			pc = p.Functions[found[0]].Entry + back
		}
		if len(found) == 0 || slices.ContainsFunc(found, func(f int) bool { return !p.Functions[f].Wrapper }) {
			frames = append(frames, frameSite{g.names[i], pc, false})
			inlined = true
		}
	}
	return frames
}

func plainProjector(p *gobinary.Program) *projector {
	return newProjector(p, func(int) bool { return false })
}

// TestRecordedGrowthsOfTheExample compares the depths that the patched runtime
// of the example recorded with the sums of frames.
func TestRecordedGrowthsOfTheExample(t *testing.T) {
	var counted bars
	for variant, tags := range map[string]string{"inlined": "", "helper": "helper", "pool": "helper,pool"} {
		p := build(t, filepath.Join(example, "ingester"), "-tags", tags)
		j := plainProjector(p)
		logs, err := filepath.Glob(filepath.Join(example, "artifacts-growth", variant, "*.log.gz"))
		if err != nil {
			t.Fatal(err)
		}
		for _, log := range logs {
			file, err := os.Open(log)
			if err != nil {
				t.Fatal(err)
			}
			unpacked, err := gzip.NewReader(file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(unpacked)
			file.Close()
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range readGrowths(text) {
				counted.add(p, j, g, g.names[1:])
			}
		}
	}
	counted.print("records")
	if counted.all < 400 || counted.inside != counted.all || counted.edge != counted.all {
		t.Errorf("%+v", counted)
	}
}

// growthVersions are those whose runtime is patched; the first is that of the tests.
var growthVersions = []string{"local", "go1.24.0", "go1.25.0"}

// TestGrowthsOfAMixedProgram leaves wrappers out, as profiles do.
func TestGrowthsOfAMixedProgram(t *testing.T) {
	for _, version := range growthVersions {
		t.Run(version, func(t *testing.T) { checkGrowths(t, version) })
	}
}

func checkGrowths(t *testing.T, version string) {
	binary, text := runPatched(t, version)
	p, err := gobinary.Open(binary, gobinary.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	j := plainProjector(p)
	var given, counted, addressed bars
	for _, g := range readGrowths(text) {
		names := g.names[1:]
		if len(onStack(names)) != len(names) {
			continue
		}
		given.add(p, j, g, names)
		frames := sitesOf(p, g)
		if len(frames) == 0 || frames[len(frames)-1].name != names[len(names)-1] {
			continue // grown by a wrapper
		}
		var visible []string
		for _, frame := range frames {
			visible = append(visible, frame.name)
		}
		counted.add(p, j, g, visible)
		j.sites = &site{}
		j.sites.add(frames)
		addressed.add(p, j, g, visible)
		j.sites = nil
	}
	given.print("mixed-given-" + p.GoVersion)
	counted.print("mixed-names-" + p.GoVersion)
	addressed.print("mixed-addresses-" + p.GoVersion)
	if counted.all < 200 || counted.misses(counted.edge, 0.97) || counted.misses(counted.inside, 0.99) || counted.misses(counted.exact, 0.90) {
		t.Errorf("%+v", counted)
	}
	if addressed.inside < addressed.all || addressed.inside < counted.inside || addressed.edge < counted.edge || addressed.exact < counted.exact {
		t.Errorf("with addresses: %+v", addressed)
	}
}

// runPatched builds the mixed program with a runtime that prints every growth,
// runs it, and returns the program and what it printed.
func runPatched(t *testing.T, version string) (string, []byte) {
	t.Helper()
	root := patchedGo(t, version)
	program := filepath.Join(t.TempDir(), "mixed")
	made := exec.Command(filepath.Join(root, "bin", "go"), "build", "-buildvcs=false", "-o", program, ".")
	made.Dir = filepath.Join("testdata", "mixed")
	made.Env = append(os.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if printed, err := made.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, printed)
	}
	printed, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed[max(0, len(printed)-2000):])
	}
	return program, printed
}

// patchedGo returns a copy of a version of Go whose runtime prints every growth. It is a
// copy because Go replaces no files of versions that it downloaded.
func patchedGo(t *testing.T, version string) string {
	t.Helper()
	command := exec.Command("go", "env", "GOROOT")
	if version != growthVersions[0] {
		command.Env = append(command.Environ(), "GOTOOLCHAIN="+version)
	}
	found, err := command.Output()
	if err != nil {
		t.Skipf("no %s: %v", version, err)
	}
	root, from := t.TempDir(), strings.TrimSpace(string(found))
	for _, name := range []string{"VERSION", "go.env", "bin", "lib", "pkg", "src"} {
		if err := copyAll(filepath.Join(root, name), filepath.Join(from, name)); err != nil {
			t.Fatal(err)
		}
	}
	change, err := filepath.Abs(filepath.Join(example, "artifacts-growth", "newstack.patch"))
	if err != nil {
		t.Fatal(err)
	}
	patch := exec.Command("patch", "-p1", "-d", root, "-i", change)
	if printed, err := patch.CombinedOutput(); err != nil {
		t.Skipf("the patch is for another version of Go: %s", printed)
	}
	stack := filepath.Join(root, "src", "runtime", "stack.go")
	text, err := os.ReadFile(stack)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stack, bytes.Replace(text, []byte("growthEvery = 1000"), []byte("growthEvery = 1"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// copyAll copies a file or a folder.
func copyAll(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// TestPairsWithEqualHotCodeAreSilent compares builds of the example that differ
// in code that is on no hot path.
func TestPairsWithEqualHotCodeAreSilent(t *testing.T) {
	const builds = 15
	sum := exampleSum(t)
	var programs []*gobinary.Program
	for number := range builds {
		folder := filepath.Join(t.TempDir(), "ingester")
		if err := os.CopyFS(folder, os.DirFS(filepath.Join(example, "ingester"))); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		text.WriteString("package main\n\nimport \"fmt\"\n\nfunc init() {\n\tunrelated0(0)\n}\n")
		for i := range 3 * number {
			fmt.Fprintf(&text, "\nfunc unrelated%d(n int) {\n\tvar room [%d]byte\n\troom[n] = byte(n)\n\tif n > 9 {\n\t\tunrelated%d(n - 1)\n\t\tfmt.Println(room, func() int { return n })\n\t}\n}\n", i, 8+16*((i*7+number)%40), i+1)
		}
		fmt.Fprintf(&text, "\nfunc unrelated%d(n int) { fmt.Print(\"\"[:n]) }\n", 3*number)
		if err := os.WriteFile(filepath.Join(folder, "unrelated.go"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, build(t, folder))
	}
	pairs, silent := 0, 0
	for i, base := range programs {
		for k, candidate := range programs {
			if i == k {
				continue
			}
			report, err := CompareProfiles(base, candidate, sum)
			if err != nil {
				t.Fatal(err)
			}
			pairs++
			if len(report.HotPaths) > 0 && !slices.ContainsFunc(report.HotPaths, func(p HotPath) bool { return p.Base.Need != p.Candidate.Need }) {
				silent++
			}
		}
	}
	fmt.Printf("measured silent pairs=%d silent=%d\n", pairs, silent)
	if pairs < 200 || silent != pairs {
		t.Errorf("%d of %d", silent, pairs)
	}
}
