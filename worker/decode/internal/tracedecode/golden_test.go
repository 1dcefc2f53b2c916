package tracedecode

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"reflect"
	"testing"

	"slowpath.dev/decode/internal/slowcol"
	"slowpath.dev/decode/internal/tracefile"
)

var update = flag.Bool("update", false, "write the golden files anew")

const golden = "../../testdata/golden/trace-syscalls.slowcol"

// The file format is a contract with readers in other languages, which are
// tested against the same file.
func TestGolden(t *testing.T) {
	d := decodeFile(t, testdata+"syscalls.trace")
	var out bytes.Buffer
	if err := d.File.Write(&out); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := headerOf(t, out.Bytes()), headerOf(t, data); !reflect.DeepEqual(got, want) {
		t.Errorf("header %v, want %v", got, want)
	}
	c, err := slowcol.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Expect(tracefile.Format, tracefile.Version); err != nil {
		t.Error(err)
	}
	for _, column := range d.File.All() {
		if !equal(c, column) {
			t.Errorf("column %s differs", column.Name)
		}
	}
}

func headerOf(t *testing.T, data []byte) (header map[string]any) {
	t.Helper()
	length := int(data[8]) | int(data[9])<<8 | int(data[10])<<16
	if err := json.Unmarshal(data[16:16+length], &header); err != nil {
		t.Fatal(err)
	}
	return header
}

// equal compares a column with that of the golden file; floats nearly, because
// machines may round intermediate results in another way.
func equal(c *slowcol.Container, column slowcol.Column) bool {
	same := func(want any, err error) bool {
		return err == nil && (reflect.DeepEqual(want, column.Data) || reflect.ValueOf(want).Len()+reflect.ValueOf(column.Data).Len() == 0)
	}
	switch data := column.Data.(type) {
	case []uint8:
		return same(c.Uint8s(column.Name))
	case []uint16:
		return same(c.Uint16s(column.Name))
	case []uint32:
		return same(c.Uint32s(column.Name))
	case []int32:
		return same(c.Int32s(column.Name))
	case []uint64:
		return same(c.Uint64s(column.Name))
	case []int64:
		return same(c.Int64s(column.Name))
	case []float32:
		want, err := c.Float32s(column.Name)
		return err == nil && near(data, want)
	case []float64:
		want, err := c.Float64s(column.Name)
		return err == nil && near(data, want)
	}
	return false
}

func near[F float32 | float64](a, b []F) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-5*(1+math.Abs(float64(b[i]))) {
			return false
		}
	}
	return true
}
