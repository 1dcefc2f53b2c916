package calltree

import (
	"strings"

	"slowpath.dev/decode/internal/symbolkey"
)

// The Go runtime keeps only the innermost frames of a deep stack: 64 in CPU
// profiles (maxCPUProfStack, every version from 1.12 to 1.27), 32 up to Go 1.22
// and 128 from 1.23 in all others. Up to Go 1.20 the limit counts physical
// frames, from 1.21 inlined ones too; the outermost entry may then grow by the
// frames inlined around it, so that a cut stack has 64 to 66 frames.
//
// The root of a cut stack is some frame in the middle. A stack of just that
// length may also be whole, so a stack is held to be cut only when its length
// has reached the limit and its root is not a true one:
//   - a function with which the runtime starts goroutines or threads is true;
//   - so is, for want of knowledge, a frame without a function;
//   - so is a function at which shorter stacks of the same profile begin,
//     unless the stack in question passes through it again (recursion).
const (
	cpuLimit     = 64
	limitOld     = 32
	limitNew     = 128
	hiddenFrames = 3 // leaf frames of the runtime that Go leaves out of heap profiles
)

// knownRoots are where the runtime itself begins a stack.
var knownRoots = map[string]bool{
	"runtime.main": true, "runtime.goexit": true, "runtime.mcall": true, "runtime.morestack": true,
	"runtime.systemstack": true, "runtime.mstart": true, "runtime.mstart0": true, "runtime.mstart1": true,
	"runtime.rt0_go": true, "runtime.gcBgMarkWorker": true, "runtime.bgsweep": true, "runtime.bgscavenge": true,
	"runtime.runfinq": true, "runtime.runFinalizers": true, "runtime.runCleanups": true, "runtime.forcegchelper": true,
	"runtime.sigtramp": true, "runtime.cgocallback": true, "runtime.timerproc": true,
	"runtime._System": true, "runtime._GC": true, "runtime._ExternalCode": true, "runtime._LostExternalCode": true,
	"runtime._VDSO": true, "runtime._LostContendedRuntimeLock": true, "runtime._LostSIGPROFDuringAtomic64": true,
}

// findTruncated is step 3.
func (b *builder) findTruncated() error {
	if !b.isGo() {
		return nil
	}
	c := truncationFinder{builder: b}
	switch b.file.Header.Kind {
	case "cpu":
		c.limit = cpuLimit
	case "heap", "allocs":
		c.limit, c.hiddenNs = c.otherLimit(), hiddenFrames
	case kindContention, "goroutine", "threadcreate":
		c.limit = c.otherLimit()
	default:
		return nil
	}
	c.mark()
	return nil
}

// isGo reports whether the profile is of a Go program: some function of the Go
// runtime comes from a Go file.
func (b *builder) isGo() bool {
	d := &b.dictionary
	for i, f := range d.functions {
		if strings.HasPrefix(d.nameOf(uint32(i)), "runtime.") && strings.HasSuffix(d.texts.all[f.file], ".go") {
			return true
		}
	}
	return false
}

type truncationFinder struct {
	*builder
	limit    uint32
	hiddenNs uint32

	shortRoots map[uint32]bool // functions at which stacks begin that are not at the limit
	called     map[uint32]bool // functions seen with a caller
}

// otherLimit returns which of the two limits the profile was taken under: the
// old one cannot give stacks that are much deeper.
func (c *truncationFinder) otherLimit() uint32 {
	if c.anyBeforeTop(limitOld) {
		return limitNew
	}
	return limitOld
}

// anyBeforeTop reports whether a stack has that many frames without those of its
// outermost location, to which the writer may have added.
func (c *truncationFinder) anyBeforeTop(frames uint32) bool {
	for _, sample := range c.rows {
		if sample.frames-sample.top >= frames {
			return true
		}
	}
	return false
}

// mark finds the cut stacks, counts their samples, and adds to them one more
// frame at the root.
func (c *truncationFinder) mark() {
	length := func(sample row) uint32 { return sample.frames }
	if c.anyBeforeTop(c.limit) { // inlined frames are not counted: Go <= 1.20
		length = func(sample row) uint32 { return sample.physical }
	}
	var reached []uint32
	c.shortRoots = map[uint32]bool{}
	for row, sample := range c.rows {
		switch n := length(sample); {
		case n == 0:
		case n >= c.limit-c.hiddenNs:
			reached = append(reached, uint32(row))
		default:
			c.shortRoots[c.function(uint32(row), 0)] = true
		}
	}
	for _, row := range reached {
		if c.isTruncated(row, length(c.rows[row]) >= c.limit) {
			c.file.Header.CutSamples++
			c.reattach(row)
		}
	}
}

// reattach puts a stack below the mark of cut stacks.
func (c *truncationFinder) reattach(row uint32) {
	frames := []uint32{c.dictionary.truncatedFrame}
	for i := range c.rows[row].frames {
		frames = append(frames, c.words.at(c.rows[row].start, int(i))-1)
	}
	c.rows[row].start = c.words.append(frames)
	c.rows[row].frames++
}

// function returns the function of frame i of a stack, counted from the root.
func (c *truncationFinder) function(row, i uint32) uint32 {
	return c.dictionary.functionOf(c.words.at(c.rows[row].start, int(i)) - 1)
}

// isTruncated decides on a stack that has reached the limit (certain), or may have
// reached it before the profile's writer left out some leaf frames.
func (c *truncationFinder) isTruncated(row uint32, certain bool) bool {
	root := c.function(row, 0)
	if name := c.dictionary.nameOf(root); knownRoots[name] || strings.HasPrefix(name, symbolkey.Unknown) {
		return false
	}
	if c.shortRoots[root] {
		return certain && c.passesAgain(row, root)
	}
	return certain || c.hasCaller(root)
}

// passesAgain reports whether a stack meets its root function above the root.
func (c *truncationFinder) passesAgain(row, root uint32) bool {
	for i := uint32(1); i < c.rows[row].frames; i++ {
		if c.function(row, i) == root {
			return true
		}
	}
	return false
}

// hasCaller reports whether a function is seen anywhere above a root.
func (c *truncationFinder) hasCaller(function uint32) bool {
	if c.called == nil {
		c.called = map[uint32]bool{}
		for row, sample := range c.rows {
			for i := uint32(1); i < sample.frames; i++ {
				c.called[c.function(uint32(row), i)] = true
			}
		}
	}
	return c.called[function]
}
