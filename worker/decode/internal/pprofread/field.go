package pprofread

import (
	"encoding/binary"
)

const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

const (
	varintProblem   = "a number is longer than 10 bytes or cut off"
	lengthProblem   = "a field is longer than what holds it"
	numberProblem   = "it has a field number that protobuf does not allow"
	wireTypeProblem = "it has a field of an unknown wire type"
	typeProblem     = "a field has another type than profile.proto gives it"
)

// maxField is the largest field number that protobuf allows.
const maxField = 1<<29 - 1

// field is one protobuf field: for bytes, value is their length and data the
// bytes (absent when read from a stream).
type field struct {
	number int
	wire   int
	value  uint64
	data   []byte
}

// varint reads a base-128 number; n is 0 when there is none. As in
// github.com/google/pprof, bits above the 64th are dropped.
func varint(data []byte) (value uint64, n int) {
	if len(data) > 0 && data[0] < 0x80 {
		return uint64(data[0]), 1
	}
	for i, b := range data {
		if i == maxVarint {
			return 0, 0
		}
		value |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return value, i + 1
		}
	}
	return 0, 0
}

// decode reads a field from the front of data and returns its length. With
// headOnly, the bytes of a bytes field are neither needed nor counted.
func (f *field) decode(data []byte, headOnly bool) (n int, problem string) {
	key, n := varint(data)
	if n == 0 {
		return 0, varintProblem
	}
	if key>>3 == 0 || key>>3 > maxField {
		return 0, numberProblem
	}
	f.number, f.wire, f.data = int(key>>3), int(key&7), nil
	rest := data[n:]
	switch f.wire {
	case wireVarint:
		value, m := varint(rest)
		if m == 0 {
			return 0, varintProblem
		}
		f.value = value
		return n + m, ""
	case wireFixed64:
		if len(rest) < 8 {
			return 0, lengthProblem
		}
		f.value = binary.LittleEndian.Uint64(rest)
		return n + 8, ""
	case wireFixed32:
		if len(rest) < 4 {
			return 0, lengthProblem
		}
		f.value = uint64(binary.LittleEndian.Uint32(rest))
		return n + 4, ""
	case wireBytes:
		length, m := varint(rest)
		if m == 0 {
			return 0, varintProblem
		}
		f.value = length
		if headOnly {
			return n + m, ""
		}
		if length > uint64(len(rest)-m) {
			return 0, lengthProblem
		}
		f.data = rest[m : m+int(length)]
		return n + m + int(length), ""
	}
	return 0, wireTypeProblem
}

// message walks over the fields of a message that is held in memory.
type message struct {
	field
	rest    []byte
	problem string
}

func (m *message) next() bool {
	if len(m.rest) == 0 || m.problem != "" {
		return false
	}
	n, problem := m.decode(m.rest, false)
	m.problem = problem
	m.rest = m.rest[n:]
	return problem == ""
}

// unsigned returns the value of a varint field.
func (m *message) unsigned() uint64 {
	if m.wire != wireVarint {
		m.problem = typeProblem
	}
	return m.value
}

func (m *message) signed() int64 { return int64(m.unsigned()) }

// bytes returns the content of a bytes field.
func (m *message) bytes() []byte {
	if m.wire != wireBytes {
		m.problem = typeProblem
	}
	return m.data
}
