// Package sniff detects what a file is from its first bytes, packed or not.
package sniff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/gobuildinfo"
	"slowpath.dev/decode/internal/inputerror"
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
	Tar         = "tar"
	Unknown     = "unknown"
)

// Window is how many unpacked bytes are examined.
const Window = 256 << 10

// Detection is what a file seems to be. Detail adds more (a version, a dialect,
// or why the kind is unknown).
type Detection struct {
	Kind     string              `json:"kind"`
	Encoding decompress.Encoding `json:"encoding"`
	Detail   string              `json:"detail"`
}

// Read looks at the start of a file. A stream that breaks inside the window is
// judged by what came before; only an empty file is an input error.
func Read(r io.Reader) (Detection, error) {
	u, err := decompress.New(r, Window+1, Window+1)
	if err != nil {
		return broken(err)
	}
	defer u.Close()
	head := make([]byte, Window)
	n, err := io.ReadFull(u, head)
	whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !whole && !isInputError(err) {
		return Detection{}, err
	}
	f := Detect(head[:n], whole)
	f.Encoding = u.Encoding
	if f.Kind == Unknown && isInputError(err) {
		f.Detail = inputErrorSlug(err)
	}
	return f, nil
}

// broken judges a packed file whose very header is damaged.
func broken(err error) (Detection, error) {
	switch slug := inputErrorSlug(err); slug {
	case "truncated-gzip", "damaged-gzip":
		return Detection{Unknown, decompress.Gzip, slug}, nil
	case "truncated-zstd", "damaged-zstd", "zstd-window":
		return Detection{Unknown, decompress.Zstd, slug}, nil
	}
	return Detection{}, err
}

func isInputError(err error) bool { return inputErrorSlug(err) != "" }

func inputErrorSlug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return ""
}

// isTar knows the magic of POSIX and GNU archives, which is inside the first header.
func isTar(head []byte) bool {
	const magicAt = 257
	return len(head) >= magicAt+5 && string(head[magicAt:magicAt+5]) == "ustar"
}

var traceHeader = regexp.MustCompile(`^go 1\.(\d+) trace\x00`)

// Detect classifies unpacked bytes; whole is true if nothing follows them.
func Detect(head []byte, whole bool) Detection {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Detection{Kind: Zip, Detail: "zip archive"}
	case isTar(head):
		return Detection{Kind: Tar, Detail: "tar archive"}
	case gobuildinfo.Is(head):
		return Detection{Kind: Program, Detail: "program"}
	case decompress.EncodingOf(head) != decompress.Plain:
		return Detection{Kind: Unknown, Detail: fmt.Sprintf("nested-%s", decompress.EncodingOf(head))}
	}
	if m := traceHeader.FindSubmatch(head); m != nil {
		return Detection{Kind: GoTrace, Detail: "go1." + string(m[1])}
	}
	if detail := legacyDialect(head); detail != "" {
		return Detection{Kind: Pprof, Detail: detail}
	}
	if bytes.Contains(head, []byte(`"Action":`)) && testEvent.Match(head) {
		return Detection{Kind: Bench, Detail: BenchEvents}
	}
	if first := bytes.TrimLeft(head, " \t\r\n\ufeff"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return detectJSON(first)
	}
	if looksLikeOTLP(head) {
		return Detection{Kind: SpansOTLP, Detail: Protobuf}
	}
	if looksLikeProfileProto(head, whole) {
		return Detection{Kind: Pprof, Detail: Protobuf}
	}
	return detectText(head)
}
