// Package pprofdoc reads profiles: pprof's protobuf with a streaming decoder
// of its own, and the older formats with github.com/google/pprof, which is
// also the oracle of the tests.
package pprofdoc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/sniff"
	"slowpath.dev/decode/internal/stacks"
	"slowpath.dev/decode/internal/unpack"
)

// Dialects of the input.
const (
	dialectPprof  = "pprof"
	dialectLegacy = "legacy"
)

// ReadFile decodes the profile in a file.
func ReadFile(path string, options calltree.Options) (*profilefile.File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	return Read(in, options)
}

// Read decodes a profile. The input is read once, or twice if it is neither
// clearly protobuf nor clearly one of the older formats.
func Read(in io.ReadSeeker, options calltree.Options) (*profilefile.File, error) {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("measuring the input: %w", err)
	}
	options.Source.Bytes = size
	table, err := read(in, &options)
	if err != nil {
		return nil, err
	}
	return calltree.Build(table, options)
}

// read tries what the first bytes suggest, and then, as github.com/google/pprof
// does, the older formats for whatever is not protobuf.
func read(in io.ReadSeeker, options *calltree.Options) (*stacks.Table, error) {
	seen, table, err := attempt(in, options, false)
	if err == nil || seen.Detail != "protobuf" && seen.Kind == sniff.Pprof {
		return table, err
	}
	if !isSyntax(err) || options.Source.BytesUnpacked > options.Limits.Legacy {
		return nil, err
	}
	_, table, legacyErr := attempt(in, options, true)
	if legacyErr == nil {
		return table, nil
	}
	if seen.Kind == sniff.Pprof {
		return nil, err
	}
	return nil, notAProfile(seen, options.Source)
}

// isSyntax tells whether an error may come from reading another format as
// protobuf.
func isSyntax(err error) bool {
	var bad *fault.Fault
	if !errors.As(err, &bad) {
		return false
	}
	switch bad.Slug {
	case "malformed-protobuf", "truncated-profile", "message-too-large", "zero-id", "value-count", "strings-too-large":
		return true
	}
	return false
}

// attempt reads the input from its start, as protobuf or as an older format.
func attempt(in io.ReadSeeker, options *calltree.Options, legacy bool) (seen sniff.Finding, table *stacks.Table, err error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return seen, nil, fmt.Errorf("going back to the start of the input: %w", err)
	}
	u, err := unpack.New(in, options.Limits.Unpacked, options.Limits.Ratio)
	if err != nil {
		return seen, nil, err
	}
	defer u.Close()
	body := bufio.NewReaderSize(u, sniffed)
	head, err := body.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return seen, nil, err
	}
	if len(head) == 0 {
		return seen, nil, fault.New("empty-file", "The file holds nothing but its packing. Was the program stopped while it wrote the profile?").WithLimit(1, 0, "bytes")
	}
	seen = sniff.Of(head, errors.Is(err, io.EOF))
	source := &options.Source
	source.Encoding, source.Dialect = string(u.Encoding), dialectPprof
	switch {
	case isPackedAgain(head):
		return seen, nil, nested(u.Encoding, head)
	case legacy, seen.Kind == sniff.Pprof && seen.Detail != "protobuf":
		source.Dialect = dialectLegacy
		table, err = readLegacy(body, seen.Detail, options.Limits.Legacy)
	default:
		table, err = decodeProto(body, options.Limits)
	}
	source.BytesUnpacked = u.Unpacked()
	return seen, table, err
}

// sniffed is how much of the input is judged before it is read.
const sniffed = 64 << 10

func isPackedAgain(head []byte) bool { return unpack.EncodingOf(head) != unpack.Plain }

func nested(outer unpack.Encoding, head []byte) error {
	if outer == unpack.Plain {
		outer = "file"
	}
	return fault.New("nested-compression", "Inside the %s is %s again. Unpack the file once and upload that.", outer, unpack.EncodingOf(head)).WithLimit(1, 2, "layers")
}

// kindNames are the words for what else a file may be.
var kindNames = map[string]string{
	sniff.GoTrace: "a Go execution trace", sniff.SpansOTLP: "a set of OpenTelemetry spans",
	sniff.SpansJaeger: "a set of Jaeger spans", sniff.SpansZipkin: "a set of Zipkin spans",
	sniff.GrowthLog: "a stack-growth log", sniff.Bench: "the output of Go benchmarks",
	sniff.MetricsText: "a page of metrics", sniff.Zip: "a zip archive: unpack it and upload the files in it",
}

func notAProfile(seen sniff.Finding, source profilefile.Source) error {
	name := kindNames[seen.Kind]
	switch {
	case name != "":
	case seen.Detail == "html":
		name = "a web page: was the profile fetched through a sign-in page or proxy?"
	case seen.Detail == "goroutine-dump":
		name = "a goroutine dump of debug=2: fetch /debug/pprof/goroutine without debug"
	case seen.Detail == "text":
		name = "plain text: fetch the profile without ?debug"
	default:
		name = "none of the formats known here"
	}
	return fault.New("not-a-profile", "This is not a pprof profile. It looks like %s.", name).WithActual(source.BytesUnpacked, "bytes")
}
