package gobinary

import (
	"encoding/binary"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	magic118       = 0xfffffff0 // Go 1.18 and 1.19
	magic120       = 0xfffffff1 // Go 1.20 and newer
	tableHeader    = 72
	maxCandidates  = 64
	wordTableSize  = 14 // words of moduledata
	wordText       = 22
	wordEndText    = 23
	wordGofunc118  = 38
	wordGofunc120  = 40
	wordGofunc127  = 43
	moduleWords    = 44
	functabBytes   = 8
	noTableMessage = "The executable has no function table of Go 1.18 or newer. Upload an executable that Go 1.18 or newer built, neither packed nor encrypted."
)

// table is the function table (pclntab), with what of moduledata is needed to
// read it.
type table struct {
	old     bool // layout of Go 1.18 and 1.19
	quantum uint32
	count   int
	names   string
	units   []byte // cutab: file numbers of compilation units
	files   []byte
	values  []byte // pctab: pc-value tables
	entries []byte // functab and the functions that it refers to
	start   uint64 // address of the first function
	code    []byte // from start on
	gofunc  [][]byte
	steps   int64 // steps in pc-value tables that are left
}

// candidate is a place that looks like a function table.
type candidate struct {
	data   []byte // from its first byte on
	names  uint64 // address of the names
	header [6]uint64
}

// locate finds the function table: the place that moduledata refers to.
func locate(img *image, version string) (*table, error) {
	candidates := findCandidates(img)
	if len(candidates) == 0 {
		return nil, inputerror.New("no-function-table", noTableMessage)
	}
	addr, module, found := findModule(img, candidates)
	if !found {
		return nil, inputerror.New("no-module-data", "Nothing in the executable refers to its function table. Upload the file that the Go linker wrote.")
	}
	return newTable(img, candidates[addr], module, version)
}

// findCandidates returns what looks like the header of a function table, by address.
func findCandidates(img *image) map[uint64]candidate {
	found := map[uint64]candidate{}
	for _, part := range img.segments {
		skip := -part.addr & 7
		for at := skip; at+tableHeader <= uint64(len(part.data)); at += 8 {
			if binary.LittleEndian.Uint32(part.data[at:])&^1 != magic118 {
				continue
			}
			if one, ok := newCandidate(part.data[at:], part.addr+at, img.arch); ok && len(found) < maxCandidates {
				found[part.addr+at] = one
			}
		}
	}
	return found
}

func newCandidate(data []byte, addr uint64, arch string) (candidate, bool) {
	quantum := byte(1)
	if arch == "arm64" {
		quantum = 4
	}
	if data[4] != 0 || data[5] != 0 || data[6] != quantum || data[7] != 8 {
		return candidate{}, false
	}
	one := candidate{data: data}
	one.header[0] = binary.LittleEndian.Uint64(data[8:]) // functions
	previous := uint64(tableHeader)
	for i := 1; i < 6; i++ { // offsets of names, units, files, values and entries, in this order
		one.header[i] = binary.LittleEndian.Uint64(data[24+8*i:])
		if one.header[i] < previous || one.header[i] > uint64(len(data)) {
			return candidate{}, false
		}
		previous = one.header[i]
	}
	one.names = addr + one.header[1]
	return one, one.header[0] > 0 && one.header[0] < (uint64(len(data))-previous)/functabBytes
}

// findModule returns the words of moduledata: its first is the address of the
// function table, its second that of the names.
func findModule(img *image, candidates map[uint64]candidate) (addr uint64, module []uint64, found bool) {
	for _, part := range img.segments {
		for at := -part.addr & 7; at+8*moduleWords <= uint64(len(part.data)); at += 8 {
			word := binary.LittleEndian.Uint64(part.data[at:])
			if one, ok := candidates[word]; ok && one.names == binary.LittleEndian.Uint64(part.data[at+8:]) {
				return word, img.words(part.addr+at, nil), true
			}
		}
	}
	return findRelocatedModule(img, candidates)
}

// findRelocatedModule finds moduledata of a position-independent executable: its
// pointers are addends of relocations.
func findRelocatedModule(img *image, candidates map[uint64]candidate) (addr uint64, module []uint64, found bool) {
	places := map[uint64]uint64{}
	img.eachRelative(func(offset, addend uint64) {
		if _, ok := candidates[addend]; ok && len(places) < maxCandidates {
			places[offset] = addend
		}
	})
	values := map[uint64]map[uint64]uint64{}
	img.eachRelative(func(offset, addend uint64) {
		for place := range places {
			if offset-place < 8*moduleWords {
				if values[place] == nil {
					values[place] = map[uint64]uint64{}
				}
				values[place][offset] = addend
			}
		}
	})
	for place, value := range values {
		if candidates[places[place]].names == value[place+8] {
			return places[place], img.words(place, value), true
		}
	}
	return 0, nil, false
}

// words reads the words of moduledata, replaced by relocations.
func (img *image) words(addr uint64, relocated map[uint64]uint64) []uint64 {
	words := make([]uint64, moduleWords)
	data := img.from(addr)
	for i := range words {
		if value, ok := relocated[addr+8*uint64(i)]; ok {
			words[i] = value
		} else if len(data) >= 8*(i+1) {
			words[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
	}
	return words
}

// newTable cuts the function table into its parts.
func newTable(img *image, one candidate, module []uint64, version string) (*table, error) {
	at := one.header
	end := uint64(len(one.data))
	if size := module[wordTableSize]; size <= end-at[5] {
		end = at[5] + size
	}
	t := &table{
		old: binary.LittleEndian.Uint32(one.data) == magic118, quantum: uint32(one.data[6]), count: int(at[0]),
		names: string(one.data[at[1]:at[2]]), units: one.data[at[2]:at[3]], files: one.data[at[3]:at[4]],
		values: one.data[at[4]:at[5]], entries: one.data[at[5]:end], start: module[wordText],
	}
	code := img.from(t.start)
	if last := module[wordEndText]; last < t.start || last-t.start > uint64(len(code)) || last == t.start {
		return nil, inputerror.New("damaged-executable", "The code from %#x to %#x is not in one loaded segment. Upload the file that the Go linker wrote.", t.start, last)
	}
	t.code = code[:module[wordEndText]-t.start]
	if uint64(len(t.entries)) < (at[0]+1)*functabBytes {
		return nil, inputerror.New("damaged-executable", "The table of %d functions has only %d bytes. Upload the whole file.", at[0], len(t.entries))
	}
	for _, word := range gofuncWords(t.old, version) {
		t.gofunc = append(t.gofunc, img.from(module[word]))
	}
	for _, part := range img.segments {
		t.steps += stepsPerByte * int64(len(part.data))
	}
	return t, nil
}

// gofuncWords returns which words of moduledata can be gofunc, the likeliest first.
func gofuncWords(old bool, version string) []int {
	var major, minor int
	switch {
	case old:
		return []int{wordGofunc118}
	case scanVersion(version, &major, &minor) && (major > 1 || minor >= 27):
		return []int{wordGofunc127, wordGofunc120}
	default:
		return []int{wordGofunc120, wordGofunc127}
	}
}
