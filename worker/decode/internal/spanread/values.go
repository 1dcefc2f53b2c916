package spanread

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

// traceID reads the id of a trace: up to 32 hexadecimal digits, shorter ones
// padded on the left; or base64 of 16 bytes, as protobuf's own JSON has it. Other
// texts are ids too, of a kind: they are hashed.
func traceID(text []byte) (hi, lo uint64) {
	if len(text) > 16 && len(text) <= 32 {
		hi, okHi := hex(text[:len(text)-16])
		lo, okLo := hex(text[len(text)-16:])
		if okHi && okLo {
			return hi, lo
		}
	} else if lo, ok := hex(text); ok {
		return 0, lo
	}
	if raw := unbase64(text); len(raw) == 16 {
		return binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:])
	}
	return 0, hashed(text)
}

// spanID reads the id of a span: up to 16 hexadecimal digits, or base64 of 8
// bytes. Zipkin's may be written with 32 digits; the last 16 count.
func spanID(text []byte) uint64 {
	if id, ok := hex(text[max(0, len(text)-16):]); ok {
		return id
	}
	if raw := unbase64(text); len(raw) == 8 {
		return binary.BigEndian.Uint64(raw)
	}
	return hashed(text)
}

func hex(text []byte) (value uint64, ok bool) {
	if len(text) > 16 {
		return 0, false
	}
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		value = value<<4 | uint64(c)
	}
	return value, true
}

func unbase64(text []byte) []byte {
	if len(text) > 32 {
		return nil
	}
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(raw, text)
	if err != nil {
		return nil
	}
	return raw[:n]
}

// hashed returns FNV-1a of a text; of none, 0.
func hashed(text []byte) uint64 {
	if len(text) == 0 {
		return 0
	}
	h := uint64(0xCBF29CE484222325)
	for _, c := range text {
		h = (h ^ uint64(c)) * 0x100000001B3
	}
	return h
}

// integer reads a number, written as one or as text, whole or not; what is none
// is 0.
func integer(text []byte) int64 {
	n := int64(0)
	for i, c := range text {
		if c < '0' || c > '9' || i > 17 {
			return slowInteger(text)
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

func slowInteger(text []byte) int64 {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return int64(max(-9e18, min(9e18, f)))
}

// unixNs reads nanoseconds since 1970: a number, or a date as of RFC 3339.
func unixNs(text []byte) int64 {
	if bytes.IndexByte(text, 'T') > 0 {
		if t, err := time.Parse(time.RFC3339Nano, string(text)); err == nil && t.Year() > 1677 && t.Year() < 2262 {
			return t.UnixNano()
		}
	}
	return integer(text)
}

// microseconds reads a time or duration of Jaeger's or Zipkin's JSON as
// nanoseconds. Fractions are retained.
func microseconds(text []byte) int64 {
	const most = math.MaxInt64 / 1000
	if n := integer(text); bytes.IndexByte(text, '.') < 0 {
		return 1000 * max(-most, min(most, n))
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return int64(max(-9e18, min(9e18, math.Round(1000*f))))
}
