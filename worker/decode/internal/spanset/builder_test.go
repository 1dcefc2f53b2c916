package spanset

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefile"
)

// drawn is a span as the tests write it.
type drawn struct {
	id, parent  uint64
	start, end  int64
	op, service string
	kind        uint8
	flags       uint8
	shared      bool
	unplaced    bool
}

func build(t *testing.T, limits Limits, spans ...drawn) (*File, error) {
	t.Helper()
	b := NewBuilder(limits)
	for _, d := range spans {
		if err := b.Maker([]byte(d.service), nil); err != nil {
			return nil, err
		}
		s := b.Begin()
		s.TraceLo, s.ID, s.Parent, s.StartNs, s.EndNs = 7, d.id, d.parent, d.start, d.end
		s.Kind, s.Flags, s.Shared, s.Unplaced = d.kind, d.flags, d.shared, d.unplaced
		if err := b.Op([]byte(d.op)); err != nil {
			return nil, err
		}
		if err := b.Commit(); err != nil {
			return nil, err
		}
	}
	return b.Finish("drawn", profilefile.Source{}, nil)
}

func column[T any](f *File, name string) []T { return f.Column(name).([]T) }

// picture formats a set in one line: every span with its depth, name, times and flags.
func picture(f *File) string {
	var out []string
	offsets, bytes := column[uint32](f, "strings_offset"), column[uint8](f, "strings_bytes")
	text := func(n uint32) string { return string(bytes[offsets[n]:offsets[n+1]]) }
	for i, op := range column[uint32](f, "span_op") {
		output := fmt.Sprintf("%s%s[%d,%d]", strings.Repeat(">", int(column[uint16](f, "span_depth")[i])), text(op), column[int64](f, "span_start_ns")[i], column[int64](f, "span_end_ns")[i])
		for flag, word := range map[uint8]string{FlagParentMissing: "?", FlagOutside: "!", FlagRepaired: "~", FlagDuplicate: "=", FlagCycle: "o"} {
			if column[uint8](f, "span_flags")[i]&flag != 0 {
				output += word
			}
		}
		if skew := column[int64](f, "span_skew_ns")[i]; skew != 0 {
			output += fmt.Sprintf("%+d", skew)
		}
		if column[uint8](f, "span_async")[i] == 1 {
			output += "a"
		}
		out = append(out, output)
	}
	return strings.Join(out, " ")
}

