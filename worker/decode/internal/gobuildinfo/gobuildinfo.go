// Package gobuildinfo reads from a Go program what it was built from: Go version,
// modules, settings and build ids. It reads headers and notes only; nothing of
// the program is run.
package gobuildinfo

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"runtime/debug"
	"strings"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	maxModules   = 5000
	maxTextBytes = 200
	maxNoteBytes = 4 << 10
	typeGNUBuild = 3
	typeGoBuild  = 4
)

// recordedSettings are the settings that are reported. Linker flags are not among them: they
// hold whatever was stamped into the program, secrets too.
var recordedSettings = map[string]bool{
	"-buildmode": true, "-compiler": true, "-gcflags": true, "-pgo": true, "-race": true, "-tags": true, "-trimpath": true,
	"CGO_ENABLED": true, "GOAMD64": true, "GOARM64": true, "GOARCH": true, "GOEXPERIMENT": true, "GOOS": true,
	"vcs": true, "vcs.modified": true, "vcs.revision": true, "vcs.time": true,
}

// BuildInfo is the build information of a program.
type BuildInfo struct {
	GoVersion      string            `json:"go_version"`
	Path           string            `json:"path"`         // import path of the main package
	Module         string            `json:"module"`       // path of the main module
	Version        string            `json:"version"`      // its version, or "(devel)"
	Modules        map[string]string `json:"modules"`      // module path to version, with replacements
	ModulesOmitted int               `json:"modules_cut"`  // modules left out
	Settings       map[string]string `json:"settings"`     // the build settings that are reported
	GoBuildID      string            `json:"go_build_id"`  // as `go tool buildid` prints it
	GNUBuildID     string            `json:"gnu_build_id"` // hex, as profiles name their mappings
}

// Is reports whether a file that begins so is a program: ELF, Mach-O or PE.
func Is(head []byte) bool {
	for _, magic := range []string{
		"\x7fELF", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe",
	} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return bytes.HasPrefix(head, []byte("MZ")) && len(head) >= 64 && peHeader(head)
}

func peHeader(head []byte) bool {
	at := int(binary.LittleEndian.Uint32(head[60:]))
	return at >= 64 && at+4 <= len(head) && string(head[at:at+4]) == "PE\x00\x00"
}

// Read returns the build information of a program.
func Read(r io.ReaderAt) (BuildInfo, error) {
	info, err := buildinfo.Read(r)
	if err != nil {
		return BuildInfo{}, inputerror.New("not-go-binary",
			"This is a program, but Go did not build it with modules: it has no build information. "+
				"Upload the file that `go build` wrote, neither packed nor stripped of its build information.")
	}
	built := BuildInfo{
		GoVersion: clean(info.GoVersion), Path: clean(info.Path),
		Module: clean(info.Main.Path), Version: clean(info.Main.Version),
		Modules: map[string]string{}, Settings: map[string]string{},
	}
	for _, module := range info.Deps {
		if len(built.Modules) == maxModules {
			built.ModulesOmitted++
			continue
		}
		built.Modules[clean(module.Path)] = clean(versionOf(module))
	}
	for _, setting := range info.Settings {
		if recordedSettings[setting.Key] {
			built.Settings[setting.Key] = clean(setting.Value)
		}
	}
	built.GoBuildID, built.GNUBuildID = IDs(r)
	return built, nil
}

func versionOf(module *debug.Module) string {
	if module.Replace == nil {
		return module.Version
	}
	return strings.TrimSpace(module.Version + " => " + module.Replace.Path + " " + module.Replace.Version)
}

// clean makes a text short and valid: it was written by the author of the file.
func clean(text string) string {
	shown := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if letters := []rune(shown); len(letters) > maxTextBytes {
		return string(letters[:maxTextBytes])
	}
	return shown
}

// IDs returns the build ids of an ELF file; a file without has none.
func IDs(r io.ReaderAt) (goID, gnuID string) {
	file, err := elf.NewFile(r)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	for _, part := range noteParts(file) {
		notes, err := io.ReadAll(io.LimitReader(part, maxNoteBytes))
		if err != nil {
			continue
		}
		for len(notes) > 0 {
			name, kind, desc, rest, err := note(notes, file.ByteOrder)
			if err != nil {
				break
			}
			switch {
			case name == "Go" && kind == typeGoBuild:
				goID = clean(string(desc))
			case name == "GNU" && kind == typeGNUBuild && len(desc) <= maxTextBytes/2:
				gnuID = hex.EncodeToString(desc)
			}
			notes = rest
		}
	}
	return goID, gnuID
}

// noteParts returns the parts of a file with notes: sections, or segments of a file
// without section headers.
func noteParts(file *elf.File) []io.Reader {
	var parts []io.Reader
	for _, section := range file.Sections {
		if section.Type == elf.SHT_NOTE && section.Size <= maxNoteBytes && section.Flags&elf.SHF_COMPRESSED == 0 {
			parts = append(parts, section.Open())
		}
	}
	if len(file.Sections) > 0 {
		return parts
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_NOTE && segment.Filesz <= maxNoteBytes {
			parts = append(parts, segment.Open())
		}
	}
	return parts
}

var errNote = errors.New("damaged note")

// note takes one note off the front.
func note(notes []byte, order binary.ByteOrder) (name string, kind uint32, desc, rest []byte, err error) {
	if len(notes) < 12 {
		return "", 0, nil, nil, errNote
	}
	nameSize, descSize, kind := uint64(order.Uint32(notes)), uint64(order.Uint32(notes[4:])), order.Uint32(notes[8:])
	descAt := 12 + (nameSize+3)&^3
	end := descAt + (descSize+3)&^3
	if descAt > uint64(len(notes)) || descAt+descSize > uint64(len(notes)) {
		return "", 0, nil, nil, errNote
	}
	name = strings.TrimRight(string(notes[12:12+nameSize]), "\x00")
	return name, kind, notes[descAt : descAt+descSize], notes[min(end, uint64(len(notes))):], nil
}
