// Package spanread reads distributed traces in the dialects that people export:
// OTLP as JSON (one document or one request a line) and as protobuf, Jaeger's
// JSON, and Zipkin's, version 2.
package spanread

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/jsonstream"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/protostream"
	"slowpath.dev/decode/internal/sniff"
	"slowpath.dev/decode/internal/spanset"
)

// The dialects, as the header names them.
const (
	dialectOTLP     = "otlp"
	dialectProtobuf = "otlp-protobuf"
	dialectJaeger   = "jaeger"
	dialectZipkin   = "zipkin"
)

// Options bound one decode.
type Options struct {
	Unpacked int64 // bytes after unpacking
	Ratio    int64 // unpacked bytes a packed byte may become
	Brackets int   // of JSON, inside each other
	Longest  int   // bytes of one text of JSON, or of one span of protobuf
	Set      spanset.Limits
}

// DefaultOptions returns the bounds used without flags.
func DefaultOptions() Options {
	bounds := inputlimits.Default()
	return Options{Unpacked: bounds.Unpacked, Ratio: bounds.Ratio, Brackets: 128, Longest: 8 << 20, Set: spanset.DefaultLimits()}
}

// ReadFile decodes the spans in a file.
func ReadFile(path string, options Options) (*spanset.File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("measuring the input: %w", err)
	}
	return Read(in, info.Size(), options)
}

// Read decodes spans from a file of so many bytes (as stored) in one pass.
func Read(in io.Reader, size int64, options Options) (*spanset.File, error) {
	u, err := decompress.New(in, options.Unpacked, options.Ratio)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	body := bufio.NewReaderSize(u, sniff.Window)
	head, err := body.Peek(sniff.Window)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, err
	}
	if len(head) == 0 {
		return nil, inputerror.New("empty-file", "The file is empty after decompression. Was the export interrupted?").WithLimit(1, 0, "bytes")
	}
	dialect, err := dialectOf(head)
	if err != nil {
		return nil, err
	}
	b := spanset.NewBuilder(options.Set)
	var warnings []string
	if err := readDialect(dialect, body, b, options); err != nil {
		if !isTruncated(err) || b.Len() == 0 {
			return nil, err
		}
		warnings = append(warnings, "truncated: The file ends in the middle; the spans before that point were read.")
	}
	source := profilefile.Source{Bytes: size, BytesUnpacked: u.Unpacked(), Encoding: string(u.Encoding), Dialect: dialect}
	return b.Finish(dialect, source, warnings)
}

// isTruncated reports whether the input ended too early, packed or not.
func isTruncated(err error) bool {
	var bad *inputerror.InputError
	return errors.As(err, &bad) && strings.HasPrefix(bad.Slug, "truncated-")
}

func dialectOf(head []byte) (string, error) {
	switch seen := sniff.Detect(head, len(head) < sniff.Window); {
	case seen.Kind == sniff.SpansOTLP && seen.Detail == sniff.Protobuf:
		return dialectProtobuf, nil
	case seen.Kind == sniff.SpansOTLP:
		return dialectOTLP, nil
	case seen.Kind == sniff.SpansJaeger:
		return dialectJaeger, nil
	case seen.Kind == sniff.SpansZipkin:
		return dialectZipkin, nil
	default:
		return "", inputerror.New("not-spans", "This is not a distributed trace: neither OTLP (JSON or protobuf), nor JSON of Jaeger or Zipkin. It looks like %s (%s).", seen.Kind, seen.Detail)
	}
}

func readDialect(dialect string, body io.Reader, b *spanset.Builder, options Options) error {
	if dialect == dialectProtobuf {
		p := &protoReader{protostream.NewReader(body, options.Longest), b}
		return p.read()
	}
	j := jsonstream.NewReader(body, jsonstream.Limits{Depth: options.Brackets, Text: options.Longest})
	switch dialect {
	case dialectJaeger:
		return (&jaegerReader{Reader: j, b: b}).read()
	case dialectZipkin:
		return (&zipkinReader{Reader: j, b: b}).read()
	}
	return (&otlpReader{Reader: j, b: b}).read()
}
