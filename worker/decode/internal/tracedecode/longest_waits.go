package tracedecode

import (
	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracestate"
	"slowpath.dev/decode/internal/tracetiles"
)

// longestWaits cuts the details of the longest waits out of the ring: at the end,
// when it is known which they are, or when the ring is about to forget.
type longestWaits struct {
	machine    *tracestate.Machine
	tileCutter tracetiles.TileCutter
}

func newLongestWaits(m *tracestate.Machine, ring *poccupancy.SegmentRing, now func() int64) *longestWaits {
	w := &longestWaits{machine: m, tileCutter: tracetiles.TileCutter{Occupancy: m.Occupancy}}
	ring.BeforeDrop = func(upTo int64) { w.extractBeforeDrop(upTo, now()) }
	return w
}

// extractBeforeDrop makes the details that need what ended up to a time.
func (w *longestWaits) extractBeforeDrop(upTo, now int64) {
	waits := w.machine.Waits
	overall := map[*schedlatency.Wait]bool{}
	for _, x := range waits.Overall {
		overall[x] = true
		w.cutBefore(x, true, upTo, now)
	}
	for i := range waits.Waiters {
		for _, x := range waits.Waiters[i].Longest {
			if d, ok := x.Detail.(*tracetiles.Detail); ok && !overall[x] {
				w.tileCutter.Drop(d)
			}
			w.cutBefore(x, overall[x], upTo, now)
		}
	}
}

func (w *longestWaits) cutBefore(x *schedlatency.Wait, overall bool, upTo, now int64) {
	if from, _ := tracetiles.Window(x); x.Detail == nil && from < upTo {
		x.Detail = w.tileCutter.Cut(x, overall, now)
	}
}

// write writes the longest waits, their occupancy and their pictures.
func (w *longestWaits) write(p *pass, c *tracefile.Columns, m waiterMap) {
	list := keepLongest(w.machine.Waits, m)
	for _, x := range list {
		if x.Detail == nil {
			x.Detail = w.tileCutter.Cut(x, x.Overall, p.now)
		}
	}
	w.machine.Occupancy.Ring.Forget()
	w.readAgain(p, list)
	p.file.Header.Counts.LongestWaits = int64(len(list))
	p.file.Header.Totals.HostContention = p.contention(list)
	w.writeWaits(p, c, list, m)
	w.writeOccupancy(p, c, list)
	t := newTiles()
	for i, x := range list {
		t.add(uint32(i), x)
	}
	t.write(c)
}

// readAgain reads the trace a second time for waits that lasted longer than the
// ring remembers. What cannot be read again remains attributed to unknown.
func (w *longestWaits) readAgain(p *pass, list []*schedlatency.Wait) {
	var partial []*schedlatency.Wait
	for _, x := range list {
		if detailOf(x).Partial {
			partial = append(partial, x)
		}
	}
	if len(partial) == 0 || p.options.Reopen == nil {
		return
	}
	source, closeFile, err := p.options.Reopen()
	if err != nil {
		return
	}
	defer closeFile()
	options := p.options
	options.Segments = 1 << 20 // the follower sees them as they come
	again := newPass(source, options)
	follower := tracetiles.NewFollower(&w.tileCutter, partial, p.now)
	ring := again.machine.Occupancy.Ring
	ring.BeforeDrop, ring.Watch = nil, follower.See
	_ = again.readAll() // ends as the first reading did
	again.machine.Finish(again.now)
	follower.Finish()
}

// keepLongest drops what joined waiters have too much.
func keepLongest(table *schedlatency.Table, m waiterMap) []*schedlatency.Wait {
	retained := map[uint32]int{}
	var list []*schedlatency.Wait
	for _, x := range table.Longest() {
		waiter := m.to[x.Waiter]
		if retained[waiter]++; retained[waiter] <= schedlatency.LongestPerWaiter || x.Overall {
			list = append(list, x)
		}
	}
	return list
}

func (w *longestWaits) writeWaits(p *pass, c *tracefile.Columns, list []*schedlatency.Wait, m waiterMap) {
	n := len(list)
	u32 := func() []uint32 { return make([]uint32, n) }
	waiter, ahead, overtakes, wakerGroup, wakerStack, blockStack, proc, verdict := u32(), u32(), u32(), u32(), u32(), u32(), u32(), u32()
	goroutine, waker := make([]uint64, n), make([]uint64, n)
	start, end, overall := make([]int64, n), make([]int64, n), make([]uint8, n)
	for i, x := range list {
		waiter[i], goroutine[i], start[i], end[i] = m.to[x.Waiter], x.Goroutine, x.Start, x.End
		ahead[i], overtakes[i], proc[i] = x.QueueAhead, x.Overtakes, x.Proc
		wakerGroup[i], waker[i], wakerStack[i], blockStack[i] = x.WakerGroup, x.WakerGoroutine, x.WakerStack, x.BlockStack
		verdict[i] = p.names.Intern(p.classifyShares(w.sharesOf(x)))
		if x.Overall {
			overall[i] = 1
		}
	}
	c.Add("worst_victim", waiter)
	c.Add("worst_goroutine", goroutine)
	c.Add("worst_start_ns", start)
	c.Add("worst_end_ns", end)
	c.Add("worst_overall", overall)
	c.Add("worst_queue_ahead", ahead)
	c.Add("worst_overtakes", overtakes)
	c.Add("worst_waker_group", wakerGroup)
	c.Add("worst_waker_goroutine", waker)
	c.Add("worst_waker_stack", wakerStack)
	c.Add("worst_block_stack", blockStack)
	c.Add("worst_proc", proc)
	c.Add("worst_verdict", verdict)
}

func detailOf(x *schedlatency.Wait) *tracetiles.Detail {
	d, _ := x.Detail.(*tracetiles.Detail)
	return d
}

// sharesOf returns the occupancy of one wait by class, summing to 1.
func (w *longestWaits) sharesOf(x *schedlatency.Wait) []float64 {
	shares := make([]float64, w.machine.Occupancy.Classes.Len())
	for _, s := range detailOf(x).Occupancy {
		shares[s.Class] = s.Ns / float64(max(1, x.Delay()))
	}
	return shares
}

func (w *longestWaits) writeOccupancy(_ *pass, c *tracefile.Columns, list []*schedlatency.Wait) {
	offsets := []uint32{0}
	var classes []uint32
	var ns []float64
	for _, x := range list {
		for _, s := range detailOf(x).Occupancy {
			classes, ns = append(classes, uint32(s.Class)), append(ns, s.Ns)
		}
		offsets = append(offsets, uint32(len(classes)))
	}
	c.Add("worst_blame_offset", offsets)
	c.Add("worst_blame_class", classes)
	c.Add("worst_blame_ns", ns)
}
