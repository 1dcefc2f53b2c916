package spanread

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"

	"slowpath.dev/decode/internal/protostream"
	"slowpath.dev/decode/internal/spanset"
)

// protoReader reads OTLP as protobuf: a request, or several, one behind the
// other, which is one larger request. It goes into resources and scopes as they
// arrive and holds single spans only.
type protoReader struct {
	*protostream.Reader
	b *spanset.Builder
}

// The numbers of fields, of opentelemetry/proto/trace/v1/trace.proto.
const (
	requestResourceSpans = 1

	resourceResource   = 1
	resourceScopeSpans = 2
	resourceOldSpans   = 1000 // instrumentation_library_spans, before 2022

	resourceAttributes = 1
	scopeSpansSpans    = 2

	spanTraceID    = 1
	spanSpanID     = 2
	spanParentID   = 4
	spanName       = 5
	spanKind       = 6
	spanStart      = 7
	spanEnd        = 8
	spanAttributes = 9
	spanEvents     = 11
	spanLinks      = 13
	spanStatus     = 15
)

func (r *protoReader) read() error {
	return r.Fields(protostream.ToEnd, func(f protostream.Field) error {
		if f.Number != requestResourceSpans || f.Wire != protostream.Bytes {
			return nil
		}
		r.b.Resource()
		return r.Fields(r.Offset()+int64(f.Value), r.resourceField)
	})
}

func (r *protoReader) resourceField(f protostream.Field) error {
	if f.Wire != protostream.Bytes {
		return nil
	}
	switch f.Number {
	case resourceResource:
		data, err := r.Take(f.Value)
		if err != nil {
			return err
		}
		return each(data, func(f protostream.Field) error {
			if f.Number == resourceAttributes && f.Wire == protostream.Bytes {
				return attribute(f.Data, r.b.ResourceAttribute)
			}
			return nil
		})
	case resourceScopeSpans, resourceOldSpans:
		return r.Fields(r.Offset()+int64(f.Value), func(f protostream.Field) error {
			if f.Number != scopeSpansSpans || f.Wire != protostream.Bytes {
				return nil
			}
			data, err := r.Take(f.Value)
			if err != nil {
				return err
			}
			return r.span(data)
		})
	}
	return nil
}

// each calls back for every field of a message in memory.
func each(data []byte, call func(protostream.Field) error) error {
	for {
		f, rest, ok, err := protostream.Next(data)
		if err != nil || !ok {
			return err
		}
		if err := call(f); err != nil {
			return err
		}
		data = rest
	}
}

func (r *protoReader) span(data []byte) error {
	s := r.b.Begin()
	if err := each(data, func(f protostream.Field) error { return r.spanField(s, f) }); err != nil {
		return err
	}
	return r.b.Commit()
}

func (r *protoReader) spanField(s *spanset.Span, f protostream.Field) error {
	switch {
	case f.Number == spanKind && f.Wire == protostream.Varint:
		if f.Value < uint64(len(kinds)) {
			s.Kind = uint8(f.Value)
		}
	case f.Number == spanStart && f.Wire != protostream.Bytes:
		s.StartNs = int64(min(f.Value, math.MaxInt64))
	case f.Number == spanEnd && f.Wire != protostream.Bytes:
		s.EndNs = int64(min(f.Value, math.MaxInt64))
	case f.Wire != protostream.Bytes:
	case f.Number == spanTraceID:
		s.TraceHi, s.TraceLo = traceBytes(f.Data)
	case f.Number == spanSpanID:
		s.ID = spanBytes(f.Data)
	case f.Number == spanParentID:
		s.Parent = spanBytes(f.Data)
	case f.Number == spanName:
		return r.b.Op(f.Data)
	case f.Number == spanAttributes:
		return attribute(f.Data, r.b.Attribute)
	case f.Number == spanEvents:
		return r.event(f.Data)
	case f.Number == spanLinks:
		return r.link(s, f.Data)
	case f.Number == spanStatus:
		return r.status(s, f.Data)
	}
	return nil
}

func (r *protoReader) status(s *spanset.Span, data []byte) error {
	return each(data, func(f protostream.Field) error {
		switch {
		case f.Number == 3 && f.Wire == protostream.Varint && f.Value < uint64(len(statuses)):
			s.Status = uint8(f.Value)
		case f.Number == 2 && f.Wire == protostream.Bytes && len(f.Data) > 0:
			return r.b.Attribute([]byte("status.message"), f.Data)
		}
		return nil
	})
}

