package benchfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/sniff"
)

const (
	// maxResults bounds the lines of results: a thousand benchmarks a thousand times.
	maxResults = 1 << 20
	maxValues  = 8 << 20 // measurements of all results
	maxConfigs = 1 << 14 // distinct configurations
	maxKeys    = 256     // keys of one configuration
	// maxConfigBytes bounds the bytes of one configuration: it holds for every
	// result below it and is compared with the one before each time.
	maxConfigBytes = 64 << 10
	// maxLineBytes is what benchfmt can read; longer lines are not results and are cut.
	maxLineBytes = 60 << 10
	// warnedLines is how many malformed lines are named one by one.
	warnedLines = 5
)

// ReadFile reads the output of benchmarks, as printed or in its decoded form.
func ReadFile(path string, bounds inputlimits.Limits) (*Set, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("measuring the input: %w", err)
	}
	start := bufio.NewReader(in)
	if head, _ := start.Peek(len(magic)); string(head) == magic {
		data, err := io.ReadAll(io.LimitReader(start, bounds.Unpacked+1))
		if err != nil {
			return nil, fmt.Errorf("reading the input: %w", err)
		}
		return ReadColumns(data)
	}
	return Read(start, info.Size(), bounds)
}

// Read reads printed output of so many bytes (as stored).
func Read(in io.Reader, size int64, bounds inputlimits.Limits) (*Set, error) {
	u, err := decompress.New(in, bounds.Unpacked, bounds.Ratio)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	body := bufio.NewReaderSize(u, sniff.Window)
	head, err := body.Peek(sniff.Window)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, err
	}
	isEvents := sniff.Detect(head, false).Detail == sniff.BenchEvents
	if !isEvents && !bytes.Contains(head, []byte("Benchmark")) {
		return nil, notBenchmarks(head)
	}
	r := &textReader{set: &Set{Header: Header{Kind: "bench", UnitNotes: []UnitNote{}, Warnings: []string{}}}, bounds: bounds, configs: map[string]int{}}
	dialect, read := "benchfmt", r.readText
	if isEvents {
		dialect, read = "go test -json", r.readEvents
	}
	if err := read(body); err != nil {
		return nil, err
	}
	r.set.Header.Source = profilefile.Source{Bytes: size, BytesUnpacked: u.Unpacked(), Encoding: string(u.Encoding), Dialect: dialect}
	return r.finish()
}

func notBenchmarks(head []byte) error {
	if len(head) == 0 {
		return inputerror.New("empty-file", "The file is empty after decompression.").WithLimit(1, 0, "bytes")
	}
	seen := sniff.Detect(head, false)
	return inputerror.New("not-benchmarks", "This is not the output of 'go test -bench': no line begins with Benchmark. It looks like %s (%s).", seen.Kind, seen.Detail)
}

// textReader gathers what benchfmt reads.
type textReader struct {
	set       *Set
	bounds    inputlimits.Limits
	configs   map[string]int
	last      []benchfmt.Config // of the result before, and its number
	number    int
	values    int64
	bytes     int64
	bad       []string
	malformed int64
	where     string // which text is being read, when there are several
}

// readText reads output as it is printed.
func (r *textReader) readText(body *bufio.Reader) error { return r.ended(r.read(body)) }

// readEvents reads the events of go test -json, package by package.
func (r *textReader) readEvents(body *bufio.Reader) error {
	events := newEventReader(r.bounds.Strings)
	broken := events.read(body)
	events.finish()
	for _, pkg := range events.packages {
		r.where = " of " + clean(pkg)
		if err := r.read(bufio.NewReader(events.texts[pkg])); err != nil {
			return err
		}
		delete(events.texts, pkg)
	}
	r.set.Header.Counts.Failed += events.failed
	if events.others > 0 {
		r.warn("other-lines", "%d lines are not events of go test -json and were skipped.", events.others)
	}
	if events.cut {
		r.warn("truncated", "The file ends in the middle of an event; the lines before it were read.")
	}
	if len(r.set.Results) == 0 && broken == nil && r.set.Header.Counts.Malformed == 0 {
		return inputerror.New("not-benchmarks", "These are events of 'go test -json', but none has the result of a benchmark. Run it with -bench.").WithLimit(1, 0, "results")
	}
	return r.ended(broken)
}

// read reads one text; configuration in it does not reach into the next.
func (r *textReader) read(body *bufio.Reader) error {
	cut := &lineCutter{r: body}
	reader := benchfmt.NewReader(cut, "line")
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			if err := r.result(record); err != nil {
				return err
			}
		case *benchfmt.SyntaxError:
			r.set.Header.Counts.Malformed++
			if len(r.bad) < warnedLines {
				r.bad = append(r.bad, fmt.Sprintf("line %d%s (%s)", record.Line, r.where, clean(record.Msg)))
			}
		case *benchfmt.UnitMetadata:
			r.set.Header.UnitNotes = append(r.set.Header.UnitNotes, UnitNote{clean(record.Unit), clean(record.Key), clean(record.Value)})
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	r.set.Header.Counts.Failed += cut.failed
	return reader.Err()
}

// ended keeps what came before the end of a packed stream that was cut off.
func (r *textReader) ended(err error) error {
	var bad *inputerror.InputError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad) && strings.HasPrefix(bad.Slug, "truncated-") && len(r.set.Results) > 0:
		r.warn("truncated", "The file is truncated; the lines before that point were read.")
		return nil
	case errors.As(err, &bad):
		return bad
	}
	return err
}

