package compilerdiff

import (
	"encoding/binary"
	"sort"

	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
	"slowpath.dev/decode/internal/profiletables"
)

// Reasons why no profile gives values of instructions.
const (
	SamplesNoProfiles  = "no-profiles"
	SamplesNoBuildID   = "no-build-id"
	SamplesOtherBuild  = "other-build"
	SamplesNoAddresses = "no-addresses"
	SamplesOtherType   = "other-type" // than the profiles that were used: never the reason of a listing
)

// cpuType is the sample type of CPU profiles.
const cpuType = "cpu"

// Samples is which profiles gave values of instructions: those with addresses of
// this build. Values are of their default sample type.
type Samples struct {
	Type     string  `json:"type"`
	Unit     string  `json:"unit"`
	Used     int     `json:"used"`
	Profiles int     `json:"profiles"`
	Total    int64   `json:"total"` // of all samples in the profiles used
	Reason   *string `json:"reason"`
}

// addSamples adds the values of the profiles at these paths to instructions.
func (l *Listing) addSamples(p *gobinary.Program, function int, paths []string) error {
	l.Samples.Profiles = len(paths)
	reason := SamplesNoProfiles
	for _, path := range paths {
		table, err := pprofread.ReadTable(path, inputlimits.Default())
		if err != nil {
			return err
		}
		if unusable := l.addProfile(p, function, table); unusable != "" {
			reason = unusable
		} else {
			l.Samples.Used++
		}
	}
	if l.Samples.Used == 0 {
		l.Samples.Reason = &reason
	}
	return nil
}

// addProfile adds the values of one profile, or states why it has none.
func (l *Listing) addProfile(p *gobinary.Program, function int, t *profiletables.Table) (unusable string) {
	mappings, reason := mappingsOf(p, t)
	if len(mappings) == 0 {
		return reason
	}
	column := defaultColumn(t)
	if column < 0 {
		return SamplesNoAddresses
	}
	places, hasAddresses := l.places(p, function, t, mappings)
	if !hasAddresses {
		return SamplesNoAddresses
	}
	kind := t.SampleTypes[column]
	if isOther := l.Samples.Type != string(t.Strings.At(kind.Type)); l.Samples.Used > 0 && isOther {
		if string(t.Strings.At(kind.Type)) != cpuType {
			return SamplesOtherType
		}
		l.dropSamples() // CPU time comes first, whatever the order of the profiles is
	}
	l.Samples.Type, l.Samples.Unit = string(t.Strings.At(kind.Type)), string(t.Strings.At(kind.Unit))
	row := 0
	for stack := range t.Stacks.Drain() {
		value := t.RowValues.At(row*t.ValuesPerRow + column)
		row++
		l.Samples.Total += value
		l.addStack(stack, places, value)
	}
	return ""
}

// dropSamples removes the values of profiles of another type.
func (l *Listing) dropSamples() {
	l.Samples.Used, l.Samples.Total = 0, 0
	for i := range l.Instructions {
		l.Instructions[i].Self, l.Instructions[i].Total = 0, 0
	}
}

// addStack adds a sample; a function that calls itself counts once.
func (l *Listing) addStack(stack []byte, places map[uint64]int, value int64) {
	counted := -1
	for isLeaf := true; len(stack) > 0; isLeaf = false {
		id, n := binary.Uvarint(stack)
		if n <= 0 {
			return
		}
		stack = stack[n:]
		at, known := places[id]
		if !known {
			continue
		}
		if isLeaf {
			l.Instructions[at].Self += value
		}
		if counted < 0 {
			counted = at
			l.Instructions[at].Total += value
		}
	}
}

// mappingsOf returns the mappings of a program's build by their ids.
func mappingsOf(p *gobinary.Program, t *profiletables.Table) (found map[uint64]profiletables.Mapping, reason string) {
	found, reason = map[uint64]profiletables.Mapping{}, SamplesNoBuildID
	for _, each := range t.Mappings {
		if each.BuildID < 0 || each.BuildID >= int64(t.Strings.Len()) {
			continue
		}
		switch id := string(t.Strings.At(each.BuildID)); {
		case id != "" && id == p.BuildID:
			found[each.ID] = each
		case id != "":
			reason = SamplesOtherBuild
		}
	}
	return found, reason
}

// defaultColumn returns the column of the default sample type, as pprof chooses it.
func defaultColumn(t *profiletables.Table) int {
	column := min(len(t.SampleTypes), t.ValuesPerRow) - 1
	for i, each := range t.SampleTypes[:column+1] {
		isText := each.Type >= 0 && each.Type < int64(t.Strings.Len()) && each.Unit >= 0 && each.Unit < int64(t.Strings.Len())
		if !isText {
			return -1
		}
		if t.DefaultSampleType > 0 && each.Type == t.DefaultSampleType {
			column = i
		}
	}
	return column
}

// places returns the instruction of each location of the function, by the location's
// id, and whether any location has an address.
func (l *Listing) places(p *gobinary.Program, function int, t *profiletables.Table, mappings map[uint64]profiletables.Mapping) (found map[uint64]int, hasAddresses bool) {
	found = map[uint64]int{}
	for each := range t.Locations.All() {
		mapping, isOurs := mappings[each.Mapping]
		if !isOurs || each.Address == 0 {
			continue
		}
		hasAddresses = true
		if function < 0 {
			continue
		}
		addr, ok := p.AddressOf(each.Address, mapping.Start, mapping.Offset)
		offset := addr - p.Functions[function].Entry
		if !ok || offset >= uint64(p.Functions[function].Size) || len(l.Instructions) == 0 {
			continue
		}
		next := sort.Search(len(l.Instructions), func(i int) bool { return uint64(l.Instructions[i].Offset) > offset })
		if next == len(l.Instructions) && l.Omitted > 0 {
			continue
		}
		found[each.ID] = next - 1
	}
	return found, hasAddresses
}
