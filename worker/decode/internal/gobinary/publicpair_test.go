//go:build long

package gobinary_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const server = `package main

import "google.golang.org/grpc"

func main() { _ = grpc.NewServer().Serve(nil) }
`

// Frames of (*loopyWriter).processData before and after its buffer left the stack, by Go 1.26.8:
// google.golang.org/grpc v1.61.1 and v1.66.0, built from their modules.
func TestFramesOfAPublicPair(t *testing.T) {
	const function = "google.golang.org/grpc/internal/transport.(*loopyWriter).processData"
	for version, frame := range map[string]int32{"v1.61.1": 16536, "v1.66.0": 256} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(server), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, arguments := range [][]string{{"mod", "init", "server"}, {"get", "google.golang.org/grpc@" + version}, {"build", "-o", "server", "."}} {
			command := exec.Command("go", arguments...)
			command.Dir = folder
			command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOTOOLCHAIN=go1.26.8")
			if message, err := command.CombinedOutput(); err != nil {
				t.Skipf("no grpc to build: %v %s", err, message)
			}
		}
		program := open(t, filepath.Join(folder, "server"))
		if f := program.Functions[named(t, program, function)]; f.Frame != frame {
			t.Errorf("%s: frame %d, not %d", version, f.Frame, frame)
		}
	}
}
