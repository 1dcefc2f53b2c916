package spanread

import (
	"bytes"
	"strings"
	"time"

	"slowpath.dev/decode/internal/jsonstream"
	"slowpath.dev/decode/internal/spanset"
)

// jaegerReader reads Jaeger's JSON: traces in data, a bare trace, a list of
// traces, batches of one process, and single spans. The processes of a trace
// usually come after its spans. Read besides are the field names of its model
// and its thrift (traceId, process in the span, dates as text).
type jaegerReader struct {
	*jsonstream.Reader
	b         *spanset.Builder
	processes map[string]uint32 // of the trace at hand
	value     []byte
	key       []byte
}

func (r *jaegerReader) read() error {
	for {
		c, err := r.Peek()
		if err != nil || c == 0 {
			return err
		}
		r.processes = map[string]uint32{}
		if err := r.one(); err != nil {
			return err
		}
	}
}

// one takes an answer of Jaeger's, a trace, or a list of them.
func (r *jaegerReader) one() error {
	c, err := r.Peek()
	if err != nil {
		return err
	}
	if c == '[' {
		return r.Array(r.one)
	}
	s := r.b.Begin()
	batch := r.b.Resource()
	isSpan := false
	outer := r.processes
	r.processes = map[string]uint32{}
	defer func() { r.processes = outer }()
	err = r.Object(func(key []byte) error {
		switch string(key) {
		case "data":
			return r.Array(r.one)
		case "spans":
			return r.Array(func() error { return r.span(batch) })
		case "processes":
			return r.processMap()
		case "process":
			r.b.Use(batch)
			return r.process()
		case "spanID", "spanId", "operationName", "startTime":
			isSpan = true
		}
		return r.spanField(s, key, &batch)
	})
	if err != nil || !isSpan {
		return err
	}
	return r.commit(s, batch)
}

func (r *jaegerReader) span(resource uint32) error {
	s := r.b.Begin()
	if err := r.Object(func(key []byte) error { return r.spanField(s, key, &resource) }); err != nil {
		return err
	}
	return r.commit(s, resource)
}

// commit keeps a span whose duration marks where its end belongs.
func (r *jaegerReader) commit(s *spanset.Span, resource uint32) error {
	r.b.Use(resource)
	s.EndNs = saturated(s.StartNs, s.EndNs)
	return r.b.Commit()
}

// saturated adds a duration to a time without leaving 64 bits.
func saturated(start, duration int64) int64 {
	if duration > 0 && start > 1<<62 || duration > 1<<62 {
		return 1 << 62
	}
	return start + duration
}

func (r *jaegerReader) spanField(s *spanset.Span, key []byte, resource *uint32) error {
	switch string(key) {
	case "traceID", "traceId":
		return r.scalar(func(text []byte) { s.TraceHi, s.TraceLo = traceID(text) })
	case "traceIdLow":
		return r.scalar(func(text []byte) { s.TraceLo = uint64(integer(text)) })
	case "traceIdHigh":
		return r.scalar(func(text []byte) { s.TraceHi = uint64(integer(text)) })
	case "spanID":
		return r.scalar(func(text []byte) { s.ID = spanID(text) })
	case "spanId", "parentSpanId": // a number in thrift's JSON, base64 in the model's
		id, err := r.id()
		if string(key) == "spanId" {
			s.ID = id
		} else {
			s.Parent = id
		}
		return err
	case "parentSpanID":
		return r.scalar(func(text []byte) { s.Parent = spanID(text) })
	case "operationName":
		name, err := r.Scalar()
		if err != nil {
			return err
		}
		return r.b.Op(name)
	case "references":
		return r.references(s)
	case "startTime":
		return r.scalar(func(text []byte) { s.StartNs = jaegerTime(text) })
	case "duration":
		return r.scalar(func(text []byte) { s.EndNs = jaegerDuration(text) })
	case "tags":
		return r.tags(func(key, value []byte) error { return r.tag(s, key, value) })
	case "logs":
		return r.Array(r.log)
	case "processID", "processId":
		text, err := r.Scalar()
		if err == nil && len(text) > 0 {
			*resource = r.processOf(text)
		}
		return err
	case "process":
		*resource = r.b.Resource()
		return r.process()
	}
	return r.Skip()
}

func (r *jaegerReader) scalar(use func([]byte)) error {
	text, err := r.Scalar()
	if err == nil {
		use(text)
	}
	return err
}

func (r *jaegerReader) id() (uint64, error) {
	c, err := r.Peek()
	if err != nil {
		return 0, err
	}
	text, err := r.Scalar()
	if c == '"' {
		return spanID(text), err
	}
	return uint64(integer(text)), err
}

