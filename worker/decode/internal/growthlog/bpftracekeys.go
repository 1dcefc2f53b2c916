package growthlog

import (
	"math/bits"
	"regexp"
	"strings"
)

// The parts of a map's key other than stacks hold two things.
//
// Sizes: of the numbers those that can be sizes of stacks are. Two are the old
// and the new one; one alone is the new one (the second argument of
// runtime.copystack), but where the stack begins at runtime.morestack the old
// one (of the goroutine, which has not grown yet).
//
// Functions: when runtime.morestack begins, the function that needs more stack
// has made no frame yet, so that a walk along frame pointers shows neither it
// nor its caller. Their return addresses are what the stack pointer points at:
//
//	@growth[ustack, usym(*(uint64 *)reg("sp")), usym(*(uint64 *)(reg("sp")+8))] = count();
//
// Symbols behind a stack that begins so are these frames.

// minStackBytes is the size below which Go makes no stacks.
const minStackBytes = 2048

// symbol is a Go function, as bpftrace prints one in a key.
var symbol = regexp.MustCompile(`^[\w./~%-]+\.[^\s,]\S*$`)

// partsOf splits the parts of a key; type arguments hold commas of their own,
// but no spaces behind them.
func partsOf(text []byte) []string {
	var parts []string
	for part := range strings.SplitSeq(string(text), ", ") {
		if part = strings.Trim(part, " \t,"); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// entersGrowth reports whether a stack was taken when runtime.morestack began.
func entersGrowth(stack []frame) bool {
	return len(stack) > 0 && (stack[0].name == "runtime.morestack" || stack[0].name == "runtime.morestack_noctxt")
}

// wholeStack returns an entry's stack with the frames that its key has, and
// counts the growths of which no stack can show who grew.
func (r *bpftraceReader) wholeStack(e *entry, count int64) []frame {
	if !entersGrowth(e.stack) {
		if rest, shrunk := growthOf(e.stack); len(rest) == 0 && !shrunk {
			r.bare += min(count, largest-r.bare)
		}
		return e.stack
	}
	whole := []frame{e.stack[0]}
	for _, part := range e.behind {
		if symbol.MatchString(part) {
			whole = append(whole, frame{name: withoutABI(withoutOffset(part))})
		}
	}
	if len(whole) == 1 {
		r.entered += min(count, largest-r.entered)
	}
	return append(whole, e.stack[1:]...)
}

func (r *bpftraceReader) warnUnseen() {
	if r.entered > 0 {
		r.warn("callers-only", "%d growths were caught where runtime.morestack begins: the two innermost functions of their stacks, the one that grew and its caller, are missing. On amd64 the key can have them: @[ustack, usym(*(uint64 *)reg(\"sp\")), usym(*(uint64 *)(reg(\"sp\")+8))].", r.entered)
	}
	if r.bare > 0 {
		r.warn("without-path", "%d growths have no stack but the runtime's own: it grows stacks on a separate stack, from which bpftrace cannot see that of the goroutine. Probe runtime.morestack (its symbol may be runtime.morestack.abi0).", r.bare)
	}
}

// stackSizes finds the sizes among the parts of a key: stacks are powers of
// two from 2 KiB up.
func stackSizes(parts []string, isOld bool) (oldBytes, newBytes int64) {
	var sizes []int64
	for _, part := range parts {
		n, ok := parseNatural([]byte(part))
		if ok && n >= minStackBytes && n <= maxStackBytes && bits.OnesCount64(uint64(n)) == 1 {
			sizes = append(sizes, n)
		}
	}
	switch {
	case len(sizes) == 0:
		return 0, 0
	case len(sizes) == 1 && isOld:
		return sizes[0], 2 * sizes[0]
	case len(sizes) == 1:
		return sizes[0] / 2, sizes[0]
	}
	return min(sizes[0], sizes[1]), max(sizes[0], sizes[1])
}
