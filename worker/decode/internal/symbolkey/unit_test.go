package symbolkey

import (
	"strings"
	"testing"
)

func TestUnitKeepsTextAndReplacesWhatCannotBeShown(t *testing.T) {
	for text, want := range map[string]string{
		"nanoseconds":              "nanoseconds",
		"lock_nanoseconds":         "lock_nanoseconds",
		"µs":                       "µs",
		"":                         "",
		"by\x00tes":                UnknownUnit,
		"\u202etnuoc":              UnknownUnit,
		"\xff\xfe":                 UnknownUnit,
		"a\nb":                     UnknownUnit,
		strings.Repeat("unit", 20): UnknownUnit,
	} {
		if got := Unit(text); got != want {
			t.Errorf("Unit(%q) = %q, want %q", text, got, want)
		}
	}
}
