// Package benchfile is the output of Go benchmarks, as read and in its decoded
// form. golang.org/x/perf/benchfmt reads the text: what benchstat understands
// is understood, units are tidied as there (ns/op becomes sec/op).
package benchfile

import (
	"io"

	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/slowcol"
)

const (
	// Format and Version name the file format.
	Format  = "slowpath.bench"
	Version = 1
)

// Pair is one line of configuration: "goos: linux".
type Pair struct{ Key, Value string }

// Value is one measurement of a result, in a tidied unit.
type Value struct {
	Unit  string
	Value float64
}

// Result is one line of output. Config is a number in Set.Configs.
type Result struct {
	Name       string
	Config     int
	Iterations int64
	Values     []Value
}

// UnitNote describes a unit: better=higher, assume=exact.
type UnitNote struct {
	Unit  string `json:"unit"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Counts holds counts of the input.
type Counts struct {
	Results    int64 `json:"results"`
	Benchmarks int64 `json:"benchmarks"`
	Units      int64 `json:"units"`
	Configs    int64 `json:"configs"`
	Malformed  int64 `json:"malformed"` // lines that begin like a result and are none
	Failed     int64 `json:"failed"`    // lines that report a failure
}

// Header is everything that is not a column.
type Header struct {
	Kind      string             `json:"kind"`
	Counts    Counts             `json:"counts"`
	UnitNotes []UnitNote         `json:"unit_notes"`
	Warnings  []string           `json:"warnings"`
	Source    profilefile.Source `json:"source"`
}

// Set is the output of one or more runs of benchmarks, in the order of the
// input. Configs are distinct, each in order of key.
type Set struct {
	Header  Header
	Configs [][]Pair
	Results []Result
}

// Write writes the set as a columnar container:
//
//   - strings_offset, strings_bytes
//   - result_name, result_config u32; result_iterations i64;
//     result_offset u32[n+1] into value_unit u32, value f64
//   - config_offset u32[m+1] into config_key, config_value u32
func (s *Set) Write(w io.Writer) error {
	t := &textTable{known: map[string]uint32{"": 0}, offsets: []uint32{0, 0}}
	var names, configs, units, keys, values []uint32
	var iterations []int64
	var numbers []float64
	resultOffset, configOffset := []uint32{0}, []uint32{0}
	for _, r := range s.Results {
		names, configs, iterations = append(names, t.add(r.Name)), append(configs, uint32(r.Config)), append(iterations, r.Iterations)
		for _, v := range r.Values {
			units, numbers = append(units, t.add(v.Unit)), append(numbers, v.Value)
		}
		resultOffset = append(resultOffset, uint32(len(units)))
	}
	for _, config := range s.Configs {
		for _, pair := range config {
			keys, values = append(keys, t.add(pair.Key)), append(values, t.add(pair.Value))
		}
		configOffset = append(configOffset, uint32(len(keys)))
	}
	return slowcol.Write(w, Format, Version, s.Header, []slowcol.Column{
		{Name: "strings_offset", Data: t.offsets}, {Name: "strings_bytes", Data: t.bytes},
		{Name: "result_name", Data: names}, {Name: "result_config", Data: configs}, {Name: "result_iterations", Data: iterations},
		{Name: "result_offset", Data: resultOffset}, {Name: "value_unit", Data: units}, {Name: "value", Data: numbers},
		{Name: "config_offset", Data: configOffset}, {Name: "config_key", Data: keys}, {Name: "config_value", Data: values},
	})
}

// textTable numbers strings by arrival; the empty one is 0.
type textTable struct {
	known   map[string]uint32
	offsets []uint32
	bytes   []byte
}

func (t *textTable) add(text string) uint32 {
	if n, ok := t.known[text]; ok {
		return n
	}
	n := uint32(len(t.offsets) - 1)
	t.known[text] = n
	t.bytes = append(t.bytes, text...)
	t.offsets = append(t.offsets, uint32(len(t.bytes)))
	return n
}

// count settles what the header counts.
func (s *Set) count() {
	names, units := map[string]bool{}, map[string]bool{}
	for _, r := range s.Results {
		names[r.Name] = true
		for _, v := range r.Values {
			units[v.Unit] = true
		}
	}
	c := &s.Header.Counts
	c.Results, c.Configs = int64(len(s.Results)), int64(len(s.Configs))
	c.Benchmarks, c.Units = int64(len(names)), int64(len(units))
}
