package benchfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"

	"slowpath.dev/decode/internal/inputerror"
)

// `go test -json` prints one event a line, and the output of a test in pieces:
//
//	{"Action":"output","Package":"p","Test":"BenchmarkA","Output":"BenchmarkA-8 \t"}
//	{"Action":"output","Package":"p","Test":"BenchmarkA","Output":" 100\t 12 ns/op\n"}
//
// Packages may print in turns, so the lines of each are put together apart:
// the lines of their configuration apply to themselves only.

// maxOpenLines bounds the tests whose line has begun and not ended, and the packages.
const maxOpenLines = 1 << 14

// event is what is read of one line.
type event struct{ Action, Package, Test, Output string }

// eventReader puts the output of packages together.
type eventReader struct {
	texts    map[string]*bytes.Buffer // by package; only lines that mean something to benchfmt
	packages []string                 // in order of arrival
	open     map[[2]string][]byte     // begun lines, by package and test
	held     int64                    // bytes of texts and open
	most     int64
	others   int64 // lines that are not events
	failed   int64 // packages that could not be built
	cut      bool  // the last line is cut off
}

// relevantLine matches the lines that benchfmt reads, and those that report failures.
var relevantLine = regexp.MustCompile(`^(?:Benchmark|Unit |--- FAIL|FAIL\t|panic: |[a-z][^:\sA-Z]*:)`)

func newEventReader(most int64) *eventReader {
	return &eventReader{texts: map[string]*bytes.Buffer{}, open: map[[2]string][]byte{}, most: most}
}

// read takes all events in. What came before an error is retained.
func (r *eventReader) read(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		whole := err == nil
		if errors.Is(err, bufio.ErrBufferFull) { // no event is that long
			r.others++
			line = nil
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if bad := r.line(line, whole); bad != nil {
				return bad
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *eventReader) line(line []byte, whole bool) error {
	var e event
	switch err := json.Unmarshal(line, &e); {
	case err != nil && !whole && line[0] == '{':
		r.cut = true
	case err != nil || e.Action == "":
		r.others++
	case e.Action == "build-fail":
		r.failed++
	case e.Action == "output":
		return r.output(&e)
	case e.Action == "pass", e.Action == "fail", e.Action == "skip":
		r.end([2]string{e.Package, e.Test})
	}
	return nil
}

// end ends a line that its test left open.
func (r *eventReader) end(key [2]string) {
	if started, ok := r.open[key]; ok {
		r.keep(key[0], started)
		r.held -= int64(len(started))
		delete(r.open, key)
	}
}

// output takes a piece of a test's output in: it may end in the middle of a line.
func (r *eventReader) output(e *event) error {
	key := [2]string{e.Package, e.Test}
	started, piece := r.open[key], []byte(e.Output)
	r.held -= int64(len(started))
	for {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			break
		}
		r.keep(e.Package, append(started, piece[:end]...))
		started, piece = nil, piece[end+1:]
	}
	rest := append(started, piece...)
	rest = rest[:min(len(rest), maxLineBytes)]
	if len(rest) == 0 {
		delete(r.open, key)
	} else {
		r.open[key] = rest
		r.held += int64(len(rest))
	}
	switch {
	case len(r.open) > maxOpenLines:
		return tooMany("unfinished-lines", maxOpenLines, int64(len(r.open)))
	case len(r.texts) > maxOpenLines:
		return tooMany("packages", maxOpenLines, int64(len(r.texts)))
	case r.held > r.most:
		return inputerror.New("strings-too-large", "The output of benchmarks takes more than %d bytes. Split it into several files.", r.most).WithLimit(r.most, r.held, "bytes")
	}
	return nil
}

func (r *eventReader) keep(pkg string, line []byte) {
	if !relevantLine.Match(line) {
		return
	}
	text := r.texts[pkg]
	if text == nil {
		text = &bytes.Buffer{}
		r.texts[pkg] = text
		r.packages = append(r.packages, pkg)
	}
	line = line[:min(len(line), maxLineBytes)]
	text.Write(line)
	text.WriteByte('\n')
	r.held += int64(len(line)) + 1
}

// finish ends the lines that nothing ended.
func (r *eventReader) finish() {
	keys := make([][2]string, 0, len(r.open))
	for key := range r.open {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		r.end(key)
	}
}
