package gobuildinfo_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobuildinfo"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/sniff"
)

func self(t *testing.T) []byte {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestReadOwnBuildInfo(t *testing.T) {
	program := self(t)
	built, err := gobuildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if built.GoVersion != runtime.Version() || built.Module != "slowpath.dev/decode" {
		t.Errorf("%+v", built)
	}
	if built.Settings["GOOS"] != runtime.GOOS || built.Settings["GOARCH"] != runtime.GOARCH {
		t.Errorf("settings %v", built.Settings)
	}
	if runtime.GOOS == "linux" && built.GoBuildID == "" {
		t.Error("no build id")
	}
	if found := sniff.Detect(program[:sniff.Window], false); found.Kind != sniff.Program {
		t.Errorf("sniffed %+v", found)
	}
}

func TestLinkerFlagsAreOmitted(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "main.go")
	for name, text := range map[string]string{
		source:                          "package main\nvar token string\nfunc main() { println(token) }\n",
		filepath.Join(folder, "go.mod"): "module example.com/stamped\n\ngo 1.24\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(folder, "stamped")
	build := exec.Command("go", "build", "-buildvcs=false", "-tags=fast", "-ldflags=-X main.token=hunter2", "-o", out, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if message, err := build.CombinedOutput(); err != nil {
		t.Skipf("no go to build with: %v %s", err, message)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	built, err := gobuildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if built.Settings["-tags"] != "fast" {
		t.Errorf("settings %v", built.Settings)
	}
	for key, value := range built.Settings {
		if strings.Contains(key+value, "hunter2") || key == "-ldflags" {
			t.Errorf("unexpected %s=%s", key, value)
		}
	}
}

func TestWhatIsNoGoProgramIsRefused(t *testing.T) {
	for name, file := range map[string][]byte{
		"empty elf": []byte("\x7fELF"),
		"cut":       self(t)[:4096],
		"mach-o":    []byte("\xcf\xfa\xed\xfe" + strings.Repeat("\xff", 100)),
		"pe":        append(append([]byte("MZ"), make([]byte, 58)...), "\x40\x00\x00\x00PE\x00\x00\xff\xff\xff\xff"...),
	} {
		if !gobuildinfo.Is(file) {
			t.Errorf("%s is not seen as a program", name)
		}
		_, err := gobuildinfo.Read(bytes.NewReader(file))
		var bad *inputerror.InputError
		if !errors.As(err, &bad) || bad.Slug != "not-go-binary" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATextThatBeginsLikeOneIsNone(t *testing.T) {
	for _, text := range []string{"", "MZ", "MZ is a text" + strings.Repeat(" ", 100), "ELF"} {
		if gobuildinfo.Is([]byte(text)) {
			t.Errorf("%q is seen as a program", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Add([]byte("\xcf\xfa\xed\xfe"))
	f.Fuzz(func(t *testing.T, file []byte) {
		built, err := gobuildinfo.Read(bytes.NewReader(file))
		var bad *inputerror.InputError
		if err != nil && !errors.As(err, &bad) {
			t.Errorf("%v", err)
		}
		if len(built.Modules) > 5000 {
			t.Error("too many modules")
		}
	})
}
