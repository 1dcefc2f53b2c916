package profiletables

import (
	"slowpath.dev/decode/internal/inputerror"
)

// Index finds the position of an id in its table.
type Index struct {
	ordered uint64   // ids are 1 to this number, in order, as Go writes them; the rest is empty then
	dense   []uint32 // position+1 by id, for ids that are small
	sparse  map[uint64]uint32
}

// Find returns the position of id, or false.
func (x *Index) Find(id uint64) (int, bool) {
	if id-1 < x.ordered { // 0 is no id
		return int(id - 1), true
	}
	if id < uint64(len(x.dense)) {
		return int(x.dense[id]) - 1, x.dense[id] != 0
	}
	i, ok := x.sparse[id]
	return int(i), ok
}

// newIndex refuses ids that appear twice. what names the table.
func newIndex(what string, n int, id func(int) uint64) (Index, error) {
	ordered := 0
	for ordered < n && id(ordered) == uint64(ordered)+1 {
		ordered++
	}
	if ordered == n {
		return Index{ordered: uint64(n)}, nil
	}
	x := Index{dense: make([]uint32, 2*n+1)}
	for i := range n {
		key := id(i)
		if _, twice := x.Find(key); twice {
			return x, inputerror.New("duplicate-id", "The profile has two %ss with the id %d. Perhaps two profiles were joined byte by byte: upload them one by one, or merge them with 'go tool pprof -proto A B'.", what, key)
		}
		if key < uint64(len(x.dense)) {
			x.dense[key] = uint32(i) + 1
			continue
		}
		if x.sparse == nil {
			x.sparse = make(map[uint64]uint32)
		}
		x.sparse[key] = uint32(i)
	}
	return x, nil
}

// Indexes are the tables of a checked profile by id.
type Indexes struct {
	Functions, Locations, Mappings Index
}

// Check proves that everything a table names is there: after it, no reader needs
// to check an index. It is called once, when reading has ended.
func (t *Table) Check() (*Indexes, error) {
	var x Indexes
	var err error
	if x.Mappings, err = newIndex("mapping", len(t.Mappings), func(i int) uint64 { return t.Mappings[i].ID }); err != nil {
		return nil, err
	}
	if x.Functions, err = newIndex("function", t.Functions.Len(), func(i int) uint64 { return t.Functions.At(i).ID }); err != nil {
		return nil, err
	}
	if x.Locations, err = newIndex("location", t.Locations.Len(), func(i int) uint64 { return t.Locations.At(i).ID }); err != nil {
		return nil, err
	}
	if err := t.checkValues(); err != nil {
		return nil, err
	}
	if err := t.checkTexts(); err != nil {
		return nil, err
	}
	return &x, t.checkLines(&x.Functions)
}

func (t *Table) checkValues() error {
	if t.RowLabelset.Len() == 0 {
		return nil
	}
	if len(t.SampleTypes) == 0 {
		return inputerror.New("no-sample-types", "The profile has samples but no sample_type, so what they count is unknown. It was written by a broken program: record the profile again.")
	}
	if t.ValuesPerRow != len(t.SampleTypes) {
		return inputerror.New("value-count", "The samples have %d values, but the profile has %d sample types. It was written by a broken program, or is damaged.", t.ValuesPerRow, len(t.SampleTypes)).
			WithLimit(int64(len(t.SampleTypes)), int64(t.ValuesPerRow), "values")
	}
	return nil
}

func (t *Table) checkTexts() error {
	check := textCheck{strings: int64(t.Strings.Len())}
	for _, v := range append([]ValueType{t.PeriodType}, t.SampleTypes...) {
		check.index(v.Type, "a sample type")
		check.index(v.Unit, "a sample type's unit")
	}
	check.index(t.DefaultSampleType, "the default sample type")
	check.index(t.DropFrames, "drop_frames")
	check.index(t.KeepFrames, "keep_frames")
	for _, comment := range t.Comments {
		check.index(comment, "a comment")
	}
	for _, m := range t.Mappings {
		check.index(m.File, "a mapping")
		check.index(m.BuildID, "a mapping's build id")
	}
	for f := range t.Functions.All() {
		check.index(f.Name, "a function's name")
		check.index(f.System, "a function's system name")
		check.index(f.File, "a function's file")
	}
	for _, l := range t.Labelsets.labels {
		check.index(l.Key, "a label's key")
		check.index(l.Text, "a label's value")
		check.index(l.Unit, "a label's unit")
	}
	return check.err
}

// textCheck keeps the first index that is out of range.
type textCheck struct {
	strings int64
	err     error
}

func (c *textCheck) index(i int64, what string) {
	if c.err != nil || i == 0 || i > 0 && i < c.strings {
		return
	}
	c.err = inputerror.New("string-index", "The text of %s is string number %d, but the profile has %d strings. The file is damaged: record the profile again.", what, i, c.strings).
		WithLimit(c.strings-1, i, "strings")
}

func (t *Table) checkLines(functions *Index) error {
	for location := range t.Locations.All() {
		for i := range location.Lines {
			line := t.Lines.At(int(location.FirstLine + i))
			if _, ok := functions.Find(line.Function); !ok {
				return inputerror.New("unknown-function", "Location %d has a line of function %d, which the profile does not have. The file is damaged: record the profile again.", location.ID, line.Function)
			}
		}
	}
	return nil
}
