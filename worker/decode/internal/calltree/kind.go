package calltree

import (
	"strings"
)

// kindContention is used until the stacks distinguish mutex from block.
const kindContention = "contention"

// kind returns the kind of a profile from its sample types, as far as they
// show it. Go writes the same types for heap and allocs, and for mutex and
// block.
func (b *builder) kind() string {
	if b.options.Kind != "" {
		return b.options.Kind
	}
	types := map[string]string{}
	for _, v := range b.file.Header.SampleTypes {
		types[v.Type] = v.Unit
	}
	has := func(name string) bool { _, ok := types[name]; return ok }
	switch {
	case types["cpu"] == "nanoseconds", has("samples") && b.file.Header.PeriodType.Type == "cpu":
		return "cpu"
	case has("alloc_objects"), has("alloc_space"), has("inuse_objects"), has("inuse_space"):
		return b.memoryKind(has("inuse_space") || has("inuse_objects"))
	case has("contentions"):
		return kindContention
	case has("goroutine"), has("goroutines"):
		return "goroutine"
	case has("threadcreate"):
		return "threadcreate"
	}
	return "other"
}

// memoryKind: Go marks an allocs profile by its default sample type.
func (b *builder) memoryKind(inUse bool) string {
	switch {
	case !inUse, strings.HasPrefix(b.defaultSampleType, "alloc_"):
		return "allocs"
	case strings.HasPrefix(b.defaultSampleType, "inuse_"):
		return "heap"
	case kindFromName(b.options.FileName, "allocs") && !kindFromName(b.options.FileName, "heap"):
		return "allocs"
	}
	return "heap"
}

// contentionKind looks at the leaves: a mutex profile charges the unlock that
// ended the wait, a block profile the operation that waited.
func (b *builder) contentionKind() string {
	mutex, block := 0, 0
	f := b.file
	leaves := make([]int, len(f.FunctionName)) // samples that end there
	for _, line := range f.SampleLineNode {
		if line != 0 {
			leaves[f.FrameFunction[f.LineNodeFrame[line]]]++
		}
	}
	for function, samples := range leaves {
		if samples == 0 {
			continue
		}
		switch name := f.String(f.FunctionName[function]); {
		case isUnlock(name):
			mutex += samples
		case isWait(name):
			block += samples
		}
	}
	switch {
	case mutex > block:
		return "mutex"
	case block > mutex:
		return "block"
	case kindFromName(b.options.FileName, "block"):
		return "block"
	case !kindFromName(b.options.FileName, "mutex"):
		b.warn("kind-guessed", "Mutex and block profiles have the same sample types, and neither stacks nor file name identify this one: it is read as mutex.")
	}
	return "mutex"
}

func isUnlock(name string) bool {
	return strings.HasSuffix(name, "nlock") || strings.HasSuffix(name, ".unlock2") ||
		strings.HasSuffix(name, "nlockSlow") || name == "runtime._LostContendedRuntimeLock"
}

var waits = map[string]bool{
	"runtime.chanrecv1": true, "runtime.chanrecv2": true, "runtime.chansend1": true, "runtime.selectgo": true,
	"runtime.block": true, "runtime.gopark": true, "time.Sleep": true,
	"reflect.chanrecv": true, "reflect.chansend": true, "reflect.rselect": true, "reflect.chansend0": true,
}

func isWait(name string) bool {
	return waits[name] || strings.HasPrefix(name, "sync.(*") && (strings.HasSuffix(name, ").Lock") ||
		strings.HasSuffix(name, ").RLock") || strings.HasSuffix(name, ").Wait"))
}

// kindFromName reports whether a file name contains a word.
func kindFromName(name, word string) bool { return strings.Contains(strings.ToLower(name), word) }
