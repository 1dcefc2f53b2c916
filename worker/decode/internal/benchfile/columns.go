package benchfile

import (
	"encoding/json"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
)

// magic is how a columnar container begins.
const magic = "slowcol1"

// ReadColumns reads a decoded set and proves that its columns fit together.
// Errors are faults.
func ReadColumns(data []byte) (*Set, error) {
	c, err := slowcol.Read(data)
	if err != nil {
		return nil, err
	}
	if err := c.Expect(Format, Version); err != nil {
		return nil, err
	}
	s := &Set{}
	if err := json.Unmarshal(c.Header, &s.Header); err != nil {
		return nil, inputerror.New("bad-columns-header", "The header is not that of benchmarks: %v.", err)
	}
	r := &reader{}
	r.offsets, r.bytes = take(r, c.Uint32s, "strings_offset"), take(r, c.Uint8s, "strings_bytes")
	names, configs := take(r, c.Uint32s, "result_name"), take(r, c.Uint32s, "result_config")
	iterations, resultOffset := take(r, c.Int64s, "result_iterations"), take(r, c.Uint32s, "result_offset")
	units, values := take(r, c.Uint32s, "value_unit"), take(r, c.Float64s, "value")
	configOffset := take(r, c.Uint32s, "config_offset")
	keys, texts := take(r, c.Uint32s, "config_key"), take(r, c.Uint32s, "config_value")
	r.expect(grows(r.offsets, len(r.bytes)) && grows(resultOffset, len(values)) && grows(configOffset, len(keys)))
	r.expect(len(units) == len(values) && len(keys) == len(texts))
	r.expect(len(names) == len(configs) && len(names) == len(iterations) && len(names)+1 == len(resultOffset))
	for i := 0; r.err == nil && i+1 < len(configOffset); i++ {
		var config []Pair
		for k := configOffset[i]; k < configOffset[i+1]; k++ {
			config = append(config, Pair{r.text(keys[k]), r.text(texts[k])})
		}
		s.Configs = append(s.Configs, config)
	}
	for i := 0; r.err == nil && i < len(names); i++ {
		r.expect(int(configs[i]) < len(s.Configs))
		result := Result{Name: r.text(names[i]), Config: int(configs[i]), Iterations: iterations[i]}
		for k := resultOffset[i]; k < resultOffset[i+1]; k++ {
			result.Values = append(result.Values, Value{r.text(units[k]), values[k]})
		}
		s.Results = append(s.Results, result)
	}
	return s, r.err
}

// reader keeps the first error.
type reader struct {
	offsets []uint32
	bytes   []uint8
	err     error
}

func take[T any](r *reader, read func(string) ([]T, error), name string) []T {
	if r.err != nil {
		return nil
	}
	values, err := read(name)
	r.err = err
	return values
}

func (r *reader) expect(fits bool) {
	if r.err == nil && !fits {
		r.err = inputerror.New("inconsistent-bench", "The columns of this file do not fit together. Decode the original again.")
	}
}

func (r *reader) text(n uint32) string {
	r.expect(int64(n) < int64(len(r.offsets))-1)
	if r.err != nil {
		return ""
	}
	return string(r.bytes[r.offsets[n]:r.offsets[n+1]])
}

// grows reports whether offsets begin at 0, never fall, and end at the end.
func grows(offsets []uint32, end int) bool {
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
