package traceexcerpt

import (
	"fmt"
	"io"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/tracesource"
)

// Excerpt is what was cut out: times in ns since the first event of the whole trace.
type Excerpt struct {
	FromNs int64 `json:"from_ns"`
	ToNs   int64 `json:"to_ns"` // where the next generation begins; of the last one, what was asked for
	Bytes  int64 `json:"bytes"`

	pieces [2]int64 // bytes of the unpacked file
}

// Plan finds the whole generations that cover [from, to] of the trace in a file.
func Plan(path string, from, to int64, limits tracesource.Limits) (*Excerpt, error) {
	s, closeFile, err := tracesource.OpenRawFile(path, limits)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	if s.Version < tracesource.FirstV2 {
		return nil, inputerror.New("cut-needs-1.22", "Excerpts can be taken from traces of Go 1.22 and newer. This one is in the format of Go 1.%d, which has no generations.", s.Version).
			WithLimit(tracesource.FirstV2, int64(s.Version), "minor version of Go")
	}
	list, err := index(s)
	if err != nil {
		return nil, err
	}
	return choose(list, from, to)
}

func choose(list []generation, from, to int64) (*Excerpt, error) {
	origin := list[0].startNs()
	first, last := -1, -1
	for i := range list {
		begins := list[i].startNs() - origin
		ends := int64(1<<63 - 1)
		if i+1 < len(list) {
			ends = list[i+1].startNs() - origin
		}
		if begins <= to && (ends > from || ends <= begins && begins >= from) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return nil, inputerror.New("cut-outside", "The trace has nothing between %d and %d ns.", from, to)
	}
	c := &Excerpt{FromNs: list[first].startNs() - origin, ToNs: to, pieces: [2]int64{list[first].from, list[last].to}}
	if last+1 < len(list) {
		c.ToNs = list[last+1].startNs() - origin
	}
	c.Bytes = tracesource.HeaderBytes + c.pieces[1] - c.pieces[0]
	return c, nil
}

// Write writes the trace that was planned, reading the file again.
func (c *Excerpt) Write(w io.Writer, path string, limits tracesource.Limits) error {
	s, closeFile, err := tracesource.OpenRawFile(path, limits)
	if err != nil {
		return err
	}
	defer closeFile()
	raw := s.Raw()
	if _, err := io.CopyN(w, raw, tracesource.HeaderBytes); err != nil {
		return fmt.Errorf("copying the header: %w", err)
	}
	if _, err := io.CopyN(io.Discard, raw, c.pieces[0]-tracesource.HeaderBytes); err != nil {
		return fmt.Errorf("skipping generations: %w", err)
	}
	if _, err := io.CopyN(w, raw, c.pieces[1]-c.pieces[0]); err != nil {
		return fmt.Errorf("copying generations: %w", err)
	}
	return nil
}
