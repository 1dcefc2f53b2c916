package symbolkey

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// UnknownUnit replaces a sample type or unit that cannot be shown to people.
const UnknownUnit = "unknown"

// maxUnitBytes is far beyond every unit that a profiler writes.
const maxUnitBytes = 64

// Unit returns the name of a sample type or unit, or UnknownUnit if it is not
// text: invalid UTF-8, control or formatting characters (which reverse or hide
// what is beside them), or longer than any real one.
func Unit(text string) string {
	if len(text) > maxUnitBytes || !utf8.ValidString(text) {
		return UnknownUnit
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return UnknownUnit
	}
	return text
}
