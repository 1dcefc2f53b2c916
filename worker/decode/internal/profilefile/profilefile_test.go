package profilefile

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
)

func golden(t testing.TB) *File {
	t.Helper()
	data, err := os.ReadFile("../../testdata/golden/go-heap-1.26.slowcol")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func bytesOf(t testing.TB, f *File) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDamagedFiles(t *testing.T) {
	for name, damage := range map[string]func(*File){
		"function columns differ":  func(f *File) { f.FunctionFile = f.FunctionFile[1:] },
		"branches differ":          func(f *File) { f.Nodes.Branch = f.Nodes.Branch[1:] },
		"frame columns differ":     func(f *File) { f.FrameLine = f.FrameLine[1:] },
		"sample columns differ":    func(f *File) { f.SampleNode = f.SampleNode[1:] },
		"values differ":            func(f *File) { f.Values[2] = f.Values[2][1:] },
		"labelsets differ":         func(f *File) { f.SampleLabelset = f.SampleLabelset[1:] },
		"labels differ":            func(f *File) { f.LabelKey = f.LabelKey[1:] },
		"no nodes":                 func(f *File) { f.NodeKey = nil },
		"root has a parent":        func(f *File) { f.LineNodes.Branch[0] = 0 },
		"no strings":               func(f *File) { f.StringsOffset = nil },
		"strings begin late":       func(f *File) { f.StringsOffset[0] = 1 },
		"strings go back":          func(f *File) { f.StringsOffset[2] = f.StringsOffset[3] + 1 },
		"strings end early":        func(f *File) { f.StringsBytes = f.StringsBytes[:10] },
		"labelset offsets go back": func(f *File) { f.LabelsetOffset[1] = 1 << 30 },
		"name out of range":        func(f *File) { f.FunctionName[0] = 1 << 30 },
		"function out of range":    func(f *File) { f.FrameFunction[1] = None },
		"node out of range":        func(f *File) { f.SampleNode[0] = 1 << 30 },
		"sample out of range":      func(f *File) { f.SampleLineNode[0] = 1 << 30 },
		"labelset out of range":    func(f *File) { f.SampleLabelset[0] = 1 << 30 },
		"label out of range":       func(f *File) { f.LabelsetLabel[0] = 1 << 30 },
		"parent after child":       func(f *File) { f.LineNodes.BranchParent[0] = f.LineNodes.Branch[0] },
		"key parent after child":   func(f *File) { f.Nodes.BranchParent[0] = 1 << 30 },
	} {
		t.Run(name, func(t *testing.T) {
			f := golden(t)
			damage(f)
			_, err := Read(bytesOf(t, f))
			wantSlug(t, err, "inconsistent-profile")
		})
	}
}

func wantSlug(t *testing.T, err error, slug string) {
	t.Helper()
	var bad *inputerror.InputError
	if !errors.As(err, &bad) || bad.Slug != slug {
		t.Errorf("got %v, want %s", err, slug)
	}
}

func TestOtherFiles(t *testing.T) {
	_, err := Read([]byte("nothing"))
	wantSlug(t, err, "not-columns")
	var out bytes.Buffer
	if err := slowcol.Write(&out, "slowpath.diff", 1, struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = Read(out.Bytes())
	wantSlug(t, err, "unknown-format")
	out.Reset()
	if err := slowcol.Write(&out, Format, Version, map[string]int{"kind": 5}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = Read(out.Bytes())
	wantSlug(t, err, "bad-columns-header")
	out.Reset()
	if err := slowcol.Write(&out, Format, Version, Header{}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = Read(out.Bytes())
	wantSlug(t, err, "missing-column")
}

func FuzzRead(f *testing.F) {
	small, err := os.ReadFile("../../testdata/golden/go-threadcreate-1.27.slowcol")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(data)
		if err != nil {
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		parents := file.LineNodes.Parents(len(file.LineNodeFrame))
		for i := range file.SampleLineNode { // whatever was accepted can be walked
			for node := file.SampleLineNode[i]; node != 0; node = parents[node] {
				_ = file.String(file.FunctionName[file.FrameFunction[file.LineNodeFrame[node]]])
			}
		}
	})
}
