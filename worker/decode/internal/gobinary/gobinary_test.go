package gobinary_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputerror"
)

func TestFunctionsOfAProgram(t *testing.T) {
	program := open(t, build(t))
	if program.Arch != "amd64" || program.BuildID == "" || program.Settings["GOARCH"] != "amd64" {
		t.Errorf("program %q %q %v", program.Arch, program.BuildID, program.Settings)
	}
	area := program.Functions[named(t, program, "main.square.area")]
	want := []gobinary.InlinedFunction{{"main.double", -1, 13, 15}, {"main.increment", 0, 15, 17}}
	if !reflect.DeepEqual(area.Inlined, want) || area.StartLine != 13 || filepath.Base(area.File) != "main.go" {
		t.Errorf("area: %+v", area)
	}
	if apply := program.Functions[named(t, program, "main.apply")]; apply.Frame < 512 || apply.Frame > 600 {
		t.Errorf("frame of apply: %d", apply.Frame)
	}
	if !program.Functions[named(t, program, "main.square.area-fm")].Wrapper || area.Wrapper {
		t.Error("wrappers are wrong")
	}
	if len(program.Find("main.largest[...]")) != 2 {
		t.Error("instances of largest are not found")
	}
}

// callsOf returns the calls of a function that begin in its own code.
func callsOf(t *testing.T, program *gobinary.Program, name string) gobinary.Code {
	t.Helper()
	code, err := program.Code(named(t, program, name))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestCalls(t *testing.T) {
	checkCalls(t, open(t, build(t)))
}

func checkCalls(t *testing.T, program *gobinary.Program) {
	t.Helper()
	kinds := map[gobinary.IndirectKind]int32{}
	for _, name := range []string{"main.total", "main.apply"} {
		code := callsOf(t, program, name)
		if !code.Checked || !code.Complete {
			t.Errorf("%s: %+v", name, code)
		}
		for _, call := range code.Calls {
			if call.Indirect == gobinary.IndirectNone {
				continue
			}
			kinds[call.Indirect] = call.Offset
			if frame := program.Functions[named(t, program, name)].Frame; call.StackDelta != frame || call.Target != -1 {
				t.Errorf("%s: call %+v, frame %d", name, call, frame)
			}
		}
	}
	if want := map[gobinary.IndirectKind]int32{gobinary.IndirectClosure: 0, gobinary.IndirectInterface: 24}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("kinds %v", kinds)
	}
	if leaf := callsOf(t, program, "main.square.area"); leaf.Checked || len(leaf.Calls) != 0 || !leaf.Complete {
		t.Errorf("leaf %+v", leaf)
	}
}

// summary lists of every function what does not depend on addresses.
func summary(t *testing.T, program *gobinary.Program) map[string][]any {
	t.Helper()
	all := map[string][]any{}
	for i, f := range program.Functions {
		code, err := program.Code(i)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = append(all[f.Name], f.Frame, f.Size, f.StartLine, f.Wrapper, f.Inlined, len(code.Calls), code.Checked)
	}
	return all
}

func TestStrippedIsEqual(t *testing.T) {
	path := build(t)
	want := summary(t, open(t, path))
	for name, other := range map[string]string{
		"stripped": build(t, "-ldflags=-s -w"), "without sections": withoutSections(t, path),
		"stripped, without sections": withoutSections(t, build(t, "-ldflags=-s -w")),
	} {
		program := open(t, other)
		if !reflect.DeepEqual(summary(t, program), want) {
			t.Errorf("%s differs", name)
		}
		if program.BuildID == "" {
			t.Errorf("%s has no build id", name)
		}
	}
}

func TestOtherFormatsAreRefused(t *testing.T) {
	header := func(change func([]byte)) []byte {
		data := make([]byte, 4096)
		copy(data, "\x7fELF\x02\x01\x01")
		data[18], data[54] = 62, 56
		change(data)
		return data
	}
	for _, test := range []struct {
		name, slug string
		data       []byte
	}{
		{"empty", "not-elf", nil},
		{"Mach-O", "not-elf", append([]byte("\xcf\xfa\xed\xfe"), make([]byte, 100)...)},
		{"32 bits", "unsupported-executable", header(func(d []byte) { d[4] = 1 })},
		{"big-endian", "unsupported-executable", header(func(d []byte) { d[5] = 2 })},
		{"other processor", "unsupported-executable", header(func(d []byte) { d[18] = 243 })},
		{"headers of another size", "damaged-executable", header(func(d []byte) { d[54] = 32 })},
		{"too many headers", "damaged-executable", header(func(d []byte) { d[57] = 0xff })},
		{"headers behind the end", "damaged-executable", header(func(d []byte) { d[39], d[56] = 0xff, 1 })},
		{"segment behind the end", "damaged-executable", header(func(d []byte) { d[32], d[56], d[64], d[96+7] = 64, 1, 1, 0x7f })},
		{"not Go", "no-function-table", header(func([]byte) {})},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := gobinary.Open(path, gobinary.DefaultLimits())
			wantSlug(t, err, test.slug)
		})
	}
	if _, err := gobinary.Open(filepath.Join(t.TempDir(), "missing"), gobinary.DefaultLimits()); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func wantSlug(t *testing.T, err error, slug string) {
	t.Helper()
	var bad *inputerror.InputError
	if !errors.As(err, &bad) || bad.Slug != slug {
		t.Errorf("got %v, want %s", err, slug)
	}
}

func TestLimits(t *testing.T) {
	path := build(t)
	for slug, limit := range map[string]func(*gobinary.Limits){
		"executable-too-large": func(l *gobinary.Limits) { l.Loaded = 1000 },
		"too-many-functions":   func(l *gobinary.Limits) { l.Functions = 10 },
		"too-many-inlined":     func(l *gobinary.Limits) { l.Inlined = 10 },
	} {
		limits := gobinary.DefaultLimits()
		limit(&limits)
		_, err := gobinary.Open(path, limits)
		wantSlug(t, err, slug)
	}
}

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"main.f":                               "main.f",
		"main.f[go.shape.int]":                 "main.f[...]",
		"main.(*T[go.shape.map[string]int]).m": "main.(*T[...]).m",
		"main.f[go.shape.int].func1":           "main.f[...].func1",
		"main.f[...]":                          "main.f[...]",
		"main.odd]name[":                       "main.odd]name[",
	} {
		if got := gobinary.Fold(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
	if strings.Contains(gobinary.Fold("a[b]"), "b") {
		t.Error("not folded")
	}
}
