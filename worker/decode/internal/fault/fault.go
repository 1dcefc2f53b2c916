// Package fault describes what is wrong with an input, by name and number.
//
// A Fault is the input's fault, never ours: the command turns it into exit
// code 2 and one line of JSON. Every other error is our own failure.
package fault

import (
	"encoding/json"
	"fmt"
)

// Fault is one reason to refuse an input. Limit, Actual and Offset are absent
// when they make no sense for the case.
type Fault struct {
	Slug    string // stable machine name, e.g. "unpacked-too-large"
	Message string // sentence for people: what, and the way out
	Limit   *int64 // the bound that was passed, in Unit
	Actual  *int64 // what the input has, in Unit (a lower bound while streaming)
	Unit    string // "bytes", "frames", "nodes", ...
	Offset  *int64 // position in the unpacked input, in bytes
}

// New makes a fault without numbers.
func New(slug, format string, args ...any) *Fault {
	return &Fault{Slug: slug, Message: fmt.Sprintf(format, args...)}
}

// WithLimit adds the bound, the actual value and their unit.
func (f *Fault) WithLimit(limit, actual int64, unit string) *Fault {
	f.Limit, f.Actual, f.Unit = &limit, &actual, unit
	return f
}

// WithActual adds the actual value where no bound is involved.
func (f *Fault) WithActual(actual int64, unit string) *Fault {
	f.Actual, f.Unit = &actual, unit
	return f
}

// At adds where in the unpacked input it was found.
func (f *Fault) At(offset int64) *Fault {
	f.Offset = &offset
	return f
}

// Error gives slug and sentence.
func (f *Fault) Error() string { return f.Slug + ": " + f.Message }

// JSON gives the one line that the command prints to stderr.
func (f *Fault) JSON() []byte {
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
