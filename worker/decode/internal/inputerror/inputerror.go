// Package inputerror describes what is wrong with an input, by name and number.
//
// an InputError is errors of the input, never ours: the command turns it into exit
// code 2 and one line of JSON. Every other error is our own failure.
package inputerror

import (
	"encoding/json"
	"fmt"
)

// InputError is one reason to refuse an input. Limit, Actual and Offset are absent
// when they make no sense for the case.
type InputError struct {
	Slug    string // stable machine name, e.g. "unpacked-too-large"
	Message string // sentence for people: what, and the way out
	Limit   *int64 // the bound that was passed, in Unit
	Actual  *int64 // what the input has, in Unit (a lower bound while streaming)
	Unit    string // "bytes", "frames", "nodes", ...
	Offset  *int64 // position in the unpacked input, in bytes
}

// New makes an input error without numbers.
func New(slug, format string, args ...any) *InputError {
	return &InputError{Slug: slug, Message: fmt.Sprintf(format, args...)}
}

// WithLimit adds the bound, the actual value and their unit.
func (f *InputError) WithLimit(limit, actual int64, unit string) *InputError {
	f.Limit, f.Actual, f.Unit = &limit, &actual, unit
	return f
}

// WithActual adds the actual value where no bound is involved.
func (f *InputError) WithActual(actual int64, unit string) *InputError {
	f.Actual, f.Unit = &actual, unit
	return f
}

// AtOffset adds where in the unpacked input it was found.
func (f *InputError) AtOffset(offset int64) *InputError {
	f.Offset = &offset
	return f
}

// Error returns slug and sentence.
func (f *InputError) Error() string { return f.Slug + ": " + f.Message }

// JSON returns the one line that the command prints to stderr.
func (f *InputError) JSON() []byte {
	line, err := json.Marshal(struct {
		Error   string  `json:"error"`
		Message string  `json:"message"`
		Limit   *int64  `json:"limit"`
		Actual  *int64  `json:"actual"`
		Unit    *string `json:"unit"`
		Offset  *int64  `json:"offset"`
	}{f.Slug, f.Message, f.Limit, f.Actual, optional(f.Unit), f.Offset})
	if err != nil { // strings and integers always marshal
		panic(err)
	}
	return line
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
