package gobinary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	smallAddr   = 0x400000
	smallModule = 128
	smallTable  = smallModule + 8*moduleWords
)

// smallExecutable makes an executable of two functions: main.f, which has main.g
// inlined and calls itself, a closure and main.h-fm; and main.h-fm.
func smallExecutable(old bool) []byte {
	le := binary.LittleEndian
	names, files := "\x00main.f\x00main.g\x00main.h-fm\x00", "\x00main.go\x00"
	values := []byte{0, 2, 5, 32, 20, 0, 2, 26, 0, 0, 8, 2, 5, 1, 11, 0, 22, 24, 0} // tables at 1 (stack), 6 (file), 9 (inlined), 16 (line)
	code := append(bytes.Repeat([]byte{0x90}, 8), 0xe8, 0xf3, 0xff, 0xff, 0xff, 0xff, 0x10, 0xe9, 4, 0, 0, 0, 0xc3, 0xcc, 0xcc, 0xcc, 0xc3, 0xcc, 0xcc, 0xcc)
	functions := make([]byte, 3*functabBytes)
	for i, one := range []struct{ entry, name, tree uint32 }{{0, 1, 0}, {24, 15, noData}} {
		le.PutUint32(functions[functabBytes*i:], one.entry)
		le.PutUint32(functions[functabBytes*i+4:], uint32(len(functions)))
		length := funcBytes120
		if old {
			length = funcBytes118
		}
		record := make([]byte, length+4*7)
		for at, value := range map[int]uint32{0: one.entry, 4: one.name, 16: 1, 20: 6, 24: 16, 28: 3, 32: 1, length + 8: 9, length + 24: one.tree} {
			le.PutUint32(record[at:], value)
		}
		record[length-1], record[length-4] = 4, byte(23*i)
		functions = append(functions, record...)
	}
	le.PutUint32(functions[2*functabBytes:], uint32(len(code)))

	data := make([]byte, smallTable+tableHeader)
	copy(data, "\x7fELF\x02\x01\x01")
	data[18], data[32], data[54], data[56], data[64] = 62, 64, programHeaderBytes, 1, 1
	le.PutUint64(data[64+16:], smallAddr)
	le.PutUint32(data[smallTable:], magic120)
	if old {
		le.PutUint32(data[smallTable:], magic118)
	}
	data[smallTable+6], data[smallTable+7], data[smallTable+8] = 1, 8, 2
	for i, part := range []string{names, "\x00\x00\x00\x00\x01\x00\x00\x00", files, string(values), string(functions)} {
		le.PutUint64(data[smallTable+32+8*i:], uint64(len(data)-smallTable))
		data = append(data, part...)
	}
	word := func(at, value int) { le.PutUint64(data[smallModule+8*at:], uint64(value)) }
	word(0, smallAddr+smallTable)
	word(1, smallAddr+smallTable+tableHeader)
	word(wordTableSize, len(functions))
	for _, at := range []int{wordGofunc118, wordGofunc120, wordGofunc127} {
		word(at, smallAddr+len(data))
	}
	tree := make([]byte, nodeBytes118)
	le.PutUint32(tree[4:], 8)
	le.PutUint32(tree[8:], 7)
	if old {
		le.PutUint16(tree, 0xffff)
		le.PutUint32(tree[4:], 0)
		le.PutUint32(tree[12:], 8)
	}
	data = append(data, tree...)
	word(wordText, smallAddr+len(data))
	data = append(data, code...)
	word(wordEndText, smallAddr+len(data))
	le.PutUint64(data[64+32:], uint64(len(data)))
	return data
}

func TestSmallExecutable(t *testing.T) {
	for _, old := range []bool{true, false} {
		data := smallExecutable(old)
		program, err := Read(bytes.NewReader(data), int64(len(data)), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if len(program.Functions) != 2 || program.Damaged != 0 {
			t.Fatalf("%+v", program)
		}
		f, wrapper := program.Functions[0], program.Functions[1]
		if f.Name != "main.f" || f.File != "main.go" || f.Size != 21 || f.Frame != 16 || len(f.Inlined) != 1 || f.Inlined[0].Name != "main.g" || f.Inlined[0].Parent != -1 {
			t.Errorf("%+v", f)
		}
		if wrapper.Name != "main.h-fm" || !wrapper.Wrapper || wrapper.Size != 1 || f.Wrapper {
			t.Errorf("%+v", wrapper)
		}
		code, err := program.Code(0)
		if err != nil || len(code.Calls) != 3 || code.Calls[0].Inline != 0 || code.Calls[1].Indirect != IndirectClosure || !code.Calls[2].Tail || code.Calls[2].Target != 1 {
			t.Errorf("%+v %v", code, err)
		}
	}
}

var update = flag.Bool("update", false, "write the golden file anew")

func TestGoldenColumns(t *testing.T) {
	data := smallExecutable(false)
	program, err := Read(bytes.NewReader(data), int64(len(data)), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := program.Write(&out, DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	const path = "../../testdata/golden/executable-small.slowcol"
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Error("the columns differ from the golden file")
	}
}

// FuzzReadProgram reads damaged executables: an error or less evidence, never a
// panic.
func FuzzReadProgram(f *testing.F) {
	arm64 := smallExecutable(false)
	arm64[18], arm64[smallTable+6] = 183, 4
	for _, data := range [][]byte{smallExecutable(true), smallExecutable(false), arm64} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		program, err := Read(bytes.NewReader(data), int64(len(data)), DefaultLimits())
		if err != nil {
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		for i := range program.Functions {
			if _, err := program.Code(i); err != nil {
				t.Fatal(err)
			}
			if _, _, err := program.Disassemble(i, 100); err != nil {
				t.Fatal(err)
			}
			if !acyclic(program.Functions[i].Inlined) {
				t.Fatalf("function %d: %+v", i, program.Functions[i].Inlined)
			}
		}
	})
}
