package growthlog

import (
	"encoding/binary"
	"fmt"
	"math"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profiletables"
)

// growth is one line of the table: a stack, leaf first, that grew count times
// from one size to another; sizes are 0 where the log does not have them.
type growth struct {
	stack    []frame
	oldBytes int64
	newBytes int64
	count    int64
}

// profileBuilder gathers growths into the table of a profile. Values wait for the
// rate, which is known only at the end.
type profileBuilder struct {
	limits inputlimits.Limits
	table  *profiletables.Table
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

func newProfileBuilder(bounds inputlimits.Limits, dialect string) *profileBuilder {
	c := &profileBuilder{
		limits: bounds, table: profiletables.NewTable(), texts: map[string]int64{},
		functions: map[functionKey]uint64{}, locations: map[locationKey]uint64{},
		info: profilefile.Growth{Dialect: dialect, Totals: []profilefile.GrowthTotal{}},
	}
	c.text("")
	for _, v := range [][2]string{{"sampled", "count"}, {"growths", "count"}, {"copied", "bytes"}} {
		c.table.SampleTypes = append(c.table.SampleTypes, profiletables.ValueType{Type: c.text(v[0]), Unit: c.text(v[1])})
	}
	c.table.DefaultSampleType = c.text("growths")
	c.table.PeriodType = profiletables.ValueType{Type: c.text("growths"), Unit: c.text("count")}
	return c
}

func (c *profileBuilder) warn(slug, format string, args ...any) {
	c.warnings = append(c.warnings, slug+": "+fmt.Sprintf(format, args...))
}

func (c *profileBuilder) text(s string) int64 {
	if i, ok := c.texts[s]; ok {
		return i
	}
	i := int64(c.table.Strings.Len())
	c.table.Strings.Append([]byte(s))
	c.texts[s] = i
	return i
}

// add takes one growth.
func (c *profileBuilder) add(g growth) error {
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

func (c *profileBuilder) check() error {
	for _, bound := range []struct {
		thing         string
		limit, actual int64
	}{
		{"samples", c.limits.Samples, int64(len(c.counts))},
		{"functions", c.limits.Functions, int64(len(c.functions))},
		{"locations", c.limits.Locations, int64(len(c.locations))},
	} {
		if bound.actual > bound.limit {
			return inputerror.New("too-many-"+bound.thing, "The log has more than %d %s. Take a shorter one, or record fewer growths.", bound.limit, bound.thing).
				WithLimit(bound.limit, bound.actual, bound.thing)
		}
	}
	if size := c.table.Strings.Size(); size > c.limits.Strings {
		return inputerror.New("strings-too-large", "The names in this log take more than %d bytes. Take a shorter log.", c.limits.Strings).
			WithLimit(c.limits.Strings, size, "bytes")
	}
	return nil
}

func (c *profileBuilder) location(f frame) uint64 {
	key := functionKey{c.text(f.name), c.text(f.file)}
	function, ok := c.functions[key]
	if !ok {
		function = uint64(len(c.functions) + 1)
		c.functions[key] = function
		c.table.Functions.Append(profiletables.Function{ID: function, Name: key.name, System: key.name, File: key.file})
	}
	place := locationKey{function, f.line}
	location, ok := c.locations[place]
	if !ok {
		location = uint64(len(c.locations) + 1)
		c.locations[place] = location
		c.table.Locations.Append(profiletables.Location{ID: location, FirstLine: uint32(c.table.Lines.Len()), Lines: 1})
		c.table.Lines.Append(profiletables.Line{Function: function, Line: f.line})
	}
	return location
}

// labels numbers the pair of sizes.
func (c *profileBuilder) labels(g growth) uint32 {
	var labels []profiletables.Label
	for _, size := range []struct {
		key   string
		bytes int64
	}{{"old", g.oldBytes}, {"new", g.newBytes}} {
		if size.bytes > 0 {
			labels = append(labels, profiletables.Label{Key: c.text(size.key), Number: size.bytes, Unit: c.text("bytes")})
		}
	}
	if labels == nil {
		return 0
	}
	raw := binary.AppendVarint(binary.AppendVarint(nil, g.oldBytes), g.newBytes)
	if n, ok := c.table.Labelsets.Find(raw); ok {
		return n
	}
	return c.table.Labelsets.Add(raw, labels)
}

// finish computes rate and totals and returns the decoded form.
func (c *profileBuilder) finish(options calltree.Options) (*profilefile.File, error) {
	c.computeRate()
	c.computeTotals()
	if len(c.counts) == 0 {
		if c.info.Total == nil {
			return nil, inputerror.New("no-growths", "The log has neither stack growths nor totals. Was the program instrumented, and under load?").
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
	c.table.ValuesPerRow, c.table.Period = len(c.table.SampleTypes), c.info.Rate
	if c.info.DurationNs != nil {
		c.table.DurationNs = *c.info.DurationNs
	}
	options.Kind = profilefile.KindGrowth
	file, err := calltree.Build(c.table, options)
	if err != nil {
		return nil, err
	}
	c.addWarnings()
	file.Header.Growth = &c.info
	file.Header.Warnings = append(file.Header.Warnings, c.warnings...)
	return file, nil
}

// addWarnings warns of what may make the counts less than true.
func (c *profileBuilder) addWarnings() {
	i := &c.info
	if i.Truncated {
		c.warn("truncated-log", "The log ends inside a stack trace; its frames up to there were read.")
	}
	if i.CutStanzas > 0 {
		c.warn("cut-traces", "%d of %d stack traces end before their root: another line came between. Their root is [root cut off].", i.CutStanzas, i.Sampled)
	}
	if i.OtherLines > 0 {
		c.warn("other-output", "%d lines are of something else and were passed over.", i.OtherLines)
	}
	if i.Shrunk > 0 {
		c.warn("shrinks", "%d copies of stacks were made by the garbage collector to shrink them: they are not growths and were left out.", i.Shrunk)
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
	return inputerror.New("value-overflow", "The counts of this log add up to more than 64 bits can hold, so totals cannot be computed. The file is damaged.").
		WithLimit(math.MaxInt64, math.MaxInt64, "growths")
}

func tooDeep(limit, actual int64) error {
	return inputerror.New("too-deep", "A stack has more than %d frames. If the log is valid, raise --max-depth.", limit).WithLimit(limit, actual, "frames")
}
