package spanread

import (
	"bytes"
	"strconv"

	"slowpath.dev/decode/internal/jsonstream"
	"slowpath.dev/decode/internal/spanset"
)

// zipkinReader reads Zipkin's JSON, version 2: a list of spans, or a list of
// traces, which are lists of spans.
type zipkinReader struct {
	*jsonstream.Reader
	b        *spanset.Builder
	key      []byte
	endpoint endpoint
}

type endpoint struct {
	service, address []byte
	port             int64
}

func (r *zipkinReader) read() error {
	for {
		c, err := r.Peek()
		if err != nil || c == 0 {
			return err
		}
		if err := r.one(); err != nil {
			return err
		}
	}
}

func (r *zipkinReader) one() error {
	c, err := r.Peek()
	if err != nil {
		return err
	}
	if c == '[' {
		return r.Array(r.one)
	}
	return r.span()
}

func (r *zipkinReader) span() error {
	s := r.b.Begin()
	r.endpoint = endpoint{service: r.endpoint.service[:0], address: r.endpoint.address[:0]}
	earliest := int64(0)
	if err := r.Object(func(key []byte) error { return r.spanField(s, key, &earliest) }); err != nil {
		return err
	}
	if s.StartNs == 0 {
		s.StartNs = earliest
	}
	s.Unplaced = s.StartNs == 0
	s.EndNs = saturated(s.StartNs, s.EndNs)
	if err := r.b.Maker(r.endpoint.service, r.endpoint.name()); err != nil {
		return err
	}
	return r.b.Commit()
}

// name distinguishes instances of a service.
func (e *endpoint) name() []byte {
	if e.port == 0 || len(e.address) == 0 {
		return e.address
	}
	return strconv.AppendInt(append(e.address, ':'), e.port, 10)
}

func (r *zipkinReader) spanField(s *spanset.Span, key []byte, earliest *int64) error {
	switch string(key) {
	case "traceId":
		return r.scalar(func(text []byte) { s.TraceHi, s.TraceLo = traceID(text) })
	case "id":
		return r.scalar(func(text []byte) { s.ID = spanID(text) })
	case "parentId":
		return r.scalar(func(text []byte) { s.Parent = spanID(text) })
	case "name":
		name, err := r.Scalar()
		if err != nil {
			return err
		}
		return r.b.Op(name)
	case "kind":
		return r.scalar(func(text []byte) { s.Kind = enum(text, kinds) })
	case "timestamp":
		return r.scalar(func(text []byte) { s.StartNs = microseconds(text) })
	case "duration":
		return r.scalar(func(text []byte) { s.EndNs = microseconds(text) })
	case "shared":
		return r.scalar(func(text []byte) { s.Shared = string(text) == "true" })
	case "localEndpoint":
		return r.local()
	case "tags":
		return r.tags(s)
	case "annotations":
		return r.Array(func() error { return r.annotation(earliest) })
	}
	return r.Skip()
}

func (r *zipkinReader) scalar(use func([]byte)) error {
	text, err := r.Scalar()
	if err == nil {
		use(text)
	}
	return err
}

func (r *zipkinReader) local() error {
	e := &r.endpoint
	return r.Object(func(key []byte) error {
		switch string(key) {
		case "serviceName":
			return r.scalar(func(text []byte) { e.service = append(e.service[:0], text...) })
		case "ipv4", "ipv6":
			return r.scalar(func(text []byte) { e.address = append(e.address[:0], text...) })
		case "port":
			return r.scalar(func(text []byte) { e.port = integer(text) })
		}
		return r.Skip()
	})
}

func (r *zipkinReader) tags(s *spanset.Span) error {
	return r.Object(func(key []byte) error {
		if string(key) == "error" {
			s.Status = spanset.StatusError
		}
		r.key = append(r.key[:0], key...)
		value, err := r.Scalar()
		if err != nil || len(r.key) == 0 {
			return err
		}
		return r.b.Attribute(r.key, value)
	})
}

func (r *zipkinReader) annotation(earliest *int64) error {
	at, name := int64(0), []byte(nil)
	if err := r.Object(func(key []byte) error {
		switch string(key) {
		case "timestamp":
			return r.scalar(func(text []byte) { at = microseconds(text) })
		case "value":
			return r.scalar(func(text []byte) { name = bytes.Clone(text) })
		}
		return r.Skip()
	}); err != nil {
		return err
	}
	if at > 0 && (*earliest == 0 || at < *earliest) {
		*earliest = at
	}
	return r.b.Event(at, name)
}
