package pprofread

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefixture"
)

// key and block write protobuf by hand.
func key(number, wire int) []byte { return binary.AppendUvarint(nil, uint64(number<<3|wire)) }

func block(number int, body ...byte) []byte {
	return append(append(key(number, wireBytes), binary.AppendUvarint(nil, uint64(len(body)))...), body...)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}

func zstandard(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(data, nil)
}

// valid is a small good profile in plain protobuf.
func valid(change func(*profile.Profile)) []byte {
	p := profilefixture.Stacks(`
		main main
		a    b`)
	if change != nil {
		change(p)
	}
	var out bytes.Buffer
	if err := p.WriteUncompressed(&out); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// proto is a hand-written profile: one sample type, its strings, and more.
func proto(more ...[]byte) []byte {
	return join(append([][]byte{block(1, 8, 1, 16, 2), block(6), block(6, 'n'), block(6, 'u')}, more...)...)
}

var (
	function1 = block(5, 8, 1, 16, 1)
	location1 = block(4, 8, 1, 34, 2, 8, 1)
	sample1   = block(2, 8, 1, 16, 1) // location 1, value 1
)

func TestInputErrors(t *testing.T) {
	whole := profilefixture.Bytes(profilefixture.Stacks("main main\na b"))
	small := func(o *calltree.Options) { o.Limits.Unpacked = 100 }
	deep := func(o *calltree.Options) { o.Limits.Depth = 5 }
	for _, test := range []struct {
		name    string
		data    []byte
		slug    string
		options func(*calltree.Options)
	}{
		{"empty", nil, "empty-file", nil},
		{"empty inside", gzipped(nil), "empty-file", nil},
		{"empty again and again", bytes.Repeat(gzipped(nil), 1000), "empty-file", nil},
		{"joined from too many", bytes.Repeat(gzipped(nil), 1<<16+1), "too-many-members", nil},
		{"gzip cut", whole[:len(whole)/2], "truncated-gzip", nil},
		{"gzip cut in its header", whole[:6], "truncated-gzip", nil},
		{"gzip damaged", join(whole[:30], []byte{0xff, 0xff, 0xff}, whole[33:]), "damaged-gzip", nil},
		{"zstd cut", zstandard(valid(nil))[:40], "truncated-zstd", nil},
		{"zstd damaged", join(zstandard(valid(nil))[:9], []byte{0xff, 0xff, 0xff, 0xff}, zstandard(valid(nil))[13:]), "damaged-zstd", nil},
		{"zstd asks for a huge window", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf0, 0x01, 0x00, 0x00}, "zstd-window", nil},
		{"garbage behind gzip", join(whole, []byte("garbage!")), "trailing-garbage", nil},
		{"two profiles", join(whole, whole), "concatenated-profiles", nil},
		{"gzip twice", gzipped(whole), "nested-compression", nil},
		{"zstd in gzip", gzipped(zstandard(valid(nil))), "nested-compression", nil},
		{"gzip in zstd", zstandard(whole), "nested-compression", nil},
		{"too large", gzipped(valid(nil)), "unpacked-too-large", small},
		{"too large in zstd", zstandard(valid(nil)), "unpacked-too-large", small},
		{"zeros", gzipped(make([]byte, 64<<20)), "compression-ratio", nil},
		{"zeros in zstd", zstandard(make([]byte, 64<<20)), "compression-ratio", nil},
		{"zip", []byte("PK\x03\x04 more"), "not-a-profile", nil},
		{"text", []byte("hello, this is not a profile\n"), "not-a-profile", nil},
		{"html", []byte("<!DOCTYPE html><html>sign in</html>"), "not-a-profile", nil},
		{"goroutine dump", []byte("goroutine 1 [running]:\nmain.main()\n"), "not-a-profile", nil},
		{"trace", []byte("go 1.22 trace\x00\x00\x00"), "not-a-profile", nil},
		{"binary", []byte{0xff, 0xfe, 0, 1, 2, 3}, "not-a-profile", nil},
		{"legacy damaged", []byte("heap profile: 1: 2 [3: 4] @ heap/5\nfoo 1 2\n"), "damaged-legacy", nil},
		{"legacy too large", []byte("heap profile: 1: 2 [3: 4] @ heap/5\n"), "legacy-too-large", func(o *calltree.Options) { o.Limits.Legacy = 10 }},
		{"protobuf cut", valid(nil)[:len(valid(nil))-3], "truncated-profile", nil},
		{"protobuf cut in a key", append(valid(nil), 0x80), "truncated-profile", nil},
		{"no samples", valid(func(p *profile.Profile) { p.Sample = nil }), "no-samples", nil},
		{"no strings", block(1, 8, 0), "malformed-protobuf", nil},
		{"first string not empty", join(block(1, 8, 0), block(6, 'x'), block(6, 'y')), "malformed-protobuf", nil},
		{"bad wire type", append(proto(), 2<<3|3), "malformed-protobuf", nil},
		{"field zero", append(proto(), 0, 0), "malformed-protobuf", nil},
		{"long varint", append(proto(), join(key(12, 0), bytes.Repeat([]byte{0x80}, 30))...), "malformed-protobuf", nil},
		{"sample as a number", append(proto(), join(key(2, 0), []byte{1})...), "malformed-protobuf", nil},
		{"period as bytes", append(proto(), block(12, 1)...), "malformed-protobuf", nil},
		{"period as fixed", append(proto(), join(key(12, 1), make([]byte, 8))...), "malformed-protobuf", nil},
		{"bad location ids", proto(block(2, join(block(1, 0x80), []byte{16, 1})...)), "malformed-protobuf", nil},
		{"location ids fixed", proto(block(2, join(key(1, 5), make([]byte, 4))...)), "malformed-protobuf", nil},
		{"bad values", proto(block(2, block(2, 0x80)...)), "malformed-protobuf", nil},
		{"values fixed", proto(block(2, join(key(2, 1), make([]byte, 8))...)), "malformed-protobuf", nil},
		{"label as number", proto(block(2, 16, 1, 24, 1)), "malformed-protobuf", nil},
		{"label cut", proto(block(2, 16, 1, 26, 1, 8)), "malformed-protobuf", nil},
		{"label key of wrong type", proto(block(2, 16, 1, 26, 2, 10, 0)), "malformed-protobuf", nil},
		{"line too long", proto(block(4, 8, 1, 34, 9, 8, 1)), "malformed-protobuf", nil},
		{"line of wrong type", proto(block(4, 8, 1, 32, 1)), "malformed-protobuf", nil},
		{"bad line", proto(block(4, 8, 1, 34, 1, 8)), "malformed-protobuf", nil},
		{"bad comments", proto(block(13, 0x80)), "malformed-protobuf", nil},
		{"no sample types", join(block(6), sample1, location1), "no-sample-types", nil},
		{"no values", proto(block(2, 8, 1)), "value-count", nil},
		{"different numbers of values", proto(sample1, block(2, 16, 1, 16, 2)), "value-count", nil},
		{"more values than types", proto(function1, location1, block(2, 8, 1, 16, 1, 16, 2)), "value-count", nil},
		{"empty samples", proto(bytes.Repeat(block(2), 1000)), "value-count", nil},
		{"empty locations", proto(bytes.Repeat(block(4), 1000)), "zero-id", nil},
		{"empty functions", proto(bytes.Repeat(block(5), 1000)), "zero-id", nil},
		{"empty mappings", proto(bytes.Repeat(block(3), 1000)), "zero-id", nil},
		{"location twice", proto(function1, location1, location1, sample1), "duplicate-id", nil},
		{"function twice", proto(function1, function1, location1, sample1), "duplicate-id", nil},
		{"mapping twice", proto(block(3, 8, 7), block(3, 8, 7), sample1), "duplicate-id", nil},
		{"large id twice", proto(block(5, 8, 0xff, 0xff, 0xff, 1), block(5, 8, 0xff, 0xff, 0xff, 1)), "duplicate-id", nil},
		{"unknown location", proto(sample1), "unknown-location", nil},
		{"unknown large location", proto(block(2, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 16, 1)), "unknown-location", nil},
		{"unknown function", proto(location1, sample1), "unknown-function", nil},
		{"string out of range", proto(block(5, 8, 1, 16, 99), location1, sample1), "string-index", nil},
		{"string below zero", proto(block(5, join([]byte{8, 1, 16}, binary.AppendUvarint(nil, 1<<64-1))...), location1, sample1), "string-index", nil},
		{"comment out of range", proto(function1, location1, sample1, block(13, 99)), "string-index", nil},
		{"label out of range", proto(function1, location1, block(2, 8, 1, 16, 1, 26, 4, 8, 99, 16, 1)), "string-index", nil},
		{"mapping out of range", proto(block(3, 8, 1, 40, 99), sample1), "string-index", nil},
		{"a name is no UTF-8", proto(block(6, 0xff, 'x'), block(5, 8, 1, 16, 3), location1, sample1), "invalid-utf8", nil},
		{"a label is no UTF-8", proto(block(6, 0xc3), function1, location1, block(2, 8, 1, 16, 1, 26, 4, 8, 1, 16, 3)), "invalid-utf8", nil},
		{"long names", proto(function1, location1, sample1, block(6, bytes.Repeat([]byte{'x'}, 5000)...)), "strings-too-large", func(o *calltree.Options) { o.Limits.Strings = 4000 }},
		{"claimed length", append(proto(), join(key(6, 2), binary.AppendUvarint(nil, 1<<27))...), "truncated-profile", nil},
		{"claimed huge string", append(proto(), join(key(6, 2), binary.AppendUvarint(nil, 1<<62))...), "strings-too-large", nil},
		{"claimed huge message", append(proto(), join(key(2, 2), binary.AppendUvarint(nil, 1<<62))...), "message-too-large", nil},
		{"claimed huge unknown field", append(proto(), join(key(99, 2), binary.AppendUvarint(nil, 1<<62))...), "truncated-profile", nil},
		{"too deep", profilefixture.Bytes(profilefixture.Stacks("a\nb\nc\nd\ne\nf")), "too-deep", deep},
		{"too much inlined", profilefixture.Bytes(profilefixture.Stacks("a>b>c>d>e>f")), "too-deep", deep},
		{"too many samples", valid(nil), "too-many-samples", func(o *calltree.Options) { o.Limits.Samples = 1 }},
		{"too many locations", valid(nil), "too-many-locations", func(o *calltree.Options) { o.Limits.Locations = 2 }},
		{"too many functions", valid(nil), "too-many-functions", func(o *calltree.Options) { o.Limits.Functions = 2 }},
		{"too many nodes", valid(nil), "too-many-nodes", func(o *calltree.Options) { o.Limits.Nodes = 2 }},
		{"too many frames", valid(nil), "too-many-frames", func(o *calltree.Options) { o.Limits.Frames = 2 }},
		{"too many mappings", proto(manyMappings(maxSmall + 1)), "too-many-mappings", nil},
		{"too many comments", proto(bytes.Repeat(join(key(13, 0), []byte{0}), maxSmall+1)), "too-many-comments", nil},
		{"too many packed comments", proto(block(13, make([]byte, maxSmall+1)...)), "too-many-comments", nil},
		{"too many sample types", bytes.Repeat(block(1), maxSmall+1), "too-many-sample-types", nil},
		{"negative", profilefixture.Bytes(withValue(-5)), "negative-values", nil},
		{"overflow", profilefixture.Bytes(withValue(1<<62, 1<<62)), "value-overflow", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := options()
			if test.options != nil {
				test.options(&o)
			}
			began := time.Now()
			_, err := Read(bytes.NewReader(test.data), o)
			var bad *inputerror.InputError
			if !errors.As(err, &bad) || bad.Slug != test.slug {
				t.Fatalf("got %v, want %s", err, test.slug)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("refused only after %v", took)
			}
			if len(bad.Message) < 30 || bad.Message[0] >= 'a' && bad.Message[0] <= 'z' || !strings.ContainsAny(bad.Message[len(bad.Message)-1:], ".?") {
				t.Errorf("not a sentence: %s", bad.Message)
			}
		})
	}
}

