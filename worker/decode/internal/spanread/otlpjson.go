package spanread

import (
	"bytes"
	"strconv"

	"slowpath.dev/decode/internal/jsonstream"
	"slowpath.dev/decode/internal/spanset"
)

// otlpReader reads OTLP as JSON: documents one after the other, each an export
// request. Names of fields may be written in camelCase or snake_case, numbers as
// texts, enums as numbers or names, ids in hexadecimal or base64.
type otlpReader struct {
	*jsonstream.Reader
	b     *spanset.Builder
	key   []byte // of the attribute at hand
	value []byte
}

func (r *otlpReader) read() error {
	for {
		c, err := r.Peek()
		if err != nil || c == 0 {
			return err
		}
		if c == '[' { // some tools wrap requests in a list
			err = r.Array(r.request)
		} else {
			err = r.request()
		}
		if err != nil {
			return err
		}
	}
}

func (r *otlpReader) request() error {
	return r.Object(func(key []byte) error {
		switch string(key) {
		case "resourceSpans", "resource_spans":
			return r.Array(r.resourceSpans)
		case "scopeSpans", "scope_spans": // a bare part of a request
			return r.Array(r.scopeSpans)
		}
		return r.Skip()
	})
}

func (r *otlpReader) resourceSpans() error {
	r.b.Resource()
	return r.Object(func(key []byte) error {
		switch string(key) {
		case "resource":
			return r.Object(func(key []byte) error {
				if string(key) == "attributes" {
					return r.attributes(r.b.ResourceAttribute)
				}
				return r.Skip()
			})
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			return r.Array(r.scopeSpans)
		}
		return r.Skip()
	})
}

func (r *otlpReader) scopeSpans() error {
	return r.Object(func(key []byte) error {
		if string(key) == "spans" {
			return r.Array(r.span)
		}
		return r.Skip()
	})
}

func (r *otlpReader) span() error {
	s := r.b.Begin()
	if err := r.Object(func(key []byte) error { return r.spanField(s, key) }); err != nil {
		return err
	}
	return r.b.Commit()
}

func (r *otlpReader) spanField(s *spanset.Span, key []byte) (err error) {
	switch string(key) {
	case "traceId", "trace_id":
		return r.scalar(func(text []byte) { s.TraceHi, s.TraceLo = traceID(text) })
	case "spanId", "span_id":
		return r.scalar(func(text []byte) { s.ID = spanID(text) })
	case "parentSpanId", "parent_span_id":
		return r.scalar(func(text []byte) { s.Parent = spanID(text) })
	case "name":
		name, err := r.Scalar()
		if err != nil {
			return err
		}
		return r.b.Op(name)
	case "kind":
		return r.scalar(func(text []byte) { s.Kind = enum(text, kinds) })
	case "startTimeUnixNano", "start_time_unix_nano":
		return r.scalar(func(text []byte) { s.StartNs = integer(text) })
	case "endTimeUnixNano", "end_time_unix_nano":
		return r.scalar(func(text []byte) { s.EndNs = integer(text) })
	case "attributes":
		return r.attributes(r.b.Attribute)
	case "events":
		return r.Array(r.event)
	case "links":
		return r.Array(func() error { return r.link(s) })
	case "status":
		return r.status(s)
	}
	return r.Skip()
}

func (r *otlpReader) scalar(use func([]byte)) error {
	text, err := r.Scalar()
	if err == nil {
		use(text)
	}
	return err
}

func (r *otlpReader) status(s *spanset.Span) error {
	return r.Object(func(key []byte) error {
		switch string(key) {
		case "code":
			return r.scalar(func(text []byte) { s.Status = enum(text, statuses) })
		case "message":
			text, err := r.Scalar()
			if err != nil || len(text) == 0 {
				return err
			}
			return r.b.Attribute([]byte("status.message"), text)
		}
		return r.Skip()
	})
}

func (r *otlpReader) event() error {
	at, name := int64(0), []byte(nil)
	if err := r.Object(func(key []byte) error {
		switch string(key) {
		case "timeUnixNano", "time_unix_nano":
			return r.scalar(func(text []byte) { at = integer(text) })
		case "name":
			return r.scalar(func(text []byte) { name = bytes.Clone(text) })
		}
		return r.Skip()
	}); err != nil {
		return err
	}
	return r.b.Event(at, name)
}

