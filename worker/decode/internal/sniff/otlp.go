package sniff

import "encoding/binary"

// looksLikeOTLP walks down the first fields of a trace request of OTLP: a
// resource, then scopes of spans, the first of which begins with a trace's id.
// No profile looks so: what a profile has in field 1 holds numbers.
func looksLikeOTLP(head []byte) bool {
	inner, ok := descend(head, 1, nil)
	if !ok {
		return false
	}
	for _, scopes := range []uint64{2, 1000} {
		if scope, ok := descend(inner, scopes, map[uint64]bool{1: true}); ok {
			span, ok := descend(scope, 2, map[uint64]bool{1: true, 3: true})
			return ok && len(span) >= 18 && span[0] == 1<<3|wireBytes && span[1] == 16
		}
	}
	return false
}

// descend returns the bytes of the first field of that number, as far as they are
// there; only fields of bytes with numbers that are allowed may come before it.
func descend(data []byte, want uint64, before map[uint64]bool) ([]byte, bool) {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag&7 != wireBytes {
			return nil, false
		}
		length, m := binary.Uvarint(data[n:])
		if m <= 0 {
			return nil, false
		}
		data = data[n+m:]
		if tag>>3 == want {
			return data[:min(length, uint64(len(data)))], true
		}
		if !before[tag>>3] || length > uint64(len(data)) {
			return nil, false
		}
		data = data[length:]
	}
	return nil, false
}
