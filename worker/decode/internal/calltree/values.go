package calltree

import (
	"math"

	"slowpath.dev/decode/internal/inputerror"
)

func overflows(a, b int64) bool {
	return b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b
}

func overflow() error {
	return inputerror.New("value-overflow", "The values of this profile add up to more than 64 bits can hold, so totals cannot be computed. The file is damaged, or was written by a broken program.").
		WithLimit(math.MaxInt64, math.MaxInt64, "values")
}

// checkValues proves that totals fit 64 bits, and refuses negative values
// where they make no sense.
func (b *builder) checkValues() error {
	negative, lowest, unit, positive := 0, int64(0), "", false
	for k, values := range b.file.Values {
		total := int64(0)
		for _, value := range values {
			if overflows(total, value) {
				return overflow()
			}
			total += value
			positive = positive || value > 0
			if value < 0 {
				negative++
			}
			if value < lowest {
				lowest, unit = value, b.file.Header.SampleTypes[k].Unit
			}
		}
	}
	switch {
	case negative == 0 && !positive:
		b.warn("all-zero", "Every value of this profile is 0.")
	case negative == 0:
	case b.isDifference():
		b.warn("negative-values", plural(negative, "value")+" below 0: this profile is the difference of two others, and shares of its total mean little.")
	default:
		return inputerror.New("negative-values", "%s below 0 in a profile that is not a difference. If it was made by subtracting one profile from another, upload those two instead: a comparison needs both.", plural(negative, "value")).
			WithLimit(0, lowest, unit)
	}
	return nil
}

// isDifference reports whether a profile may have negative values: it is marked
// by pprof (-diff_base), or it is a window of a cumulative kind (Go's
// ?seconds=N subtracts two snapshots, and memory in use may have shrunk).
func (b *builder) isDifference() bool {
	h := &b.file.Header
	if b.options.AllowNegative || h.Kind != "cpu" && h.Kind != "other" && h.DurationNs > 0 {
		return true
	}
	for _, l := range b.dictionary.labels {
		if b.dictionary.texts.all[l.key] == "pprof::base" {
			return true
		}
	}
	return false
}
