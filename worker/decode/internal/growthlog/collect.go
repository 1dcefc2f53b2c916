package growthlog

import (
	"encoding/binary"
	"fmt"
	"math"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/limits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/stacks"
)

// growth is one line of the table: a stack, leaf first, that grew count times
// from one size to another; sizes are 0 where the log does not tell.
type growth struct {
	stack    []frame
	oldBytes int64
	newBytes int64
	count    int64
}

// collector gathers growths into the table of a profile. Values wait for the
// rate, which is known only at the end.
type collector struct {
	limits limits.Limits
	table  *stacks.Table
	info   profilefile.Growth

	texts     map[string]int64
	functions map[functionKey]uint64
	locations map[locationKey]uint64
	sets      []uint32
	sizes     []int64 // old size of each row
	counts    []int64
	numbers   numbering
	totals    totals
	warnings  []string
}

type functionKey struct{ name, file int64 }

type locationKey struct {
	function uint64
	line     int64
}

func newCollector(bounds limits.Limits, dialect string) *collector {
	c := &collector{
		limits: bounds, table: stacks.NewTable(), texts: map[string]int64{},
		functions: map[functionKey]uint64{}, locations: map[locationKey]uint64{},
		info: profilefile.Growth{Dialect: dialect, Totals: []profilefile.GrowthTotal{}},
	}
	c.text("")
	for _, v := range [][2]string{{"sampled", "count"}, {"growths", "count"}, {"copied", "bytes"}} {
		c.table.SampleTypes = append(c.table.SampleTypes, stacks.ValueType{Type: c.text(v[0]), Unit: c.text(v[1])})
	}
	c.table.DefaultSampleType = c.text("growths")
	c.table.PeriodType = stacks.ValueType{Type: c.text("growths"), Unit: c.text("count")}
	return c
}

func (c *collector) warn(slug, format string, args ...any) {
	c.warnings = append(c.warnings, slug+": "+fmt.Sprintf(format, args...))
}

func (c *collector) text(s string) int64 {
	if i, ok := c.texts[s]; ok {
		return i
	}
	i := int64(c.table.Strings.Len())
	c.table.Strings.Append([]byte(s))
	c.texts[s] = i
	return i
}

// add takes one growth.
func (c *collector) add(g growth) error {
	var ids []byte
	for _, f := range g.stack {
		ids = binary.AppendUvarint(ids, c.location(f))
	}
	c.table.Stacks.Append(ids)
	c.sets = append(c.sets, c.labels(g))
	c.sizes = append(c.sizes, g.oldBytes)
	c.counts = append(c.counts, g.count)
	if c.info.Sampled > math.MaxInt64-g.count {
		return overflow()
	}
	c.info.Sampled += g.count
	return c.check()
}

func (c *collector) check() error {
	for _, bound := range []struct {
		thing         string
		limit, actual int64
	}{
		{"samples", c.limits.Samples, int64(len(c.counts))},
		{"functions", c.limits.Functions, int64(len(c.functions))},
		{"locations", c.limits.Locations, int64(len(c.locations))},
	} {
		if bound.actual > bound.limit {
			return fault.New("too-many-"+bound.thing, "The log has more than %d %s. Take a shorter one, or record fewer growths.", bound.limit, bound.thing).
				WithLimit(bound.limit, bound.actual, bound.thing)
		}
	}
	if size := c.table.Strings.Size(); size > c.limits.Strings {
		return fault.New("strings-too-large", "The names in this log take more than %d bytes. Take a shorter log.", c.limits.Strings).
			WithLimit(c.limits.Strings, size, "bytes")
	}
	return nil
}

