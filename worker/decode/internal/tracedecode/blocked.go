package tracedecode

import "slowpath.dev/decode/internal/tracefile"

// blocked writes the places where goroutines were blocked, and for how long in
// each block of the trace.
func (p *pass) blocked(c *tracefile.Columns) {
	t := p.machine.Blocked
	n := len(t.Places)
	group, reason, stack, wakerGroup, wakerStack := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	for i, x := range t.Places {
		group[i], reason[i], stack[i], wakerGroup[i], wakerStack[i] = x.Group, p.machine.Reasons.Name(x.Reason), x.Stack, x.WakerGroup, x.WakerStack
	}
	c.Add("blocked_group", group)
	c.Add("blocked_reason", reason)
	c.Add("blocked_stack", stack)
	c.Add("blocked_waker_group", wakerGroup)
	c.Add("blocked_waker_stack", wakerStack)
	cells := len(t.Cells)
	place, block, count, ns := make([]uint32, cells), make([]uint32, cells), make([]uint32, cells), make([]int64, cells)
	for i, x := range t.Cells {
		place[i], block[i], count[i], ns[i] = x.Place, x.Block, x.Count, x.Ns
	}
	c.Add("blocked_time_place", place)
	c.Add("blocked_time_block", block)
	c.Add("blocked_time_count", count)
	c.Add("blocked_time_ns", ns)
}
