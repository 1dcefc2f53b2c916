package spanset

import (
	"cmp"
	"io"
	"slices"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/slowcol"
)

// File is a whole decoded set.
type File struct {
	Header  Header
	columns []slowcol.Column
}

// Write writes the set as a columnar container.
func (f *File) Write(w io.Writer) error {
	return slowcol.Write(w, Format, Version, f.Header, f.columns)
}

// Column returns the data of a column, or nil.
func (f *File) Column(name string) any {
	for _, column := range f.columns {
		if column.Name == name {
			return column.Data
		}
	}
	return nil
}

// Finish arranges all traces and returns the columns. warnings come before ours.
func (b *Builder) Finish(dialect string, source profilefile.Source, warnings []string) (*File, error) {
	if len(b.spans) == 0 {
		return nil, inputerror.New("no-spans", "The file holds no spans (%d without a trace were left out).", b.counts.WithoutTrace).
			WithLimit(1, 0, "spans")
	}
	if err := b.nameResources(); err != nil {
		return nil, err
	}
	w := newWriter(b)
	f := &forest{b: b}
	for _, rows := range b.traces() {
		if err := f.arrange(rows); err != nil {
			return nil, err
		}
		w.trace(f)
	}
	w.sortTraces()
	return w.file(dialect, source, warnings), nil
}

// nameResources finds services and instances among the attributes.
func (b *Builder) nameResources() error {
	for i := range b.resources {
		r := &b.resources[i]
		r.service = cmp.Or(r.service, b.firstOf(r, serviceKeys))
		r.instance = cmp.Or(r.instance, b.firstOf(r, instanceKeys))
		if r.service == 0 {
			unknown, err := b.texts.add([]byte("(unknown)"))
			if err != nil {
				return err
			}
			r.service = unknown
		}
	}
	return nil
}

func (b *Builder) firstOf(r *resource, keys []string) uint32 {
	for _, key := range keys {
		n, ok := b.texts.known[key]
		for _, p := range r.attrs {
			if ok && p.key == n {
				return p.value
			}
		}
	}
	return 0
}

// traces returns the rows of every trace, in order of arrival.
func (b *Builder) traces() [][]int32 {
	type id struct{ hi, lo uint64 }
	numbers := map[id]int32{}
	of := make([]int32, len(b.spans))
	var sizes []int32
	for i := range b.spans {
		key := id{b.spans[i].TraceHi, b.spans[i].TraceLo}
		n, ok := numbers[key]
		if !ok {
			n = int32(len(sizes))
			numbers[key] = n
			sizes = append(sizes, 0)
		}
		of[i] = n
		sizes[n]++
	}
	rows := make([]int32, len(b.spans))
	all := make([][]int32, len(sizes))
	for n, at := 0, int32(0); n < len(sizes); n++ {
		all[n] = rows[at : at : at+sizes[n]]
		at += sizes[n]
	}
	for i, n := range of {
		all[n] = append(all[n], int32(i))
	}
	return all
}

// orderedSpan is a span in its final place; parent is counted from the trace's first
// row, -1 for roots.
type orderedSpan struct {
	row    int32
	parent int32
	depth  uint16
	skewNs int64
}

// piece is one trace among the placed spans.
type piece struct {
	hi, lo  uint64
	startNs int64
	extent
}

type writer struct {
	b       *Builder
	ordered []orderedSpan
	pieces  []piece
	final   []int32 // place -> row in the trace, of the trace at hand
}

func newWriter(b *Builder) *writer {
	return &writer{b: b, ordered: make([]orderedSpan, 0, len(b.spans))}
}

// trace takes over a trace that was arranged.
func (w *writer) trace(f *forest) {
	w.final = resized(w.final, len(f.rows))
	begin := uint32(len(w.ordered))
	first := f.span(f.order[0])
	for i, p := range f.order {
		w.final[p] = int32(i)
		parent := noRow
		if f.parent[p] != noRow {
			parent = w.final[f.parent[p]]
		}
		w.ordered = append(w.ordered, orderedSpan{f.rows[p], parent, f.depth[p], f.skew[p]})
	}
	w.pieces = append(w.pieces, piece{first.TraceHi, first.TraceLo, first.StartNs, extent{begin, uint32(len(w.ordered))}})
}

// sortTraces puts traces in order of their first root's start, so that the same
// spans in another order give the same traces.
func (w *writer) sortTraces() {
	slices.SortFunc(w.pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.startNs, b.startNs), cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))
	})
}

// spanColumns are the arrays with one entry a span, and what hangs on spans.
type spanColumns struct {
	id                                uint64s
	parent, service, instance, op     uint32s
	depth                             []uint16
	kind, status, flags, async        []uint8
	start, end, skew                  []int64
	attrOffset, attrKey, attrValue    uint32s
	eventOffset, eventName            uint32s
	eventTime                         []int64
	linkOffset                        uint32s
	linkHi, linkLo, linkSpan, traceHi uint64s
	traceLo                           uint64s
	traceOffset                       uint32s
}

type (
	uint64s = []uint64
	uint32s = []uint32
)