func withValue(values ...int64) *profile.Profile {
	b := profilefixture.New()
	for _, value := range values {
		b.Sample([]string{"main"}, 1).Value = []int64{value, value}
	}
	return b.Profile
}

func manyMappings(n int) []byte {
	var out []byte
	for i := range n {
		out = append(out, block(3, binary.AppendUvarint([]byte{8}, uint64(i+1))...)...)
	}
	return out
}

// A file that fails to be read is our failure or the disk's, not an input error.
func TestReadErrorsAreNotInputErrors(t *testing.T) {
	_, err := ReadFile("testdata/no-such-file", options())
	var bad *inputerror.InputError
	if err == nil || errors.As(err, &bad) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Odd but valid inputs are read as the oracle reads them.
func TestOddProfilesAreRead(t *testing.T) {
	for name, data := range map[string][]byte{
		"unknown fields":            proto(block(99, 1, 2, 3), join(key(98, 1), make([]byte, 8)), function1, location1, sample1),
		"fields in another order":   join(sample1, location1, function1, proto()),
		"numbers not packed":        proto(function1, location1, block(2, 8, 1, 8, 1, 16, 5)),
		"no mapping":                proto(block(4, 8, 1), sample1),
		"unknown mapping":           proto(function1, block(4, 8, 1, 16, 77, 34, 2, 8, 1), sample1),
		"no frames":                 proto(block(2, 16, 5)),
		"no name":                   proto(block(5, 8, 1), location1, sample1),
		"empty label":               proto(function1, location1, block(2, 8, 1, 16, 1, 26, 0)),
		"scalar after scalar":       proto(function1, location1, sample1, key(12, 0), []byte{5}, key(12, 0), []byte{7}),
		"line beyond 32 bits":       proto(function1, block(4, join([]byte{8, 1, 34, 8, 8, 1, 16}, binary.AppendUvarint(nil, 1<<33))...), sample1),
		"large location ids":        proto(function1, block(4, join([]byte{8}, binary.AppendUvarint(nil, 1<<63), []byte{34, 2, 8, 1})...), block(2, join([]byte{8}, binary.AppendUvarint(nil, 1<<63), []byte{16, 1})...)),
		"a string longer than most": proto(function1, location1, sample1, block(6, bytes.Repeat([]byte("long "), 100_000)...)),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "line beyond 32 bits" { // the one thing where we differ: lines are 32 bits
				if _, err := Read(bytes.NewReader(data), options()); err != nil {
					t.Error(err)
				}
				return
			}
			agree(t, data)
		})
	}
}

// All packings of one profile give the same.
func TestPackings(t *testing.T) {
	for encoding, data := range map[string][]byte{"plain": valid(nil), "gzip": gzipped(valid(nil)), "zstd": zstandard(valid(nil))} {
		f, err := Read(bytes.NewReader(data), options())
		if err != nil {
			t.Fatal(err)
		}
		source := f.Header.Source
		if source.Encoding != encoding || source.Bytes != int64(len(data)) || source.BytesUnpacked != int64(len(valid(nil))) || source.Dialect != "pprof" {
			t.Errorf("%s: %+v", encoding, source)
		}
		if got := profilefixture.Draw(f); got != "(root) 2/20\n  main 2/20\n    a 1/10 self 1/10\n    b 1/10 self 1/10\n" {
			t.Errorf("%s:\n%s", encoding, got)
		}
	}
}