func TestArranging(t *testing.T) {
	for name, test := range map[string]struct {
		want  string
		spans []drawn
	}{
		"preorder, by start": {"a[0,100] >b[10,20] >>d[12,15] >c[30,40]", []drawn{
			{id: 3, parent: 1, start: 30, end: 40, op: "c"}, {id: 4, parent: 2, start: 12, end: 15, op: "d"},
			{id: 1, start: 0, end: 100, op: "a"}, {id: 2, parent: 1, start: 10, end: 20, op: "b"}}},
		"missing parents": {"a[0,100] b[10,20]? >c[11,12]", []drawn{
			{id: 1, start: 0, end: 100, op: "a"}, {id: 2, parent: 9, start: 10, end: 20, op: "b"}, {id: 3, parent: 2, start: 11, end: 12, op: "c"}}},
		"repeated": {"a[0,100] >b[10,20]", []drawn{
			{id: 1, start: 0, end: 100, op: "a"}, {id: 2, parent: 1, start: 10, end: 20, op: "b"},
			{id: 2, parent: 1, start: 10, end: 20, op: "b"}, {id: 1, start: 0, end: 100, op: "a"}}},
		"an id used twice": {"a[0,100] >b[10,20]= >>d[11,12] >c[30,40]=", []drawn{
			{id: 1, start: 0, end: 100, op: "a"}, {id: 2, parent: 1, start: 10, end: 20, op: "b"},
			{id: 2, parent: 1, start: 30, end: 40, op: "c"}, {id: 4, parent: 2, start: 11, end: 12, op: "d"}}},
		"a span that is its own parent": {"a[0,10]o", []drawn{{id: 1, parent: 1, start: 0, end: 10, op: "a"}}},
		"a circle": {"a[0,10]o >b[1,9] >>c[2,8]", []drawn{
			{id: 1, parent: 3, start: 0, end: 10, op: "a"}, {id: 2, parent: 1, start: 1, end: 9, op: "b"}, {id: 3, parent: 2, start: 2, end: 8, op: "c"}}},
		"ends before it begins": {"a[0,10] >b[5,5]~", []drawn{
			{id: 1, start: 0, end: 10, op: "a"}, {id: 2, parent: 1, start: 5, end: 3, op: "b"}}},
		"began in 1970": {"a[1700000000000000000,1700000000000000000]~", []drawn{{id: 1, start: 0, end: 1700000000000000000, op: "a"}}},
		"outside": {"a[10,20] >b[15,25]! >c[30,40]!", []drawn{
			{id: 1, start: 10, end: 20, op: "a"}, {id: 2, parent: 1, start: 15, end: 25, op: "b"}, {id: 3, parent: 1, start: 30, end: 40, op: "c"}}},
		"skew": {"a[100,200] >b[110,190]-890 >>c[120,130]-890", []drawn{
			{id: 1, start: 100, end: 200, op: "a", kind: KindClient, service: "x"}, {id: 2, parent: 1, start: 1000, end: 1080, op: "b", kind: KindServer, service: "y"},
			{id: 3, parent: 2, start: 1010, end: 1020, op: "c", service: "y"}}},
		"skew of one that lasts longer": {"a[100,200] >b[100,400]!+50", []drawn{
			{id: 1, start: 100, end: 200, op: "a", kind: KindClient, service: "x"}, {id: 2, parent: 1, start: 50, end: 350, op: "b", kind: KindServer, service: "y"}}},
		"no skew in one process": {"a[100,200] >b[190,210]!", []drawn{
			{id: 1, start: 100, end: 200, op: "a", kind: KindClient, service: "x"}, {id: 2, parent: 1, start: 190, end: 210, op: "b", kind: KindServer, service: "x"}}},
		"shared": {"a[0,100] >b[10,20] >>b[12,18] >>>c[13,14]", []drawn{
			{id: 2, parent: 1, start: 12, end: 18, op: "b", kind: KindServer, service: "y", shared: true}, {id: 1, start: 0, end: 100, op: "a", service: "x"},
			{id: 2, parent: 1, start: 10, end: 20, op: "b", kind: KindClient, service: "x"}, {id: 3, parent: 2, start: 13, end: 14, op: "c", service: "y"}}},
		"a child of the asking half": {"a[0,100] >b[10,20] >>c[11,12] >>b[12,18]", []drawn{
			{id: 2, parent: 1, start: 12, end: 18, op: "b", kind: KindServer, service: "y", shared: true}, {id: 1, start: 0, end: 100, op: "a", service: "x"},
			{id: 2, parent: 1, start: 10, end: 20, op: "b", kind: KindClient, service: "x"}, {id: 3, parent: 2, start: 11, end: 12, op: "c", service: "x"}}},
		"without a start": {"a[10,100] >b[10,30]", []drawn{
			{id: 1, start: 10, end: 100, op: "a"}, {id: 2, parent: 1, end: 20, op: "b", unplaced: true}}},
		"no one waits": {"a[0,10] >b[5,15]!a >c[5,9]", []drawn{
			{id: 1, start: 0, end: 10, op: "a", kind: KindProducer}, {id: 2, parent: 1, start: 5, end: 15, op: "b", kind: KindConsumer},
			{id: 3, parent: 1, start: 5, end: 9, op: "c", flags: FlagFollowsFrom}}},
		"ids of nothing": {"a[0,10] b[1,2] c[3,4]", []drawn{
			{start: 0, end: 10, op: "a"}, {start: 1, end: 2, op: "b"}, {start: 3, end: 4, op: "c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := build(t, DefaultLimits(), test.spans...)
			if err != nil || picture(f) != test.want {
				t.Fatalf("%v\n%s, want\n%s", err, picture(f), test.want)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	f, err := build(t, DefaultLimits(),
		drawn{id: 1, end: 100, op: "a", service: "x"}, drawn{id: 1, end: 100, op: "a", service: "x"}, drawn{id: 2, parent: 9, start: 5, end: 1, service: "y"},
		drawn{id: 3, parent: 3, op: "c"}, drawn{id: 4, parent: 1, start: 90, end: 110, op: "d"}, drawn{id: 4, parent: 1, start: 91, end: 92, op: "d"})
	want := Counts{Spans: 5, Traces: 1, Services: 3, MissingParents: 1, Duplicates: 2, Repeated: 1, Cycles: 1, Negative: 1, Outside: 1}
	if err != nil || f.Header.Counts != want {
		t.Errorf("%v %+v", err, f.Header.Counts)
	}
}

func slug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return fmt.Sprint(err)
}

func TestLimits(t *testing.T) {
	chain := make([]drawn, 50)
	for i := range chain {
		chain[i] = drawn{id: uint64(i + 1), parent: uint64(i), end: 1000, op: fmt.Sprint("op", i)}
	}
	for want, change := range map[string]func(*Limits){
		"too-many-spans":    func(l *Limits) { l.Spans = 49 },
		"too-deep":          func(l *Limits) { l.Depth = 49 },
		"strings-too-large": func(l *Limits) { l.Strings = 20 },
		"<nil>":             func(l *Limits) { l.Spans, l.Depth = 50, 50 },
	} {
		limits := DefaultLimits()
		change(&limits)
		if _, err := build(t, limits, chain...); slug(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := build(t, DefaultLimits()); slug(err) != "no-spans" {
		t.Error(err)
	}
}

// What hangs on a span is bounded: the rest is counted.
func TestBoundedDetails(t *testing.T) {
	limits := DefaultLimits()
	limits.PerSpan, limits.Text, limits.Attributes = 2, 5, 3
	b := NewBuilder(limits)
	for range 3 {
		if err := b.ResourceAttribute([]byte("service.name"), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	s := b.Begin()
	s.TraceLo, s.ID = 1, 1
	for _, value := range []string{"grüß dich", "a\x00b", "c"} {
		if err := errors.Join(b.Attribute([]byte("k"), []byte(value)), b.Event(-5, []byte("\xff"))); err != nil {
			t.Fatal(err)
		}
		b.Link(1, 2, 3)
	}
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
	b.Begin() // without a trace
	if err := errors.Join(b.Attribute([]byte("k"), nil), b.Commit()); err != nil {
		t.Fatal(err)
	}
	f, err := b.Finish("", profilefile.Source{}, []string{"first"})
	if err != nil {
		t.Fatal(err)
	}
	want := `[first without-trace: 1 spans name no trace and were left out. attributes-dropped: 2 attributes beyond the first of a span were left out. events-dropped: 2 events and links beyond the first of a span were left out. texts-cut: 5 texts were cut to the maximum length. invalid-utf8: 3 texts are not UTF-8 or hold NUL; such bytes were replaced.]`
	if got := fmt.Sprint(f.Header.Warnings); got != want {
		t.Errorf("%s\n%s", got, want)
	}
	if got := string(f.Column("strings_bytes").([]uint8)); got != "servixkgrü\uFFFDa\uFFFDb(unna(unkn" {
		t.Errorf("%q", got)
	}
	if fmt.Sprint(f.Column("attr_offset"), f.Column("event_offset"), f.Column("link_span"), f.Column("event_time_ns")) != "[0 2] [0 2] [3 3] [0 0]" {
		t.Error(f.Column("attr_offset"), f.Column("event_offset"), f.Column("link_span"), f.Column("event_time_ns"))
	}
	b.Begin()
	if err := errors.Join(b.Attribute(nil, nil), b.Attribute(nil, nil)); slug(err) != "too-many-attributes" {
		t.Error(err)
	}
}