// link takes a link to another span. One of the span's own trace that follows it
// is how converted traces mark a parent that does not wait.
func (r *otlpReader) link(s *spanset.Span) error {
	hi, lo, span, follows := uint64(0), uint64(0), uint64(0), false
	if err := r.Object(func(key []byte) error {
		switch string(key) {
		case "traceId", "trace_id":
			return r.scalar(func(text []byte) { hi, lo = traceID(text) })
		case "spanId", "span_id":
			return r.scalar(func(text []byte) { span = spanID(text) })
		case "attributes":
			return r.attributes(func(key, value []byte) error {
				follows = follows || isFollows(key, value)
				return nil
			})
		}
		return r.Skip()
	}); err != nil {
		return err
	}
	if follows && span != 0 && span == s.Parent {
		s.Flags |= spanset.FlagFollowsFrom
	}
	r.b.Link(hi, lo, span)
	return nil
}

func isFollows(key, value []byte) bool {
	return string(key) == "opentracing.ref_type" && string(value) == "follows_from"
}

// attributes takes a list of keys and values.
func (r *otlpReader) attributes(add func(key, value []byte) error) error {
	return r.Array(func() error {
		var key, value []byte
		scalar := false
		err := r.Object(func(field []byte) error {
			switch string(field) {
			case "key":
				text, err := r.Scalar()
				r.key = append(r.key[:0], text...)
				key = r.key
				return err
			case "value":
				text, err := r.anyValue()
				r.value = append(r.value[:0], text...)
				value, scalar = r.value, true
				return err
			}
			return r.Skip()
		})
		if err != nil || len(key) == 0 || !scalar {
			return err
		}
		return add(key, value)
	})
}

// anyValue reads a value and returns it as text: lists as [a,b], maps as {a=b},
// both no deeper than the JSON itself may be.
func (r *otlpReader) anyValue() ([]byte, error) {
	var text []byte
	err := r.Object(func(field []byte) (err error) {
		switch string(field) {
		case "arrayValue", "array_value":
			text, err = r.listValue()
		case "kvlistValue", "kvlist_value":
			text, err = r.mapValue()
		case "stringValue", "string_value", "intValue", "int_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue", "bytes_value":
			text, err = r.Scalar()
		default:
			err = r.Skip()
		}
		return err
	})
	return bytes.Clone(text), err
}

// maxJoined bounds the text of a list: what is longer is cut anyway.
const maxJoined = 4 << 10

func (r *otlpReader) listValue() ([]byte, error) {
	out := []byte{'['}
	err := r.Object(func(field []byte) error {
		if string(field) != "values" {
			return r.Skip()
		}
		return r.Array(func() error {
			text, err := r.anyValue()
			out = joined(out, text)
			return err
		})
	})
	return append(out, ']'), err
}

func (r *otlpReader) mapValue() ([]byte, error) {
	out := []byte{'{'}
	err := r.Object(func(field []byte) error {
		if string(field) != "values" {
			return r.Skip()
		}
		return r.Array(func() error {
			var key, value []byte
			err := r.Object(func(field []byte) (err error) {
				switch string(field) {
				case "key":
					key, err = r.Scalar()
					key = bytes.Clone(key)
				case "value":
					value, err = r.anyValue()
				default:
					err = r.Skip()
				}
				return err
			})
			out = joined(out, append(append(key, '='), value...))
			return err
		})
	})
	return append(out, '}'), err
}

func joined(out, text []byte) []byte {
	if len(out) > maxJoined {
		return out
	}
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(out, text...)
}

var (
	kinds    = []string{"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"}
	statuses = []string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)

// enum reads a number or a name, with or without what all names begin with;
// what is none of them is 0.
func enum(text []byte, names []string) uint8 {
	if n, err := strconv.ParseUint(string(text), 10, 8); err == nil && n < uint64(len(names)) {
		return uint8(n)
	}
	upper := bytes.ToUpper(text)
	for i, name := range names {
		if len(upper) > 0 && (name == string(upper) || bytes.HasSuffix([]byte(name), append([]byte("_"), upper...))) {
			return uint8(i)
		}
	}
	return 0
}
