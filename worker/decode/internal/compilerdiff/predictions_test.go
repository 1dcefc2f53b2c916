//go:build long

package compilerdiff

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"slowpath.dev/decode/internal/gobinary"
)

// rejectionCounts move the example towards the edge and over it, by the size of a frame:
// the lowest fit with a helper, the highest do not without it.
var rejectionCounts = map[string][]int{
	"amd64": {20, 22, 24, 25, 26, 27, 28, 30},
	"arm64": {16, 18, 19, 20, 21, 22, 23, 24},
}

const (
	startTries = 400 // of a program that may be emulated
	startPause = 50 * time.Millisecond
)

// ownGrowth is a growth by a function of a path.
type ownGrowth struct {
	function         string
	depth, old, size int64
}

// TestPredictionsOfTheExample predicts from a recorded profile of another build which functions
// of the path grow the stack, then runs the program with a runtime that prints every growth.
func TestPredictionsOfTheExample(t *testing.T) {
	root := patchedGo(t, localVersion)
	for _, arch := range architectures {
		t.Run(arch, func(t *testing.T) { checkPredictions(t, root, arch) })
	}
}

func checkPredictions(t *testing.T, root, arch string) {
	command(t, arch, "") // skips
	stacks := profileStacks(t, clone)
	feeder := filepath.Join(t.TempDir(), "feeder")
	buildPatched(t, root, hostArchitecture, filepath.Join(example, "ingester", "cmd", "feeder"), feeder)
	variants, right := 0, 0
	for _, count := range rejectionCounts[arch] {
		folder := withRejections(t, count)
		var paths [2]string
		var programs [2]*gobinary.Program
		for side, tags := range []string{"", "helper"} {
			paths[side] = filepath.Join(folder, "ingester"+tags)
			buildPatched(t, root, arch, folder, paths[side], "-tags", tags)
			programs[side] = opened(t, paths[side])
		}
		report := compared(t, programs[0], programs[1], stacks)
		at := slices.IndexFunc(report.Paths, func(p Path) bool { return p.Stack[len(p.Stack)-1] == "ingester/ident.cloneBytes" })
		if at < 0 {
			t.Fatalf("%d: no path to cloneBytes", count)
		}
		path := report.Paths[at]
		for side, predicted := range []Side{path.Base, path.Candidate} {
			want, found := growthsOf(programs[side], predicted), recordedGrowths(t, programs[side], command(t, arch, paths[side]), feeder, path.Stack)
			if variants++; slices.Equal(want, found) {
				right++
			} else {
				t.Errorf("%d, side %d: predicted %v, recorded %v", count, side, want, found)
			}
		}
	}
	fmt.Printf("measured predictions-%s variants=%d right=%d\n", arch, variants, right)
}

// withRejections returns a copy of the example with a frame of another size.
func withRejections(t *testing.T, count int) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "ingester")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(example, "ingester"))); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(folder, "storage", "storage.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte("maxRejections = 26"), fmt.Appendf(nil, "maxRejections = %d", count), 1)
	if count != 26 && bytes.Equal(changed, text) {
		t.Fatal("the example has no maxRejections")
	}
	if err := os.WriteFile(source, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// growthsOf returns the growths that are predicted along a path, of a stack of 2 KiB.
func growthsOf(p *gobinary.Program, side Side) []ownGrowth {
	rules, size := plainProjector(p).rules, startSizes[0]
	var found []ownGrowth
	for _, frame := range side.Frames {
		if grown := rules.Grow(size, frame.Depth, int64(frame.Frame)); frame.Check && grown > size {
			found = append(found, ownGrowth{frame.Function, frame.Depth, size, grown})
			size = grown
		}
	}
	return found
}

// recordedGrowths runs the example under load, and returns the different growths by functions
// of a path itself, those of smaller stacks first.
func recordedGrowths(t *testing.T, p *gobinary.Program, ingester *exec.Cmd, feeder string, path []string) []ownGrowth {
	t.Helper()
	var found []ownGrowth
	for _, g := range readGrowths(grownUnderLoad(t, ingester, feeder)) {
		visible := slices.DeleteFunc(slices.Clone(g.names[1:]), func(name string) bool {
			functions := p.Find(name)
			return len(functions) > 0 && !slices.ContainsFunc(functions, func(f int) bool { return !p.Functions[f].Wrapper })
		})
		if len(visible) > len(path) || !slices.Equal(visible, path[:len(visible)]) {
			continue
		}
		if own := (ownGrowth{g.names[len(g.names)-1], g.used, g.old, g.size}); !slices.Contains(found, own) {
			found = append(found, own)
		}
	}
	slices.SortFunc(found, func(a, b ownGrowth) int { return int(a.old - b.old) })
	return found
}

// grownUnderLoad returns what the example printed while it was fed. Stacks start with 2 KiB.
func grownUnderLoad(t *testing.T, ingester *exec.Cmd, feeder string) []byte {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	var printed bytes.Buffer
	ingester.Args = append(ingester.Args, "-listen", address)
	ingester.Stderr, ingester.Env = &printed, append(os.Environ(), "GODEBUG=adaptivestackstart=0")
	if err := ingester.Start(); err != nil {
		t.Fatal(err)
	}
	running := true
	stop := func() {
		if running {
			running = false
			_ = ingester.Process.Kill()
			_ = ingester.Wait()
		}
	}
	defer stop()
	for tries := 0; ; tries++ {
		response, err := http.Get("http://" + address + "/healthz")
		if err == nil {
			response.Body.Close()
			break
		}
		if tries == startTries {
			t.Fatalf("the example does not answer: %v\n%s", err, strings.TrimSpace(printed.String()))
		}
		time.Sleep(startPause)
	}
	if told, err := exec.Command(feeder, "-url", "http://"+address+"/write", "-rate", "500", "-for", "1s").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	stop()
	return printed.Bytes()
}
