// Package pprofwrite turns decoded profiles back into pprof: merged, or the
// difference of two sets as 'go tool pprof -diff_base' would give it.
package pprofwrite

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/symbolkey"
)

// baseLabel is how pprof marks the samples of the base in a difference.
const (
	baseLabel = "pprof::base"
	baseValue = "true"
)

// Builder gathers decoded profiles into one pprof profile.
type Builder struct {
	out       *profile.Profile
	types     []profilefile.ValueType
	mappings  map[profilefile.Mapping]*profile.Mapping
	functions map[functionKey]*profile.Function
	locations map[locationKey]*profile.Location
	samples   map[string]*profile.Sample
}

type functionKey struct {
	name, file string
	startLine  int64
}

type locationKey struct {
	function *profile.Function
	line     int64
}

// New makes a builder without profiles.
func New() *Builder {
	return &Builder{
		mappings:  map[profilefile.Mapping]*profile.Mapping{},
		functions: map[functionKey]*profile.Function{},
		locations: map[locationKey]*profile.Location{},
		samples:   map[string]*profile.Sample{},
	}
}

// Add adds a profile, its values multiplied by scale (rounded to the nearest
// whole number). isBase marks its samples as the base of a difference.
func (b *Builder) Add(f *profilefile.File, scale float64, isBase bool) error {
	if err := b.addHeader(f); err != nil {
		return err
	}
	b.addMappings(f.Header.Mappings)
	functions := make([]*profile.Function, len(f.FunctionName))
	for i := range functions {
		functions[i] = b.function(f, i)
	}
	locations := make([]*profile.Location, len(f.FrameFunction))
	for frame := range locations {
		locations[frame] = b.location(functions[f.FrameFunction[frame]], int64(f.FrameLine[frame]))
	}
	parents := f.LineNodes.Parents(len(f.LineNodeFrame))
	for i := range f.SampleLineNode {
		b.addSample(f, i, parents, locations, scale, isBase)
	}
	return nil
}

// addHeader takes types from the first profile, and refuses others.
func (b *Builder) addHeader(f *profilefile.File) error {
	h := &f.Header
	if b.out == nil {
		b.start(h)
		return nil
	}
	if fmt.Sprint(h.SampleTypes) != fmt.Sprint(b.types) {
		return inputerror.New("mixed-sample-types", "The profiles do not count the same things: %v and %v. Export each kind separately.", b.types, h.SampleTypes)
	}
	if h.TimeNs != 0 && (b.out.TimeNanos == 0 || h.TimeNs < b.out.TimeNanos) {
		b.out.TimeNanos = h.TimeNs
	}
	b.out.DurationNanos += h.DurationNs
	b.out.Period = max(b.out.Period, h.Period)
	return nil
}

func (b *Builder) start(h *profilefile.Header) {
	b.types = h.SampleTypes
	b.out = &profile.Profile{
		PeriodType: &profile.ValueType{Type: h.PeriodType.Type, Unit: h.PeriodType.Unit},
		Period:     h.Period, TimeNanos: h.TimeNs, DurationNanos: h.DurationNs,
		DropFrames: h.DropFrames, KeepFrames: h.KeepFrames,
	}
	for _, v := range h.SampleTypes {
		b.out.SampleType = append(b.out.SampleType, &profile.ValueType{Type: v.Type, Unit: v.Unit})
	}
	if h.DefaultSampleType < len(h.SampleTypes) {
		b.out.DefaultSampleType = h.SampleTypes[h.DefaultSampleType].Type
	}
}

// addMappings keeps the files and build ids that the originals named, each
// once; the first is the program's own, as everywhere in pprof. Which mapping
// a frame was in is not stored, so all frames go to the first.
func (b *Builder) addMappings(mappings []profilefile.Mapping) {
	if len(mappings) == 0 && len(b.out.Mapping) == 0 {
		mappings = []profilefile.Mapping{{}}
	}
	for _, m := range mappings {
		if b.mappings[m] != nil {
			continue
		}
		if nameless := b.mappings[profilefile.Mapping{}]; nameless != nil && nameless.ID == 1 && nameless.File == "" {
			nameless.File, nameless.BuildID = m.File, m.BuildID // missing in the first profile
			b.mappings[m] = nameless
			continue
		}
		// Names are known, so that pprof does not look for binaries.
		made := &profile.Mapping{
			ID: uint64(len(b.out.Mapping) + 1), File: m.File, BuildID: m.BuildID,
			HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
		}
		if made.ID == 1 {
			made.Limit = math.MaxInt64
		}
		b.mappings[m] = made
		b.out.Mapping = append(b.out.Mapping, made)
	}
}

