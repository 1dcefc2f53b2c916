package traceblame

import "sort"

// Segment is one occupation of a P: [End-Length, End).
type Segment struct {
	End       int64
	Goroutine uint64 // 0: none
	Length    uint32 // longer ones than 4.2 s do not occur
	Proc      uint16
	Class     uint16
}

// Start gives when the occupation began.
func (s *Segment) Start() int64 { return s.End - int64(s.Length) }

const (
	// segmentBytes is what a segment takes in memory.
	segmentBytes = 24
	// longestChunk is how many are forgotten together at most, fewestChunks of how
	// many chunks a ring is made at least.
	longestChunk = 1 << 16
	fewestChunks = 8
)

// Ring keeps the newest segments of all Ps together, in order of their ends,
// under one bound of memory.
type Ring struct {
	chunks  [][]Segment // oldest first
	chunk   int         // segments of a chunk
	bound   int         // chunks
	most    int         // chunks that it was made for
	dropped int64       // segments
	from    int64       // all that ended after this is here

	// BeforeDrop is told the time up to which segments are about to be
	// forgotten, so that what still needs them can take them.
	BeforeDrop func(upTo int64)
	// Watch, if set, sees every segment as it is pushed.
	Watch func(*Segment)
}

// NewRing makes a ring of at most so many bytes.
func NewRing(bytes int64) *Ring {
	chunk := max(1, min(longestChunk, int(bytes/segmentBytes/fewestChunks)))
	bound := max(fewestChunks, int(bytes/segmentBytes)/chunk)
	return &Ring{chunk: chunk, bound: bound, most: bound, from: -1}
}

// Push adds a segment that ends last.
func (r *Ring) Push(s Segment) {
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

func (r *Ring) grow() {
	if len(r.chunks) < r.bound {
		r.chunks = append(r.chunks, make([]Segment, 0, r.chunk))
		return
	}
	oldest := r.drop()
	r.chunks = append(r.chunks, oldest[:0])
}

// drop forgets the oldest chunk and gives it back.
func (r *Ring) drop() []Segment {
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
func (r *Ring) Bound(bytes int64) {
	r.bound = min(r.most, max(fewestChunks, int(bytes/segmentBytes)/r.chunk))
	for len(r.chunks) > r.bound {
		r.drop()
	}
}

// Forget gives everything up that is remembered.
func (r *Ring) Forget() {
	r.BeforeDrop = nil
	for len(r.chunks) > 0 {
		r.drop()
	}
}

// From gives the time after which the ring knows everything.
func (r *Ring) From() int64 { return r.from }

// Total gives how many segments there have been.
func (r *Ring) Total() int64 {
	total := r.dropped
	for _, chunk := range r.chunks {
		total += int64(len(chunk))
	}
	return total
}

// Count tells how many kept segments end in (from, to].
func (r *Ring) Count(from, to int64) int {
	return r.after(from) - r.after(to)
}

// after counts the kept segments that end after t.
func (r *Ring) after(t int64) int {
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

// Each calls visit for every kept segment that ends after from, in order of
// ends, until it returns false.
func (r *Ring) Each(from int64, visit func(*Segment) bool) {
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
