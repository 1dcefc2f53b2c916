package slowcol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
)

var everyType = []Column{
	{"a", []uint8{1, 2, 3}}, {"b", []uint16{1, math.MaxUint16}}, {"c", []uint32{0, math.MaxUint32, 7}},
	{"d", []int32{-1, math.MinInt32}}, {"e", []uint64{math.MaxUint64}}, {"f", []int64{math.MinInt64, -1, 5}},
	{"g", []float32{1.5, float32(math.Inf(1))}}, {"h", []float64{-0.25}}, {"empty", []uint32{}},
	{"long", make([]uint16, 100_001)},
}

func written(t *testing.T, extras any, columns []Column) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, "test.format", 3, extras, columns); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEveryTypeSurvives(t *testing.T) {
	data := written(t, map[string]any{"title": "</script> 日本"}, everyType)
	c, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Expect("test.format", 3); err != nil {
		t.Error(err)
	}
	for _, column := range everyType {
		if got := readAny(t, c, column); !reflect.DeepEqual(got, column.Data) {
			t.Errorf("column %s: %v", column.Name, got)
		}
	}
	if !c.Has("a") || c.Has("z") {
		t.Error("Has is wrong")
	}
}

func readAny(t *testing.T, c *Container, column Column) (got any) {
	t.Helper()
	var err error
	switch column.Data.(type) {
	case []uint8:
		got, err = c.Uint8s(column.Name)
	case []uint16:
		got, err = c.Uint16s(column.Name)
	case []uint32:
		got, err = c.Uint32s(column.Name)
	case []int32:
		got, err = c.Int32s(column.Name)
	case []uint64:
		got, err = c.Uint64s(column.Name)
	case []int64:
		got, err = c.Int64s(column.Name)
	case []float32:
		got, err = c.Float32s(column.Name)
	case []float64:
		got, err = c.Float64s(column.Name)
	}
	if err != nil {
		t.Error(err)
	}
	return got
}

// Machines that hold numbers the other way round write the same.
func TestEncodedOneByOne(t *testing.T) {
	native := written(t, struct{}{}, everyType)
	defer func(was bool) { littleEndian = was }(littleEndian)
	littleEndian = false
	if !bytes.Equal(written(t, struct{}{}, everyType), native) {
		t.Error("the bytes differ")
	}
}

// The layout, byte by byte.
func TestLayout(t *testing.T) {
	data := written(t, struct {
		Kind string `json:"kind"`
	}{"x"}, []Column{{"n", []uint32{1, 2, 3}}, {"m", []uint8{9}}})
	length := binary.LittleEndian.Uint32(data[8:])
	header := string(data[16 : 16+length])
	want := `{"format":"test.format","format_version":3,"kind":"x","columns":[{"name":"n","type":"u32","offset":0,"length":3},{"name":"m","type":"u8","offset":16,"length":1}]}`
	if strings.TrimRight(header, " ") != want {
		t.Errorf("header %s", header)
	}
	body := data[16+length:]
	if string(data[:8]) != "slowcol1" || (16+length)%8 != 0 || binary.LittleEndian.Uint32(data[12:]) != 0 {
		t.Error("preamble")
	}
	if !bytes.Equal(body, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("body %v", body)
	}
}

func TestNoExtras(t *testing.T) {
	if _, err := Read(written(t, struct{}{}, nil)); err != nil {
		t.Error(err)
	}
}

func container(header string, body int) []byte {
	for (16+len(header))%8 != 0 {
		header += " "
	}
	data := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(header)))
	return append(append(append(data, 0, 0, 0, 0), header...), make([]byte, body)...)
}

func TestDamagedContainers(t *testing.T) {
	good := container(`{"columns":[]}`, 0)
	column := func(kind string, offset, length int) []byte {
		return container(fmt.Sprintf(`{"columns":[{"name":"x","type":%q,"offset":%d,"length":%d}]}`, kind, offset, length), 16)
	}
	for _, test := range []struct {
		name, slug string
		data       []byte
	}{
		{"empty", "not-columns", nil},
		{"other magic", "not-columns", []byte("slowcol2 and more bytes")},
		{"header cut", "truncated-columns", good[:20]},
		{"header not padded", "misaligned-columns", append(binary.LittleEndian.AppendUint32([]byte(magic), 2), 0, 0, 0, 0, '{', '}')},
		{"header not JSON", "bad-columns-header", container("nonsense", 0)},
		{"column of unknown type", "unknown-column-type", column("u128", 0, 1)},
		{"column misaligned", "misaligned-columns", column("u8", 4, 1)},
		{"column outside", "truncated-columns", column("u64", 8, 2)},
		{"column before the start", "truncated-columns", column("u64", -8, 1)},
		{"column of negative length", "truncated-columns", column("u64", 0, -1)},
		{"column of huge length", "truncated-columns", column("u64", 0, math.MaxInt64)},
		{"column at a huge offset", "truncated-columns", column("u8", math.MaxInt64-7, 8)},
		{"column twice", "duplicate-column", container(`{"columns":[{"name":"x","type":"u8","offset":0,"length":0},{"name":"x","type":"u8","offset":0,"length":0}]}`, 0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(test.data)
			wantSlug(t, err, test.slug)
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

func TestExpectAndMissingColumns(t *testing.T) {
	c, err := Read(written(t, struct{}{}, everyType))
	if err != nil {
		t.Fatal(err)
	}
	wantSlug(t, c.Expect("test.format", 4), "unknown-format")
	wantSlug(t, c.Expect("other", 3), "unknown-format")
	_, err = c.Uint32s("a")
	wantSlug(t, err, "missing-column")
	_, err = c.Int64s("nothing")
	wantSlug(t, err, "missing-column")
}

// failing fails after some bytes.
type failing struct{ left int }

var errFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	whole := written(t, struct{}{}, everyType)
	for _, left := range []int{0, 400, 1200, len(whole) - 64, len(whole) - 5000} {
		if err := Write(&failing{left}, "f", 1, struct{}{}, everyType); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes: %v", left, err)
		}
	}
	for name, extras := range map[string]any{"not an object": 5, "not JSON": func() {}} {
		if Write(&failing{1 << 20}, "f", 1, extras, nil) == nil {
			t.Errorf("extras %s were written", name)
		}
	}
	if Write(&failing{1 << 20}, "f", 1, struct{}{}, []Column{{"x", []string{"no"}}}) == nil {
		t.Error("a column of strings was written")
	}
}

func FuzzRead(f *testing.F) {
	var out bytes.Buffer
	if err := Write(&out, "f", 1, struct{}{}, everyType[:8]); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add(container(`{"columns":[{"name":"x","type":"u64","offset":8,"length":1}]}`, 16))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(data)
		if err != nil {
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		for name, column := range c.columns {
			raw, err := c.bytesOf(name, column.Type)
			if err != nil || int64(len(raw)) != sizes[column.Type]*column.Length {
				t.Fatalf("column %s: %d bytes, %v", name, len(raw), err)
			}
		}
	})
}
