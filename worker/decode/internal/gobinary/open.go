package gobinary

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"slowpath.dev/decode/internal/gobuildinfo"
	"slowpath.dev/decode/internal/inputerror"
)

// Limits bound what is read of one executable.
type Limits struct {
	Loaded    int64 // bytes of the segments that are loaded
	Functions int64 // functions of the table
	Inlined   int64 // entries of all inline trees together
	Strings   int64 // bytes of all names together
	Text      int64 // bytes of one name that are retained; the rest is cut off
}

// DefaultLimits returns the bounds used without flags.
func DefaultLimits() Limits {
	return Limits{Loaded: 512 << 20, Functions: 4 << 20, Inlined: 16 << 20, Strings: 256 << 20, Text: 16 << 10}
}

// Open reads the executable at a path. Errors of the input are *inputerror.InputError.
func Open(path string, limits Limits) (*Program, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	state, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return Read(file, state.Size(), limits)
}

// Read reads an executable of the given size in bytes.
func Read(file io.ReaderAt, size int64, limits Limits) (*Program, error) {
	img, err := readImage(file, size, limits)
	if err != nil {
		return nil, err
	}
	built, err := gobuildinfo.Read(file)
	if err != nil { // absent or damaged: the function table tells enough
		built = gobuildinfo.BuildInfo{Settings: map[string]string{}}
		built.GoBuildID, built.GNUBuildID = gobuildinfo.IDs(file)
	}
	t, err := locate(img, built.GoVersion)
	if err != nil {
		return nil, err
	}
	if int64(t.count) > limits.Functions {
		return nil, inputerror.New("too-many-functions", "The executable has %d functions; at most %d are read. Upload a smaller executable.", t.count, limits.Functions).
			WithLimit(limits.Functions, int64(t.count), "functions")
	}
	p := &Program{GoVersion: built.GoVersion, Arch: img.arch, BuildID: built.GNUBuildID, PGO: built.Settings["-pgo"], Settings: built.Settings}
	if p.BuildID == "" {
		p.BuildID = built.GoBuildID
	}
	return p, p.readFunctions(t, img.places(), limits)
}

// readFunctions reads all functions and their inline trees.
func (p *Program) readFunctions(t *table, segments []place, limits Limits) error {
	p.segments = segments
	records, err := t.records()
	if err != nil {
		return err
	}
	p.Functions = make([]Function, len(records))
	damaged, err := p.readTrees(t, records, limits)
	if err != nil {
		return err
	}
	files := map[string]string{}
	for i := range p.Functions {
		if !p.readFunction(t, &records[i], i, files, limits) || records[i].damaged || damaged[i] {
			p.Damaged++
		}
	}
	if id, ok := wrapperID(p.Functions, records); ok {
		for i := range p.Functions {
			p.Functions[i].Wrapper = records[i].id == id
		}
	}
	p.code = &instructions{program: p, table: t, records: records}
	return p.validate(limits)
}

// readFunction reads all of one function but its tree.
func (p *Program) readFunction(t *table, one *record, i int, files map[string]string, limits Limits) (ok bool) {
	f := &p.Functions[i]
	f.Entry, f.Size = t.start+uint64(one.entry), t.sizeOf(*one, p.Arch)
	if one.damaged {
		return false
	}
	f.StartLine = one.startLine
	f.Name, ok = t.nameAt(one.name, limits.Text)
	file := t.fileOf(*one, limits.Text)
	if shared, known := files[file]; known {
		f.File = shared
	} else {
		files[file], f.File = file, file
	}
	frame, whole := t.frame(*one)
	f.Frame = frame
	return ok && whole
}

// validate makes all names valid UTF-8 without control characters. It refuses an
// executable that would need much memory for that.
func (p *Program) validate(limits Limits) error {
	left := limits.Strings
	clean := func(name *string) {
		if left < 0 || isClean(*name) {
			return
		}
		*name = cleaned(*name)
		left -= int64(len(*name))
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		clean(&f.Name)
		clean(&f.File)
		for k := range f.Inlined {
			clean(&f.Inlined[k].Name)
		}
	}
	if left < 0 {
		return inputerror.New("names-too-long", "The invalid names of the executable have more than %d bytes. Upload the file that the Go linker wrote.", limits.Strings).
			WithLimit(limits.Strings, limits.Strings-left, "bytes")
	}
	return nil
}

func isClean(name string) bool {
	for i := range len(name) {
		if name[i] < ' ' || name[i] >= 0x7f {
			return utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return printable(r) != r }) < 0
		}
	}
	return true
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '\uFFFD'
	}
	return r
}
