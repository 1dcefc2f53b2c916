package spanread

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/slowcol"
	"slowpath.dev/decode/internal/spanset"
)

const testdata = "../../testdata/spans/"

var update = flag.Bool("update", false, "write the golden files anew")

func decodeFile(t *testing.T, name string) *spanset.File {
	t.Helper()
	f, err := ReadFile(testdata+name, DefaultOptions())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

func read(text string) (*spanset.File, error) {
	return Read(strings.NewReader(text), int64(len(text)), DefaultOptions())
}

func slug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return fmt.Sprint(err)
}

// table formats a set span by span, without what differs between dialects.
type table struct{ *spanset.File }

func column[T any](f table, name string) []T { return f.Column(name).([]T) }

func (f table) text(column string, i int) string {
	offsets, data := f.Column("strings_offset").([]uint32), f.Column("strings_bytes").([]uint8)
	n := f.Column(column).([]uint32)[i]
	return string(data[offsets[n]:offsets[n+1]])
}

func (f table) attributes(i int) string {
	offsets := column[uint32](f, "attr_offset")
	var out []string
	for k := offsets[i]; k < offsets[i+1]; k++ {
		out = append(out, f.text("attr_key", int(k))+"="+f.text("attr_value", int(k)))
	}
	return strings.Join(out, " ")
}

// spans formats ids, parents, services, operations, kinds, times (in units of grain).
func (f table) spans(grain int64) []string {
	var out []string
	ids, parents := column[uint64](f, "span_id"), column[uint32](f, "span_parent")
	starts, ends := column[int64](f, "span_start_ns"), column[int64](f, "span_end_ns")
	for i := range ids {
		out = append(out, fmt.Sprintf("%x %d %s/%s %d %d-%d", ids[i], int32(parents[i]), f.text("span_service", i), f.text("span_op", i), column[uint8](f, "span_kind")[i], starts[i]/grain, (ends[i]-starts[i])/grain))
	}
	return out
}

