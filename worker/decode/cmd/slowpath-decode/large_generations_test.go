//go:build processes

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"slowpath.dev/decode/internal/tracegen"
)

// traceBound is what reading a trace of Go 1.22 and newer may take.
const traceBound = 256 << 20

// A second of more than 100 MB, and another behind it, fit into the bound: those of the first are gone when the second comes, none takes
// twice its size, and the memory of occupations shrinks.
func TestLargeGenerationsStayBelowTheBound(t *testing.T) {
	for name, synthetic := range map[string]tracegen.SyntheticTrace{"Go 1.26": {Procs: 128, Generations: 2, Bytes: 110 << 20}} {
		path := filepath.Join(t.TempDir(), "storm")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := synthetic.Write(file); err != nil || file.Close() != nil {
			t.Fatal(err)
		}
		program := exec.Command(os.Args[0], "trace", path, path+".out")
		program.Env = append(os.Environ(), asProgram+"=1")
		if message, err := program.CombinedOutput(); err != nil {
			t.Fatal(err, string(message))
		}
		peak := program.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%s: %d MiB", name, peak>>20)
		if peak > traceBound {
			t.Errorf("%s: %d MiB", name, peak>>20)
		}
	}
}
