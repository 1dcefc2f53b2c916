package pprofread

import (
	"encoding/binary"
	"io"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profiletables"
)

// Numbers of the fields of message Profile in
// https://github.com/google/pprof/blob/main/proto/profile.proto
const (
	profileSampleType        = 1
	profileSample            = 2
	profileMapping           = 3
	profileLocation          = 4
	profileFunction          = 5
	profileString            = 6
	profileDropFrames        = 7
	profileKeepFrames        = 8
	profileTime              = 9
	profileDuration          = 10
	profilePeriodType        = 11
	profilePeriod            = 12
	profileComment           = 13
	profileDefaultSampleType = 14
	profileDocURL            = 15
)

// maxMessage bounds one submessage: a sample of 8,192 frames needs 80 KiB.
const maxMessage = 16 << 20

// maxSmall bounds the tables that no valid profile has many of.
const maxSmall = 1 << 16

// maxStrings, maxLabels and maxLabelsets bound tables whose entries cost more
// memory than input.
const (
	maxStrings   = 16 << 20
	maxLabels    = 16 << 20
	maxLabelsets = 4 << 20
)

// decoder reads a profile in one pass, whatever the order of its fields:
//
//  1. of a sample stay the bytes of its location ids as they are, its values,
//     and the number of its labels;
//  2. locations, functions, mappings and strings go into tables;
//  3. what the numbers mean is looked up by others when all has been read.
type decoder struct {
	table  *profiletables.Table
	limits inputlimits.Limits
	stream *stream

	ids    []byte // location ids of the sample at hand, leaf first
	values []int64
	labels []byte

	textBytes int64 // of all strings, as they are in the file
}

// decodeProto reads a profile in protobuf form.
func decodeProto(r io.Reader, bounds inputlimits.Limits) (*profiletables.Table, error) {
	d := &decoder{table: profiletables.NewTable(), limits: bounds, stream: newStream(r)}
	for {
		f, ok, err := d.stream.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return d.table, d.checkEnd()
		}
		if err := d.field(f); err != nil {
			return nil, err
		}
	}
}

// field takes one field of the profile itself.
func (d *decoder) field(f field) error {
	start := d.stream.offset()
	if f.number < profileSampleType || f.number > profileDocURL {
		if f.wire == wireBytes {
			return d.stream.skip(f.value)
		}
		return nil
	}
	if f.wire != wireBytes {
		return d.scalar(f, start)
	}
	if f.number == profileString {
		return d.string(f.value, start)
	}
	if f.value > maxMessage {
		return inputerror.New("message-too-large", "One entry of the profile has %d bytes. No profiler writes such entries: the file is damaged, or not a profile.", f.value).
			WithLimit(maxMessage, clampInt64(f.value), "bytes").AtOffset(start)
	}
	data, err := d.stream.bytes(int(f.value))
	if err != nil {
		return err
	}
	return d.submessage(f.number, data, start)
}

func clampInt64(v uint64) int64 { return int64(min(v, 1<<63-1)) }

