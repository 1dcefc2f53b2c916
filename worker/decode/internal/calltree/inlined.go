package calltree

import (
	"cmp"
	"slices"
)

// inlinedCall is a call that the compiler inlined, by keys.
type inlinedCall struct {
	caller uint32
	line   int32
	callee uint32
}

// noteInlined notes a location with several frames that a stack has. Locations
// that no stack has are left out, so that they never change a column.
func (d *dictionary) noteInlined(location uint32) {
	if d.severalFrames == nil {
		d.severalFrames = make([]bool, len(d.frameOfLocation))
	}
	d.severalFrames[location] = true
}

// findInlined lists the inlined calls of the noted locations as pairs of frames,
// caller<<32 | callee, each once.
func (d *dictionary) findInlined() {
	for location, noted := range d.severalFrames {
		if !noted {
			continue
		}
		frames := d.framesOf(location)
		for i := 1; i < len(frames); i++ {
			d.inlined = append(d.inlined, uint64(frames[i-1])<<32|uint64(frames[i]))
		}
	}
	slices.Sort(d.inlined)
	d.inlined = slices.Compact(d.inlined)
	d.severalFrames = nil
}

// summarizeInlined writes the inlined calls by key and line.
func (b *builder) summarizeInlined() {
	f, d := b.file, &b.dictionary
	calls := make([]inlinedCall, 0, len(d.inlined))
	for _, pair := range d.inlined {
		function, line := unpackFrame(d.frames[pair>>32])
		callee := d.functionOf(uint32(pair))
		calls = append(calls, inlinedCall{d.functions[function].key, line, d.functions[callee].key})
	}
	slices.SortFunc(calls, func(x, y inlinedCall) int {
		return cmp.Or(cmp.Compare(x.caller, y.caller), cmp.Compare(x.line, y.line), cmp.Compare(x.callee, y.callee))
	})
	for _, call := range slices.Compact(calls) {
		f.InlinedCaller = append(f.InlinedCaller, call.caller)
		f.InlinedLine = append(f.InlinedLine, call.line)
		f.InlinedCallee = append(f.InlinedCallee, call.callee)
	}
	d.inlined = nil
}
