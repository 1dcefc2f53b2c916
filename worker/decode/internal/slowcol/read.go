package slowcol

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"slices"

	"slowpath.dev/decode/internal/inputerror"
)

// Container is a container that was read and checked. Columns are decoded when
// asked for.
type Container struct {
	Format  string
	Version int
	Header  []byte // the JSON header, for the format's own fields

	body    []byte
	columns map[string]columnHeader
}

// sizes returns the bytes of one element of each type.
var sizes = map[string]int64{"u8": 1, "u16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "i64": 8, "f64": 8}

// IsContainer reports whether a file begins as a container.
func IsContainer(file io.Reader) bool {
	begin := make([]byte, len(magic))
	_, err := io.ReadFull(file, begin)
	return err == nil && string(begin) == magic
}

// Read checks a whole container: what it names is inside it. Errors are
// faults.
func Read(data []byte) (*Container, error) {
	if len(data) < preambleLen || !bytes.HasPrefix(data, []byte(magic)) {
		return nil, inputerror.New("not-columns", "The file is not a columnar container: it does not begin with %q.", magic)
	}
	headerLen := int64(binary.LittleEndian.Uint32(data[8:]))
	if headerLen > int64(len(data)-preambleLen) {
		return nil, inputerror.New("truncated-columns", "The header should have %d bytes, but only %d follow.", headerLen, len(data)-preambleLen).
			WithLimit(int64(len(data)-preambleLen), headerLen, "bytes")
	}
	if (preambleLen+headerLen)%alignment != 0 {
		return nil, inputerror.New("misaligned-columns", "The header ends at byte %d, which is not a multiple of %d.", preambleLen+headerLen, alignment).AtOffset(preambleLen + headerLen)
	}
	c := &Container{Header: data[preambleLen : preambleLen+headerLen], body: data[preambleLen+headerLen:], columns: map[string]columnHeader{}}
	var header struct {
		Format  string         `json:"format"`
		Version int            `json:"format_version"`
		Columns []columnHeader `json:"columns"`
	}
	if err := json.Unmarshal(c.Header, &header); err != nil {
		return nil, inputerror.New("bad-columns-header", "The header is not the JSON it should be: %v.", err)
	}
	c.Format, c.Version = header.Format, header.Version
	for _, column := range header.Columns {
		if err := c.add(column); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Container) add(column columnHeader) error {
	size, known := sizes[column.Type]
	_, twice := c.columns[column.Name]
	switch {
	case !known:
		return inputerror.New("unknown-column-type", "Column %q has the type %q, which is none of the eight.", column.Name, column.Type)
	case twice:
		return inputerror.New("duplicate-column", "There are two columns %q.", column.Name)
	case column.Offset%alignment != 0:
		return inputerror.New("misaligned-columns", "Column %q begins at %d, which is not a multiple of %d.", column.Name, column.Offset, alignment).AtOffset(column.Offset)
	case column.Offset < 0, column.Length < 0, column.Length > math.MaxInt64/size, column.Offset > int64(len(c.body))-size*column.Length:
		return inputerror.New("truncated-columns", "Column %q (%d elements at %d) reaches outside the file.", column.Name, column.Length, column.Offset).AtOffset(column.Offset)
	}
	c.columns[column.Name] = column
	return nil
}

// Expect refuses other formats and versions, but for earlier ones that are still read.
func (c *Container) Expect(format string, version int, earlier ...int) error {
	if c.Format != format || c.Version != version && !slices.Contains(earlier, c.Version) {
		return inputerror.New("unknown-format", "The file is %q version %d, not %q version %d. Decode the original again.", c.Format, c.Version, format, version).
			WithLimit(int64(version), int64(c.Version), "version")
	}
	return nil
}

// Has reports whether there is a column of that name.
func (c *Container) Has(name string) bool {
	_, ok := c.columns[name]
	return ok
}

// TypeOf returns the type of a column; empty if there is none of that name.
func (c *Container) TypeOf(name string) string { return c.columns[name].Type }

// bytesOf returns the raw bytes of a column of one type.
func (c *Container) bytesOf(name, kind string) ([]byte, error) {
	column, ok := c.columns[name]
	if !ok || column.Type != kind {
		return nil, inputerror.New("missing-column", "The file has no column %q of type %s.", name, kind)
	}
	return c.body[column.Offset : column.Offset+sizes[kind]*column.Length], nil
}

// decode makes a typed array of raw bytes.
func decode[T any](c *Container, name, kind string, get func([]byte) T) ([]T, error) {
	raw, err := c.bytesOf(name, kind)
	if err != nil {
		return nil, err
	}
	size := int(sizes[kind])
	values := make([]T, len(raw)/size)
	for i := range values {
		values[i] = get(raw[i*size:])
	}
	return values, nil
}

// Uint8s returns a u8 column; it shares the container's memory.
func (c *Container) Uint8s(name string) ([]uint8, error) { return c.bytesOf(name, "u8") }

// Uint16s returns a u16 column.
func (c *Container) Uint16s(name string) ([]uint16, error) {
	return decode(c, name, "u16", binary.LittleEndian.Uint16)
}

// Uint32s returns a u32 column.
func (c *Container) Uint32s(name string) ([]uint32, error) {
	return decode(c, name, "u32", binary.LittleEndian.Uint32)
}

// Int32s returns an i32 column.
func (c *Container) Int32s(name string) ([]int32, error) {
	return decode(c, name, "i32", func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
}

// Uint64s returns a u64 column.
func (c *Container) Uint64s(name string) ([]uint64, error) {
	return decode(c, name, "u64", binary.LittleEndian.Uint64)
}

// Int64s returns an i64 column.
func (c *Container) Int64s(name string) ([]int64, error) {
	return decode(c, name, "i64", func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
}

// Float32s returns an f32 column.
func (c *Container) Float32s(name string) ([]float32, error) {
	return decode(c, name, "f32", func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
}

// Float64s returns an f64 column.
func (c *Container) Float64s(name string) ([]float64, error) {
	return decode(c, name, "f64", func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
}