func (b *Builder) function(f *profilefile.File, i int) *profile.Function {
	key := functionKey{f.String(f.FunctionName[i]), f.String(f.FunctionFile[i]), int64(f.FunctionStartLine[i])}
	if known := b.functions[key]; known != nil {
		return known
	}
	made := &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: key.name, SystemName: key.name, Filename: key.file, StartLine: key.startLine}
	b.functions[key] = made
	b.out.Function = append(b.out.Function, made)
	return made
}

func (b *Builder) location(function *profile.Function, line int64) *profile.Location {
	key := locationKey{function, line}
	if known := b.locations[key]; known != nil {
		return known
	}
	id := uint64(len(b.out.Location) + 1)
	made := &profile.Location{ID: id, Mapping: b.out.Mapping[0], Address: id, Line: []profile.Line{{Function: function, Line: line}}}
	b.locations[key] = made
	b.out.Location = append(b.out.Location, made)
	return made
}

// addSample adds a sample, leaf first, without the mark of cut stacks.
func (b *Builder) addSample(f *profilefile.File, i int, parents []uint32, locations []*profile.Location, scale float64, isBase bool) {
	sample := &profile.Sample{Value: make([]int64, len(b.types))}
	for k := range sample.Value {
		sample.Value[k] = scaled(f.Values[k][i], scale)
	}
	for node := f.SampleLineNode[i]; node != 0; node = parents[node] {
		frame := f.LineNodeFrame[node]
		if parents[node] == 0 && f.String(f.FunctionName[f.FrameFunction[frame]]) == symbolkey.TruncatedRoot {
			break
		}
		sample.Location = append(sample.Location, locations[frame])
	}
	addLabels(sample, f, i)
	if isBase {
		addLabel(sample, baseLabel, baseValue)
	}
	key := sampleKey(sample)
	known := b.samples[key]
	if known == nil {
		b.samples[key] = sample
		b.out.Sample = append(b.out.Sample, sample)
		return
	}
	for k, value := range sample.Value {
		known.Value[k] += value
	}
}

func scaled(value int64, scale float64) int64 {
	switch scale {
	case 1:
		return value
	case -1:
		return -value
	}
	return int64(math.Round(float64(value) * scale))
}

// addLabels returns numbers back their form ("1024 bytes").
func addLabels(sample *profile.Sample, f *profilefile.File, i int) {
	if f.SampleLabelset == nil {
		return
	}
	set := f.SampleLabelset[i]
	for _, l := range f.LabelsetLabel[f.LabelsetOffset[set]:f.LabelsetOffset[set+1]] {
		key, value := f.String(f.LabelKey[l]), f.String(f.LabelValue[l])
		number, unit, isNumber := strings.Cut(value, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if !isNumber || err != nil || unit == "" || strings.Contains(unit, " ") {
			addLabel(sample, key, value)
			continue
		}
		if sample.NumLabel == nil {
			sample.NumLabel, sample.NumUnit = map[string][]int64{}, map[string][]string{}
		}
		sample.NumLabel[key] = append(sample.NumLabel[key], n)
		sample.NumUnit[key] = append(sample.NumUnit[key], unit)
	}
}

func addLabel(sample *profile.Sample, key, value string) {
	if sample.Label == nil {
		sample.Label = map[string][]string{}
	}
	sample.Label[key] = append(sample.Label[key], value)
}

func sampleKey(sample *profile.Sample) string {
	var key strings.Builder
	for _, location := range sample.Location {
		key.WriteString(strconv.FormatUint(location.ID, 36))
		key.WriteByte(' ')
	}
	fmt.Fprint(&key, sample.Label, sample.NumLabel, sample.NumUnit) // fmt prints maps in order of keys
	return key.String()
}

// Write writes the profile, packed with gzip.
func (b *Builder) Write(w io.Writer) error {
	if b.out == nil {
		return inputerror.New("no-profiles", "There is nothing to export.").WithLimit(1, 0, "profiles")
	}
	if err := b.out.Write(w); err != nil {
		return fmt.Errorf("writing pprof: %w", err)
	}
	return nil
}
