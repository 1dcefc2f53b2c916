package growthlog

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"path"
	"regexp"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/symbolkey"
)

// bpftrace prints a map whose key has a stack, leaf first, so:
//
//	@growth[
//	    runtime.newstack+0
//	    runtime.morestack+143
//	    main.work+25
//	    runtime.goexit.abi0+1
//	, 2048, 4096]: 15
//
// Other parts of the key may precede or follow the stack: bpftracekeys.go
// reads them. One stack may be printed several times over, as bpftrace counts
// it by thread.

var (
	mapOpen   = regexp.MustCompile(`^@(\w*)\[(.*)$`)
	mapClose  = regexp.MustCompile(`^\s*(?:,(.*))?\]: (\d+)$`)
	mapOther  = regexp.MustCompile(`^\s*(?:,.*)?\]:`)
	attaching = regexp.MustCompile(`^Attach(?:ing|ed)(?: to)? \d+ probes?`)
	perfFrame = regexp.MustCompile(`^[[:xdigit:]]{4,16} (\S.*)$`)
	hexOnly   = regexp.MustCompile(`^(?:0x)?[[:xdigit:]]{4,16}$`)
	inModule  = regexp.MustCompile(` \(([^()]*)\)$`)
)

// entry is one entry of a map while it is being read.
type entry struct {
	name   string
	before []string // parts of the key in front of the stack
	behind []string
	stack  []frame
}

type bpftraceReader struct {
	*profileBuilder
	open *entry
	seed maphash.Seed
	// A map is printed in order of its counts: where they fall, it is printed again.
	prints map[string]printing
	seen   map[uint64]int // in which printing of its map
	twice  int64

	entered, bare int64 // growths whose two innermost functions, or whose path, no stack shows
}

// printing is how far a map has been printed, and for the how-manieth time.
type printing struct {
	number int
	last   int64
}

func readBpftrace(c *profileBuilder, input *lines) error {
	r := &bpftraceReader{profileBuilder: c, seed: maphash.MakeSeed(), prints: map[string]printing{}, seen: map[uint64]int{}}
	for line, ok := input.next(); ok; line, ok = input.next() {
		if err := r.take(line); err != nil {
			return err
		}
	}
	if r.open != nil { // its count is missing: nothing can be retained
		c.info.Truncated = true
	}
	if r.twice > 0 {
		c.warn("printed-again", "%d entries of the map are printed more than once. They were added up, which is right only if the map was cleared in between.", r.twice)
	}
	r.warnUnseen()
	return input.err
}

func (r *bpftraceReader) take(line []byte) error {
	if r.open == nil {
		r.outside(line)
		return nil
	}
	switch m := mapClose.FindSubmatch(line); {
	case m != nil:
		return r.close(m[1], m[2])
	case mapOther.Match(line): // a histogram or a sum of something else
		r.open = nil
		r.info.OtherLines++
	case mapOpen.Match(line):
		r.info.OtherLines++
		r.outside(line)
	default:
		return r.frame(line)
	}
	return nil
}

func (r *bpftraceReader) outside(line []byte) {
	m := mapOpen.FindSubmatch(line)
	switch {
	case m != nil && bytes.Contains(m[2], []byte("]:")): // an entry without a stack
		r.info.OtherLines++
	case m != nil:
		r.open = &entry{name: string(m[1]), before: partsOf(m[2])}
	case len(bytes.TrimSpace(line)) == 0, attaching.Match(line), r.comment(line):
	default:
		r.info.OtherLines++
	}
}

func (r *bpftraceReader) frame(line []byte) error {
	e := r.open
	text := strings.TrimSpace(string(line))
	switch text {
	case "":
	case ",": // another stack of the key follows: the last one counts
		e.stack = nil
	default:
		e.stack = append(e.stack, frame{name: symbolOf(text)})
	}
	if depth := int64(len(e.stack)); depth > r.limits.Depth {
		return tooDeep(r.limits.Depth, depth)
	}
	return nil
}

func (r *bpftraceReader) close(behind, count []byte) error {
	e := r.open
	r.open = nil
	n, ok := parseNatural(count)
	if !ok {
		r.info.OtherLines++
		return nil
	}
	e.behind = partsOf(behind)
	r.countAgain(e, n)
	g := growth{count: n, stack: r.wholeStack(e, n)}
	g.oldBytes, g.newBytes = stackSizes(slices.Concat(e.before, e.behind), entersGrowth(e.stack))
	return r.addGrown(g)
}

// countAgain counts entries that an earlier printing of their map has, too.
func (r *bpftraceReader) countAgain(e *entry, n int64) {
	if len(r.prints) >= maxMaps || int64(len(r.seen)) >= r.limits.Samples {
		return
	}
	print := r.prints[e.name]
	if n < print.last {
		print.number++
	}
	print.last = n
	r.prints[e.name] = print
	hash := maphash.String(r.seed, fmt.Sprint(e.name, e.before, e.behind, e.stack))
	if earlier, ok := r.seen[hash]; ok && earlier < print.number {
		r.twice++
	}
	r.seen[hash] = print.number
}

// maxMaps bounds the names of maps that are distinguished.
const maxMaps = 1024

// symbolOf reads a frame in any of bpftrace's modes: "main.f+25",
// "4a1b20 main.f+25 (/bin/app)", "0x4a1b20".
func symbolOf(text string) string {
	module := ""
	if m := inModule.FindStringSubmatch(text); m != nil {
		module, text = m[1], strings.TrimSuffix(text, m[0])
	}
	if m := perfFrame.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = withoutABI(withoutOffset(text))
	if !hexOnly.MatchString(text) && text != symbolkey.Unknown && text != "" {
		return text
	}
	if base := path.Base(module); module != "" && base != "/" {
		return symbolkey.Unknown + " " + base
	}
	return symbolkey.Unknown
}
