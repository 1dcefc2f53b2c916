package calltree

import (
	"strings"
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
//   - so is a function at which shorter stacks of the same profile begin,
//     unless the stack in question passes through it again (recursion).
const (
	cpuLimit      = 64
	limitOld      = 32
	limitNew      = 128
	hiddenFrames  = 3 // leaf frames of the runtime that Go leaves out of heap profiles
	goexitHandled = "runtime.goexit"
)

// trueRoots are where the runtime itself begins a stack. Prefix forms are
// handled by isTrueRoot.
var trueRoots = map[string]bool{
	"runtime.main": true, goexitHandled: true, "runtime.mcall": true, "runtime.morestack": true,
	"runtime.systemstack": true, "runtime.mstart": true, "runtime.mstart0": true, "runtime.mstart1": true,
	"runtime.rt0_go": true, "runtime.gcBgMarkWorker": true, "runtime.bgsweep": true, "runtime.bgscavenge": true,
	"runtime.runfinq": true, "runtime.runFinalizers": true, "runtime.runCleanups": true, "runtime.forcegchelper": true,
	"runtime.sigtramp": true, "runtime.cgocallback": true, "runtime.timerproc": true,
	"runtime._System": true, "runtime._GC": true, "runtime._ExternalCode": true, "runtime._LostExternalCode": true,
	"runtime._VDSO": true, "runtime._LostContendedRuntimeLock": true, "runtime._LostSIGPROFDuringAtomic64": true,
}

// findCut is step 2.
func (b *builder) findCut() error {
	depth, err := b.measureDepths()
	if err != nil {
		return err
	}
	if !b.isGo() {
		return nil
	}
	c := cutter{builder: b, depths: depth}
	switch b.file.Header.Kind {
	case "cpu":
		c.limit = cpuLimit
	case "heap", "allocs":
		c.limit, c.hidden = c.otherLimit(), hiddenFrames
	case kindContention, "goroutine", "threadcreate":
		c.limit = c.otherLimit()
	default:
		return nil
	}
	c.mark()
	return nil
}

// isGo tells whether the profile is of a Go program: some function of the Go
// runtime comes from a Go file.
func (b *builder) isGo() bool {
	for _, f := range b.dictionary.functions {
		if strings.HasPrefix(b.file.String(f.name), "runtime.") && strings.HasSuffix(b.file.String(f.file), ".go") {
			return true
		}
	}
	return false
}

type cutter struct {
	*builder
	*depths
	limit  uint32
	hidden uint32

	shortRoots map[uint32]bool // functions at which stacks begin that are not at the limit
	called     map[uint32]bool // functions seen with a caller
}

// otherLimit tells which of the two limits the profile was taken under: the
// old one cannot give stacks that are much deeper.
func (c *cutter) otherLimit() uint32 {
	for leaf := range c.table.RowLeaf.All() {
		if c.beforeRoot(leaf) >= limitOld {
			return limitNew
		}
	}
	return limitOld
}

// beforeRoot counts the frames without those of the outermost location.
func (c *cutter) beforeRoot(leaf uint32) uint32 {
	return c.logical[leaf] - c.logical[c.root[leaf]]
}

// mark finds the leaves of all cut stacks and counts their samples.
func (c *cutter) mark() {
	length := c.logical
	for leaf := range c.table.RowLeaf.All() {
		if c.beforeRoot(leaf) >= c.limit { // inlined frames are not counted: Go <= 1.20
			length = c.physical
			break
		}
	}
	var reached []uint32
	c.shortRoots = map[uint32]bool{}
	for leaf := range c.table.RowLeaf.All() {
		switch {
		case leaf == 0:
		case length[leaf] >= c.limit-c.hidden:
			reached = append(reached, leaf)
		default:
			c.shortRoots[c.rootFunction(leaf)] = true
		}
	}
	if len(reached) == 0 {
		return
	}
	c.leafCut = map[uint32]bool{}
	for _, leaf := range reached {
		if c.isCut(leaf, length[leaf] >= c.limit) {
			c.builder.leafCut[leaf] = true
			c.file.Header.CutSamples++
		}
	}
}

func (c *cutter) rootFunction(leaf uint32) uint32 {
	return c.dictionary.functionOf(c.dictionary.framesOf(c.locationOf[c.root[leaf]])[0])
}

// isCut decides on a stack that has reached the limit (certain), or may have
// reached it before the profile's writer left out some leaf frames.
func (c *cutter) isCut(leaf uint32, certain bool) bool {
	root := c.rootFunction(leaf)
	if trueRoots[c.file.String(c.dictionary.functions[root].name)] {
		return false
	}
	if c.shortRoots[root] {
		return certain && c.passesAgain(leaf, root)
	}
	return certain || c.hasCaller(root)
}

// passesAgain tells whether a stack meets a function above its root.
func (c *cutter) passesAgain(leaf, function uint32) bool {
	for node := leaf; node != c.root[leaf]; node = c.parentOf[node] {
		for _, frame := range c.dictionary.framesOf(c.locationOf[node]) {
			if c.dictionary.functionOf(frame) == function {
				return true
			}
		}
	}
	return false
}

// hasCaller tells whether a function is seen anywhere below the root.
func (c *cutter) hasCaller(function uint32) bool {
	if c.called == nil {
		c.called = map[uint32]bool{}
		for node := 1; node < len(c.locationOf); node++ {
			frames := c.dictionary.framesOf(c.locationOf[node])
			if c.parentOf[node] == 0 {
				frames = frames[1:]
			}
			for _, frame := range frames {
				c.called[c.dictionary.functionOf(frame)] = true
			}
		}
	}
	return c.called[function]
}
