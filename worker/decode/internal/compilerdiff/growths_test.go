//go:build long

package compilerdiff

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
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
// have them: callers are in their call, or at the instruction behind it. Of several functions of a name, it is the one
// with a call there; if there are several, the address is unknown.
func sitesOf(p *gobinary.Program, g growth, areBehind bool) []frameSite {
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
			if areBehind && back > 0 {
				pc++
			}
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

// TestGrowthsOfAMixedProgram leaves wrappers out, as profiles do.
func TestGrowthsOfAMixedProgram(t *testing.T) {
	for _, version := range growthVersions() {
		t.Run(version, func(t *testing.T) {
			root := patchedGo(t, version)
			for _, arch := range architectures {
				t.Run(arch, func(t *testing.T) { checkGrowths(t, root, arch) })
			}
		})
	}
}

// checkGrowths runs the mixed program with a runtime that prints every growth.
func checkGrowths(t *testing.T, root, arch string) {
	binary := filepath.Join(t.TempDir(), "mixed")
	mixed := command(t, arch, binary)
	buildPatched(t, root, arch, filepath.Join("testdata", "mixed"), binary)
	text, err := mixed.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text[max(0, len(text)-2000):])
	}
	p := opened(t, binary)
	j := plainProjector(p)
	var given, counted, addressed, behind bars
	for _, g := range readGrowths(text) {
		names := g.names[1:]
		if len(onStack(names)) != len(names) {
			continue
		}
		given.add(p, j, g, names)
		frames := sitesOf(p, g, false)
		if len(frames) == 0 || frames[len(frames)-1].name != names[len(names)-1] {
			continue // grown by a wrapper
		}
		var visible []string
		for _, frame := range frames {
			visible = append(visible, frame.name)
		}
		counted.add(p, j, g, visible)
		for _, c := range []struct {
			bars   *bars
			frames []frameSite
		}{{&addressed, frames}, {&behind, sitesOf(p, g, true)}} {
			j.sites = &site{}
			j.sites.add(c.frames)
			c.bars.add(p, j, g, visible)
		}
		j.sites = nil
	}
	given.print("mixed-given-" + p.GoVersion + "-" + arch)
	counted.print("mixed-names-" + p.GoVersion + "-" + arch)
	addressed.print("mixed-addresses-" + p.GoVersion + "-" + arch)
	behind.print("mixed-behind-" + p.GoVersion + "-" + arch)
	if counted.all < 200 || counted.misses(counted.edge, 0.97) || counted.misses(counted.inside, 0.99) || counted.misses(counted.exact, 0.90) {
		t.Errorf("%+v", counted)
	}
	for how, each := range map[string]bars{"in the call": addressed, "behind the call": behind} {
		if each.inside < each.all || each.inside < counted.inside || each.edge < counted.edge || each.exact < counted.exact {
			t.Errorf("with addresses %s: %+v", how, each)
		}
	}
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
