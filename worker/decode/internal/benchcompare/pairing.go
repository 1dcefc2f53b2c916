package benchcompare

import (
	"fmt"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/benchfile"
)

// table gathers the values of one unit in one configuration, by benchmark and
// side, in order of appearance.
type table struct {
	unit   string
	config map[string]string
	names  []string
	cells  map[string]*[2][]float64
}

// pairing is all results, in tables.
type pairing struct {
	differs []Difference
	ignored map[string]bool
	tables  []*table
	byKey   map[string]*table
}

// procsKey represents the number behind a benchmark's name (-8).
const procsKey = "gomaxprocs"

func pair(base, candidate []*benchfile.Set) *pairing {
	p := &pairing{ignored: map[string]bool{}, byKey: map[string]*table{}}
	p.findDifferences([2][]*benchfile.Set{base, candidate})
	for side, sets := range [][]*benchfile.Set{base, candidate} {
		for _, set := range sets {
			for _, result := range set.Results {
				p.add(side, set.Configs[result.Config], result)
			}
		}
	}
	slices.SortStableFunc(p.tables, func(a, b *table) int { return strings.Compare(configText(a.config), configText(b.config)) })
	return p
}

// values gathers the values of every key on one side; "" represents absent.
func valuesOf(sets []*benchfile.Set) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	note := func(key, value string) {
		if all[key] == nil {
			all[key] = map[string]bool{}
		}
		all[key][value] = true
	}
	for _, set := range sets {
		for _, config := range set.Configs {
			for _, p := range config {
				note(p.Key, p.Value)
			}
		}
		for _, result := range set.Results {
			_, procs := cutProcs(result.Name)
			note(procsKey, procs)
		}
	}
	return all
}

// findDifferences finds the keys that have no value in common on the two
// sides: they differ between the sides, and can pair nothing.
func (p *pairing) findDifferences(sides [2][]*benchfile.Set) {
	base, candidate := valuesOf(sides[0]), valuesOf(sides[1])
	keys := map[string]bool{}
	for _, side := range []map[string]map[string]bool{base, candidate} {
		for key := range side {
			keys[key] = true
		}
	}
	for key := range keys {
		if !overlap(base[key], candidate[key]) {
			p.ignored[key] = true
			p.differs = append(p.differs, Difference{key, sorted(base[key]), sorted(candidate[key])})
		}
	}
	slices.SortFunc(p.differs, func(a, b Difference) int { return strings.Compare(a.Key, b.Key) })
}

func overlap(a, b map[string]bool) bool {
	for value := range a {
		if b[value] {
			return true
		}
	}
	return false
}

func sorted(values map[string]bool) []string {
	list := []string{}
	for value := range values {
		list = append(list, value)
	}
	slices.Sort(list)
	return list
}

func (p *pairing) add(side int, config []benchfile.Pair, result benchfile.Result) {
	name := result.Name
	if p.ignored[procsKey] {
		name, _ = cutProcs(name)
	}
	retained := map[string]string{}
	for _, pair := range config {
		if !p.ignored[pair.Key] {
			retained[pair.Key] = pair.Value
		}
	}
	text := configText(retained)
	for _, v := range result.Values {
		t := p.byKey[text+"\x00"+v.Unit]
		if t == nil {
			t = &table{unit: v.Unit, config: retained, cells: map[string]*[2][]float64{}}
			p.byKey[text+"\x00"+v.Unit] = t
			p.tables = append(p.tables, t)
		}
		cell := t.cells[name]
		if cell == nil {
			cell = &[2][]float64{}
			t.cells[name] = cell
			t.names = append(t.names, name)
		}
		cell[side] = append(cell[side], v.Value)
	}
}

// cutProcs splits "Encode/size=1-8" into the name and "8".
func cutProcs(name string) (rest, procs string) {
	at := strings.LastIndexByte(name, '-')
	if at < 0 || at == len(name)-1 || strings.Trim(name[at+1:], "0123456789") != "" {
		return name, ""
	}
	return name[:at], name[at+1:]
}

func configText(config map[string]string) string {
	pairs := []string{}
	for key, value := range config {
		pairs = append(pairs, fmt.Sprintf("%q=%q", key, value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, " ")
}
