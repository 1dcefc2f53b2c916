package growthlog

import (
	"bytes"
	"strconv"
	"strings"
)

// frame is one function of a stack; line is 0 where the dialect has none.
type frame struct {
	name string
	file string
	line int64
}

const (
	// elided marks where the runtime left out the middle of a deep stack.
	elided = "[frames elided]"
	goexit = "runtime.goexit"
)

// functionOf reads the first line of a frame in a Go stack trace:
//
//	example.com/pkg.(*T).Do(0x21eac97ee60, {0x93dea8, 0x5?}, ...)
//
// The arguments hold no parentheses of their own.
func functionOf(line []byte) (name string, ok bool) {
	if len(line) == 0 || line[len(line)-1] != ')' || line[0] == ' ' || line[0] == '\t' {
		return "", false
	}
	open := bytes.LastIndexByte(line, '(')
	if open <= 0 || bytes.IndexByte(line[:open], '.') < 0 || bytes.HasPrefix(line, []byte("created by ")) {
		return "", false
	}
	for _, c := range line[open+1 : len(line)-1] {
		if !isArgument(c) {
			return "", false
		}
	}
	return withoutABI(string(line[:open])), true
}

func isArgument(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || strings.IndexByte("x{}, .?_", c) >= 0
}

// placeOf reads the second line of a frame, without its tab:
//
//	/src/pkg/file.go:43 +0x65 fp=0x21ead261c10 sp=0x21ead261bb8 pc=0x7780c5
func placeOf(text []byte) (file string, line int64, ok bool) {
	if end := bytes.Index(text, []byte(" +0x")); end >= 0 {
		text = text[:end]
	}
	at := bytes.LastIndexByte(text, ':')
	if at <= 0 {
		return "", 0, false
	}
	number, err := strconv.ParseInt(string(text[at+1:]), 10, 32)
	return string(text[:at]), number, err == nil
}

// withoutABI drops the mark of assembly functions from symbols.
func withoutABI(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".abi0"), ".abiinternal")
}

// withoutOffset drops "+0x165" or "+25" from the end of a symbol.
func withoutOffset(symbol string) string {
	at := strings.LastIndexByte(symbol, '+')
	if at <= 0 {
		return symbol
	}
	if _, err := strconv.ParseUint(symbol[at+1:], 0, 64); err != nil {
		return symbol
	}
	return symbol[:at]
}

// growing are the functions that grow a stack: what they are called by grew.
var growing = map[string]bool{
	"runtime.newstack": true, "runtime.morestack": true, "runtime.morestack_noctxt": true, "runtime.copystack": true,
}

// growthOf cuts a stack (leaf first) down to the function that needed more stack,
// without the frame at which all goroutines end. shrunk reports that it was the
// collector that copied the stack, to shrink it: that is not a growth. It does so
// while it scans; of runtime.shrinkstack a walk along frame pointers shows nothing.
func growthOf(stack []frame) (rest []frame, shrunk bool) {
	for i, f := range stack {
		shrunk = shrunk || f.name == "runtime.shrinkstack" || f.name == "runtime.scanstack"
		if growing[f.name] {
			rest = stack[i+1:]
		}
	}
	if rest == nil {
		rest = stack
	}
	retained := make([]frame, 0, len(rest))
	for _, f := range rest {
		if f.name != goexit {
			retained = append(retained, f)
		}
	}
	return retained, shrunk
}
