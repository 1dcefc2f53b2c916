// Package slowcol is the only place that knows the columnar container "slowcol":
//
//	bytes 0..7   "slowcol1"
//	bytes 8..11  u32 H, length of the JSON header, padded with spaces so that
//	             (16+H) % 8 == 0
//	bytes 12..15 u32 0
//	bytes 16..   JSON header, UTF-8: format, format_version, the format's own
//	             fields, and columns: [{name, type, offset, length}]
//	then         the arrays; offset counts from the end of the header and is a
//	             multiple of 8, length counts elements
//
// Everything is little-endian. Types: u8 u16 u32 i32 u64 i64 f32 f64.
package slowcol

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"unsafe"
)

const (
	magic       = "slowcol1"
	preambleLen = 16
	alignment   = 8
)

// Column is one named array. Data is a slice of one of the eight types.
type Column struct {
	Name string
	Data any
}

type columnHeader struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
}

// Write writes a whole container. extras must marshal to a JSON object; its
// fields follow format and format_version in the header.
func Write(w io.Writer, format string, version int, extras any, columns []Column) error {
	headers, err := describe(columns)
	if err != nil {
		return err
	}
	header, err := headerJSON(format, version, extras, headers)
	if err != nil {
		return err
	}
	preamble := make([]byte, preambleLen, preambleLen+len(header))
	copy(preamble, magic)
	binary.LittleEndian.PutUint32(preamble[8:], uint32(len(header)))
	if _, err := w.Write(append(preamble, header...)); err != nil {
		return fmt.Errorf("writing header: %w", err)
	}
	for i, column := range columns {
		written, err := writeArray(w, column.Data)
		if err != nil {
			return fmt.Errorf("writing column %s: %w", column.Name, err)
		}
		if err := pad(w, written); err != nil {
			return fmt.Errorf("writing column %s: %w", headers[i].Name, err)
		}
	}
	return nil
}

func describe(columns []Column) ([]columnHeader, error) {
	headers := make([]columnHeader, len(columns))
	offset := int64(0)
	for i, column := range columns {
		kind, size, length := shape(column.Data)
		if kind == "" {
			return nil, fmt.Errorf("column %s: no wire type for %T", column.Name, column.Data)
		}
		headers[i] = columnHeader{column.Name, kind, offset, int64(length)}
		offset += (int64(size)*int64(length) + alignment - 1) / alignment * alignment
	}
	return headers, nil
}

func shape(data any) (kind string, size, length int) {
	switch d := data.(type) {
	case []uint8:
		return "u8", 1, len(d)
	case []uint16:
		return "u16", 2, len(d)
	case []uint32:
		return "u32", 4, len(d)
	case []int32:
		return "i32", 4, len(d)
	case []uint64:
		return "u64", 8, len(d)
	case []int64:
		return "i64", 8, len(d)
	case []float32:
		return "f32", 4, len(d)
	case []float64:
		return "f64", 8, len(d)
	}
	return "", 0, 0
}

func headerJSON(format string, version int, extras any, columns []columnHeader) ([]byte, error) {
	middle, err := json.Marshal(extras)
	if err != nil {
		return nil, fmt.Errorf("header of %s: %w", format, err)
	}
	if len(middle) < 2 || middle[0] != '{' {
		return nil, fmt.Errorf("header of %s: extras must be an object, not %s", format, middle)
	}
	tail, err := json.Marshal(columns)
	if err != nil {
		return nil, fmt.Errorf("columns of %s: %w", format, err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"format":%q,"format_version":%d,`, format, version)
	if body := middle[1 : len(middle)-1]; len(body) > 0 {
		out.Write(body)
		out.WriteByte(',')
	}
	fmt.Fprintf(&out, `"columns":%s}`, tail)
	for (preambleLen+out.Len())%alignment != 0 {
		out.WriteByte(' ')
	}
	return out.Bytes(), nil
}

// chunk is how many bytes are encoded before they are written.
const chunk = 64 << 10

func writeArray(w io.Writer, data any) (written int64, err error) {
	switch d := data.(type) {
	case []uint8:
		n, err := w.Write(d)
		return int64(n), err
	case []uint16:
		return writeFixed(w, d, 2, func(b []byte, v uint16) { binary.LittleEndian.PutUint16(b, v) })
	case []uint32:
		return writeFixed(w, d, 4, func(b []byte, v uint32) { binary.LittleEndian.PutUint32(b, v) })
	case []int32:
		return writeFixed(w, d, 4, func(b []byte, v int32) { binary.LittleEndian.PutUint32(b, uint32(v)) })
	case []uint64:
		return writeFixed(w, d, 8, func(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) })
	case []int64:
		return writeFixed(w, d, 8, func(b []byte, v int64) { binary.LittleEndian.PutUint64(b, uint64(v)) })
	case []float32:
		return writeFixed(w, d, 4, func(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) })
	case []float64:
		return writeFixed(w, d, 8, func(b []byte, v float64) { binary.LittleEndian.PutUint64(b, math.Float64bits(v)) })
	}
	return 0, fmt.Errorf("no wire type for %T", data)
}

// littleEndian reports whether this machine holds numbers as the file does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// writeFixed writes numbers; where memory looks like the file, straight from
// there.
func writeFixed[T any](w io.Writer, values []T, size int, put func([]byte, T)) (int64, error) {
	if littleEndian && len(values) > 0 {
		n, err := w.Write(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), size*len(values)))
		return int64(n), err
	}
	return writeEncoded(w, values, size, put)
}

// writeEncoded writes numbers one by one, whatever the machine.
func writeEncoded[T any](w io.Writer, values []T, size int, put func([]byte, T)) (int64, error) {
	buffer := make([]byte, 0, min(chunk, size*len(values)))
	written := int64(0)
	for len(values) > 0 {
		n := min(len(values), chunk/size)
		buffer = buffer[:n*size]
		for i, v := range values[:n] {
			put(buffer[i*size:], v)
		}
		if _, err := w.Write(buffer); err != nil {
			return written, err
		}
		written += int64(len(buffer))
		values = values[n:]
	}
	return written, nil
}

func pad(w io.Writer, written int64) error {
	var zeros [alignment]byte
	if rest := written % alignment; rest != 0 {
		_, err := w.Write(zeros[rest:])
		return err
	}
	return nil
}
