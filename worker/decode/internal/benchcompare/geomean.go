package benchcompare

import "math"

// geomeanBuilder gathers what the geometric means of a table are made of.
type geomeanBuilder struct {
	table   *table
	rows    int
	centers [2][]float64
	ratios  []float64
	bad     bool // a ratio means nothing
}

func newGeomeanBuilder(t *table) *geomeanBuilder { return &geomeanBuilder{table: t} }

func (m *geomeanBuilder) pair(row Row) {
	m.rows++
	if row.Ratio == nil {
		m.bad = true
		return
	}
	m.ratios = append(m.ratios, *row.Ratio)
}

// finish returns the means of the centers of each side, and of the ratios:
// identical to the ratio of the means when both sides have the same benchmarks.
func (m *geomeanBuilder) finish() Geomean {
	g := Geomean{Unit: m.table.unit, Config: m.table.config, Rows: m.rows, Warnings: []string{}}
	if len(m.centers[0]) != m.rows {
		g.Warnings = append(g.Warnings, "benchmark set differs from baseline; geomeans may not be comparable")
	}
	g.Base, g.Candidate = finite(geomean(m.centers[0])), finite(geomean(m.centers[1]))
	if g.Base == nil || g.Candidate == nil {
		g.Warnings = append(g.Warnings, "summaries must be >0 to compute geomean")
	}
	if m.bad {
		return g
	}
	if g.Ratio = finite(geomean(m.ratios)); g.Ratio == nil {
		g.Warnings = append(g.Warnings, "ratios must be >0 to compute geomean")
	}
	return g
}

// geomean is exp(mean(log x)); NaN when there is none.
func geomean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if v <= 0 {
			return math.NaN()
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
