package pprofread

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profiletables"
	"slowpath.dev/decode/internal/sniff"
)

// readLegacy reads the formats that came before protobuf. They are held in
// memory whole, so their size has a separate limit.
func readLegacy(r io.Reader, dialect string, limit int64) (*profiletables.Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, inputerror.New("legacy-too-large", "A profile in one of the old text or binary formats may have %d bytes. Convert it first, with 'go tool pprof -proto FILE'.", limit).
			WithLimit(limit, int64(len(data)), "bytes")
	}
	p, err := parseSafely(neverProtobuf(data, dialect))
	if err != nil {
		return nil, inputerror.New("damaged-legacy", "The file looks like an old profile format (%s) but cannot be read: %v. Record the profile again.", dialect, err).
			WithActual(int64(len(data)), "bytes")
	}
	if dialect != sniff.LegacyCPU {
		nameFromComments(p, data)
	}
	return fromProfile(p), nil
}

// neverProtobuf makes sure that github.com/google/pprof, which tries protobuf
// first and without limits, abandons that at the first bytes: a file that is
// both would be a bomb. A comment begins with a wire type that does not exist,
// "heap" has a number where a message should be, and so have the others.
func neverProtobuf(data []byte, dialect string) []byte {
	switch dialect {
	case sniff.LegacyCount, sniff.LegacyThread: // comments may precede these
		return append([]byte("#\n"), data...)
	case sniff.LegacyHeap: // anything may precede this on its line
		return data[max(0, bytes.Index(data, []byte("heap profile:"))):]
	}
	return data
}

// parseSafely turns a panic on hostile input into an error.
func parseSafely(data []byte) (p *profile.Profile, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p, err = nil, fmt.Errorf("%v", cause)
		}
	}()
	return profile.ParseData(data)
}

// importer turns a profile that github.com/google/pprof has read into a table.
type importer struct {
	table *profiletables.Table
	texts map[string]int64
}

// fromProfile returns the table of a profile read by github.com/google/pprof,
// which knows the legacy formats.
func fromProfile(p *profile.Profile) *profiletables.Table {
	m := &importer{table: profiletables.NewTable(), texts: map[string]int64{}}
	m.text("")
	t := m.table
	for _, v := range p.SampleType {
		t.SampleTypes = append(t.SampleTypes, profiletables.ValueType{Type: m.text(v.Type), Unit: m.text(v.Unit)})
	}
	t.DefaultSampleType = m.text(p.DefaultSampleType)
	if v := p.PeriodType; v != nil {
		t.PeriodType = profiletables.ValueType{Type: m.text(v.Type), Unit: m.text(v.Unit)}
	}
	t.Period, t.TimeNs, t.DurationNs = p.Period, p.TimeNanos, p.DurationNanos
	t.DropFrames, t.KeepFrames = m.text(p.DropFrames), m.text(p.KeepFrames)
	for _, comment := range p.Comments {
		t.Comments = append(t.Comments, m.text(comment))
	}
	m.tables(p)
	for _, sample := range p.Sample {
		m.sample(sample)
	}
	return t
}

func (m *importer) text(s string) int64 {
	if i, ok := m.texts[s]; ok {
		return i
	}
	i := int64(m.table.Strings.Len())
	m.table.Strings.Append([]byte(s))
	m.texts[s] = i
	return i
}

func (m *importer) tables(p *profile.Profile) {
	t := m.table
	for _, x := range p.Mapping {
		t.Mappings = append(t.Mappings, profiletables.Mapping{ID: x.ID, Start: x.Start, Offset: x.Offset, File: m.text(x.File), BuildID: m.text(x.BuildID)})
	}
	for _, f := range p.Function {
		t.Functions.Append(profiletables.Function{ID: f.ID, Name: m.text(f.Name), System: m.text(f.SystemName), File: m.text(f.Filename), StartLine: f.StartLine})
	}
	for _, x := range p.Location {
		location := profiletables.Location{ID: x.ID, Address: x.Address, FirstLine: uint32(t.Lines.Len()), Lines: uint32(len(x.Line))}
		if x.Mapping != nil {
			location.Mapping = x.Mapping.ID
		}
		for _, line := range x.Line {
			t.Lines.Append(profiletables.Line{Function: line.Function.ID, Line: line.Line})
		}
		t.Locations.Append(location)
	}
}

func (m *importer) sample(s *profile.Sample) {
	t := m.table
	var ids []byte
	for _, location := range s.Location {
		ids = binary.AppendUvarint(ids, location.ID)
	}
	t.Stacks.Append(ids)
	t.RowLabelset.Append(m.labels(s))
	t.ValuesPerRow = len(s.Value)
	for _, value := range s.Value {
		t.RowValues.Append(value)
	}
}

func (m *importer) labels(s *profile.Sample) uint32 {
	if len(s.Label) == 0 && len(s.NumLabel) == 0 {
		return 0
	}
	var labels []profiletables.Label
	for key, values := range s.Label {
		for _, value := range values {
			labels = append(labels, profiletables.Label{Key: m.text(key), Text: m.text(value)})
		}
	}
	for key, values := range s.NumLabel {
		for i, value := range values {
			l := profiletables.Label{Key: m.text(key), Number: value}
			if units := s.NumUnit[key]; i < len(units) {
				l.Unit = m.text(units[i])
			}
			labels = append(labels, l)
		}
	}
	var raw []byte
	for _, l := range labels {
		for _, n := range []int64{l.Key, l.Text, l.Number, l.Unit} {
			raw = binary.AppendVarint(raw, n)
		}
	}
	if n, ok := m.table.Labelsets.Find(raw); ok {
		return n
	}
	return m.table.Labelsets.Add(raw, labels)
}