func (w *writer) file(dialect string, source profilefile.Source, warnings []string) *File {
	c := &spanColumns{attrOffset: uint32s{0}, eventOffset: uint32s{0}, linkOffset: uint32s{0}, traceOffset: uint32s{0}}
	header := Header{Dialect: dialect, StartNs: maxTimeNs, Source: source, Counts: w.b.counts}
	services := map[uint32]bool{}
	for _, piece := range w.pieces {
		base := uint32(len(c.id))
		for _, p := range w.ordered[piece.begin:piece.end] {
			s := &w.b.spans[p.row]
			w.add(c, p, base)
			header.StartNs, header.EndNs = min(header.StartNs, s.StartNs), max(header.EndNs, s.EndNs)
			services[w.b.resources[s.resource].service] = true
		}
		c.traceHi, c.traceLo = append(c.traceHi, piece.hi), append(c.traceLo, piece.lo)
		c.traceOffset = append(c.traceOffset, uint32(len(c.id)))
	}
	header.Counts.Spans, header.Counts.Traces, header.Counts.Services = int64(len(c.id)), int64(len(w.pieces)), int64(len(services))
	header.Counts.CutTexts = w.b.texts.cut
	header.Warnings = append(append([]string{}, warnings...), w.b.warnings()...)
	return &File{Header: header, columns: []slowcol.Column{
		{Name: "strings_offset", Data: w.b.texts.offsets}, {Name: "strings_bytes", Data: w.b.texts.bytes},
		{Name: "trace_hi", Data: c.traceHi}, {Name: "trace_lo", Data: c.traceLo}, {Name: "trace_offset", Data: c.traceOffset},
		{Name: "span_id", Data: c.id}, {Name: "span_parent", Data: c.parent}, {Name: "span_depth", Data: c.depth},
		{Name: "span_service", Data: c.service}, {Name: "span_instance", Data: c.instance}, {Name: "span_op", Data: c.op},
		{Name: "span_kind", Data: c.kind}, {Name: "span_start_ns", Data: c.start}, {Name: "span_end_ns", Data: c.end},
		{Name: "span_skew_ns", Data: c.skew}, {Name: "span_status", Data: c.status}, {Name: "span_flags", Data: c.flags}, {Name: "span_async", Data: c.async},
		{Name: "attr_offset", Data: c.attrOffset}, {Name: "attr_key", Data: c.attrKey}, {Name: "attr_value", Data: c.attrValue},
		{Name: "event_offset", Data: c.eventOffset}, {Name: "event_time_ns", Data: c.eventTime}, {Name: "event_name", Data: c.eventName},
		{Name: "link_offset", Data: c.linkOffset}, {Name: "link_hi", Data: c.linkHi}, {Name: "link_lo", Data: c.linkLo}, {Name: "link_span", Data: c.linkSpan},
	}}
}

// add appends a span; base is the row of its trace's first.
func (w *writer) add(c *spanColumns, p orderedSpan, base uint32) {
	s := &w.b.spans[p.row]
	r := &w.b.resources[s.resource]
	parent, async := None, uint8(0)
	if p.parent != noRow {
		parent = base + uint32(p.parent)
		if s.EndNs > c.end[parent] && (s.Flags&FlagFollowsFrom != 0 || c.kind[parent] == KindProducer && s.Kind == KindConsumer) {
			async = 1
		}
	}
	c.id, c.parent, c.depth = append(c.id, s.ID), append(c.parent, parent), append(c.depth, p.depth)
	c.service, c.instance, c.op = append(c.service, r.service), append(c.instance, r.instance), append(c.op, s.op)
	c.kind, c.status, c.flags, c.async = append(c.kind, s.Kind), append(c.status, s.Status), append(c.flags, s.Flags), append(c.async, async)
	c.start, c.end, c.skew = append(c.start, s.StartNs), append(c.end, s.EndNs), append(c.skew, p.skewNs)
	w.attributes(c, s, r, parent)
	for _, e := range w.b.events[s.events.begin:s.events.end] {
		c.eventTime, c.eventName = append(c.eventTime, clampTime(e.timeNs+p.skewNs)), append(c.eventName, e.name)
	}
	c.eventOffset = append(c.eventOffset, uint32(len(c.eventName)))
	for _, l := range w.b.links[s.links.begin:s.links.end] {
		c.linkHi, c.linkLo, c.linkSpan = append(c.linkHi, l.hi), append(c.linkLo, l.lo), append(c.linkSpan, l.span)
	}
	c.linkOffset = append(c.linkOffset, uint32(len(c.linkSpan)))
}

// attributes appends a span's own, and, where work begins in a process, those
// of the process.
func (w *writer) attributes(c *spanColumns, s *Span, r *resource, parent uint32) {
	for _, a := range w.b.attrs[s.attrs.begin:s.attrs.end] {
		c.attrKey, c.attrValue = append(c.attrKey, a.key), append(c.attrValue, a.value)
	}
	if parent == None || isServer(s.Kind) || c.service[parent] != r.service || c.instance[parent] != r.instance {
		retained := int(s.attrs.end - s.attrs.begin)
		for _, a := range r.attrs[:min(len(r.attrs), max(0, int(w.b.limits.PerSpan)-retained))] {
			c.attrKey, c.attrValue = append(c.attrKey, a.key), append(c.attrValue, a.value)
		}
	}
	c.attrOffset = append(c.attrOffset, uint32(len(c.attrKey)))
}
