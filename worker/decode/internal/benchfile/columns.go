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
	r := slowcol.NewColumnReader(inputerror.New("inconsistent-bench", "The columns of this file do not fit together. Decode the original again."))
	r.ReadStrings(c)
	names, configs := slowcol.Take(r, c.Uint32s, "result_name"), slowcol.Take(r, c.Uint32s, "result_config")
	iterations, resultOffset := slowcol.Take(r, c.Int64s, "result_iterations"), slowcol.Take(r, c.Uint32s, "result_offset")
	units, values := slowcol.Take(r, c.Uint32s, "value_unit"), slowcol.Take(r, c.Float64s, "value")
	configOffset := slowcol.Take(r, c.Uint32s, "config_offset")
	keys, texts := slowcol.Take(r, c.Uint32s, "config_key"), slowcol.Take(r, c.Uint32s, "config_value")
	r.Expect(slowcol.Grows(resultOffset, len(values)) && slowcol.Grows(configOffset, len(keys)))
	r.Expect(len(units) == len(values) && len(keys) == len(texts))
	r.Expect(len(names) == len(configs) && len(names) == len(iterations) && len(names)+1 == len(resultOffset))
	for i := 0; r.Err == nil && i+1 < len(configOffset); i++ {
		var config []Pair
		for k := configOffset[i]; k < configOffset[i+1]; k++ {
			config = append(config, Pair{r.Text(keys[k]), r.Text(texts[k])})
		}
		s.Configs = append(s.Configs, config)
	}
	for i := 0; r.Err == nil && i < len(names); i++ {
		r.Expect(int(configs[i]) < len(s.Configs))
		result := Result{Name: r.Text(names[i]), Config: int(configs[i]), Iterations: iterations[i]}
		for k := resultOffset[i]; k < resultOffset[i+1]; k++ {
			result.Values = append(result.Values, Value{r.Text(units[k]), values[k]})
		}
		s.Results = append(s.Results, result)
	}
	return s, r.Err
}
