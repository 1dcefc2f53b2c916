package growthlog

import (
	"bytes"
	"regexp"
	"strconv"

	"slowpath.dev/decode/internal/symbolkey"
)

// An instrumented runtime prints, at every n-th growth, the function that
// needed more stack, and the stack trace of its caller:
//
//	runtime: newstack at runtime.mallocgc+0x165 sp=0x21b88 stack=[0x21800, 0x22000] old=2048 new=4096 used=1144 n=1000
//	goroutine 1943 [running]:
//	runtime.newobject(0x21ead27b79f?)
//		/src/runtime/malloc.go:2157 +0x25 fp=0x21bb8 sp=0x21b90 pc=0x423b45
//	...
//	created by example.com/xsync.(*pool).Go in goroutine 1
//		/src/xsync/pool.go:27 +0x73
//
// and when it ends, all growths by old size:
//
//	runtime: stack growths: 2048->506502 4096->9090 start=2048

var (
	newstackPrefix = []byte("runtime: newstack ")
	totalsPrefix   = []byte("runtime: stack growths:")
	totalPrefix    = []byte("runtime: stack growth:")
	createdPrefix  = []byte("created by ")
	goroutineLine  = regexp.MustCompile(`^goroutine (\d+) [^\[]*\[[^\]]*\]:$`)
	elidedLine     = regexp.MustCompile(`^\.\.\.(?:\d+|additional) frames elided\.\.\.$`)
	stackBounds    = regexp.MustCompile(`stack=\[0x([[:xdigit:]]{1,16}), 0x([[:xdigit:]]{1,16})\]`)
)

// stanza is one growth while it is being read.
type stanza struct {
	at       string // the function that needed more
	sp       string // its stack pointer, as printed
	oldBytes int64
	newBytes int64
	frames   []frame // of its callers
	pending  string  // a function whose place is still to come
	ended    bool    // the trace is whole
	closing  bool    // "created by" was read, its place may follow
}

// newstackReader reads the dialect line by line.
type newstackReader struct {
	*profileBuilder
	open       *stanza
	goroutines map[int64]bool
	used       int64
	usedKnown  bool
}

func readNewstack(c *profileBuilder, input *lines) error {
	r := &newstackReader{profileBuilder: c, goroutines: map[int64]bool{}}
	for line, ok := input.next(); ok; line, ok = input.next() {
		if !input.whole && r.open != nil && !r.open.ended { // cut in the middle of a line
			break
		}
		if err := r.take(line); err != nil {
			return err
		}
	}
	c.info.Truncated = r.open != nil && !r.open.ended
	if err := r.close(); err != nil {
		return err
	}
	if n := int64(len(r.goroutines)); n > 0 {
		c.info.Goroutines = &n
	}
	c.computeUsedBytes(r)
	return input.err
}

// computeUsedBytes returns the bytes that were in use when the stacks were copied.
func (c *profileBuilder) computeUsedBytes(r *newstackReader) {
	if rate := max(1, c.info.Rate, c.numbers.rate()); r.usedKnown {
		if used, ok := times(r.used, rate); ok {
			c.info.UsedBytes = &used
		}
	}
}

// take reads one line.
func (r *newstackReader) take(line []byte) error {
	switch {
	case bytes.HasPrefix(line, newstackPrefix):
		if err := r.close(); err != nil {
			return err
		}
		r.begin(line[len(newstackPrefix):])
	case bytes.HasPrefix(line, totalsPrefix):
		r.totals.take(line[len(totalsPrefix):], &r.info.StartBytes)
	case bytes.HasPrefix(line, totalPrefix):
		r.totals.take(line[len(totalPrefix):], &r.info.StartBytes)
	case r.open != nil && r.inside(line):
	case len(bytes.TrimSpace(line)) == 0, r.comment(line):
	default:
		r.info.OtherLines++
	}
	if r.open != nil && int64(len(r.open.frames)) > r.limits.Depth {
		return tooDeep(r.limits.Depth, int64(len(r.open.frames)))
	}
	return nil
}

