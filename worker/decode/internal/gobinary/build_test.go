package gobinary_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

// build compiles testdata/mixed.go.txt; settings are environment variables and,
// beginning with a dash, flags of go build.
func build(t testing.TB, settings ...string) string {
	t.Helper()
	folder := t.TempDir()
	source, err := os.ReadFile("testdata/mixed.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": string(source), "go.mod": "module example.com/mixed\n\ngo 1.18\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(folder, "mixed")
	environment := append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	arguments := []string{"build", "-buildvcs=false", "-o", out}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "-") {
			arguments = append(arguments, setting)
		} else {
			environment = append(environment, setting)
		}
	}
	command := exec.Command("go", append(arguments, ".")...)
	command.Dir, command.Env = folder, environment
	if message, err := command.CombinedOutput(); err != nil {
		t.Skipf("no go to build with: %v %s", err, message)
	}
	return out
}

// open reads an executable whose every table must be undamaged.
func open(t testing.TB, path string) *gobinary.Program {
	t.Helper()
	program, err := gobinary.Open(path, gobinary.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if program.Damaged != 0 {
		t.Errorf("%d damaged functions", program.Damaged)
	}
	return program
}

// named returns the only function of a name.
func named(t testing.TB, program *gobinary.Program, name string) int {
	t.Helper()
	found := program.Find(name)
	if len(found) != 1 {
		t.Fatalf("%d functions %q", len(found), name)
	}
	return found[0]
}

// withoutSections removes the section headers of an executable.
func withoutSections(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[40:48]) // e_shoff
	clear(data[58:64]) // size, number and names of the headers
	out := filepath.Join(t.TempDir(), "mixed")
	if err := os.WriteFile(out, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}
