package tracedecode

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profiletables"
	"slowpath.dev/decode/internal/tracestate"
)

// The kinds of profiles that a trace holds.
const (
	kindSamples = "trace-cpu"
	kindDelays  = "trace-delay"
)

// samplePeriodNs is the time between CPU samples: the runtime takes 100 a
// second unless it is set otherwise, which a trace does not show.
const samplePeriodNs = 10_000_000

// profiles makes the profiles that were asked for: where CPU samples were
// taken, and where goroutines were blocked before they had to wait for a
// processor. Every stack is placed under a root named like the group, so that a
// picture of them shows groups first.
func (p *pass) profiles(result *Result) (err error) {
	if !p.options.Profiles {
		return nil
	}
	if p.machine.Totals.Samples > 0 {
		if result.CPUSamples, err = p.sampleProfile(); err != nil {
			return err
		}
	}
	if p.file.Header.Totals.Waits > 0 {
		result.Delays, err = p.delayProfile()
	}
	return err
}

// profile is a profile that is being put together.
type profile struct {
	pass  *pass
	table *profiletables.Table
	roots map[string]uint64 // locations made for groups and reasons
	texts int64             // strings in the table
	key   []byte
}

// newProfile copies the trace's strings, then its frames: location and function
// i+1 are frame i.
func (p *pass) newProfile(sampleTypes [][2]string) *profile {
	b := &profile{pass: p, table: profiletables.NewTable(), roots: map[string]uint64{}}
	t := b.table
	for i := range p.names.Len() {
		b.text(p.names.At(uint32(i)))
	}
	frames, _, _ := p.machine.Stacks.Columns()
	for i, f := range frames {
		id := uint64(i + 1)
		t.Functions.Append(profiletables.Function{ID: id, Name: int64(f.Function), System: int64(f.Function), File: int64(f.File)})
		b.location(id, int64(f.Line))
	}
	for _, v := range sampleTypes {
		t.SampleTypes = append(t.SampleTypes, profiletables.ValueType{Type: b.text(v[0]), Unit: b.text(v[1])})
	}
	t.DefaultSampleType = t.SampleTypes[len(t.SampleTypes)-1].Type
	t.ValuesPerRow = len(sampleTypes)
	t.DurationNs = p.now
	if p.wallStart != nil {
		t.TimeNs = *p.wallStart
	}
	return b
}

func (b *profile) text(s string) int64 {
	b.table.Strings.Append([]byte(s))
	b.texts++
	return b.texts - 1
}

func (b *profile) location(id uint64, line int64) {
	b.table.Locations.Append(profiletables.Location{ID: id, FirstLine: uint32(b.table.Lines.Len()), Lines: 1})
	b.table.Lines.Append(profiletables.Line{Function: id, Line: line})
}

// root returns the location of a frame that no code has.
func (b *profile) root(name string) uint64 {
	if id, ok := b.roots[name]; ok {
		return id
	}
	id := uint64(b.table.Locations.Len() + 1)
	text := b.text(name)
	b.table.Functions.Append(profiletables.Function{ID: id, Name: text, System: text})
	b.location(id, 0)
	b.roots[name] = id
	return id
}

// sample adds a stack beneath roots, the outermost last.
func (b *profile) sample(stack uint32, roots []string, values ...int64) {
	b.key = b.key[:0]
	for _, frame := range b.pass.machine.Stacks.Frames(stack) {
		b.key = binary.AppendUvarint(b.key, uint64(frame)+1)
	}
	for _, name := range roots {
		b.key = binary.AppendUvarint(b.key, b.root(name))
	}
	b.table.Stacks.Append(b.key)
	b.table.RowLabelset.Append(0)
	for _, v := range values {
		b.table.RowValues.Append(v)
	}
}

func (b *profile) build(kind string) (*profilefile.File, error) {
	s := b.pass.source
	return calltree.Build(b.table, calltree.Options{Limits: inputlimits.Default(), Kind: kind, Source: profilefile.Source{
		Bytes: s.Bytes, BytesUnpacked: s.BytesUnpacked, Encoding: s.Encoding, Dialect: "trace",
	}})
}

func (p *pass) groupName(group uint32) string { return p.names.At(p.machine.Groups.At(group).Name) }

func (p *pass) sampleProfile() (*profilefile.File, error) {
	b := p.newProfile([][2]string{{"samples", "count"}, {"cpu", "nanoseconds"}})
	b.table.PeriodType, b.table.Period = b.table.SampleTypes[1], samplePeriodNs
	samples := p.machine.Samples()
	keys := slices.SortedFunc(maps.Keys(samples), func(x, y tracestate.Sample) int {
		return cmp.Or(cmp.Compare(x.Group, y.Group), cmp.Compare(x.Stack, y.Stack))
	})
	for _, at := range keys {
		b.sample(at.Stack, []string{p.groupName(at.Group)}, samples[at], samples[at]*samplePeriodNs)
	}
	return b.build(kindSamples)
}

func (p *pass) delayProfile() (*profilefile.File, error) {
	b := p.newProfile([][2]string{{"waits", "count"}, {"delay", "nanoseconds"}})
	b.table.PeriodType, b.table.Period = b.table.SampleTypes[1], 1
	for i := range p.machine.Waits.Waiters {
		v := &p.machine.Waits.Waiters[i]
		roots := []string{"woken: " + p.names.At(p.machine.Reasons.Name(v.Reason)), p.groupName(v.Group)}
		for _, stack := range slices.Sorted(maps.Keys(v.Stacks)) {
			b.sample(stack, roots, v.Stacks[stack].Waits, v.Stacks[stack].TotalNs)
		}
	}
	return b.build(kindDelays)
}