// begin opens a stanza; rest is what follows "runtime: newstack ".
func (r *newstackReader) begin(rest []byte) {
	s := &stanza{}
	if name, ok := bytes.CutPrefix(rest, []byte("at ")); ok {
		name, _, _ = bytes.Cut(name, []byte(" sp="))
		s.at = withoutABI(withoutOffset(string(bytes.TrimSpace(name))))
	}
	s.sp = string(fieldOf(rest, " sp="))
	s.oldBytes = r.sizeOf(rest, " old=")
	s.newBytes = r.sizeOf(rest, " new=")
	if m := stackBounds.FindSubmatch(rest); m != nil && s.oldBytes == 0 {
		low, _ := strconv.ParseUint(string(m[1]), 16, 64)
		high, _ := strconv.ParseUint(string(m[2]), 16, 64)
		if high > low && high-low <= maxStackBytes {
			s.oldBytes = int64(high - low)
		}
	}
	if s.newBytes == 0 {
		s.newBytes = 2 * s.oldBytes // the runtime doubles
	}
	if n, ok := parseNatural(fieldOf(rest, " n=")); ok && n > 0 {
		r.numbers.add(s.oldBytes, n)
	}
	if used := r.sizeOf(rest, " used="); used > 0 {
		r.usedKnown = true
		r.used += used
	}
	r.open = s
}

// maxStackBytes is what no goroutine's stack exceeds (the runtime's own limit
// is 1 GB): larger sizes are damage.
const maxStackBytes = 1 << 31

func (r *newstackReader) sizeOf(rest []byte, key string) int64 {
	size, ok := parseNatural(fieldOf(rest, key))
	if !ok || size > maxStackBytes {
		return 0
	}
	return size
}

// fieldOf returns what follows a key up to the next space.
func fieldOf(line []byte, key string) []byte {
	at := bytes.Index(line, []byte(key))
	if at < 0 {
		return nil
	}
	value, _, _ := bytes.Cut(line[at+len(key):], []byte(" "))
	return value
}

// inside reads a line of an open stanza; false when it is none of its lines.
func (r *newstackReader) inside(line []byte) bool {
	s := r.open
	switch {
	case len(line) > 0 && line[0] == '\t':
		return s.place(line[1:])
	case bytes.HasPrefix(line, createdPrefix) && !s.closing:
		s.ended, s.closing = true, true
	case s.ended:
		return false
	case len(line) == 0:
		s.ended = len(s.frames) > 0
	case elidedLine.Match(line):
		s.frames = append(s.frames, frame{name: elided})
	default:
		return r.header(line) || s.function(line)
	}
	return true
}

// header reads the line that names the goroutine.
func (r *newstackReader) header(line []byte) bool {
	m := goroutineLine.FindSubmatch(line)
	if m == nil {
		return false
	}
	if id, ok := parseNatural(m[1]); ok && int64(len(r.goroutines)) < r.limits.Samples {
		r.goroutines[id] = true
	}
	return true
}

func (s *stanza) function(line []byte) bool {
	name, ok := functionOf(line)
	if ok {
		s.pending = name
	}
	return ok
}

// place reads a line that begins with a tab: where the last function is.
func (s *stanza) place(text []byte) bool {
	switch {
	case s.closing:
		s.closing = false
		return true
	case bytes.HasPrefix(text, []byte("morebuf={")), bytes.HasPrefix(text, []byte("sched={")):
		return true
	case s.pending == "":
		return false
	}
	file, line, ok := placeOf(text)
	if !ok {
		return false
	}
	// Some runtimes begin the trace with the growing function itself, others with its caller.
	itself := len(s.frames) == 0 && s.pending == s.at && string(fieldOf(text, " sp=")) == s.sp
	if itself {
		s.at = ""
	}
	s.frames = append(s.frames, frame{s.pending, file, line})
	s.ended = s.ended || s.pending == goexit
	s.pending = ""
	return true
}

// close adds the open stanza to the table.
func (r *newstackReader) close() error {
	s := r.open
	r.open = nil
	if s == nil {
		return nil
	}
	stack := s.frames
	if s.at != "" {
		stack = append([]frame{{name: s.at}}, stack...)
	}
	stack, shrunk := growthOf(stack)
	if shrunk {
		r.info.Shrunk++
		return nil
	}
	if !s.ended {
		r.info.CutStanzas++
		stack = append(stack, frame{name: symbolkey.TruncatedRoot})
	}
	return r.add(growth{stack, s.oldBytes, s.newBytes, 1})
}
