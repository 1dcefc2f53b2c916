// Package spanset gathers spans of any dialect, repairs what can be repaired, and
// writes them as columns: traces, their spans in preorder, and what hangs on
// them.
package spanset

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"slowpath.dev/decode/internal/inputerror"
)

// Kinds of spans, as OTLP numbers them.
const (
	KindUnspecified = uint8(iota)
	KindInternal
	KindServer
	KindClient
	KindProducer
	KindConsumer
)

// Statuses of spans, as OTLP numbers them.
const (
	StatusUnset = uint8(iota)
	StatusOK
	StatusError
)

// Flags of spans: what was repaired, and how a span hangs on its parent.
const (
	FlagParentMissing = uint8(1 << iota)
	FlagFollowsFrom
	FlagRepaired
	FlagOutside
	FlagDuplicate
	FlagCycle
)

// Limits bound one set.
type Limits struct {
	Spans      int64 // spans of the file
	Depth      int64 // spans beneath each other
	Strings    int64 // bytes of all distinct texts together
	Attributes int64 // attributes of all spans together
	PerSpan    int64 // attributes, events, links that a span keeps, each
	Text       int64 // bytes of a text that are retained
}

// DefaultLimits returns the bounds used without flags.
func DefaultLimits() Limits {
	return Limits{Spans: 1 << 20, Depth: 4096, Strings: 256 << 20, Attributes: 32 << 20, PerSpan: 64, Text: 1024}
}

// Span is one span as it was read. Times are Unix nanoseconds.
type Span struct {
	TraceHi, TraceLo uint64
	ID, Parent       uint64 // 0: none
	StartNs, EndNs   int64
	Unplaced         bool // no start is known: EndNs is the duration
	Shared           bool // the server's half of a span that client and server share
	Kind, Status     uint8
	Flags            uint8
	resource         uint32
	op               uint32
	attrs            extent
	events           extent
	links            extent
}

// extent is a piece of a list.
type extent struct{ begin, end uint32 }

// pair is an attribute; texts are numbers.
type pair struct{ key, value uint32 }

type event struct {
	timeNs int64
	name   uint32
}

type link struct{ hi, lo, span uint64 }

// resource is who made spans: its attributes are known only when all of it was
// read.
type resource struct {
	service, instance uint32
	attrs             []pair
}

// Builder takes spans one after the other.
type Builder struct {
	limits    Limits
	texts     texts
	resources []resource
	spans     []Span
	attrs     []pair
	events    []event
	links     []link
	counts    Counts
	open      Span // the span at hand
	current   uint32
	makers    map[[2]uint32]uint32
}

// NewBuilder makes an empty set.
func NewBuilder(limits Limits) *Builder {
	b := &Builder{limits: limits, texts: texts{known: map[string]uint32{"": 0}, offsets: []uint32{0, 0}, limits: limits}}
	b.Resource()
	return b
}

// Len returns how many spans there are.
func (b *Builder) Len() int { return len(b.spans) }

// Resource begins a new resource; its attributes may come later.
func (b *Builder) Resource() uint32 {
	b.resources = append(b.resources, resource{})
	b.current = uint32(len(b.resources) - 1)
	return b.current
}

// Use goes back to a maker.
func (b *Builder) Use(resource uint32) { b.current = resource }

// service and instance name a maker; of several keys, the earlier is believed.
var (
	serviceKeys  = []string{"service.name"}
	instanceKeys = []string{"service.instance.id", "k8s.pod.name", "host.name", "hostname", "host.id", "ip"}
)

// ResourceAttribute adds an attribute of the current resource.
func (b *Builder) ResourceAttribute(key, value []byte) error {
	r := &b.resources[b.current]
	if int64(len(r.attrs)) >= b.limits.PerSpan {
		b.counts.DroppedAttributes++
		return nil
	}
	p, err := b.pair(key, value)
	r.attrs = append(r.attrs, p)
	return err
}

// Service names the current maker outright.
func (b *Builder) Service(name []byte) error {
	n, err := b.texts.add(name)
	b.resources[b.current].service = n
	return err
}

// Maker makes the named maker the current one; it is made once.
func (b *Builder) Maker(service, instance []byte) error {
	s, err := b.texts.add(service)
	if err != nil {
		return err
	}
	i, err := b.texts.add(instance)
	if err != nil {
		return err
	}
	if b.makers == nil {
		b.makers = map[[2]uint32]uint32{}
	}
	n, ok := b.makers[[2]uint32{s, i}]
	if !ok {
		n = b.Resource()
		b.resources[n].service, b.resources[n].instance = s, i
		b.makers[[2]uint32{s, i}] = n
	}
	b.current = n
	return nil
}

// Begin opens a span; what follows belongs to it.
func (b *Builder) Begin() *Span {
	a, e, l := uint32(len(b.attrs)), uint32(len(b.events)), uint32(len(b.links))
	b.open = Span{attrs: extent{a, a}, events: extent{e, e}, links: extent{l, l}}
	return &b.open
}