func (r *protoReader) event(data []byte) error {
	at, name := int64(0), []byte(nil)
	if err := each(data, func(f protostream.Field) error {
		switch {
		case f.Number == 1 && f.Wire != protostream.Bytes:
			at = int64(min(f.Value, math.MaxInt64))
		case f.Number == 2 && f.Wire == protostream.Bytes:
			name = f.Data
		}
		return nil
	}); err != nil {
		return err
	}
	return r.b.Event(at, name)
}

func (r *protoReader) link(s *spanset.Span, data []byte) error {
	hi, lo, span, follows := uint64(0), uint64(0), uint64(0), false
	if err := each(data, func(f protostream.Field) error {
		switch {
		case f.Wire != protostream.Bytes:
		case f.Number == 1:
			hi, lo = traceBytes(f.Data)
		case f.Number == 2:
			span = spanBytes(f.Data)
		case f.Number == 4:
			return attribute(f.Data, func(key, value []byte) error {
				follows = follows || isFollows(key, value)
				return nil
			})
		}
		return nil
	}); err != nil {
		return err
	}
	if follows && span != 0 && span == s.Parent {
		s.Flags |= spanset.FlagFollowsFrom
	}
	r.b.Link(hi, lo, span)
	return nil
}

func traceBytes(data []byte) (hi, lo uint64) {
	if len(data) > 16 {
		return 0, hashed(data)
	}
	var id [16]byte
	copy(id[16-len(data):], data)
	return binary.BigEndian.Uint64(id[:]), binary.BigEndian.Uint64(id[8:])
}

func spanBytes(data []byte) uint64 {
	if len(data) > 8 {
		return hashed(data)
	}
	var id [8]byte
	copy(id[8-len(data):], data)
	return binary.BigEndian.Uint64(id[:])
}

// attribute takes a KeyValue.
func attribute(data []byte, add func(key, value []byte) error) error {
	key, value, err := keyValue(data, 0)
	if err != nil || len(key) == 0 {
		return err
	}
	return add(key, value)
}

func keyValue(data []byte, depth int) (key, value []byte, err error) {
	err = each(data, func(f protostream.Field) (err error) {
		switch {
		case f.Wire != protostream.Bytes:
		case f.Number == 1:
			key = f.Data
		case f.Number == 2:
			value, err = anyValue(f.Data, depth)
		}
		return err
	})
	return key, value, err
}

// maxNested is how deep nested lists are read.
const maxNested = 16

// anyValue returns a value as text: lists as [a,b], maps as {a=b}.
func anyValue(data []byte, depth int) (text []byte, err error) {
	if depth > maxNested {
		return []byte("..."), nil
	}
	err = each(data, func(f protostream.Field) (err error) {
		switch {
		case f.Number == 1 && f.Wire == protostream.Bytes:
			text = f.Data
		case f.Number == 2 && f.Wire == protostream.Varint:
			text = strconv.AppendBool(nil, f.Value != 0)
		case f.Number == 3 && f.Wire == protostream.Varint:
			text = strconv.AppendInt(nil, int64(f.Value), 10)
		case f.Number == 4 && f.Wire == protostream.Fixed64:
			text = strconv.AppendFloat(nil, math.Float64frombits(f.Value), 'g', -1, 64)
		case f.Number == 5 && f.Wire == protostream.Bytes:
			text, err = listText(f.Data, depth)
		case f.Number == 6 && f.Wire == protostream.Bytes:
			text, err = mapText(f.Data, depth)
		case f.Number == 7 && f.Wire == protostream.Bytes:
			text = base64.StdEncoding.AppendEncode(nil, f.Data)
		}
		return err
	})
	return text, err
}

func listText(data []byte, depth int) ([]byte, error) {
	out := []byte{'['}
	err := each(data, func(f protostream.Field) error {
		if f.Number != 1 || f.Wire != protostream.Bytes {
			return nil
		}
		text, err := anyValue(f.Data, depth+1)
		out = joined(out, text)
		return err
	})
	return append(out, ']'), err
}

func mapText(data []byte, depth int) ([]byte, error) {
	out := []byte{'{'}
	err := each(data, func(f protostream.Field) error {
		if f.Number != 1 || f.Wire != protostream.Bytes {
			return nil
		}
		key, value, err := keyValue(f.Data, depth+1)
		out = joined(out, append(append(append([]byte{}, key...), '='), value...))
		return err
	})
	return append(out, '}'), err
}