func (c *collector) location(f frame) uint64 {
	key := functionKey{c.text(f.name), c.text(f.file)}
	function, ok := c.functions[key]
	if !ok {
		function = uint64(len(c.functions) + 1)
		c.functions[key] = function
		c.table.Functions.Append(stacks.Function{ID: function, Name: key.name, System: key.name, File: key.file})
	}
	place := locationKey{function, f.line}
	location, ok := c.locations[place]
	if !ok {
		location = uint64(len(c.locations) + 1)
		c.locations[place] = location
		c.table.Locations.Append(stacks.Location{ID: location, FirstLine: uint32(c.table.Lines.Len()), Lines: 1})
		c.table.Lines.Append(stacks.Line{Function: function, Line: f.line})
	}
	return location
}

// labels numbers the pair of sizes.
func (c *collector) labels(g growth) uint32 {
	var labels []stacks.Label
	for _, size := range []struct {
		key   string
		bytes int64
	}{{"old", g.oldBytes}, {"new", g.newBytes}} {
		if size.bytes > 0 {
			labels = append(labels, stacks.Label{Key: c.text(size.key), Number: size.bytes, Unit: c.text("bytes")})
		}
	}
	if labels == nil {
		return 0
	}
	raw := binary.AppendVarint(binary.AppendVarint(nil, g.oldBytes), g.newBytes)
	if n, ok := c.table.Labelsets.Known(raw); ok {
		return n
	}
	return c.table.Labelsets.Add(raw, labels)
}

// finish settles rate and totals and gives the decoded form.
func (c *collector) finish(options calltree.Options) (*profilefile.File, error) {
	c.settleRate()
	c.settleTotals()
	if len(c.counts) == 0 {
		if c.info.Total == nil {
			return nil, fault.New("no-growths", "The log holds no stack growth, and no totals that would say so. Was the program instrumented, and under load?").
				WithLimit(1, 0, "growths")
		}
		if err := c.add(growth{}); err != nil { // totals alone are an answer too: nothing was recorded
			return nil, err
		}
	}
	for row, count := range c.counts {
		growths, ok := times(count, c.info.Rate)
		copied, fits := times(growths, c.sizes[row])
		if !ok || !fits {
			return nil, overflow()
		}
		c.table.RowLabelset.Append(c.sets[row])
		for _, value := range []int64{count, growths, copied} {
			c.table.RowValues.Append(value)
		}
	}
	c.table.ValuesARow, c.table.Period = len(c.table.SampleTypes), c.info.Rate
	if c.info.DurationNs != nil {
		c.table.DurationNs = *c.info.DurationNs
	}
	options.Kind = profilefile.KindGrowth
	file, err := calltree.Build(c.table, options)
	if err != nil {
		return nil, err
	}
	c.sayOddities()
	file.Header.Growth = &c.info
	file.Header.Warnings = append(file.Header.Warnings, c.warnings...)
	return file, nil
}

// sayOddities warns of what may make the counts less than true.
func (c *collector) sayOddities() {
	i := &c.info
	if i.Truncated {
		c.warn("truncated-log", "The log ends inside a stack trace; what was there of it is kept.")
	}
	if i.CutStanzas > 0 {
		c.warn("cut-traces", "%d of %d stack traces end before their root: another line came between. They are kept under [root cut off].", i.CutStanzas, i.Sampled)
	}
	if i.OtherLines > 0 {
		c.warn("other-output", "%d lines are of something else and were passed over.", i.OtherLines)
	}
	if i.Shrunk > 0 {
		c.warn("shrinks", "%d copies of stacks were made by the garbage collector to shrink them: they are no growths and were left out.", i.Shrunk)
	}
}

// times multiplies numbers that are not negative; false when the product does
// not fit.
func times(a, b int64) (int64, bool) {
	if a != 0 && b > math.MaxInt64/a {
		return 0, false
	}
	return a * b, true
}

func overflow() error {
	return fault.New("value-overflow", "The counts of this log add up to more than 64 bits can hold, so no total would be true. The file is damaged.").
		WithLimit(math.MaxInt64, math.MaxInt64, "growths")
}

func tooDeep(limit, actual int64) error {
	return fault.New("too-deep", "A stack has more than %d frames. If the log is honest, raise --max-depth.", limit).WithLimit(limit, actual, "frames")
}
