//go:build long

package gobinary_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

// versions come from the module proxy.
var versions = []string{"go1.18.10", "go1.19.13", "go1.20.14", "go1.22.12", "go1.24.0", "go1.25.0", "go1.27.3"}

// otherModes are the first and last version of each layout that is read differently in other modes.
var otherModes = []string{"go1.18.10", "go1.20.14", "go1.27.3"}

func TestCallsARM64(t *testing.T) {
	checkCalls(t, open(t, build(t, "GOARCH=arm64")))
}

// Code that is position-independent is other code: what must be equal are the trees.
func TestPositionIndependent(t *testing.T) {
	plain, path := open(t, build(t)), build(t, "-buildmode=pie")
	for _, pie := range []*gobinary.Program{open(t, path), open(t, withoutSections(t, path))} {
		if got, want := inlined(pie), inlined(plain); got < want*99/100 || got > want*101/100 {
			t.Errorf("%d inlined calls, %d in the plain one", got, want)
		}
		area := pie.Functions[named(t, pie, "main.square.area")]
		if !reflect.DeepEqual(area.Inlined, plain.Functions[named(t, plain, "main.square.area")].Inlined) {
			t.Errorf("area: %+v", area)
		}
	}
}

func inlined(program *gobinary.Program) (count int) {
	for _, f := range program.Functions {
		count += len(f.Inlined)
	}
	return count
}

func TestVersionsOfGo(t *testing.T) {
	for _, version := range versions {
		modes := []string{"-buildmode=exe"}
		if slices.Contains(otherModes, version) {
			modes = append(modes, "-buildmode=pie", "GOARCH=arm64")
		}
		for _, mode := range modes {
			t.Run(version+" "+mode, func(t *testing.T) {
				program := open(t, build(t, "GOTOOLCHAIN="+version, mode))
				area := program.Functions[named(t, program, "main.square.area")]
				if program.GoVersion != version || len(area.Inlined) != 2 || area.Inlined[1].Name != "main.increment" || area.Inlined[1].Parent != 0 || area.Inlined[0].CallLine != 13 {
					t.Errorf("%s: %+v", program.GoVersion, area)
				}
				if !program.Functions[named(t, program, "main.square.area-fm")].Wrapper {
					t.Error("the method value is no wrapper")
				}
			})
		}
	}
}

// The go command of each version: a public executable of 12,000 functions.
func TestFramesOfGoCommands(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			command := exec.Command("go", "env", "GOROOT")
			command.Env = append(command.Environ(), "GOTOOLCHAIN="+version)
			root, err := command.Output()
			if err != nil {
				t.Skipf("no %s: %v", version, err)
			}
			checkPrologues(t, filepath.Join(strings.TrimSpace(string(root)), "bin", "go"), 0.999)
		})
	}
}

// The go command of some versions, built for arm64.
func TestFramesOfGoCommandsARM64(t *testing.T) {
	for _, version := range []string{"go1.24.0", "go1.25.0"} {
		t.Run(version, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.com/empty\n\ngo 1.18\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("go", "build", "-o", "go-arm64", "cmd/go")
			command.Dir = folder
			command.Env = append(os.Environ(), "GOTOOLCHAIN="+version, "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
			if printed, err := command.CombinedOutput(); err != nil {
				t.Skipf("no %s: %v\n%s", version, err, printed)
			}
			checkPrologues(t, filepath.Join(folder, "go-arm64"), 0.999)
		})
	}
}
