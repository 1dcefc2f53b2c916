// Package growthlog reads logs of growing goroutine stacks into the same
// decoded form as profiles: one sample a recorded growth, with the stack of the
// function that needed more, and the sizes as labels.
//
// Three dialects are read: stack traces printed by an instrumented runtime
// (newstack.go), folded stacks (folded.go), and maps printed by bpftrace
// (bpftrace.go). Logs are often what a service wrote to its standard error:
// lines of something else are counted and passed over.
package growthlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/sniff"
)

// The dialects, as the header names them.
const (
	dialectNewstack = "newstack"
	dialectFolded   = "folded"
	dialectBpftrace = "bpftrace"
)

var readers = map[string]func(*profileBuilder, *lines) error{
	dialectNewstack: readNewstack,
	dialectFolded:   readFolded,
	dialectBpftrace: readBpftrace,
}

// ReadFile decodes the growth log in a file.
func ReadFile(path string, options calltree.Options) (*profilefile.File, error) {
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

// Read decodes a growth log of so many bytes (as stored) in one pass.
func Read(in io.Reader, size int64, options calltree.Options) (*profilefile.File, error) {
	u, err := decompress.New(in, options.Limits.Unpacked, options.Limits.Ratio)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	body := bufio.NewReaderSize(u, sniff.Window)
	head, err := body.Peek(sniff.Window)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, err
	}
	dialect, err := dialectOf(head)
	if err != nil {
		return nil, err
	}
	c := newProfileBuilder(options.Limits, dialect)
	if err := readers[dialect](c, newLines(body)); err != nil {
		if !isTruncated(err) {
			return nil, err
		}
		c.info.Truncated = true // the program was killed while it wrote: what was there is retained
	}
	options.Source = profilefile.Source{Bytes: size, BytesUnpacked: u.Unpacked(), Encoding: string(u.Encoding), Dialect: dialect}
	return c.finish(options)
}

// isTruncated reports whether reading stopped because the packed stream is cut off.
func isTruncated(err error) bool {
	var bad *inputerror.InputError
	return errors.As(err, &bad) && strings.HasPrefix(bad.Slug, "truncated-")
}

// anyFolded is a folded stack of anything: who asks for a growth log gets it
// read as one.
var anyFolded = regexp.MustCompile(`(?m)^[^#\s;][^;\n]*;[^\n]* \d+\r?$`)

func dialectOf(head []byte) (string, error) {
	if len(head) == 0 {
		return "", inputerror.New("empty-file", "The file is empty after decompression. Was the program stopped before it wrote the log?").WithLimit(1, 0, "bytes")
	}
	switch seen := sniff.Detect(head, false); {
	case seen.Detail == sniff.GrowthNewstack:
		return dialectNewstack, nil
	case seen.Detail == sniff.GrowthBpftrace:
		return dialectBpftrace, nil
	case seen.Detail == sniff.GrowthFolded, anyFolded.Match(head):
		return dialectFolded, nil
	default:
		return "", inputerror.New("not-a-growth-log", "This is not a stack-growth log: neither traces printed at runtime.newstack, nor folded stacks, nor maps printed by bpftrace. It looks like %s (%s).",
			seen.Kind, seen.Detail)
	}
}