// processOf returns the resource of a process of this trace, read already or not.
func (r *jaegerReader) processOf(name []byte) uint32 {
	n, ok := r.processes[string(name)]
	if !ok {
		n = r.b.Resource()
		r.processes[string(name)] = n
	}
	return n
}

func (r *jaegerReader) processMap() error {
	return r.Object(func(key []byte) error {
		r.b.Use(r.processOf(key))
		return r.process()
	})
}

func (r *jaegerReader) process() error {
	return r.Object(func(key []byte) error {
		switch string(key) {
		case "serviceName":
			name, err := r.Scalar()
			if err != nil {
				return err
			}
			return r.b.Service(name)
		case "tags":
			return r.tags(r.b.ResourceAttribute)
		}
		return r.Skip()
	})
}

// references takes parents: the first of the span's own trace is the parent, one
// that is waited for before one that is not. Others are links.
func (r *jaegerReader) references(s *spanset.Span) error {
	return r.Array(func() error {
		hi, lo, span, follows := uint64(0), uint64(0), uint64(0), false
		if err := r.Object(func(key []byte) (err error) {
			switch string(key) {
			case "refType":
				return r.scalar(func(text []byte) { follows = strings.EqualFold(string(text), "FOLLOWS_FROM") })
			case "traceID", "traceId":
				return r.scalar(func(text []byte) { hi, lo = traceID(text) })
			case "traceIdLow":
				return r.scalar(func(text []byte) { lo = uint64(integer(text)) })
			case "traceIdHigh":
				return r.scalar(func(text []byte) { hi = uint64(integer(text)) })
			case "spanID", "spanId":
				span, err = r.id()
				return err
			}
			return r.Skip()
		}); err != nil {
			return err
		}
		own := s.TraceHi == 0 && s.TraceLo == 0 || hi == s.TraceHi && lo == s.TraceLo
		switch {
		case !own || s.Parent != 0 && (follows || s.Flags&spanset.FlagFollowsFrom == 0):
			r.b.Link(hi, lo, span)
		case follows:
			s.Parent, s.Flags = span, s.Flags|spanset.FlagFollowsFrom
		default:
			s.Parent, s.Flags = span, s.Flags&^spanset.FlagFollowsFrom
		}
		return nil
	})
}

// tags takes a list of {key, value}; Jaeger's model calls the value by its type.
func (r *jaegerReader) tags(add func(key, value []byte) error) error {
	return r.Array(func() error {
		r.key, r.value = r.key[:0], r.value[:0]
		if err := r.Object(func(field []byte) error {
			switch string(field) {
			case "key":
				text, err := r.Scalar()
				r.key = append(r.key[:0], text...)
				return err
			case "value", "vStr", "vBool", "vInt64", "vLong", "vFloat64", "vDouble", "vBinary":
				if c, err := r.Peek(); err != nil || c == '{' || c == '[' {
					if err != nil {
						return err
					}
					return r.Skip()
				}
				text, err := r.Scalar()
				r.value = append(r.value[:0], text...)
				return err
			}
			return r.Skip()
		}); err != nil || len(r.key) == 0 {
			return err
		}
		return add(r.key, r.value)
	})
}

func (r *jaegerReader) tag(s *spanset.Span, key, value []byte) error {
	switch string(key) {
	case "span.kind":
		s.Kind = enum(value, kinds)
		return nil
	case "error":
		if string(value) != "false" {
			s.Status = spanset.StatusError
		}
	case "otel.status_code":
		s.Status = max(s.Status, enum(value, statuses))
	}
	return r.b.Attribute(key, value)
}

// log takes a moment: its event, or its message, or else its first field.
func (r *jaegerReader) log() error {
	at, first, named := int64(0), []byte(nil), []byte(nil)
	fields := func(key, value []byte) error {
		if first == nil {
			first = append(append(bytes.Clone(key), '='), value...)
		}
		if string(key) == "event" || named == nil && string(key) == "message" {
			named = bytes.Clone(value)
		}
		return nil
	}
	if err := r.Object(func(key []byte) error {
		switch string(key) {
		case "timestamp":
			return r.scalar(func(text []byte) { at = jaegerTime(text) })
		case "fields":
			return r.tags(fields)
		}
		return r.Skip()
	}); err != nil {
		return err
	}
	if named == nil {
		named = first
	}
	return r.b.Event(at, named)
}

// jaegerTime reads microseconds, or a date.
func jaegerTime(text []byte) int64 {
	if bytes.IndexByte(text, 'T') > 0 {
		return unixNs(text)
	}
	return microseconds(text)
}

// jaegerDuration reads microseconds, or a duration as Go or protobuf write it.
func jaegerDuration(text []byte) int64 {
	if len(text) > 0 && text[len(text)-1] == 's' {
		if d, err := time.ParseDuration(string(text)); err == nil {
			return int64(d)
		}
	}
	return microseconds(text)
}
