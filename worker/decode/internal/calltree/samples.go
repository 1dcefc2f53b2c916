package calltree

import (
	"math"

	"slowpath.dev/decode/internal/fault"
)

// mergeSamples is step 5: rows are ordered by stack and labels, and equal ones
// added.
func (b *builder) mergeSamples() error {
	t := b.table
	rows := t.RowLeaf.Len()
	place := make([]uint32, rows)
	row := 0
	for leaf := range t.RowLeaf.All() {
		if at, cut := b.lineOfCut[leaf]; cut {
			place[row] = b.linePosition[at]
		} else {
			place[row] = b.linePosition[b.lineOfNode[leaf]]
		}
		row++
	}
	b.lineOfNode, b.lineOfCut, b.linePosition = nil, nil, nil
	t.RowLeaf.Release()
	order := identity(rows)
	var labelset []uint32
	if t.Labelsets.Len() > 1 {
		labelset = make([]uint32, rows)
		for row := range rows {
			labelset[row] = b.dictionary.labelsetRank[t.RowLabelset.At(row)]
		}
		order = countingOrder(order, labelset, t.Labelsets.Len())
	}
	order = countingOrder(order, place, len(b.file.LineNodeParent))
	return b.writeSamples(order, place, labelset)
}

func (b *builder) writeSamples(order, place, labelset []uint32) error {
	f, t := b.file, b.table
	types := len(t.SampleTypes)
	f.Values = make([][]int64, types)
	anyLabels := false
	for i, row := range order {
		same := i > 0 && place[order[i-1]] == place[row] && (labelset == nil || labelset[order[i-1]] == labelset[row])
		if !same {
			if i == 0 || place[order[i-1]] != place[row] {
				f.Header.Counts.Stacks++
			}
			f.SampleLineNode = append(f.SampleLineNode, place[row])
			if labelset != nil {
				f.SampleLabelset = append(f.SampleLabelset, labelset[row])
				anyLabels = anyLabels || labelset[row] != 0
			}
		}
		for k := range types {
			value := t.RowValues.At(int(row)*types + k)
			if !same {
				f.Values[k] = append(f.Values[k], value)
				continue
			}
			last := &f.Values[k][len(f.Values[k])-1]
			if overflows(*last, value) {
				return overflow()
			}
			*last += value
		}
	}
	if !anyLabels {
		f.SampleLabelset, f.LabelsetOffset, f.LabelsetLabel, f.LabelKey, f.LabelValue = nil, nil, nil, nil, nil
	}
	return b.checkValues()
}

func overflows(a, b int64) bool {
	return b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b
}

func overflow() error {
	return fault.New("value-overflow", "The values of this profile add up to more than 64 bits can hold, so no total would be true. The file is damaged or was written by a broken program.").
		WithActual(math.MaxInt64, "values")
}

// checkValues proves that totals fit 64 bits, and refuses negative values
// where they make no sense.
func (b *builder) checkValues() error {
	negative, lowest := 0, int64(0)
	positive := false
	for _, values := range b.file.Values {
		total := int64(0)
		for _, value := range values {
			if overflows(total, value) {
				return overflow()
			}
			total += value
			if value < 0 {
				negative++
				lowest = min(lowest, value)
			}
			positive = positive || value > 0
		}
	}
	if negative == 0 && !positive {
		b.warn("all-zero", "Every value of this profile is 0.")
	}
	if negative == 0 {
		return nil
	}
	if b.mayBeNegative() {
		b.warn("negative-values", plural(negative, "value")+" are below 0: this profile is a difference of two others, and shares of its total mean nothing.")
		return nil
	}
	return fault.New("negative-values", "%s below 0 in a profile that is not a difference. If it was made by subtracting one profile from another, upload the two instead: a comparison needs both.", plural(negative, "value")).
		WithLimit(0, lowest, b.file.Header.SampleTypes[0].Unit)
}

// mayBeNegative tells whether the profile is a difference: marked so by pprof
// (-diff_base), or a window of a cumulative kind (Go's ?seconds=N subtracts
// two snapshots, and memory in use may have shrunk).
func (b *builder) mayBeNegative() bool {
	if b.options.AllowNegative {
		return true
	}
	h := &b.file.Header
	if h.Kind != "cpu" && h.Kind != "other" && h.DurationNs > 0 {
		return true
	}
	for _, key := range b.file.LabelKey {
		if b.file.String(key) == "pprof::base" {
			return true
		}
	}
	return false
}
