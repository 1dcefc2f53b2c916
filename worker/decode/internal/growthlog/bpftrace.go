package growthlog

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/bits"
	"path"
	"regexp"
	"strings"

	"slowpath.dev/decode/internal/names"
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
// Other parts of the key may stand before or behind the stack. Of the numbers
// among them those that can be sizes of stacks are: the old and the new one,
// or the new one alone (the second argument of runtime.copystack).

var (
	mapOpen   = regexp.MustCompile(`^@\w*\[(.*)$`)
	mapClose  = regexp.MustCompile(`^\s*(?:,(.*))?\]: (\d+)$`)
	mapOther  = regexp.MustCompile(`^\s*(?:,.*)?\]:`)
	attaching = regexp.MustCompile(`^Attach(?:ing|ed)(?: to)? \d+ probes?`)
	perfFrame = regexp.MustCompile(`^[[:xdigit:]]{4,16} (\S.*)$`)
	hexOnly   = regexp.MustCompile(`^(?:0x)?[[:xdigit:]]{4,16}$`)
	inModule  = regexp.MustCompile(` \(([^()]*)\)$`)
)

// entry is one entry of a map while it is being read.
type entry struct {
	keys  []string
	stack []frame
}

type bpftraceReader struct {
	*collector
	open  *entry
	seed  maphash.Seed
	seen  map[uint64]bool
	twice int64
}

func readBpftrace(c *collector, input *lines) error {
	r := &bpftraceReader{collector: c, seed: maphash.MakeSeed(), seen: map[uint64]bool{}}
	for line, ok := input.next(); ok; line, ok = input.next() {
		if err := r.take(line); err != nil {
			return err
		}
	}
	if r.open != nil { // its count is missing: nothing can be kept
		c.info.Truncated = true
	}
	if r.twice > 0 {
		c.warn("printed-again", "%d entries of the map are printed more than once. They were added up, which is right only if the map was cleared in between.", r.twice)
	}
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
	case m != nil && bytes.Contains(m[1], []byte("]:")): // an entry without a stack
		r.info.OtherLines++
	case m != nil:
		r.open = &entry{keys: strings.Split(string(m[1]), ",")}
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
	n, ok := natural(count)
	if !ok {
		r.info.OtherLines++
		return nil
	}
	e.keys = append(e.keys, strings.Split(string(behind), ",")...)
	if int64(len(r.seen)) < r.limits.Samples {
		hash := maphash.String(r.seed, fmt.Sprint(e.keys, e.stack))
		if r.seen[hash] {
			r.twice++
		}
		r.seen[hash] = true
	}
	g := growth{stack: e.stack, count: n}
	g.oldBytes, g.newBytes = stackSizes(e.keys)
	return r.addGrown(g)
}

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
	if !hexOnly.MatchString(text) && text != names.Unknown && text != "" {
		return text
	}
	if base := path.Base(module); module != "" && base != "/" {
		return names.Unknown + " " + base
	}
	return names.Unknown
}

// smallestStack is the size below which Go makes no stacks.
const smallestStack = 2048

// stackSizes finds the sizes among the parts of a key: stacks are powers of
// two from 2 KiB up.
func stackSizes(keys []string) (oldBytes, newBytes int64) {
	var sizes []int64
	for _, key := range keys {
		n, ok := natural([]byte(strings.TrimSpace(key)))
		if ok && n >= smallestStack && n <= largestStack && bits.OnesCount64(uint64(n)) == 1 {
			sizes = append(sizes, n)
		}
	}
	switch {
	case len(sizes) == 0:
		return 0, 0
	case len(sizes) == 1:
		return sizes[0] / 2, sizes[0]
	}
	return min(sizes[0], sizes[1]), max(sizes[0], sizes[1])
}
