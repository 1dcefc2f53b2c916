package tracedecode

import (
	"slices"
	"sort"

	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

// maxWaiters bounds the waiters in the file.
const maxWaiters = 256

// write makes the header and the columns. Strings come last in the making, as
// everything else may still add some, and first in the file.
func (p *pass) write() {
	p.header()
	body := tracefile.Columns{}
	p.groups(&body)
	waiters := p.waiters(&body)
	p.histograms(&body, waiters)
	if p.machine.Occupancy != nil {
		p.occupancy(&body, waiters)
		p.longest.write(p, &body, waiters)
		p.gcHeader(&body)
		p.series(&body)
		p.blocked(&body)
	}
	p.totals()
	p.stacks(&p.file.Columns, &body)
}

func (p *pass) stacks(file, body *tracefile.Columns) {
	frames, offset, flat := p.machine.Stacks.Columns()
	functions, files, lines := make([]uint32, len(frames)), make([]uint32, len(frames)), make([]int32, len(frames))
	for i, f := range frames {
		functions[i], files[i], lines[i] = f.Function, f.File, f.Line
	}
	texts, bytes := p.names.Columns()
	file.Add("strings_offset", texts)
	file.Add("strings_bytes", bytes)
	file.Add("frame_function", functions)
	file.Add("frame_file", files)
	file.Add("frame_line", lines)
	file.Add("stack_offset", offset)
	file.Add("stack_frame", append([]uint32{}, flat...))
	file.Append(body)
	if p.machine.Stacks.Full() {
		p.file.Header.Warnings = append(p.file.Header.Warnings, "stacks-left-out: The trace has more distinct stacks than are stored; later ones are missing.")
	}
}

// groups writes one row a group; all are there, by number.
func (p *pass) groups(c *tracefile.Columns) {
	m := p.machine
	sums := m.GroupSums()
	n := m.Groups.Len()
	names, starts, system, members := make([]uint32, n), make([]uint32, n), make([]uint8, n), make([]uint32, n)
	var times [6][]int64
	for i := range times {
		times[i] = make([]int64, n)
	}
	preemptions, retakes, created, wakes := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint64, n)
	runs := make([]int64, n)
	for i := range n {
		g, s := m.Groups.At(uint32(i)), &sums[i]
		names[i], starts[i], members[i] = g.Name, g.Start, s.Goroutines
		if g.System {
			system[i] = 1
		}
		for j, v := range []int64{s.Running, s.Runnable, s.Syscall, s.Waiting, s.Assist, s.AssistWait} {
			times[j][i] = v
		}
		preemptions[i], retakes[i], created[i], wakes[i] = s.Preemptions, s.Retakes, s.Created, s.Wakes
		runs[i] = schedlatency.Quantile(s.Runs, 0.5)
	}
	c.Add("group_name", names)
	c.Add("group_start", starts)
	c.Add("group_system", system)
	c.Add("group_goroutines", members)
	for j, name := range []string{"running", "runnable", "syscall", "waiting", "assist", "assist_wait"} {
		c.Add("group_"+name+"_ns", times[j])
	}
	c.Add("group_preemptions", preemptions)
	c.Add("group_retakes", retakes)
	c.Add("group_created", created)
	c.Add("group_wakes", wakes)
	c.Add("group_run_p50_ns", runs)
	p.file.Header.Counts.Groups = int64(n)
}

// waiterMap sends the waiters distinguished while reading to those in the file.
type waiterMap struct {
	to   []uint32
	list []schedlatency.Waiter // those in the file
}

// reduce keeps the waiters with the most waiting, and joins the others into
// those of the group Other with the same reason, or at last with any.
func (p *pass) reduce() waiterMap {
	all := p.machine.Waits.Waiters
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	waited := func(i int) int64 { return all[i].TotalNs + all[i].CensoredNs }
	sort.SliceStable(order, func(a, b int) bool { return waited(order[a]) > waited(order[b]) })
	m := waiterMap{to: make([]uint32, len(all))}
	others := map[uint8]uint32{}
	const room = maxWaiters - 64 // for Other, by reason
	for _, i := range order {
		v := &all[i]
		if v.Group != traceintern.Other && len(m.list) < room {
			m.to[i] = uint32(len(m.list))
			m.list = append(m.list, *v)
			continue
		}
		at, ok := others[v.Reason]
		if !ok {
			at = uint32(len(m.list))
			others[v.Reason] = at
			m.list = append(m.list, schedlatency.Waiter{Group: traceintern.Other, Reason: v.Reason})
		}
		m.to[i] = at
		m.list[at].Join(v)
	}
	return m
}

func (p *pass) waiters(c *tracefile.Columns) waiterMap {
	m := p.reduce()
	n := len(m.list)
	group, reason, stack := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	waits, total, longest := make([]uint64, n), make([]int64, n), make([]int64, n)
	left, right, censored, handoffs := make([]uint32, n), make([]uint32, n), make([]int64, n), make([]uint32, n)
	var wv, wg []uint32
	var ww []uint64
	var wt []int64
	for i := range m.list {
		v := &m.list[i]
		group[i], reason[i], stack[i] = v.Group, p.machine.Reasons.Name(v.Reason), v.Stack()
		waits[i], total[i], longest[i] = uint64(v.Waits), v.TotalNs, v.MaxNs
		left[i], right[i], censored[i], handoffs[i] = uint32(v.Left), uint32(v.Right), v.CensoredNs, uint32(v.Handoffs)
		for _, w := range v.Wakers {
			wv, wg, ww, wt = append(wv, uint32(i)), append(wg, w.Group), append(ww, uint64(w.Waits)), append(wt, w.TotalNs)
		}
	}
	c.Add("victim_group", group)
	c.Add("victim_reason", reason)
	c.Add("victim_waits", waits)
	c.Add("victim_total_ns", total)
	c.Add("victim_max_ns", longest)
	c.Add("victim_censored_left", left)
	c.Add("victim_censored_right", right)
	c.Add("victim_censored_ns", censored)
	c.Add("victim_handoffs", handoffs)
	c.Add("victim_stack", stack)
	c.Add("waker_victim", wv)
	c.Add("waker_group", wg)
	c.Add("waker_waits", ww)
	c.Add("waker_total_ns", wt)
	p.file.Header.Counts.Waiters = int64(n)
	return m
}

