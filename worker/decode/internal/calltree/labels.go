package calltree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// label is one label of the decoded form; texts are numbered by arrival until
// orderLabelsets.
type label struct{ key, value uint32 }

// quantity is the value of a numeric label; the unit is a number of texts.
type quantity struct {
	number int64
	unit   uint32
}

// maxUnitBytes bounds a unit where it is written out behind a number, once for
// each number.
const maxUnitBytes = 64

func shortUnit(unit string) string {
	if len(unit) <= maxUnitBytes {
		return unit
	}
	return strings.ToValidUTF8(unit[:maxUnitBytes], "") + " (cut)"
}

// readLabels returns the labels of every set, numeric ones as text with their
// unit. Labels without any value do not count, as in pprof.
func (b *builder) readLabels() ([][]label, error) {
	sets := b.table.Labelsets.Len()
	if sets < 2 {
		return nil, nil
	}
	units := b.defaultUnits()
	all := make([][]label, sets)
	texts := b.dictionary.texts
	quantities := map[quantity]uint32{}
	for n := uint32(1); n < uint32(sets); n++ {
		for _, l := range b.table.Labelsets.At(n) {
			if l.Text == 0 && l.Number == 0 && l.Unit == 0 {
				continue
			}
			value := texts.of(l.Text)
			if l.Text == 0 {
				amount := quantity{l.Number, texts.of(l.Unit)}
				if amount.unit == 0 {
					amount.unit = units[l.Key]
				}
				known, ok := quantities[amount]
				if !ok {
					known = texts.add(fmt.Sprintf("%d %s", amount.number, shortUnit(texts.all[amount.unit])))
					quantities[amount] = known
				}
				value = known
			}
			all[n] = append(all[n], label{texts.of(l.Key), value})
		}
		if err := texts.check(b.options.Limits.Strings); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// defaultUnits returns the unit of numeric labels that come without one, as
// pprof infers it: the first unit met under that key, else bytes for the keys
// that C++ allocators use, else the key itself.
func (b *builder) defaultUnits() map[int64]uint32 {
	units := map[int64]uint32{}
	inferred := map[int64]uint32{}
	texts := b.dictionary.texts
	for n := uint32(1); n < uint32(b.table.Labelsets.Len()); n++ {
		for _, l := range b.table.Labelsets.At(n) {
			if l.Text != 0 {
				continue
			}
			if _, ok := units[l.Key]; !ok && l.Unit != 0 {
				units[l.Key] = texts.of(l.Unit)
			}
			if _, ok := inferred[l.Key]; !ok {
				inferred[l.Key] = texts.add(inferUnit(texts.at(l.Key)))
			}
		}
	}
	for key, unit := range inferred {
		if units[key] == 0 {
			units[key] = unit
		}
	}
	return units
}

func inferUnit(key string) string {
	if key == "alignment" || key == "request" {
		return "bytes"
	}
	return key
}

// orderLabelsets numbers labels and sets in order of their texts, folds sets
// that turn out equal, and writes the columns of sets.
func (b *builder) orderLabelsets(sets [][]label) {
	if sets == nil {
		return
	}
	f, d := b.file, &b.dictionary
	known := []label{}
	for _, set := range sets {
		for i := range set {
			set[i] = label{d.texts.rank[set[i].key], d.texts.rank[set[i].value]}
		}
		slices.SortFunc(set, compareLabels)
		known = append(known, set...)
	}
	slices.SortFunc(known, compareLabels)
	known = slices.Compact(known)
	d.labels = known
	order := identity(len(sets))
	compare := func(x, y uint32) int { return slices.CompareFunc(sets[x], sets[y], compareLabels) }
	slices.SortStableFunc(order, compare)
	d.sets = make([]uint32, len(sets))
	f.LabelsetOffset = []uint32{0}
	for i, n := range order {
		if i == 0 || compare(order[i-1], n) != 0 {
			for _, l := range sets[n] {
				at, _ := slices.BinarySearchFunc(known, l, compareLabels)
				f.LabelsetLabel = append(f.LabelsetLabel, uint32(at))
			}
			f.LabelsetOffset = append(f.LabelsetOffset, uint32(len(f.LabelsetLabel)))
		}
		d.sets[n] = uint32(len(f.LabelsetOffset) - 2)
	}
}

func compareLabels(a, b label) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value))
}

// summarizeLabels adds the samples of a brief file up by their set of labels: what
// a diff by label reads, without the samples. Only CPU time has such a diff.
func (b *builder) summarizeLabels() {
	f := b.file
	if !b.options.Brief || f.SampleLabelset == nil || f.Header.Kind != "cpu" {
		return
	}
	f.LabelsetValues = make([][]int64, len(f.Values))
	for k, values := range f.Values {
		f.LabelsetValues[k] = make([]int64, len(f.LabelsetOffset)-1)
		for sample, value := range values {
			f.LabelsetValues[k][f.SampleLabelset[sample]] += value
		}
	}
}
