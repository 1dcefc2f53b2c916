package gobinary

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// stepsPerByte bounds the steps in all pc-value tables: functions can share a
// table, so that a small file could name a long one many times.
const stepsPerByte = 16

// scanVersion reads major and minor number of a version such as "go1.27.3".
func scanVersion(version string, major, minor *int) bool {
	n, err := fmt.Sscanf(version, "go%d.%d", major, minor)
	return n == 2 && err == nil
}

// pcRange is a range of instructions with one value. Offsets count from the
// function's entry.
type pcRange struct {
	start, end uint32
	value      int32
}

// pcValues walks over one pc-value table.
type pcValues struct {
	pcRange
	rest    []byte
	quantum uint32
	size    uint32 // of the function
	begun   bool
	damaged bool
}

// valuesAt begins a walk; a table at offset 0 is empty.
func (t *table) valuesAt(offset, size uint32) pcValues {
	if offset == 0 {
		return pcValues{}
	}
	if uint64(offset) >= uint64(len(t.values)) {
		return pcValues{damaged: true}
	}
	return pcValues{pcRange: pcRange{value: -1}, rest: t.values[offset:], quantum: t.quantum, size: size}
}

// next goes to the next range and reports whether there is one.
func (v *pcValues) next(t *table) bool {
	if v.end >= v.size || v.damaged {
		return false
	}
	delta, n := binary.Uvarint(v.rest)
	if n > 0 && delta == 0 && v.begun {
		return false
	}
	v.begun = true
	t.steps--
	if n <= 0 || delta > 1<<32 || t.steps < 0 {
		v.damaged = true
		return false
	}
	v.value += int32(delta>>1) ^ -int32(delta&1)
	length, m := binary.Uvarint(v.rest[n:])
	if m <= 0 || length > uint64(1<<32-1-v.end)/uint64(v.quantum) {
		v.damaged = true
		return false
	}
	v.start, v.end = v.end, v.end+uint32(length)*v.quantum
	v.rest = v.rest[n+m:]
	return true
}

// all returns a whole table; false if it is damaged.
func (t *table) all(offset, size uint32) (ranges []pcRange, ok bool) {
	values := t.valuesAt(offset, size)
	for values.next(t) {
		ranges = append(ranges, values.pcRange)
	}
	return ranges, !values.damaged
}

// valueAt returns the value at an offset in the function, or the given one.
func valueAt(ranges []pcRange, offset uint32, otherwise int32) int32 {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].end > offset })
	if i == len(ranges) {
		return otherwise
	}
	return ranges[i].value
}
