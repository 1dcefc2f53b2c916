package spanset

import (
	"fmt"

	"slowpath.dev/decode/internal/profilefile"
)

const (
	// Format and Version name the file format.
	Format  = "slowpath.spans"
	Version = 1
	// None marks where an index has nothing to point to.
	None = ^uint32(0)
)

// Counts holds how much the set holds, and what was repaired.
type Counts struct {
	Spans             int64 `json:"spans"`
	Traces            int64 `json:"traces"`
	Services          int64 `json:"services"`
	MissingParents    int64 `json:"missing_parents"`
	Duplicates        int64 `json:"duplicates"` // ids that came again, sent twice or not
	Repeated          int64 `json:"repeated"`   // of those, the same span again: left out
	Cycles            int64 `json:"cycles"`
	Negative          int64 `json:"negative"` // ended before they began, or never
	Skewed            int64 `json:"skewed"`   // moved because their clock was off
	Outside           int64 `json:"outside"`  // not inside their parent
	Shared            int64 `json:"shared"`   // one id for client and server
	Unplaced          int64 `json:"unplaced"` // without a start
	WithoutTrace      int64 `json:"without_trace"`
	DroppedAttributes int64 `json:"dropped_attributes"`
	DroppedEvents     int64 `json:"dropped_events"`
	CutTexts          int64 `json:"cut_texts"`
}

// Header is everything that is not a column.
type Header struct {
	Dialect  string             `json:"dialect"`
	Counts   Counts             `json:"counts"`
	StartNs  int64              `json:"start_ns"`
	EndNs    int64              `json:"end_ns"`
	Warnings []string           `json:"warnings"`
	Source   profilefile.Source `json:"source"`
}

func (b *Builder) warnings() []string {
	found := []string{}
	for _, w := range []struct {
		count          int64
		slug, sentence string
	}{
		{b.counts.WithoutTrace, "without-trace", "%d spans name no trace and were left out."},
		{b.counts.DroppedAttributes, "attributes-dropped", "%d attributes beyond the first of a span were left out."},
		{b.counts.DroppedEvents, "events-dropped", "%d events and links beyond the first of a span were left out."},
		{b.texts.cut, "texts-cut", "%d texts were cut to the maximum length."},
		{b.texts.replaced, "invalid-utf8", "%d texts are not UTF-8 or hold NUL; such bytes were replaced."},
	} {
		if w.count > 0 {
			found = append(found, w.slug+": "+fmt.Sprintf(w.sentence, w.count))
		}
	}
	return found
}
