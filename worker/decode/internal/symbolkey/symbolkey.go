// Package symbolkey turns function names into keys that stay the same from build
// to build.
package symbolkey

import "strings"

const (
	// TruncatedRoot is the key under which stacks hang whose outermost frames the
	// profiler dropped.
	TruncatedRoot = "[root cut off]"
	// Unknown is the name of a frame without a function.
	Unknown = "[unknown]"
)

// Key returns the key of a Go function name: closure numbers dropped but the
// mark retained, wrappers of go and defer statements stripped, type arguments
// replaced by an ellipsis. Names of other languages pass unless they happen to
// have that shape.
//
//	main.New.func2.gowrap1      -> main.New.func
//	main.Do.func1.2             -> main.Do.func
//	main.Map[go.shape.int,[]T]  -> main.Map[...]
//	main.glob..func3            -> main.glob..func
func Key(name string) string {
	if strings.IndexByte(name, '[') >= 0 && name[0] != '[' {
		name = withoutTypeArguments(name)
	}
	if strings.IndexByte(name, '.') >= 0 {
		name = withoutClosureNumbers(name)
	}
	return name
}

// withoutTypeArguments replaces every outermost [...] that follows a letter,
// digit or underscore. Names with unbalanced brackets pass unchanged: they are
// not Go's.
func withoutTypeArguments(name string) string {
	if !isBalanced(name) {
		return name
	}
	var out strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case depth > 0:
			depth += nesting(c)
			if depth == 0 {
				out.WriteByte(c)
			}
		case c == '[' && i > 0 && isWord(name[i-1]) && name[i+1] != ']':
			out.WriteString("[...")
			depth = 1
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// isBalanced reports whether every bracket of a name has its counterpart.
func isBalanced(name string) bool {
	depth := 0
	for i := 0; i < len(name) && depth >= 0; i++ {
		depth += nesting(name[i])
	}
	return depth == 0
}

func nesting(c byte) int {
	switch c {
	case '[':
		return 1
	case ']':
		return -1
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// withoutClosureNumbers folds every run of closure segments (func1, func1.2,
// func1.func2) into one "func", drops the wrappers of go and defer statements,
// and the numbers of range-over-func bodies.
func withoutClosureNumbers(name string) string {
	if !strings.Contains(name, ".func") && !strings.Contains(name, "wrap") && !strings.Contains(name, "-range") {
		return name
	}
	segments := strings.Split(name, ".")
	retained := segments[:1]
	inRun := false
	for _, segment := range segments[1:] {
		base, body := cutRange(segment)
		switch {
		case isNumbered(base, "func"):
			if !inRun || body != "" {
				retained = append(retained, "func"+body)
			}
			inRun = true
		case isNumbered(base, "gowrap"), isNumbered(base, "deferwrap"):
			inRun = true
		case inRun && isNumbered(base, "") && body == "":
		default:
			retained = append(retained, base+body)
			inRun = false
		}
	}
	return strings.Join(retained, ".")
}

// cutRange splits "f-range2" into "f" and "-range".
func cutRange(segment string) (base, body string) {
	at := strings.LastIndex(segment, "-range")
	if at < 0 || !isNumbered(segment[at:], "-range") {
		return segment, ""
	}
	return segment[:at], "-range"
}

// isNumbered reports whether s is prefix followed by one or more digits.
func isNumbered(s, prefix string) bool {
	if len(s) <= len(prefix) || s[:len(prefix)] != prefix {
		return false
	}
	for i := len(prefix); i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
