package slowcol

// ColumnReader reads columns that must fit together, and keeps the first error.
type ColumnReader struct {
	Err          error
	inconsistent error
	offsets      []uint32
	bytes        []uint8
}

// NewColumnReader returns a reader whose error is inconsistent if columns do not fit together.
func NewColumnReader(inconsistent error) *ColumnReader {
	return &ColumnReader{inconsistent: inconsistent}
}

// Take reads a column; nil after an error.
func Take[T any](r *ColumnReader, read func(string) ([]T, error), name string) []T {
	if r.Err != nil {
		return nil
	}
	values, err := read(name)
	r.Err = err
	return values
}

// ReadStrings reads the strings that Text returns.
func (r *ColumnReader) ReadStrings(c *Container) {
	r.offsets, r.bytes = Take(r, c.Uint32s, "strings_offset"), Take(r, c.Uint8s, "strings_bytes")
	r.Expect(Grows(r.offsets, len(r.bytes)))
}

// Expect records that columns do not fit together.
func (r *ColumnReader) Expect(fits bool) {
	if r.Err == nil && !fits {
		r.Err = r.inconsistent
	}
}

// Text returns a string by its number.
func (r *ColumnReader) Text(number uint32) string {
	r.Expect(uint64(number)+1 < uint64(len(r.offsets)))
	if r.Err != nil {
		return ""
	}
	return string(r.bytes[r.offsets[number]:r.offsets[number+1]])
}

// Grows reports whether offsets begin at 0, never fall, and end at the end.
func Grows(offsets []uint32, end int) bool {
	if len(offsets) == 0 || offsets[0] != 0 || int64(offsets[len(offsets)-1]) != int64(end) {
		return false
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return false
		}
	}
	return true
}
