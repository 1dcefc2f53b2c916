// Package sniff tells what a file is from its first bytes, packed or not.
package sniff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/unpack"
)

// The kinds that a file can be.
const (
	Pprof       = "pprof"
	GoTrace     = "go-trace"
	SpansOTLP   = "spans-otlp"
	SpansJaeger = "spans-jaeger"
	SpansZipkin = "spans-zipkin"
	GrowthLog   = "growth-log"
	Bench       = "bench"
	MetricsText = "metrics-text"
	Program     = "program"
	Zip         = "zip"
	Unknown     = "unknown"
)

// Window is how many unpacked bytes are looked at.
const Window = 256 << 10

// Finding is what a file seems to be. Detail says more (a version, a dialect,
// or why the kind is unknown).
type Finding struct {
	Kind     string          `json:"kind"`
	Encoding unpack.Encoding `json:"encoding"`
	Detail   string          `json:"detail"`
}

// Read looks at the start of a file. A stream that breaks inside the window is
// judged by what came before; only an empty file is a fault.
func Read(r io.Reader) (Finding, error) {
	u, err := unpack.New(r, Window+1, Window+1)
	if err != nil {
		return broken(err)
	}
	defer u.Close()
	head := make([]byte, Window)
	n, err := io.ReadFull(u, head)
	whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !whole && !isFault(err) {
		return Finding{}, err
	}
	f := Of(head[:n], whole)
	f.Encoding = u.Encoding
	if f.Kind == Unknown && isFault(err) {
		f.Detail = faultSlug(err)
	}
	return f, nil
}

// broken judges a packed file whose very header is damaged.
func broken(err error) (Finding, error) {
	switch slug := faultSlug(err); slug {
	case "truncated-gzip", "damaged-gzip":
		return Finding{Unknown, unpack.Gzip, slug}, nil
	case "truncated-zstd", "damaged-zstd", "zstd-window":
		return Finding{Unknown, unpack.Zstd, slug}, nil
	}
	return Finding{}, err
}

func isFault(err error) bool { return faultSlug(err) != "" }

func faultSlug(err error) string {
	var bad *fault.Fault
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return ""
}

var traceHeader = regexp.MustCompile(`^go 1\.(\d+) trace\x00`)

// Of judges unpacked bytes; whole tells that nothing follows them.
func Of(head []byte, whole bool) Finding {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Finding{Kind: Zip, Detail: "zip archive"}
	case gobinary.Is(head):
		return Finding{Kind: Program, Detail: "program"}
	case unpack.EncodingOf(head) != unpack.Plain:
		return Finding{Kind: Unknown, Detail: fmt.Sprintf("nested-%s", unpack.EncodingOf(head))}
	}
	if m := traceHeader.FindSubmatch(head); m != nil {
		return Finding{Kind: GoTrace, Detail: "go1." + string(m[1])}
	}
	if detail := legacyDialect(head); detail != "" {
		return Finding{Kind: Pprof, Detail: detail}
	}
	if bytes.Contains(head, []byte(`"Action":`)) && testEvent.Match(head) {
		return Finding{Kind: Bench, Detail: BenchEvents}
	}
	if first := bytes.TrimLeft(head, " \t\r\n\ufeff"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return ofJSON(first)
	}
	if looksLikeOTLP(head) {
		return Finding{Kind: SpansOTLP, Detail: Protobuf}
	}
	if looksLikeProfileProto(head, whole) {
		return Finding{Kind: Pprof, Detail: Protobuf}
	}
	return ofText(head)
}
