package poccupancy

import "sort"

// Segment is one occupation of a P: [End-Length, End).
type Segment struct {
	End       int64
	Goroutine uint64 // 0: none
	Length    uint32 // longer ones than 4.2 s do not occur
	Proc      uint16
	Class     uint16
}

// Start returns when the occupation began.
func (s *Segment) Start() int64 { return s.End - int64(s.Length) }

const (
	// segmentBytes is what a segment takes in memory.
	segmentBytes = 24
	// maxChunk is how many are forgotten together at most, fewestChunks of how
	// many chunks a ring is made at least.
	maxChunk  = 1 << 16
	minChunks = 8
)

// SegmentRing keeps the newest segments of all Ps together, in order of their ends,
// under one bound of memory.
type SegmentRing struct {
	chunks  [][]Segment // oldest first
	chunk   int         // segments of a chunk
	bound   int         // chunks
	most    int         // chunks that it was made for
	dropped int64       // segments
	from    int64       // all that ended after this is here

	// BeforeDrop receives the time up to which segments are about to be
	// forgotten, so that what still needs them can take them.
	BeforeDrop func(upTo int64)
	// Watch, if set, sees every segment as it is pushed.
	Watch func(*Segment)
}

// NewSegmentRing makes a ring of at most so many bytes.
func NewSegmentRing(bytes int64) *SegmentRing {
	chunk := max(1, min(maxChunk, int(bytes/segmentBytes/minChunks)))
	bound := max(minChunks, int(bytes/segmentBytes)/chunk)
	return &SegmentRing{chunk: chunk, bound: bound, most: bound, from: -1}
}

// Push adds a segment that ends last.
func (r *SegmentRing) Push(s Segment) {
	n := len(r.chunks)
	if n == 0 || len(r.chunks[n-1]) == r.chunk {
		r.grow()
		n = len(r.chunks)
	}
	chunk := append(r.chunks[n-1], s)
	r.chunks[n-1] = chunk
	if r.Watch != nil {
		r.Watch(&chunk[len(chunk)-1])
	}
}

func (r *SegmentRing) grow() {
	if len(r.chunks) < r.bound {
		r.chunks = append(r.chunks, make([]Segment, 0, r.chunk))
		return
	}
	oldest := r.drop()
	r.chunks = append(r.chunks, oldest[:0])
}

// drop removes the oldest chunk and returns it.
func (r *SegmentRing) drop() []Segment {
	oldest := r.chunks[0]
	upTo := r.from
	if n := len(oldest); n > 0 {
		upTo = oldest[n-1].End
	}
	if r.BeforeDrop != nil {
		r.BeforeDrop(upTo)
	}
	last := len(r.chunks) - 1
	copy(r.chunks, r.chunks[1:])
	r.chunks[last] = nil
	r.chunks = r.chunks[:last]
	r.dropped += int64(len(oldest))
	r.from = upTo
	return oldest
}

// Bound makes the ring remember less, or again as much as it was made for.
func (r *SegmentRing) Bound(bytes int64) {
	r.bound = min(r.most, max(minChunks, int(bytes/segmentBytes)/r.chunk))
	for len(r.chunks) > r.bound {
		r.drop()
	}
}

// Forget returns everything up that is remembered.
func (r *SegmentRing) Forget() {
	r.BeforeDrop = nil
	for len(r.chunks) > 0 {
		r.drop()
	}
}

// From returns the time after which the ring knows everything.
func (r *SegmentRing) From() int64 { return r.from }

// Total returns how many segments there have been.
func (r *SegmentRing) Total() int64 {
	total := r.dropped
	for _, chunk := range r.chunks {
		total += int64(len(chunk))
	}
	return total
}

// Count returns how many retained segments end in (from, to].
func (r *SegmentRing) Count(from, to int64) int {
	return r.after(from) - r.after(to)
}

// after counts the retained segments that end after t.
func (r *SegmentRing) after(t int64) int {
	count := 0
	for i := len(r.chunks) - 1; i >= 0; i-- {
		chunk := r.chunks[i]
		if len(chunk) > 0 && chunk[0].End <= t {
			return count + len(chunk) - sort.Search(len(chunk), func(i int) bool { return chunk[i].End > t })
		}
		count += len(chunk)
	}
	return count
}

// Each calls visit for every retained segment that ends after from, in order of
// ends, until it returns false.
func (r *SegmentRing) Each(from int64, visit func(*Segment) bool) {
	first := sort.Search(len(r.chunks), func(i int) bool {
		chunk := r.chunks[i]
		return len(chunk) > 0 && chunk[len(chunk)-1].End > from
	})
	for _, chunk := range r.chunks[first:] {
		at := 0
		if len(chunk) > 0 && chunk[0].End <= from {
			at = sort.Search(len(chunk), func(i int) bool { return chunk[i].End > from })
		}
		for i := at; i < len(chunk); i++ {
			if !visit(&chunk[i]) {
				return
			}
		}
	}
}
