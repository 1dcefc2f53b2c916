// Package pprofread reads profiles: the protobuf of pprof with a streaming decoder
// written here, and the older formats with github.com/google/pprof, which is
// also the oracle of the tests.
package pprofread

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profiletables"
	"slowpath.dev/decode/internal/sniff"
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

// Read decodes a profile, in one pass over the input.
func Read(in io.ReadSeeker, options calltree.Options) (*profilefile.File, error) {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("measuring the input: %w", err)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("going back to the start of the input: %w", err)
	}
	options.Source.Bytes = size
	options.RefuseBadText = true // strings of protobuf are UTF-8; a text of ours has none to lose
	table, err := read(in, &options)
	if err != nil {
		return nil, err
	}
	return calltree.Build(table, options)
}

// ReadTable reads the profile in a file without building trees of it.
func ReadTable(path string, limits inputlimits.Limits) (*profiletables.Table, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	return read(in, &calltree.Options{Limits: limits})
}

// read unpacks the input and chooses the reader by its first bytes.
func read(in io.Reader, options *calltree.Options) (*profiletables.Table, error) {
	u, err := decompress.New(in, options.Limits.Unpacked, options.Limits.Ratio)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	body := bufio.NewReaderSize(u, sniffBytes)
	head, err := body.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) == 0 {
		return nil, inputerror.New("empty-file", "The file is empty after decompression. Was the program stopped while it wrote the profile?").WithLimit(1, 0, "bytes")
	}
	if inner := decompress.EncodingOf(head); inner != decompress.Plain {
		return nil, inputerror.New("nested-compression", "Inside the %s is %s again. Unpack the file once and upload that.", u.Encoding, inner).WithLimit(1, 2, "layers")
	}
	seen := sniff.Detect(head, errors.Is(err, io.EOF))
	source := &options.Source
	source.Encoding, source.Dialect = string(u.Encoding), dialectPprof
	var table *profiletables.Table
	if seen.Kind == sniff.Pprof && seen.Detail != sniff.Protobuf {
		source.Dialect = dialectLegacy
		table, err = readLegacy(body, seen.Detail, options.Limits.Legacy)
	} else {
		table, err = decodeProto(body, options.Limits)
	}
	source.BytesUnpacked = u.Unpacked()
	if err != nil && seen.Kind != sniff.Pprof && isSyntax(err) {
		return nil, notAProfile(seen, body, u)
	}
	return table, err
}

// isSyntax reports whether an error may come from reading another format as
// protobuf.
func isSyntax(err error) bool {
	var bad *inputerror.InputError
	if !errors.As(err, &bad) {
		return false
	}
	switch bad.Slug {
	case "malformed-protobuf", "truncated-profile", "message-too-large", "zero-id", "value-count", "strings-too-large":
		return true
	}
	return false
}

// sniffBytes is how much of the input is judged before it is read.
const sniffBytes = 64 << 10

// guesses are the words for what else a file may be, by kind and by detail.
var guesses = map[string]string{
	sniff.GoTrace:     "It looks like a Go execution trace.",
	sniff.SpansOTLP:   "It looks like a set of OpenTelemetry spans.",
	sniff.SpansJaeger: "It looks like a set of Jaeger spans.",
	sniff.SpansZipkin: "It looks like a set of Zipkin spans.",
	sniff.GrowthLog:   "It looks like a stack-growth log.",
	sniff.Bench:       "It looks like the output of Go benchmarks.",
	sniff.MetricsText: "It looks like a page of metrics.",
	sniff.Zip:         "It is a zip archive: unpack it and upload the files in it.",
	"html":            "It is a web page: was the profile fetched through a sign-in page or proxy?",
	"goroutine-dump":  "It is a goroutine dump of debug=2: fetch /debug/pprof/goroutine without debug.",
	"text":            "It is plain text: fetch the profile without debug=1 or debug=2.",
	"json":            "It is JSON of a kind that is not known here.",
}

// drainedBytes is how far a file that is not a profile is unpacked to see whether it
// is a bomb.
const drainedBytes = 64 << 20

// notAProfile describes what a file seems to be, or that it is a bomb.
func notAProfile(seen sniff.Detection, body io.Reader, u *decompress.Reader) error {
	if _, err := io.CopyN(io.Discard, body, drainedBytes); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	guess := guesses[seen.Kind]
	if guess == "" {
		guess = guesses[seen.Detail]
	}
	if guess == "" {
		guess = "Nor is it anything else that is known here."
	}
	return inputerror.New("not-a-profile", "This is not a pprof profile. %s", guess).WithActual(u.Unpacked(), "bytes")
}