func (p *pass) histograms(c *tracefile.Columns, m waiterMap) {
	rows := p.machine.Waits.Rows()
	for i := range rows {
		rows[i].Waiter = m.to[rows[i].Waiter]
	}
	rows = schedlatency.SumRows(rows)
	waiter, block, bucket, count := make([]uint32, len(rows)), make([]uint32, len(rows)), make([]uint16, len(rows)), make([]uint32, len(rows))
	for i, r := range rows {
		waiter[i], block[i], bucket[i], count[i] = r.Waiter, r.Block, r.Bucket, r.Count
	}
	c.Add("hist_victim", waiter)
	c.Add("hist_block", block)
	c.Add("hist_bucket", bucket)
	c.Add("hist_count", count)

	var nv, nc []uint32
	var nb []uint16
	for i := range m.list {
		hiddenNs := m.list[i].Hidden
		for _, b := range sortedKeys(hiddenNs) {
			nv, nb, nc = append(nv, uint32(i)), append(nb, b), append(nc, hiddenNs[b])
		}
	}
	c.Add("netpoll_victim", nv)
	c.Add("netpoll_bucket", nb)
	c.Add("netpoll_count", nc)
}

func sortedKeys[V any](m map[uint16]V) []uint16 {
	keys := make([]uint16, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// occupancy writes classes, the occupancies and the verdict on each waiter.
func (p *pass) occupancy(c *tracefile.Columns, m waiterMap) {
	occupancy := p.machine.Occupancy
	n := occupancy.Classes.Len()
	kinds, groups := make([]uint8, n), make([]uint32, n)
	for i := range n {
		class := occupancy.Classes.At(uint16(i))
		kinds[i], groups[i] = uint8(class.Kind), class.Group
		if !class.Kind.IsUser() {
			groups[i] = tracefile.None
		}
	}
	c.Add("class_kind", kinds)
	c.Add("class_group", groups)
	occupancies := sumOccupancies(occupancy.WaiterOccupancies(), m.to)
	waiter, class, block, ns := make([]uint32, len(occupancies)), make([]uint32, len(occupancies)), make([]uint32, len(occupancies)), make([]float64, len(occupancies))
	totals := make([][]int64, len(m.list))
	for i, b := range occupancies {
		waiter[i], class[i], block[i], ns[i] = b.Waiter, b.Class, b.Block, float64(b.Ns)
		if totals[b.Waiter] == nil {
			totals[b.Waiter] = make([]int64, n)
		}
		totals[b.Waiter][b.Class] += b.Ns
	}
	c.Add("blame_victim", waiter)
	c.Add("blame_class", class)
	c.Add("blame_block", block)
	c.Add("blame_ns", ns)
	verdicts := make([]uint32, len(m.list))
	for i := range m.list {
		verdicts[i] = p.names.Intern(p.verdict(&m.list[i], totals[i]))
	}
	c.Add("victim_verdict", verdicts)
	p.file.Header.Counts.Classes = int64(n)
	p.file.Header.Counts.Segments = occupancy.Ring.Total()
}

// sumOccupancies sends waiters where they belong, sorts, and adds equal rows up.
func sumOccupancies(occupancies []poccupancy.WaiterOccupancy, to []uint32) []poccupancy.WaiterOccupancy {
	for i := range occupancies {
		occupancies[i].Waiter = to[occupancies[i].Waiter]
	}
	slices.SortFunc(occupancies, func(a, b poccupancy.WaiterOccupancy) int {
		switch {
		case a.Waiter != b.Waiter:
			return int(a.Waiter) - int(b.Waiter)
		case a.Class != b.Class:
			return int(a.Class) - int(b.Class)
		}
		return int(int64(a.Block) - int64(b.Block))
	})
	retained := occupancies[:0]
	for _, x := range occupancies {
		if n := len(retained); n > 0 && retained[n-1].Waiter == x.Waiter && retained[n-1].Class == x.Class && retained[n-1].Block == x.Block {
			retained[n-1].Ns += x.Ns
			continue
		}
		retained = append(retained, x)
	}
	return retained
}

func (p *pass) totals() {
	t, m := &p.file.Header.Totals, p.machine
	for i := range m.Waits.Waiters {
		v := &m.Waits.Waiters[i]
		t.Waits += v.Waits
		t.WaitNs += v.TotalNs
		t.CensoredLeft += v.Left
		t.CensoredRight += v.Right
		t.CensoredNs += v.CensoredNs
		t.Handoffs += v.Handoffs
	}
	t.Preemptions, t.Retakes, t.NetworkWakes, t.Created = m.Totals.Preemptions, m.Totals.Retakes, m.Totals.NetworkWakes, m.Totals.Created
	t.ProcsNs = m.Totals.ProcsNs
	p.file.Header.Counts.Waits = t.Waits
}
