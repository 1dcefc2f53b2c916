package traceread

import (
	"slowpath.dev/decode/internal/traceblame"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracestate"
)

type worstWaits struct {
	machine *tracestate.Machine
	ring    *traceblame.Ring
}

func newWorstWaits(m *tracestate.Machine, ring *traceblame.Ring) *worstWaits {
	return &worstWaits{m, ring}
}

func (w *worstWaits) write(p *pass, c *tracefile.Columns, m victimMap) {}
