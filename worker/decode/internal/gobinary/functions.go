package gobinary

import (
	"bytes"
	"encoding/binary"
	"strings"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	funcBytes118    = 40
	funcBytes120    = 44
	inlineTreeData  = 2 // index of the pc-value table of inline nodes
	inlineTreeFuncs = 3 // index of the inline tree itself
	noData          = 1<<32 - 1
	paddingAMD64    = 0xcc
)

// record is a function of the table as it is stored.
type record struct {
	entry, size       uint32 // from the first function's entry; with padding
	name              uint32
	stack, file, line uint32 // pc-value tables
	inlined, tree     uint32 // pc-value table, offset from gofunc (noData: none)
	unit              uint32
	startLine         int32
	id                uint8
	damaged           bool
}

// records reads all functions of the table.
func (t *table) records() ([]record, error) {
	records := make([]record, t.count)
	for i := range records {
		pair := t.entries[functabBytes*i:]
		entry, next := binary.LittleEndian.Uint32(pair), binary.LittleEndian.Uint32(pair[functabBytes:])
		if next < entry || uint64(next) > uint64(len(t.code)) {
			return nil, inputerror.New("damaged-executable", "Function %d of the table begins at %d and ends at %d; the code has %d bytes. Upload the whole file.", i, entry, next, len(t.code)).
				WithLimit(int64(len(t.code)), int64(next), "bytes")
		}
		records[i] = t.record(binary.LittleEndian.Uint32(pair[4:]))
		records[i].entry, records[i].size = entry, next-entry
	}
	return records, nil
}

// record reads one function; a damaged one has tables without entries.
func (t *table) record(offset uint32) record {
	length := uint64(funcBytes120)
	if t.old {
		length = funcBytes118
	}
	if uint64(offset)+length > uint64(len(t.entries)) {
		return record{tree: noData, damaged: true}
	}
	data := t.entries[offset:]
	word := func(at uint64) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	one := record{name: word(4), stack: word(16), file: word(20), line: word(24), unit: word(32), tree: noData, id: data[length-4]}
	if !t.old {
		one.startLine = int32(word(36))
	}
	tables, pointers := uint64(word(28)), uint64(data[length-1])
	if uint64(len(data)) < length+4*(tables+pointers) {
		one.damaged = true
		return one
	}
	if tables > inlineTreeData && pointers > inlineTreeFuncs {
		one.inlined, one.tree = word(length+4*inlineTreeData), word(length+4*(tables+inlineTreeFuncs))
	}
	return one
}

// nameAt returns a name; false if none begins there.
func (t *table) nameAt(offset uint32, limit int64) (string, bool) {
	if uint64(offset) >= uint64(len(t.names)) || offset > 0 && t.names[offset-1] != 0 {
		return "", false
	}
	name := t.names[offset:min(int64(len(t.names)), int64(offset)+limit)]
	if end := strings.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return name, true
}

// fileOf returns the file that a function's pc-value table gives at its first
// instruction.
func (t *table) fileOf(one record, limit int64) string {
	values := t.valuesAt(one.file, one.size)
	if !values.next(t) {
		return ""
	}
	return t.file(one.unit, values.value, limit)
}

// file returns the name of a file by its number in a compilation unit.
func (t *table) file(unit uint32, number int32, limit int64) string {
	if number < 0 {
		return ""
	}
	at := (uint64(unit) + uint64(number)) * 4
	if at+4 > uint64(len(t.units)) {
		return ""
	}
	offset := uint64(binary.LittleEndian.Uint32(t.units[at:]))
	if offset >= uint64(len(t.files)) {
		return ""
	}
	name := t.files[offset:min(uint64(len(t.files)), offset+uint64(limit))]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return string(name)
}

// frame returns the largest stack-pointer delta.
func (t *table) frame(one record) (largest int32, ok bool) {
	values := t.valuesAt(one.stack, one.size)
	for values.next(t) {
		largest = max(largest, values.value)
	}
	return largest, !values.damaged
}

// sizeOf returns the size of a function without the padding behind it.
func (t *table) sizeOf(one record, arch string) uint32 {
	code := t.code[one.entry : one.entry+one.size]
	n := len(code)
	if arch == "arm64" {
		for n >= 4 && binary.LittleEndian.Uint32(code[n-4:]) == 0 {
			n -= 4
		}
		return uint32(n)
	}
	for n > 0 && code[n-1] == paddingAMD64 {
		n--
	}
	// A short jump from here to the entry is "eb cc": its second byte is no padding.
	if n+1 == 256-paddingAMD64 && n < len(code) && code[n-1] == 0xeb {
		n++
	}
	return uint32(n)
}

// wrapperID returns the function id of wrappers, which differs between versions of
// Go: that of method values ("-fm"). False if there is none.
func wrapperID(functions []Function, records []record) (uint8, bool) {
	var counts [256]int
	var best uint8
	for i := range functions {
		if id := records[i].id; id != 0 && strings.HasSuffix(functions[i].Name, "-fm") {
			if counts[id]++; counts[id] > counts[best] {
				best = id
			}
		}
	}
	return best, best != 0
}
