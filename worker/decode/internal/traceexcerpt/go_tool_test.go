//go:build processes

package traceexcerpt

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Go's own tool opens what is cut out.
func TestGoToolTrace(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go")
	}
	_, part, err := cut(testdata+"hogs.trace", 2_000_000_000, 2_100_000_000)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "part.trace")
	if err := os.WriteFile(path, part, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(tool, "tool", "trace", "-pprof=sched", path)
	if out, err := command.Output(); err != nil || len(out) == 0 {
		t.Error(err, len(out))
	}
}
