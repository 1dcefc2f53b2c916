package calltree

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/profiletables"
	"slowpath.dev/decode/internal/symbolkey"
)

// function is one function; texts are numbers of dictionary.texts.
type function struct {
	key, name, file uint32
	startLine       int32
}

// dictionary holds the meaning of the numbers in stacks.
type dictionary struct {
	texts          *texts
	functions      []function // ordered by key, name, file, start line; no two are equal
	frames         []uint64   // every (function, line), ordered; see frameOf
	truncatedFrame uint32

	// Most locations have one frame, which is then all that is looked up of them.
	frameOfLocation []uint32 // none if the location has several
	// frames of location i, caller first: locationFrames[locationStart[i]:locationStart[i+1]]
	locationStart  []uint32
	locationFrames []uint32
	severalFrames  []bool   // which locations with several frames are on a stack
	inlined        []uint64 // see findInlined

	labels []label  // every label in use, ordered
	sets   []uint32 // final number of a set of labels; nil when there are none
}

// frameOf packs function and line so that numbers order as (function, line).
func frameOf(function uint32, line int32) uint64 {
	return uint64(function)<<32 | uint64(uint32(line)^1<<31)
}

func unpackFrame(frame uint64) (function uint32, line int32) {
	return uint32(frame >> 32), int32(uint32(frame) ^ 1<<31)
}

// functionOf returns the function of a frame.
func (d *dictionary) functionOf(frame uint32) uint32 { return uint32(d.frames[frame] >> 32) }

// nameOf returns the name of a function.
func (d *dictionary) nameOf(function uint32) string { return d.texts.all[d.functions[function].name] }

// framesOf returns the frames of a location, caller first.
func (d *dictionary) framesOf(location int) []uint32 {
	return d.locationFrames[d.locationStart[location]:d.locationStart[location+1]]
}

// readDictionary is step 1.
func (b *builder) readDictionary() error {
	d := &b.dictionary
	found := b.findFunctions()
	sets, err := b.readLabels()
	if err != nil {
		return err
	}
	d.texts.sort()
	place := b.orderFunctions(found)
	b.orderFrames(found, place)
	b.orderLabelsets(sets)
	return nil
}

// functionLookup is what the locations name, before it is ordered. Function 0 is the
// mark of cut stacks.
type functionLookup struct {
	functions []function // texts numbered by arrival
	start     []uint32   // of location i in frames
	frames    []resolvedFrame

	byPosition []uint32 // function by its position in the input, 0 for not yet
	byMapping  map[uint64]uint32
	byFile     map[int64]function // of mappings whose addresses have no function
}

type resolvedFrame struct {
	function uint32
	line     int32
}

// findFunctions visits every location once, and every function that they use.
func (b *builder) findFunctions() *functionLookup {
	t, texts := b.table, b.dictionary.texts
	cut := texts.add(symbolkey.TruncatedRoot)
	f := &functionLookup{
		functions:  append(make([]function, 0, t.Functions.Len()+1), function{key: cut, name: cut}),
		start:      make([]uint32, 1, t.Locations.Len()+1),
		frames:     make([]resolvedFrame, 0, t.Lines.Len()+1), // one more in orderFrames
		byPosition: make([]uint32, t.Functions.Len()),
		byMapping:  map[uint64]uint32{},
		byFile:     map[int64]function{},
	}
	for location := range t.Locations.All() {
		b.findFrames(f, location)
		f.start = append(f.start, uint32(len(f.frames)))
	}
	t.Functions.Release()
	t.Locations.Release()
	t.Lines.Release()
	return f
}

func (b *builder) findFrames(f *functionLookup, location profiletables.Location) {
	t := b.table
	if location.Lines == 0 {
		if _, ok := f.byMapping[location.Mapping]; !ok {
			f.byMapping[location.Mapping] = uint32(len(f.functions))
			f.functions = append(f.functions, b.unknownFunction(f, location.Mapping))
		}
		f.frames = append(f.frames, resolvedFrame{f.byMapping[location.Mapping], 0})
		return
	}
	for i := int(location.Lines) - 1; i >= 0; i-- { // callee first -> caller first
		line := t.Lines.At(int(location.FirstLine) + i)
		position, _ := b.indexes.Functions.Find(line.Function)
		if f.byPosition[position] == 0 {
			f.byPosition[position] = uint32(len(f.functions))
			f.functions = append(f.functions, b.knownFunction(t.Functions.At(position)))
		}
		if b.options.Brief {
			line.Line = 0
		}
		f.frames = append(f.frames, resolvedFrame{f.byPosition[position], clamp32(line.Line)})
	}
}

func clamp32(v int64) int32 { return int32(max(math.MinInt32, min(math.MaxInt32, v))) }