// Op names the open span.
func (b *Builder) Op(name []byte) (err error) {
	b.open.op, err = b.texts.add(name)
	return err
}

// Attribute adds to the open span.
func (b *Builder) Attribute(key, value []byte) error {
	if int64(len(b.attrs))-int64(b.open.attrs.begin) >= b.limits.PerSpan {
		b.counts.DroppedAttributes++
		return nil
	}
	if int64(len(b.attrs)) >= b.limits.Attributes {
		return inputerror.New("too-many-attributes", "The spans have more than %d attributes. Take a shorter time, or leave attributes out.", b.limits.Attributes).
			WithLimit(b.limits.Attributes, int64(len(b.attrs))+1, "attributes")
	}
	p, err := b.pair(key, value)
	b.attrs = append(b.attrs, p)
	return err
}

func (b *Builder) pair(key, value []byte) (p pair, err error) {
	if p.key, err = b.texts.add(key); err != nil {
		return p, err
	}
	p.value, err = b.texts.add(value)
	return p, err
}

// Event adds to the open span.
func (b *Builder) Event(timeNs int64, name []byte) error {
	if int64(len(b.events))-int64(b.open.events.begin) >= b.limits.PerSpan {
		b.counts.DroppedEvents++
		return nil
	}
	n, err := b.texts.add(name)
	b.events = append(b.events, event{clampTime(timeNs), n})
	return err
}

// Link adds to the open span.
func (b *Builder) Link(hi, lo, span uint64) {
	if int64(len(b.links))-int64(b.open.links.begin) >= b.limits.PerSpan {
		b.counts.DroppedEvents++
		return
	}
	b.links = append(b.links, link{hi, lo, span})
}

// Commit closes the open span and keeps it.
func (b *Builder) Commit() error {
	if int64(len(b.spans)) >= b.limits.Spans {
		return inputerror.New("too-many-spans", "The file has more than %d spans. Take a shorter time, or fewer traces, or raise --max-spans.", b.limits.Spans).
			WithLimit(b.limits.Spans, int64(len(b.spans))+1, "spans")
	}
	s := &b.open
	if s.TraceHi == 0 && s.TraceLo == 0 {
		b.counts.WithoutTrace++
		b.Drop()
		return nil
	}
	if s.op == 0 {
		if err := b.Op([]byte("(unnamed)")); err != nil {
			return err
		}
	}
	s.resource = b.current
	s.attrs.end, s.events.end, s.links.end = uint32(len(b.attrs)), uint32(len(b.events)), uint32(len(b.links))
	s.StartNs, s.EndNs = clampTime(s.StartNs), clampTime(s.EndNs)
	b.spans = append(b.spans, *s)
	return nil
}

// Drop forgets the open span.
func (b *Builder) Drop() {
	b.attrs, b.events, b.links = b.attrs[:b.open.attrs.begin], b.events[:b.open.events.begin], b.links[:b.open.links.begin]
}

// maxTimeNs is far behind any clock (year 2116), and small enough to add and subtract.
const maxTimeNs = int64(1) << 62

func clampTime(ns int64) int64 { return max(0, min(ns, maxTimeNs)) }

// texts numbers strings by arrival; the empty one is 0.
type texts struct {
	known    map[string]uint32
	offsets  []uint32
	bytes    []byte
	limits   Limits
	cut      int64 // texts that were longer than is retained
	replaced int64 // texts that were no UTF-8, or held NUL
}

func (t *texts) add(text []byte) (uint32, error) {
	if n, ok := t.known[string(text)]; ok {
		return n, nil
	}
	retained := t.clean(text)
	n, ok := t.known[retained]
	if !ok {
		if int64(len(t.bytes)+len(retained)) > t.limits.Strings {
			return 0, inputerror.New("strings-too-large", "The distinct texts of the spans have more than %d bytes together. Take a shorter time, or leave long attributes out.", t.limits.Strings).
				WithLimit(t.limits.Strings, int64(len(t.bytes)+len(retained)), "bytes")
		}
		n = uint32(len(t.offsets) - 1)
		t.bytes = append(t.bytes, retained...)
		t.offsets = append(t.offsets, uint32(len(t.bytes)))
		t.known[retained] = n
	}
	return n, nil
}

// clean returns what is retained of a text: valid UTF-8 without NUL, not too long.
func (t *texts) clean(text []byte) string {
	if int64(len(text)) > t.limits.Text {
		t.cut++
		end := int(t.limits.Text)
		for end > 0 && end > int(t.limits.Text)-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	if utf8.Valid(text) && !slices.Contains(text, 0) {
		return string(text)
	}
	t.replaced++
	return strings.ReplaceAll(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), "\x00", "\uFFFD")
}
