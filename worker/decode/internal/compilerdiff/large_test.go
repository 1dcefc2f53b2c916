//go:build long

package compilerdiff

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"slowpath.dev/decode/internal/gobinary"
)

const (
	largeVariable  = "SLOWPATH_LARGE_EXECUTABLES" // two paths, separated by a colon; default: the go command twice
	openedVariable = "SLOWPATH_OPENED_EXECUTABLE"
	compared200    = 200
)

// TestLargeExecutables prints what it takes to open an executable without
// disassembly, in a separate process, and to compare 200 functions of two.
func TestLargeExecutables(t *testing.T) {
	if path := os.Getenv(openedVariable); path != "" {
		openOnly(t, path)
		return
	}
	paths := strings.Split(os.Getenv(largeVariable), ":")
	if len(paths) != 2 {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		command := filepath.Join(strings.TrimSpace(string(root)), "bin", "go")
		paths = []string{command, command}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestLargeExecutables$")
	child.Env = append(os.Environ(), openedVariable+"="+paths[1])
	printed, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	var bytes, functions, opened int64
	if _, err := fmt.Sscanf(string(printed), "opened %d %d %d", &bytes, &functions, &opened); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024
	fmt.Printf("measured large bytes=%d functions=%d open_us=%d peak_bytes=%d diff_us=%d\n", bytes, functions, opened, peak, compareSome(t, paths))
}

// cpuTime returns the processor time of this process, with garbage collection.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func openOnly(t *testing.T, path string) {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	started := cpuTime(t)
	program, err := gobinary.Open(path, gobinary.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("opened %d %d %d\n", info.Size(), len(program.Functions), (cpuTime(t) - started).Microseconds())
}

// compareSome returns the microseconds of processor time that the comparison of 200 functions takes,
// spread over two opened executables.
func compareSome(t *testing.T, paths []string) int64 {
	t.Helper()
	var programs [2]*gobinary.Program
	for i, path := range paths {
		program, err := gobinary.Open(path, gobinary.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		programs[i] = program
	}
	var stacks []Stack
	for at, step := 0, len(programs[0].Functions)/(2*compared200)+1; at < len(programs[0].Functions) && len(stacks) < compared200; at += step {
		for at < len(programs[0].Functions)-1 && (isRuntime(programs[0].Functions[at].Name) || programs[0].Functions[at].Size < 256) {
			at++
		}
		stacks = append(stacks, Stack{Names: []string{gobinary.Fold(programs[0].Functions[at].Name)}, Share: 1})
	}
	started := cpuTime(t)
	report := compared(t, programs[0], programs[1], stacks)
	took := (cpuTime(t) - started).Microseconds()
	if len(stacks) < compared200*9/10 || len(report.Paths) == 0 {
		t.Errorf("%d functions, %d paths", len(stacks), len(report.Paths))
	}
	return took
}