func (d *decoder) submessage(number int, data []byte, start int64) error {
	switch number {
	case profileSample:
		return d.sample(data, start)
	case profileLocation:
		return d.readLocation(data, start)
	case profileFunction:
		return d.readFunction(data, start)
	case profileMapping:
		return d.readMapping(data, start)
	case profileSampleType:
		v, err := readValueType(data, start)
		d.table.SampleTypes = append(d.table.SampleTypes, v)
		return firstError(err, tooMany("sample types", int64(len(d.table.SampleTypes)), maxSmall, start))
	case profilePeriodType:
		v, err := readValueType(data, start)
		d.table.PeriodType = v
		return err
	case profileComment:
		return d.comments(data, start)
	}
	return malformed(typeProblem, start)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// scalar takes a number of the profile itself.
func (d *decoder) scalar(f field, start int64) error {
	t, value := d.table, int64(f.value)
	if f.wire != wireVarint {
		return malformed(typeProblem, start)
	}
	switch f.number {
	case profileDropFrames:
		t.DropFrames = value
	case profileKeepFrames:
		t.KeepFrames = value
	case profileTime:
		if t.TimeNs != 0 {
			return inputerror.New("concatenated-profiles", "The file holds more than one profile: the next begins at byte %d. Upload them one by one, or merge them with 'go tool pprof -proto A B'.", start).AtOffset(start)
		}
		t.TimeNs = value
	case profileDuration:
		t.DurationNs = value
	case profilePeriod:
		t.Period = value
	case profileComment:
		t.Comments = append(t.Comments, value)
		return tooMany("comments", int64(len(t.Comments)), maxSmall, start)
	case profileDefaultSampleType:
		t.DefaultSampleType = value
	case profileDocURL:
	default:
		return malformed(typeProblem, start)
	}
	return nil
}

func tooMany(what string, actual, limit, start int64) error {
	if actual <= limit {
		return nil
	}
	return inputerror.New("too-many-"+dashed(what), "The profile has more than %d %s. Record a shorter profile; if the file is valid, raise the limit.", limit, what).
		WithLimit(limit, actual, what).AtOffset(start)
}

func dashed(what string) string {
	out := []byte(what)
	for i, c := range out {
		if c == ' ' {
			out[i] = '-'
		}
	}
	return string(out)
}

// string takes an entry of the string table; of one that is too long, only the
// beginning. Cutting it here, before anything refers to it, is what bounds the
// cost of a long string that many labels name.
func (d *decoder) string(length uint64, start int64) error {
	strings := &d.table.Strings
	d.textBytes += min(clampInt64(length), d.limits.Strings+1)
	if d.textBytes > d.limits.Strings {
		return inputerror.New("strings-too-large", "The names in this profile take more than %d bytes. If the file is valid, raise --max-strings.", d.limits.Strings).
			WithLimit(d.limits.Strings, d.textBytes, "bytes").AtOffset(start)
	}
	retained := min(length, uint64(d.limits.Text))
	data, err := d.stream.bytes(int(retained))
	if err != nil {
		return err
	}
	if strings.Len() == 0 && len(data) > 0 {
		return malformed("the first string is not empty", start)
	}
	if retained < length {
		strings.AppendCut(data)
		if err := d.stream.skip(length - retained); err != nil {
			return err
		}
	} else {
		strings.Append(data)
	}
	return tooMany("strings", int64(strings.Len()), maxStrings, start)
}

func (d *decoder) checkEnd() error {
	if d.table.Strings.Len() == 0 {
		return malformed("it has no string table", d.stream.offset())
	}
	return nil
}

// sample takes one sample: see decoder.
func (d *decoder) sample(data []byte, start int64) error {
	d.ids, d.values, d.labels = d.ids[:0], d.values[:0], d.labels[:0]
	for len(data) > 0 {
		var f field
		n, problem := f.decode(data, false)
		if problem == "" {
			switch f.number {
			case 1:
				problem = d.locationIDs(&f)
			case 2:
				problem = d.sampleValues(&f)
			case 3:
				if f.wire != wireBytes {
					problem = typeProblem
				}
				d.labels = append(d.labels, data[:n]...)
			}
		}
		if problem != "" {
			return malformed(problem, start)
		}
		data = data[n:]
	}
	return d.endSample(start)
}

// locationIDs takes ids, packed or single.
func (d *decoder) locationIDs(f *field) (problem string) {
	switch {
	case f.wire == wireVarint:
		d.ids = binary.AppendUvarint(d.ids, f.value)
	case f.wire != wireBytes:
		return typeProblem
	case !areVarints(f.data):
		return varintProblem
	default:
		d.ids = append(d.ids, f.data...)
	}
	return ""
}

// areVarints reports whether bytes are whole varints of at most 10 bytes.
func areVarints(data []byte) bool {
	length := 0
	for _, b := range data {
		length++
		if length > maxVarint {
			return false
		}
		if b < 0x80 {
			length = 0
		}
	}
	return length == 0
}

func (d *decoder) sampleValues(f *field) (problem string) {
	if f.wire == wireVarint {
		d.values = append(d.values, int64(f.value))
		return ""
	}
	if f.wire != wireBytes {
		return typeProblem
	}
	for data := f.data; len(data) > 0; {
		value, n := varint(data)
		if n == 0 {
			return varintProblem
		}
		d.values = append(d.values, int64(value))
		data = data[n:]
	}
	return ""
}

// endSample puts the sample at hand into the table.
func (d *decoder) endSample(start int64) error {
	t := d.table
	if t.ValuesPerRow < 0 {
		t.ValuesPerRow = len(d.values)
	}
	if len(d.values) != t.ValuesPerRow || len(d.values) == 0 {
		return inputerror.New("value-count", "A sample has %d values where others have %d. The file is damaged, or was written by a broken program.", len(d.values), max(1, t.ValuesPerRow)).
			WithLimit(int64(max(1, t.ValuesPerRow)), int64(len(d.values)), "values").AtOffset(start)
	}
	labelset, err := d.labelset(start)
	if err != nil {
		return err
	}
	t.Stacks.Append(d.ids)
	t.RowLabelset.Append(labelset)
	for _, value := range d.values {
		t.RowValues.Append(value)
	}
	return tooMany("samples", int64(t.RowLabelset.Len()), d.limits.Samples, start)
}

func tooDeep(limit, actual, start int64) error {
	return inputerror.New("too-deep", "A stack has %d frames, more than the %d that are allowed. Profilers stop long before; if the file is valid, raise --max-depth.", actual, limit).
		WithLimit(limit, actual, "frames").AtOffset(start)
}

// labelset returns the number of the labels at hand.
func (d *decoder) labelset(start int64) (uint32, error) {
	if len(d.labels) == 0 {
		return 0, nil
	}
	if n, ok := d.table.Labelsets.Find(d.labels); ok {
		return n, nil
	}
	var labels []profiletables.Label
	sample := message{rest: d.labels}
	for sample.next() {
		var l profiletables.Label
		m := message{rest: sample.data}
		for m.next() {
			switch m.number {
			case 1:
				l.Key = m.signed()
			case 2:
				l.Text = m.signed()
			case 3:
				l.Number = m.signed()
			case 4:
				l.Unit = m.signed()
			}
		}
		if m.problem != "" {
			return 0, malformed(m.problem, start)
		}
		if l.Text != 0 || l.Number != 0 || l.Unit != 0 {
			labels = append(labels, l)
		}
	}
	n := d.table.Labelsets.Add(d.labels, labels)
	return n, firstError(tooMany("labels", int64(d.table.Labelsets.Labels()), maxLabels, start),
		tooMany("label sets", int64(n), maxLabelsets, start))
}
