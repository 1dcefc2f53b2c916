// Package benchcompare compares two sets of benchmark results as benchstat
// does, with the same arithmetic (golang.org/x/perf/benchmath): medians with
// order-statistic intervals, the Mann-Whitney U test at 5 %, geometric means.
//
// benchstat compares only results whose configuration is the same. Two sides
// often differ in what the machine is called; then all results are compared
// all the same, and the differing keys are reported (Comparison.Differs), as
// "benchstat -ignore KEY" would.
package benchcompare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"slowpath.dev/decode/internal/benchfile"
)

const (
	confidence = 0.95
	alpha      = 0.05
)

// Sample is one side of a row. Low and High bound the center (95 %); nil where
// there are too few values.
type Sample struct {
	N      int       `json:"n"`
	Center float64   `json:"center"`
	Low    *float64  `json:"low"`
	High   *float64  `json:"high"`
	Values []float64 `json:"values"` // as measured, in order
}

// Row is one benchmark in one unit on both sides.
type Row struct {
	Name        string            `json:"name"`
	Unit        string            `json:"unit"`
	Config      map[string]string `json:"config"`
	Base        Sample            `json:"base"`
	Candidate   Sample            `json:"candidate"`
	Ratio       *float64          `json:"ratio"` // candidate / base; nil when base is 0 and candidate is not
	P           *float64          `json:"p"`     // nil for exact units
	Alpha       float64           `json:"alpha"`
	Significant bool              `json:"significant"`
	Better      *string           `json:"better"` // less, more, or nil: not known
	Exact       bool              `json:"exact"`  // the unit is declared to have no spread
	Warnings    []string          `json:"warnings"`
}

// Geomean is the geometric mean over all rows of a unit in a configuration.
type Geomean struct {
	Unit      string            `json:"unit"`
	Config    map[string]string `json:"config"`
	Rows      int               `json:"rows"`
	Base      *float64          `json:"base"`
	Candidate *float64          `json:"candidate"`
	Ratio     *float64          `json:"ratio"`
	Warnings  []string          `json:"warnings"`
}

// Unpaired is a benchmark that only one side has.
type Unpaired struct {
	Side   string  `json:"side"`
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	N      int     `json:"n"`
	Center float64 `json:"center"`
}

// Difference is a key of the configuration whose values differ between the
// sides, and which was therefore ignored.
type Difference struct {
	Key       string   `json:"key"`
	Base      []string `json:"base"`
	Candidate []string `json:"candidate"`
}

// Comparison is a whole comparison.
type Comparison struct {
	Rows     []Row        `json:"rows"`
	Geomeans []Geomean    `json:"geomeans"`
	Unpaired []Unpaired   `json:"unpaired"`
	Differs  []Difference `json:"differs"`
	Warnings []string     `json:"warnings"`
}

// Compare compares the results of two sides.
func Compare(base, candidate []*benchfile.Set) *Comparison {
	a := &Comparison{Rows: []Row{}, Geomeans: []Geomean{}, Unpaired: []Unpaired{}, Differs: []Difference{}, Warnings: []string{}}
	units := a.unitNotes(base, candidate)
	p := pair(base, candidate)
	a.Differs = append(a.Differs, p.differs...)
	for _, t := range p.tables {
		a.table(t, units)
	}
	return a
}

// unitNotes merges the unit notes of the files; the first word counts.
func (a *Comparison) unitNotes(sides ...[]*benchfile.Set) benchfmt.UnitMetadataMap {
	units := benchfmt.UnitMetadataMap{}
	for i, sets := range sides {
		for _, set := range sets {
			for _, warning := range set.Header.Warnings {
				a.warn("%s: %s", sideNames[i], warning)
			}
			for _, note := range set.Header.UnitNotes {
				key := benchfmt.UnitMetadataKey{Unit: note.Unit, Key: note.Key}
				if have := units[key]; have != nil && have.Value != note.Value {
					a.warn("unit-notes: The files disagree on %s of %s: %s and %s; the first counts.", note.Key, note.Unit, have.Value, note.Value)
					continue
				}
				units[key] = &benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: note.Unit, Value: note.Value}
			}
		}
	}
	return units
}

var sideNames = [2]string{"base", "candidate"}

func (a *Comparison) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

// table compares the rows of one unit in one configuration.
func (a *Comparison) table(t *table, units benchfmt.UnitMetadataMap) {
	mean := newGeomeanBuilder(t)
	assumption := units.GetAssumption(t.unit)
	for _, name := range t.names {
		cells := t.cells[name]
		row := Row{Name: name, Unit: t.unit, Config: t.config, Alpha: alpha, Warnings: []string{}, Better: better(units, t.unit)}
		row.Exact = assumption == benchmath.AssumeExact
		samples := [2]*benchmath.Sample{}
		for side, sample := range []*Sample{&row.Base, &row.Candidate} {
			if len(cells[side]) > 0 {
				samples[side] = benchmath.NewSample(slices.Clone(cells[side]), &benchmath.DefaultThresholds)
				sample.Values = cells[side]
				row.summarize(sample, samples[side], assumption, side)
				mean.centers[side] = append(mean.centers[side], sample.Center)
			}
		}
		if samples[0] == nil || samples[1] == nil {
			a.unpaired(row)
			continue
		}
		row.compare(samples[0], samples[1], assumption)
		mean.pair(row)
		a.Rows = append(a.Rows, row)
	}
	if mean.rows > 0 {
		a.Geomeans = append(a.Geomeans, mean.finish())
	}
}

func (a *Comparison) unpaired(row Row) {
	side, sample := 0, row.Base
	if sample.N == 0 {
		side, sample = 1, row.Candidate
	}
	a.Unpaired = append(a.Unpaired, Unpaired{sideNames[side], row.Name, row.Unit, sample.N, sample.Center})
}

func (r *Row) summarize(to *Sample, sample *benchmath.Sample, assumption benchmath.Assumption, side int) {
	summary := assumption.Summary(sample, confidence)
	to.N, to.Center, to.Low, to.High = len(sample.Values), summary.Center, finite(summary.Lo), finite(summary.Hi)
	for _, warning := range summary.Warnings {
		r.Warnings = append(r.Warnings, sideNames[side]+": "+warning.Error())
	}
}

// compare judges as benchstat's FormatDelta does: "~" is not significant.
func (r *Row) compare(base, candidate *benchmath.Sample, assumption benchmath.Assumption) {
	c := assumption.Compare(base, candidate)
	for _, warning := range c.Warnings {
		r.Warnings = append(r.Warnings, warning.Error())
	}
	if !r.Exact {
		r.P = finite(c.P)
	}
	r.Significant = !(c.P > c.Alpha) && r.Base.Center != r.Candidate.Center
	r.Ratio = ratio(r.Candidate.Center, r.Base.Center)
}

// ratio takes 0 to 0 as 1, as benchstat does; nil where it means nothing.
func ratio(candidate, base float64) *float64 {
	if candidate == base {
		one := 1.0
		return &one
	}
	return finite(candidate / base)
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// better returns in which direction a unit improves: as benchfmt knows it, else
// by its form, as for units that benchmarks report themselves.
func better(units benchfmt.UnitMetadataMap, unit string) *string {
	less, more := "less", "more"
	switch units.GetBetter(unit) {
	case -1:
		return &less
	case 1:
		return &more
	}
	switch {
	case units.Get(unit, "better") != nil:
		return nil
	case strings.HasSuffix(unit, "/op"):
		return &less
	case strings.HasSuffix(unit, "/s"), strings.HasSuffix(unit, "/sec"):
		return &more
	}
	return nil
}