func (r *textReader) result(record *benchfmt.Result) error {
	config, err := r.config(record.Config)
	if err != nil {
		return err
	}
	result := Result{Name: clean(string(record.Name)), Config: config, Iterations: int64(record.Iters)}
	for _, v := range record.Values {
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
			r.malformed++
			continue
		}
		result.Values = append(result.Values, Value{clean(v.Unit), v.Value})
	}
	if len(result.Values) > 0 {
		r.set.Results = append(r.set.Results, result)
		r.values += int64(len(result.Values))
		r.bytes += int64(len(result.Name))
	}
	return nil
}

// config numbers a configuration.
func (r *textReader) config(pairs []benchfmt.Config) (int, error) {
	if r.last != nil && slices.EqualFunc(pairs, r.last, sameConfig) {
		return r.number, nil
	}
	if len(pairs) > maxKeys {
		return 0, tooMany("keys", maxKeys, int64(len(pairs)))
	}
	size, last := 0, make([]benchfmt.Config, len(pairs)) // benchfmt uses its own again
	for i, pair := range pairs {
		size += len(pair.Key) + len(pair.Value)
		last[i] = benchfmt.Config{Key: pair.Key, Value: slices.Clone(pair.Value)}
	}
	if size > maxConfigBytes {
		return 0, inputerror.New("configuration-too-large", "One configuration of the benchmarks takes %d bytes. Only 'key: value' lines are configuration: leave other output out of the file.", size).
			WithLimit(maxConfigBytes, int64(size), "bytes")
	}
	config := make([]Pair, len(pairs))
	for i, pair := range pairs {
		config[i] = Pair{clean(pair.Key), clean(string(pair.Value))}
	}
	slices.SortFunc(config, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	whole := fmt.Sprintf("%q", config)
	n, ok := r.configs[whole]
	if !ok {
		n = len(r.set.Configs)
		r.configs[whole] = n
		r.set.Configs = append(r.set.Configs, config)
		r.bytes += int64(len(whole))
	}
	r.last, r.number = last, n
	return n, nil
}

func sameConfig(a, b benchfmt.Config) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) }

func (r *textReader) check() error {
	switch {
	case len(r.set.Results) > maxResults:
		return tooMany("results", maxResults, int64(len(r.set.Results)))
	case r.values > maxValues:
		return tooMany("values", maxValues, r.values)
	case len(r.set.Configs) > maxConfigs:
		return tooMany("configurations", maxConfigs, int64(len(r.set.Configs)))
	case len(r.set.Header.UnitNotes) > maxKeys:
		return tooMany("unit-notes", maxKeys, int64(len(r.set.Header.UnitNotes)))
	case r.bytes > r.bounds.Strings:
		return inputerror.New("strings-too-large", "Names and configurations take more than %d bytes.", r.bounds.Strings).WithLimit(r.bounds.Strings, r.bytes, "bytes")
	}
	return nil
}

func tooMany(what string, limit, actual int64) error {
	return inputerror.New("too-many-"+what, "The output has more than %d %s. Split it into several files.", limit, what).WithLimit(limit, actual, what)
}

func (r *textReader) warn(slug, format string, args ...any) {
	h := &r.set.Header
	h.Warnings = append(h.Warnings, slug+": "+fmt.Sprintf(format, args...))
}

func (r *textReader) finish() (*Set, error) {
	c := &r.set.Header.Counts
	if len(r.set.Results) == 0 {
		return nil, inputerror.New("no-results", "The output names benchmarks but has no results of them (%d lines could not be read). Were the benchmarks stopped, or did they fail?", c.Malformed).
			WithLimit(1, 0, "results")
	}
	if c.Malformed > 0 {
		more := ""
		if rest := c.Malformed - int64(len(r.bad)); rest > 0 {
			more = fmt.Sprintf(" and %d more", rest)
		}
		r.warn("malformed-lines", "Lines that begin like results but are not results were skipped: %s%s.", strings.Join(r.bad, ", "), more)
	}
	if c.Failed > 0 {
		r.warn("failures", "%d lines report failed benchmarks or packages: their results may be missing.", c.Failed)
	}
	if r.malformed > 0 {
		r.warn("not-numbers", "%d measurements are not finite numbers and were left out.", r.malformed)
	}
	r.set.count()
	return r.set, nil
}

// clean returns valid UTF-8 without NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// lineCutter cuts lines that benchfmt would give up at, and counts those that report
// of failures.
type lineCutter struct {
	r      *bufio.Reader
	rest   []byte
	inside bool // the line goes on after rest
	err    error
	failed int64
}

var failures = [][]byte{[]byte("--- FAIL"), []byte("FAIL\t"), []byte("panic: ")}

// Read implements io.Reader.
func (c *lineCutter) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		c.fill()
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *lineCutter) fill() {
	chunk, err := c.r.ReadSlice('\n')
	whole := err == nil
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		c.err = err
	}
	if !c.inside {
		for _, prefix := range failures {
			if bytes.HasPrefix(chunk, prefix) {
				c.failed++
			}
		}
		if len(chunk) > maxLineBytes {
			chunk = append(slices.Clone(chunk[:maxLineBytes]), '\n')
		}
		c.rest = chunk
	}
	c.inside = !whole
}