// The same requests exported in four dialects are the same traces.
func TestDialectsAgree(t *testing.T) {
	want := table{decodeFile(t, "pushes.otlp.json")}.spans(1000)
	if len(want) != 96 || want[0] != "8b93fd7c43fef121 -1 distributor//api/v1/push 2 1700000000000000-4234" {
		t.Fatal(len(want), want[0])
	}
	for _, name := range []string{"pushes.jaeger.json", "pushes.zipkin.json", "pushes.otlp.pb"} {
		got := table{decodeFile(t, name)}.spans(1000)
		for i := range got { // Zipkin has no word for internal spans, Jaeger's file none either
			if strings.Contains(want[i], "validateSeries 1 ") {
				got[i] = strings.Replace(got[i], "validateSeries 0 ", "validateSeries 1 ", 1)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%s\n%s", name, strings.Join(got[:8], "\n"), strings.Join(want[:8], "\n"))
		}
	}
}

// Protobuf, written by OpenTelemetry's own code, and JSON yield the same to the last attribute.
func TestProtobufAgreesWithJSON(t *testing.T) {
	for _, name := range []string{"pushes", "distributor"} {
		ending := ".otlp.json"
		if name == "distributor" {
			ending += "l"
		}
		json, proto := decodeFile(t, name+ending), decodeFile(t, name+".otlp.pb")
		if json.Header.Counts != proto.Header.Counts {
			t.Errorf("%s: %+v %+v", name, json.Header.Counts, proto.Header.Counts)
		}
		a, b := table{json}, table{proto}
		if !reflect.DeepEqual(a.spans(1), b.spans(1)) {
			t.Errorf("%s: spans differ", name)
		}
		for i := range a.spans(1) {
			if a.attributes(i) != b.attributes(i) || a.text("span_instance", i) != b.text("span_instance", i) {
				t.Errorf("%s, span %d: %s\n%s", name, i, a.attributes(i), b.attributes(i))
			}
		}
	}
	if got := (table{decodeFile(t, "distributor.otlp.jsonl")}).attributes(0); got == "" {
		t.Error("no attributes")
	}
}

// Two requests of protobuf, one behind the other, are one larger request.
func TestConcatenatedProtobuf(t *testing.T) {
	a, errA := os.ReadFile(testdata + "pushes.otlp.pb")
	b, errB := os.ReadFile(testdata + "distributor.otlp.pb")
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	f, err := read(string(a) + string(b))
	if err != nil || f.Header.Counts.Spans != 96+120 || f.Header.Counts.Traces != 12+8 {
		t.Errorf("%v %+v", err, f)
	}
}

func TestJSONQuirks(t *testing.T) {
	for name, test := range map[string]struct{ text, want, attributes string }{
		"names of enums, snake_case, numbers": {
			`{"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"0A","span_id":"0B","name":"x","kind":"SPAN_KIND_CLIENT","start_time_unix_nano":5,"end_time_unix_nano":9.0,"status":{"code":"STATUS_CODE_ERROR","message":"broke"}}]}],"resource":{"attributes":[{"key":"service.name","value":{"string_value":"s"}}]}}]}`,
			"b -1 s/x 3 5-4", "status.message=broke service.name=s"},
		"ids in base64, null, unknown fields": {
			`{"resourceSpans":[{"resource":null,"scopeSpans":[{"spans":[null,{"traceId":"AAAAAAAAAAAAAAAAAAAACg==","spanId":"AAAAAAAAAAs=","parentSpanId":"","name":"x","new":{"a":[1]},"startTimeUnixNano":"5","endTimeUnixNano":"9","attributes":null}]}]}]}`,
			"b -1 (unknown)/x 0 5-4", ""},
		"values of all kinds": {
			`[{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","name":"","startTimeUnixNano":"1","attributes":[{"key":"i","value":{"intValue":"7"}},{"key":"b","value":{"boolValue":true}},{"key":"d","value":{"doubleValue":1.5}},{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"x"},{"intValue":2}]}}},{"key":"m","value":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"v"}}]}}},{"key":"n","value":{}},{"value":{"stringValue":"without key"}},{"key":"without value"}]}]}]}]}]`,
			"b -1 (unknown)/(unnamed) 0 1-0", "i=7 b=true d=1.5 l=[x,2] m={k=v} n="},
		"a batch of Jaeger's": {
			`{"process":{"serviceName":"s","tags":[{"key":"hostname","type":"string","value":"h"}]},"spans":[{"traceIdLow":10,"traceIdHigh":1,"spanId":11,"parentSpanId":0,"operationName":"x","startTime":5,"duration":4}]}`,
			"b -1 s/x 0 5000-4000", "hostname=h"},
		"a span of Jaeger's": {
			`[{"traceID":"a","spanID":"b","operationName":"x","startTime":5,"duration":1.5,"tags":[{"key":"span.kind","value":"SERVER"},{"key":"error","value":true},{"key":"o","value":{"a":1}}],"references":[{"refType":"FOLLOWS_FROM","traceID":"f","spanID":"1"}],"process":{"serviceName":"s"}}]`,
			"b -1 s/x 2 5000-1500", "error=true o="},
		"dates of Jaeger's": {
			`{"spans":[{"traceId":"a","spanId":"AAAAAAAAAAs=","operationName":"x","startTime":"1970-01-01T00:00:01Z","duration":"2.5s","process":{"serviceName":"s"}}]}`,
			"b -1 s/x 0 1000000000-2500000000", ""},
		"traces in a list of Jaeger's": {
			`[{"data":[{"traceID":"a","spans":[{"traceID":"a","spanID":"b","operationName":"x","startTime":1,"duration":2,"processID":"p"}],"processes":{"p":{"serviceName":"s"}}}]}]`,
			"b -1 s/x 0 1000-2000", ""},
		"Zipkin with annotations only": {
			`[{"traceId":"a","id":"b","name":"x","annotations":[{"timestamp":9,"value":"late"},{"timestamp":5,"value":"early"}],"tags":{"error":"yes","":"no key"},"localEndpoint":{"serviceName":"s","ipv4":"10.0.0.1","port":80}}]`,
			"b -1 s/x 0 5000-0", "error=yes"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := read(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := (table{f}); !reflect.DeepEqual(got.spans(1), []string{test.want}) || got.attributes(0) != test.attributes {
				t.Errorf("%q %q", got.spans(1), got.attributes(0))
			}
		})
	}
}

func TestDetails(t *testing.T) {
	f := table{decodeFile(t, "ui.jaeger.json")}
	if got := f.Header.Counts; got.Spans != 5 || got.Duplicates != 1 {
		t.Errorf("%+v", got)
	}
	if f.text("event_name", 0) != "some-event" || f.text("event_name", 1) != "x=y" || len(column[uint64](f, "link_span")) == 0 {
		t.Error(f.text("event_name", 0), f.text("event_name", 1), f.Column("link_span"))
	}
	z := table{decodeFile(t, "yelp.zipkin.json")}
	if got := z.Header.Counts; got.Shared != 3 || got.Spans != 16 || got.Services != 6 {
		t.Errorf("%+v", got)
	}
	m := table{decodeFile(t, "messaging.zipkin.json")}
	if got := m.Header.Counts; got.Outside != 2 || m.text("span_instance", 0) != "192.168.0.10" {
		t.Errorf("%+v %s", got, m.text("span_instance", 0))
	}
	follows, err := read(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","parentSpanId":"c","name":"x","startTimeUnixNano":"1","links":[{"traceId":"a","spanId":"c","attributes":[{"key":"opentracing.ref_type","value":{"stringValue":"follows_from"}}]}],"events":[{"timeUnixNano":"3","name":"e"}]}]}]}]}`)
	if err != nil || follows.Column("span_flags").([]uint8)[0] != spanset.FlagFollowsFrom|spanset.FlagParentMissing|spanset.FlagRepaired && follows.Column("span_flags").([]uint8)[0] != spanset.FlagFollowsFrom|spanset.FlagParentMissing {
		t.Error(err, follows)
	}
}

func TestTruncated(t *testing.T) {
	for _, name := range []string{"pushes.otlp.json", "pushes.jaeger.json", "pushes.zipkin.json", "pushes.otlp.pb"} {
		data, err := os.ReadFile(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := read(string(data[:len(data)/2]))
		if err != nil || f.Header.Counts.Spans < 20 || len(f.Header.Warnings) != 1 || !strings.HasPrefix(f.Header.Warnings[0], "truncated: ") {
			t.Errorf("%s: %v %+v", name, err, f)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(data)
		_ = z.Close()
		if f, err = read(packed.String()); err != nil || f.Header.Counts.Spans != 96 || f.Header.Source.Encoding != "gzip" {
			t.Errorf("%s, packed: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	span := `{"traceId":"a","spanId":"b","name":"x"}`
	for _, test := range []struct{ want, text string }{
		{"empty-file", ""},
		{"not-spans", "hello\n"},
		{"not-spans", `{"a":1}`},
		{"no-spans", `{"resourceSpans":[]}`},
		{"no-spans", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"b"}]}]}]}`},
		{"malformed-json", `{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `}]}]}`},
		{"malformed-json", `{"resourceSpans":{"scopeSpans":[]}}`},
		{"truncated-json", `{"resourceSpans":[{"scopeSpans":[`},
		{"json-too-deep", `{"resourceSpans":[],"x":` + strings.Repeat("[", 200)},
	} {
		if _, err := read(test.text); slug(err) != test.want {
			t.Errorf("%.60q: %v, want %s", test.text, err, test.want)
		}
	}
	options := DefaultOptions()
	options.Unpacked = 10
	if _, err := Read(strings.NewReader(`{"resourceSpans":[]}`), 20, options); slug(err) != "unpacked-too-large" {
		t.Error(err)
	}
	if _, err := ReadFile("missing", options); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string][2]uint64{
		"": {0, 0}, "A": {0, 10}, "00000000000000010000000000000002": {1, 2}, "10000000000000002": {1, 2},
		"AAAAAAAAAAEAAAAAAAAAAg==": {1, 2}, "no hex at all": {0, hashed([]byte("no hex at all"))},
		strings.Repeat("f", 40): {0, hashed([]byte(strings.Repeat("f", 40)))},
	} {
		if hi, lo := traceID([]byte(text)); hi != want[0] || lo != want[1] {
			t.Errorf("%q: %x %x", text, hi, lo)
		}
	}
	for text, want := range map[string]uint64{"": 0, "b": 11, "0000000000000000000000000000000c": 12, "AAAAAAAAAA0=": 13, "S1": hashed([]byte("S1"))} {
		if got := spanID([]byte(text)); got != want {
			t.Errorf("%q: %x", text, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "17": 17, "1700000000000000000": 1700000000000000000, "-5": -5, "1e3": 1000, "x": 0, "NaN": 0, "1e300": 9e18, "9223372036854775808": 9e18,
	} {
		if got := integer([]byte(text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
	for text, want := range map[string]int64{"5": 5000, "1.5": 1500, "9e18": 9223372036854775000, "1.5e300": 9e18, "x.y": 0} {
		if got := microseconds([]byte(text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}

const golden = "../../testdata/golden/spans-"

// The file format is a contract with readers in other languages, which are
// tested against the same files.
func TestGolden(t *testing.T) {
	for _, name := range []string{"pushes.otlp.json", "yelp.zipkin.json", "distributor.otlp.jsonl"} {
		path := golden + strings.SplitN(name, ".", 2)[0] + ".slowcol"
		f := decodeFile(t, name)
		var out bytes.Buffer
		if err := f.Write(&out); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(data, out.Bytes()) {
			t.Errorf("%s differs: %v", path, err)
		}
	}
}

// check proves what readers rely on.
func check(t *testing.T, file *spanset.File) {
	t.Helper()
	var out bytes.Buffer
	if err := file.Write(&out); err != nil {
		t.Fatal(err)
	}
	c, err := slowcol.Read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Expect(spanset.Format, spanset.Version); err != nil {
		t.Fatal(err)
	}
	f := table{file}
	parents, depths := column[uint32](f, "span_parent"), column[uint16](f, "span_depth")
	starts, ends := column[int64](f, "span_start_ns"), column[int64](f, "span_end_ns")
	last := map[uint16]uint32{}
	offsets := column[uint32](f, "trace_offset")
	trace := 0
	for i := range parents {
		if trace < len(offsets)-1 && uint32(i) == offsets[trace] {
			clear(last)
			trace++
		}
		above, inner := last[depths[i]-1]
		if depths[i] == 0 != (parents[i] == spanset.None) || depths[i] > 0 && (!inner || above != parents[i]) {
			t.Fatalf("row %d is not in preorder", i)
		}
		last[depths[i]] = uint32(i)
		delete(last, depths[i]+1)
		if starts[i] < 0 || ends[i] < starts[i] {
			t.Fatalf("row %d: %d to %d", i, starts[i], ends[i])
		}
	}
	if int(offsets[len(offsets)-1]) != len(parents) || file.Header.Counts.Spans != int64(len(parents)) {
		t.Fatal("traces do not cover the spans")
	}
}

// FuzzReadSpans: whatever comes in, we end with a whole file in preorder, or a named input error.
func FuzzReadSpans(f *testing.F) {
	paths, err := filepath.Glob(testdata + "*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 4<<10)])
	}
	options := DefaultOptions()
	options.Unpacked, options.Set.Spans, options.Set.Strings = 1<<20, 1<<14, 1<<20
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		file, err := Read(bytes.NewReader(data), int64(len(data)), options)
		if err != nil {
			if !errors.As(err, new(*inputerror.InputError)) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		check(t, file)
	})
}
