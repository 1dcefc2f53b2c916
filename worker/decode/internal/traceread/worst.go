package traceread

import (
	"slowpath.dev/decode/internal/traceblame"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracestate"
	"slowpath.dev/decode/internal/tracetiles"
	"slowpath.dev/decode/internal/tracewaits"
)

// worstWaits cuts the details of the worst waits out of the ring: at the end,
// when it is known which they are, or when the ring is about to forget.
type worstWaits struct {
	machine *tracestate.Machine
	cutter  tracetiles.Cutter
}

func newWorstWaits(m *tracestate.Machine, ring *traceblame.Ring, now func() int64) *worstWaits {
	w := &worstWaits{machine: m, cutter: tracetiles.Cutter{Ledger: m.Ledger}}
	ring.BeforeDrop = func(upTo int64) { w.rescue(upTo, now()) }
	return w
}

// rescue makes the details that need what ended up to a time.
func (w *worstWaits) rescue(upTo, now int64) {
	waits := w.machine.Waits
	overall := map[*tracewaits.Wait]bool{}
	for _, x := range waits.Overall {
		overall[x] = true
		w.cutBefore(x, true, upTo, now)
	}
	for i := range waits.Victims {
		for _, x := range waits.Victims[i].Worst {
			if d, ok := x.Detail.(*tracetiles.Detail); ok && !overall[x] {
				w.cutter.Drop(d)
			}
			w.cutBefore(x, overall[x], upTo, now)
		}
	}
}

func (w *worstWaits) cutBefore(x *tracewaits.Wait, overall bool, upTo, now int64) {
	if from, _ := tracetiles.Window(x); x.Detail == nil && from < upTo {
		x.Detail = w.cutter.Cut(x, overall, now)
	}
}

// write writes the worst waits, their blame and their pictures.
func (w *worstWaits) write(p *pass, c *tracefile.Columns, m victimMap) {
	list := keepWorst(w.machine.Waits, m)
	for _, x := range list {
		if x.Detail == nil {
			x.Detail = w.cutter.Cut(x, x.Overall, p.now)
		}
	}
	w.machine.Ledger.Ring.Forget()
	w.readAgain(p, list)
	p.file.Header.Counts.Worst = int64(len(list))
	p.file.Header.Totals.HostContention = p.contention(list)
	w.writeWaits(p, c, list, m)
	w.writeBlame(p, c, list)
	t := newTiles()
	for i, x := range list {
		t.add(uint32(i), x)
	}
	t.write(c)
}

// readAgain reads the trace a second time for waits that lasted longer than the
// ring remembers. What cannot be read again stays charged to unknown.
func (w *worstWaits) readAgain(p *pass, list []*tracewaits.Wait) {
	var partial []*tracewaits.Wait
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
	follower := tracetiles.NewFollower(&w.cutter, partial, p.now)
	ring := again.machine.Ledger.Ring
	ring.BeforeDrop, ring.Watch = nil, follower.See
	_ = again.readAll() // ends as the first reading did
	again.machine.Finish(again.now)
	follower.Finish()
}

// keepWorst drops what joined victims have too much.
func keepWorst(table *tracewaits.Table, m victimMap) []*tracewaits.Wait {
	kept := map[uint32]int{}
	var list []*tracewaits.Wait
	for _, x := range table.Worst() {
		victim := m.to[x.Victim]
		if kept[victim]++; kept[victim] <= tracewaits.WorstOfVictim || x.Overall {
			list = append(list, x)
		}
	}
	return list
}

func (w *worstWaits) writeWaits(p *pass, c *tracefile.Columns, list []*tracewaits.Wait, m victimMap) {
	n := len(list)
	u32 := func() []uint32 { return make([]uint32, n) }
	victim, ahead, overtakes, wakerGroup, wakerStack, blockStack, proc, verdict := u32(), u32(), u32(), u32(), u32(), u32(), u32(), u32()
	goroutine, waker := make([]uint64, n), make([]uint64, n)
	start, end, overall := make([]int64, n), make([]int64, n), make([]uint8, n)
	for i, x := range list {
		victim[i], goroutine[i], start[i], end[i] = m.to[x.Victim], x.Goroutine, x.Start, x.End
		ahead[i], overtakes[i], proc[i] = x.QueueAhead, x.Overtakes, x.Proc
		wakerGroup[i], waker[i], wakerStack[i], blockStack[i] = x.WakerGroup, x.WakerGoroutine, x.WakerStack, x.BlockStack
		verdict[i] = p.names.Intern(p.judge(w.sharesOf(x)))
		if x.Overall {
			overall[i] = 1
		}
	}
	c.Add("worst_victim", victim)
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

func detailOf(x *tracewaits.Wait) *tracetiles.Detail {
	d, _ := x.Detail.(*tracetiles.Detail)
	return d
}

// sharesOf gives the blame of one wait by class, summing to 1.
func (w *worstWaits) sharesOf(x *tracewaits.Wait) []float64 {
	shares := make([]float64, w.machine.Ledger.Classes.Len())
	for _, s := range detailOf(x).Blame {
		shares[s.Class] = s.Ns / float64(max(1, x.Delay()))
	}
	return shares
}

func (w *worstWaits) writeBlame(_ *pass, c *tracefile.Columns, list []*tracewaits.Wait) {
	offsets := []uint32{0}
	var classes []uint32
	var ns []float64
	for _, x := range list {
		for _, s := range detailOf(x).Blame {
			classes, ns = append(classes, uint32(s.Class)), append(ns, s.Ns)
		}
		offsets = append(offsets, uint32(len(classes)))
	}
	c.Add("worst_blame_offset", offsets)
	c.Add("worst_blame_class", classes)
	c.Add("worst_blame_ns", ns)
}
