package spanset

import (
	"cmp"
	"slices"

	"slowpath.dev/decode/internal/inputerror"
)

// noRow represents no parent while rows are int32.
const noRow = int32(-1)

// forest is the spans of one trace while their parents are found; everything is
// indexed by place in rows.
type forest struct {
	b        *Builder
	rows     []int32 // spans of the set, in order of their start
	byID     []int32 // places, in order of id, then place
	parent   []int32 // place of the parent
	dropped  []bool
	children []int32 // places, by parent; those of place p: children[first[p]:first[p+1]]
	first    []int32
	state    []uint8
	skew     []int64
	order    []int32 // places in preorder
	depth    []uint16
	stack    []int32
}

// arrange finds the parents of one trace's spans, repairs them, and puts them in
// preorder.
func (f *forest) arrange(rows []int32) error {
	f.reset(rows)
	f.sortByID()
	f.dropRepeated()
	for p := range f.rows {
		if !f.dropped[p] {
			f.parent[p] = f.parentOf(int32(p))
		}
	}
	f.cutCycles()
	f.listChildren()
	f.place()
	return f.preorder()
}

func (f *forest) span(p int32) *Span { return &f.b.spans[f.rows[p]] }

func (f *forest) reset(rows []int32) {
	n := len(rows)
	f.rows = rows
	slices.SortStableFunc(rows, func(x, y int32) int {
		a, b := &f.b.spans[x], &f.b.spans[y]
		return cmp.Or(cmp.Compare(a.StartNs, b.StartNs), cmp.Compare(b.EndNs, a.EndNs), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.op, b.op), cmp.Compare(a.Kind, b.Kind))
	})
	f.parent, f.dropped, f.state = resized(f.parent, n), resized(f.dropped, n), resized(f.state, n)
	f.skew, f.byID, f.depth, f.order = resized(f.skew, n), resized(f.byID, n), resized(f.depth, n), f.order[:0]
	f.children, f.first = resized(f.children, n), resized(f.first, n+1)
}

