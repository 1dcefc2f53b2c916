//go:build long

package compilerdiff

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

// versionsVariable names the versions of Go whose growths are compared, separated by commas.
const versionsVariable = "SLOWPATH_GROWTH_VERSIONS"

// localVersion is that of the tests.
const localVersion = "local"

// growthVersions returns the versions of Go whose runtime is patched.
func growthVersions() []string {
	if named := os.Getenv(versionsVariable); named != "" {
		return strings.Split(named, ",")
	}
	return []string{localVersion, "go1.24.0", "go1.25.0"}
}

// architectures are those whose programs are run, here or by an emulator.
var architectures = []string{"amd64", "arm64"}

// hostArchitecture is that of this machine.
const hostArchitecture = runtime.GOARCH

// emulators run a program of another architecture without a change to this machine.
var emulators = map[string][]string{
	"amd64": {"qemu-x86_64-static", "qemu-x86_64"},
	"arm64": {"qemu-aarch64-static", "qemu-aarch64"},
}

// command returns the command that runs a program of an architecture. The test is
// skipped if this machine is of another one and has no emulator.
func command(t *testing.T, arch, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	if arch == hostArchitecture {
		return exec.Command(program, arguments...)
	}
	for _, name := range emulators[arch] {
		if emulator, err := exec.LookPath(name); err == nil {
			return exec.Command(emulator, slices.Concat([]string{program}, arguments)...)
		}
	}
	t.Skipf("this machine is %s and has none of %v, which run programs for %s", hostArchitecture, emulators[arch], arch)
	return nil
}

func opened(t *testing.T, path string) *gobinary.Program {
	t.Helper()
	p, err := gobinary.Open(path, gobinary.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// buildPatched builds the package in a folder with a copy of Go.
func buildPatched(t *testing.T, root, arch, folder, program string, arguments ...string) {
	t.Helper()
	made := exec.Command(filepath.Join(root, "bin", "go"), slices.Concat([]string{"build", "-buildvcs=false", "-o", program}, arguments, []string{"."})...)
	made.Dir = folder
	made.Env = append(os.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOARCH="+arch)
	if printed, err := made.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, printed)
	}
}

// patchedGo returns a copy of a version of Go whose runtime prints every growth. It is a
// copy because Go replaces no files of versions that it downloaded.
func patchedGo(t *testing.T, version string) string {
	t.Helper()
	asked := exec.Command("go", "env", "GOROOT")
	if version != localVersion {
		asked.Env = append(asked.Environ(), "GOTOOLCHAIN="+version)
	}
	found, err := asked.Output()
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