func (b *builder) knownFunction(f profiletables.Function) function {
	texts := b.dictionary.texts
	known := function{file: texts.of(f.File), startLine: clamp32(f.StartLine)}
	for _, name := range []int64{f.Name, f.System} {
		if texts.at(name) != "" {
			known.key, known.name = texts.keyOf(name), texts.of(name)
			return known
		}
	}
	known.name = texts.add(symbolkey.Unknown)
	known.key = known.name
	return known
}

// unknownFunction represents all addresses of a mapping that have no function.
func (b *builder) unknownFunction(f *functionLookup, mapping uint64) function {
	file := int64(0) // the empty string
	if i, ok := b.indexes.Mappings.Find(mapping); ok {
		file = b.table.Mappings[i].File
	}
	if made, ok := f.byFile[file]; ok {
		return made
	}
	texts := b.dictionary.texts
	name := symbolkey.Unknown
	if text := texts.at(file); text != "" {
		if base := path.Base(strings.ReplaceAll(text, "\\", "/")); base != "/" {
			name += " " + base
		}
	}
	made := function{key: texts.add(name), name: texts.add(name), file: texts.of(file)}
	f.byFile[file] = made
	return made
}

// orderFunctions orders functions, folds equal ones, and returns the place of
// each found one.
func (b *builder) orderFunctions(f *functionLookup) (place []uint32) {
	d := &b.dictionary
	for i := range f.functions {
		fn := &f.functions[i]
		fn.key, fn.name, fn.file = d.texts.rank[fn.key], d.texts.rank[fn.name], d.texts.rank[fn.file]
	}
	compare := func(a, b uint32) int {
		x, y := &f.functions[a], &f.functions[b]
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.name, y.name), cmp.Compare(x.file, y.file), cmp.Compare(x.startLine, y.startLine))
	}
	// Keys first, as plain numbers: few functions share one.
	byKey := make([]uint64, len(f.functions))
	for i, fn := range f.functions {
		byKey[i] = uint64(fn.key)<<32 | uint64(i)
	}
	slices.Sort(byKey)
	order := make([]uint32, len(byKey))
	for i, each := range byKey {
		order[i] = uint32(each)
	}
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && byKey[j]>>32 == byKey[i]>>32 {
			j++
		}
		slices.SortFunc(order[i:j], compare)
		i = j
	}
	place = make([]uint32, len(order))
	d.functions = make([]function, 0, len(order))
	for i, n := range order {
		if i == 0 || compare(order[i-1], n) != 0 {
			d.functions = append(d.functions, f.functions[n])
		}
		place[n] = uint32(len(d.functions) - 1)
	}
	return place
}

// orderFrames numbers every (function, line) so that the numbers order as the
// frames do. Frames are counted by function first, so that only the lines of
// one function need sorting and searching.
func (b *builder) orderFrames(f *functionLookup, place []uint32) {
	d := &b.dictionary
	all := append(f.frames, resolvedFrame{0, 0}) // the mark of cut stacks
	end := make([]uint32, len(d.functions)+1)    // of a function's frames, from the place of its first one on
	for _, frame := range all {
		end[place[frame.function]+1]++
	}
	for i := 1; i < len(end); i++ {
		end[i] += end[i-1]
	}
	d.frames = make([]uint64, len(all))
	for _, frame := range all {
		function := place[frame.function]
		d.frames[end[function]] = frameOf(function, frame.line)
		end[function]++
	}
	first, retained := make([]uint32, len(end)), uint32(0) // of a function's frames, once equal ones are one
	start := uint32(0)
	for function := range d.functions {
		lines := d.frames[start:end[function]]
		start = end[function]
		slices.Sort(lines)
		first[function] = retained
		retained += uint32(copy(d.frames[retained:], slices.Compact(lines)))
	}
	first[len(d.functions)] = retained
	d.frames = d.frames[:retained]
	rank := func(frame resolvedFrame) uint32 {
		function := place[frame.function]
		i, _ := slices.BinarySearch(d.frames[first[function]:first[function+1]], frameOf(function, frame.line))
		return first[function] + uint32(i)
	}
	d.truncatedFrame = rank(resolvedFrame{0, 0})
	d.locationStart = f.start
	d.locationFrames = make([]uint32, len(f.frames))
	for i, frame := range f.frames {
		d.locationFrames[i] = rank(frame)
	}
	d.frameOfLocation = make([]uint32, len(f.start)-1)
	for location := range d.frameOfLocation {
		d.frameOfLocation[location] = none
		if of := d.framesOf(location); len(of) == 1 {
			d.frameOfLocation[location] = of[0]
		}
	}
}
