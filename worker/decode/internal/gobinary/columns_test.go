package gobinary_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"slowpath.dev/decode/internal/gobinary"
)

// written returns the columns of an executable.
func written(t *testing.T, program *gobinary.Program) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := program.Write(&out, gobinary.DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestColumnsHoldEverything(t *testing.T) {
	read := open(t, build(t))
	loaded, err := gobinary.Load(written(t, read))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(loaded.Functions, read.Functions) || loaded.BuildID != read.BuildID || loaded.GoVersion != read.GoVersion ||
		loaded.Arch != read.Arch || !reflect.DeepEqual(loaded.Settings, read.Settings) {
		t.Error("the loaded program differs")
	}
	for i := range read.Functions {
		want, err := read.Code(i)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := loaded.Code(i); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, want %+v, %v", read.Functions[i].Name, got, want, err)
		}
	}
}

func TestNamesAreBounded(t *testing.T) {
	limits := gobinary.DefaultLimits()
	limits.Strings = 100
	wantSlug(t, open(t, build(t)).Write(&bytes.Buffer{}, limits), "names-too-long")
}

// Every byte of the columns can be damaged without a panic.
func TestDamagedColumns(t *testing.T) {
	data := written(t, open(t, build(t)))
	header := int(binary.LittleEndian.Uint32(data[8:])) + 16
	for at := header; at < len(data); at += 4999 {
		damaged := bytes.Clone(data)
		for i := at; i < min(at+8, len(data)); i++ {
			damaged[i] ^= 0xff
		}
		program, err := gobinary.Load(damaged)
		if err != nil {
			wantSlug(t, err, "inconsistent-binary")
			continue
		}
		for i := range program.Functions {
			if _, err := program.Code(i); err != nil {
				wantSlug(t, err, "inconsistent-binary")
			}
		}
	}
	wantSlug(t, loadError(data[:100]), "truncated-columns")
	wantSlug(t, loadError(nil), "not-columns")
}

func loadError(data []byte) error {
	_, err := gobinary.Load(data)
	return err
}