// resized returns a list of n zeros, in the memory of an old one if that is enough.
func resized[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

func (f *forest) sortByID() {
	for i := range f.byID {
		f.byID[i] = int32(i)
		f.parent[i] = noRow
	}
	slices.SortFunc(f.byID, func(x, y int32) int {
		return cmp.Or(cmp.Compare(f.span(x).ID, f.span(y).ID), cmp.Compare(x, y))
	})
}

// withID returns the places of the spans of that id.
func (f *forest) withID(id uint64) []int32 {
	begin, found := slices.BinarySearchFunc(f.byID, id, func(p int32, id uint64) int { return cmp.Compare(f.span(p).ID, id) })
	if !found || id == 0 {
		return nil
	}
	end := begin + 1
	for end < len(f.byID) && f.span(f.byID[end]).ID == id {
		end++
	}
	return f.byID[begin:end]
}

// dropRepeated leaves out spans that were sent twice, as by an exporter that
// tried again, and marks other spans that share an id.
func (f *forest) dropRepeated() {
	for begin := 0; begin < len(f.byID); {
		end := begin + 1
		for end < len(f.byID) && f.span(f.byID[end]).ID == f.span(f.byID[begin]).ID {
			end++
		}
		if same := f.byID[begin:end]; len(same) > 1 && f.span(same[0]).ID != 0 {
			f.markShared(same)
		}
		begin = end
	}
}

// markShared looks at the spans of one id. Equal ones are adjacent:
// places are in order of start and end.
func (f *forest) markShared(same []int32) {
	last := same[0]
	retained := 1
	for _, p := range same[1:] {
		if f.equal(last, p) {
			f.dropped[p] = true
			f.b.counts.Duplicates++
			f.b.counts.Repeated++
			continue
		}
		last = p
		retained++
	}
	if retained == 1 {
		return
	}
	if client, server := f.halves(same); retained == 2 && client != noRow && server != noRow {
		f.b.counts.Shared++
		return
	}
	for _, p := range same {
		if !f.dropped[p] {
			f.span(p).Flags |= FlagDuplicate
		}
	}
	f.b.counts.Duplicates += int64(retained - 1)
}

func (f *forest) equal(p, q int32) bool {
	a, b := f.span(p), f.span(q)
	return a.StartNs == b.StartNs && a.EndNs == b.EndNs && a.Parent == b.Parent && a.op == b.op && a.Kind == b.Kind &&
		f.b.sameMaker(a, b)
}

// sameMaker reports whether two spans come from the same process, as far as is
// known.
func (b *Builder) sameMaker(x, y *Span) bool {
	r, s := &b.resources[x.resource], &b.resources[y.resource]
	return x.resource == y.resource || r.service == s.service && r.instance == s.instance
}

func isClient(kind uint8) bool { return kind == KindClient || kind == KindProducer }
func isServer(kind uint8) bool { return kind == KindServer || kind == KindConsumer }

// halves finds the client's and the server's half among spans of one id.
func (f *forest) halves(same []int32) (client, server int32) {
	client, server = noRow, noRow
	for _, p := range same {
		s := f.span(p)
		switch {
		case f.dropped[p]:
		case server == noRow && (s.Shared || isServer(s.Kind)):
			server = p
		case client == noRow && isClient(s.Kind):
			client = p
		}
	}
	return client, server
}

// parentOf finds the place of a span's parent. The server's half of a shared
// span is the child of the client's; other children of that id belong to the
// half that was made where they were, or else to the server's.
func (f *forest) parentOf(p int32) int32 {
	s := f.span(p)
	if own := f.withID(s.ID); len(own) > 1 {
		if client, server := f.halves(own); server == p && client != noRow {
			return client
		}
	}
	if s.Parent == 0 {
		return noRow
	}
	best := noRow
	_, server := noRow, noRow
	candidates := f.withID(s.Parent)
	if len(candidates) > 1 {
		_, server = f.halves(candidates)
	}
	for _, q := range candidates {
		if f.dropped[q] || q == p && len(candidates) > 1 {
			continue
		}
		switch {
		case best == noRow, f.b.sameMaker(f.span(q), s) && !f.b.sameMaker(f.span(best), s):
			best = q
		case q == server && f.b.sameMaker(f.span(q), s) == f.b.sameMaker(f.span(best), s):
			best = q
		}
	}
	if best == noRow {
		s.Flags |= FlagParentMissing
		f.b.counts.MissingParents++
	}
	return best
}

const (
	unseen = uint8(iota)
	onPath
	done
)

// cutCycles makes the earliest span of every cycle a root.
func (f *forest) cutCycles() {
	for p := range f.rows {
		f.stack = f.stack[:0]
		at := int32(p)
		for at != noRow && f.state[at] == unseen {
			f.state[at] = onPath
			f.stack = append(f.stack, at)
			at = f.parent[at]
		}
		if at != noRow && f.state[at] == onPath {
			earliest := at // places are in order of start
			for q := f.parent[at]; q != at; q = f.parent[q] {
				earliest = min(earliest, q)
			}
			f.parent[earliest] = noRow
			f.span(earliest).Flags |= FlagCycle
			f.b.counts.Cycles++
		}
		for _, q := range f.stack {
			f.state[q] = done
		}
	}
}

func (f *forest) listChildren() {
	for p, parent := range f.parent {
		if parent != noRow && !f.dropped[p] {
			f.first[parent+1]++
		}
	}
	for i := 1; i < len(f.first); i++ {
		f.first[i] += f.first[i-1]
	}
	next := slices.Clone(f.first[:len(f.rows)])
	for p, parent := range f.parent {
		if parent != noRow && !f.dropped[p] {
			f.children[next[parent]] = int32(p)
			next[parent]++
		}
	}
}

func (f *forest) childrenOf(p int32) []int32 { return f.children[f.first[p]:f.first[p+1]] }

// place settles times from the roots down: spans without a start get their
// parent's, those that end before they begin end at once, and those whose clock
// is off are moved.
func (f *forest) place() {
	f.stack = f.stack[:0]
	for p, parent := range f.parent {
		if parent == noRow && !f.dropped[p] {
			f.stack = append(f.stack, int32(p))
		}
	}
	for len(f.stack) > 0 {
		p := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		f.repairTimes(p)
		f.stack = append(f.stack, f.childrenOf(p)...)
	}
}

func (f *forest) repairTimes(p int32) {
	s, parent := f.span(p), f.parent[p]
	if s.Unplaced {
		f.b.counts.Unplaced++
		if parent != noRow {
			s.StartNs = f.span(parent).StartNs - f.skew[parent]
			s.EndNs = clampTime(s.EndNs + s.StartNs)
		}
	}
	if s.StartNs == 0 && s.EndNs > maxSpanNs {
		s.StartNs = s.EndNs
		f.repaired(s)
	}
	if s.EndNs < s.StartNs {
		s.EndNs = s.StartNs
		f.repaired(s)
	}
	if parent == noRow {
		return
	}
	above := f.span(parent)
	f.skew[p] = f.skew[parent]
	if above.Kind == KindClient && s.Kind == KindServer && !f.b.sameMaker(above, s) {
		f.skew[p] += skewOf(above, s.StartNs+f.skew[p], s.EndNs+f.skew[p])
	}
	if f.skew[p] != 0 {
		f.b.counts.Skewed++
		start, end := s.StartNs, s.EndNs
		s.StartNs, s.EndNs = clampTime(start+f.skew[p]), clampTime(end+f.skew[p])
		f.skew[p] = s.StartNs - start
	}
	if s.StartNs < above.StartNs || s.EndNs > above.EndNs {
		s.Flags |= FlagOutside
		f.b.counts.Outside++
	}
}

// maxSpanNs is what no span lasts (a year): one that began at 0 and ends in our
// days has no start.
const maxSpanNs = int64(365 * 24 * 3600 * 1_000_000_000)

func (f *forest) repaired(s *Span) {
	s.Flags |= FlagRepaired
	f.b.counts.Negative++
}

// skewOf returns by how much a server's clock must be moved: its span is put into
// the middle of the client's; a longer one begins with it at the earliest.
func skewOf(client *Span, start, end int64) int64 {
	if end-start > client.EndNs-client.StartNs {
		return max(0, client.StartNs-start)
	}
	if start >= client.StartNs && end <= client.EndNs {
		return 0
	}
	return ((client.StartNs - start) + (client.EndNs - end)) / 2
}

// preorder lists places, parents before children, siblings by their start.
func (f *forest) preorder() error {
	byStart := func(x, y int32) int {
		a, b := f.span(x), f.span(y)
		return cmp.Or(cmp.Compare(a.StartNs, b.StartNs), cmp.Compare(b.EndNs, a.EndNs), cmp.Compare(a.ID, b.ID), cmp.Compare(x, y))
	}
	roots := f.byID[:0] // ids have been used
	for p, parent := range f.parent {
		if parent == noRow && !f.dropped[p] {
			roots = append(roots, int32(p))
		}
	}
	slices.SortFunc(roots, byStart)
	f.stack = f.stack[:0]
	for i := len(roots) - 1; i >= 0; i-- {
		f.stack = append(f.stack, roots[i])
	}
	for len(f.stack) > 0 {
		p := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		if parent := f.parent[p]; parent != noRow {
			f.depth[p] = f.depth[parent] + 1
		}
		if int64(f.depth[p]) >= f.b.limits.Depth {
			return inputerror.New("too-deep", "A trace has more than %d nested spans. Raise --max-depth if that is intended.", f.b.limits.Depth).
				WithLimit(f.b.limits.Depth, int64(f.depth[p])+1, "spans")
		}
		f.order = append(f.order, p)
		children := f.childrenOf(p)
		slices.SortFunc(children, byStart)
		for i := len(children) - 1; i >= 0; i-- {
			f.stack = append(f.stack, children[i])
		}
	}
	return nil
}
