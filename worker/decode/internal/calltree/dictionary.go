package calltree

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/names"
	"slowpath.dev/decode/internal/stacks"
)

// function is one function of the decoded form; texts are numbers of the
// string table.
type function struct {
	name, key, file uint32
	startLine       int32
}

// dictionary says what the numbers in the trees mean.
type dictionary struct {
	texts     *texts
	functions []function // ordered by name, file, start line; no two are equal
	frames    []uint64   // every (function, line) in use, ordered; see frameOf
	cutFrame  uint32

	// frames of location i, caller first: locationFrames[locationStart[i]:locationStart[i+1]]
	locationStart  []uint32
	locationFrames []uint32

	labelsetRank []uint32 // final number of a set of labels
}

// frameOf packs function and line so that numbers order as (function, line).
func frameOf(function uint32, line int32) uint64 {
	return uint64(function)<<32 | uint64(uint32(line)^1<<31)
}

func unpackFrame(frame uint64) (function uint32, line int32) {
	return uint32(frame >> 32), int32(uint32(frame) ^ 1<<31)
}

// readDictionary is step 1.
func (b *builder) readDictionary() error {
	if err := b.closeLocationTree(); err != nil {
		return err
	}
	d := &b.dictionary
	d.texts = newTexts()
	found := b.findFunctions()
	labels := b.readLabels()
	b.file.StringsOffset, b.file.StringsBytes = d.texts.order()
	place := b.orderFunctions(found)
	b.orderFrames(found, place)
	b.orderLabelsets(labels)
	if d.texts.mended > 0 {
		b.warn("invalid-utf8", plural(d.texts.mended, "text")+" had bytes that are not UTF-8, or NUL; each was replaced by U+FFFD.")
	}
	d.texts.all = nil
	return nil
}

// found is what the used locations name, before it is ordered.
type found struct {
	functions []function // texts numbered by arrival
	start     []uint32   // of location i in frames
	frames    []foundFrame
}

type foundFrame struct {
	function uint32 // index into found.functions
	line     int32
}

// findFunctions visits each used location once, and each function that they
// use once.
func (b *builder) findFunctions() *found {
	t, d := b.table, &b.dictionary
	used := make([]bool, t.Locations.Len())
	for _, location := range b.locationOf[1:] {
		used[location] = true
	}
	f := &found{start: make([]uint32, 1, t.Locations.Len()+1)}
	f.functions = append(f.functions, function{name: d.texts.add(names.RootCutOff), key: d.texts.add(names.RootCutOff)})
	byPosition := make([]uint32, t.Functions.Len())
	byMapping := map[uint64]uint32{}
	i := 0
	for location := range t.Locations.All() {
		if used[i] {
			b.findFrames(f, location, byPosition, byMapping)
		}
		f.start = append(f.start, uint32(len(f.frames)))
		i++
	}
	return f
}

func (b *builder) findFrames(f *found, location stacks.Location, byPosition []uint32, byMapping map[uint64]uint32) {
	t := b.table
	if location.Lines == 0 {
		if _, ok := byMapping[location.Mapping]; !ok {
			byMapping[location.Mapping] = uint32(len(f.functions))
			f.functions = append(f.functions, b.unknownFunction(location.Mapping))
		}
		f.frames = append(f.frames, foundFrame{byMapping[location.Mapping], 0})
		return
	}
	for i := int(location.Lines) - 1; i >= 0; i-- { // callee first -> caller first
		line := t.Lines.At(int(location.FirstLine) + i)
		position, _ := b.indexes.Functions.Find(line.Function)
		if byPosition[position] == 0 {
			byPosition[position] = uint32(len(f.functions))
			f.functions = append(f.functions, b.knownFunction(t.Functions.At(position)))
		}
		f.frames = append(f.frames, foundFrame{byPosition[position], clamp32(line.Line)})
	}
}

func clamp32(v int64) int32 { return int32(max(math.MinInt32, min(math.MaxInt32, v))) }

func (b *builder) knownFunction(f stacks.Function) function {
	texts := b.dictionary.texts
	name := texts.clean(b.text(f.Name))
	if name == "" {
		name = texts.clean(b.text(f.System))
	}
	if name == "" {
		name = names.Unknown
	}
	return function{texts.add(name), texts.add(names.Key(name)), texts.add(texts.clean(b.text(f.File))), clamp32(f.StartLine)}
}

// unknownFunction stands for all addresses of a mapping that have no function.
func (b *builder) unknownFunction(mapping uint64) function {
	texts := b.dictionary.texts
	name, file := names.Unknown, ""
	if i, ok := b.indexes.Mappings.Find(mapping); ok {
		file = texts.clean(b.text(b.table.Mappings[i].File))
		if base := path.Base(strings.ReplaceAll(file, "\\", "/")); file != "" && base != "/" {
			name += " " + base
		}
	}
	return function{name: texts.add(name), key: texts.add(name), file: texts.add(file)}
}

// text gives string i of the input; 0 is empty even in a table without strings.
func (b *builder) text(i int64) []byte {
	if i == 0 {
		return nil
	}
	return b.table.Strings.At(i)
}

// orderFunctions orders functions, folds equal ones, and gives the place of
// each found one.
func (b *builder) orderFunctions(f *found) (place []uint32) {
	d := &b.dictionary
	order := make([]uint32, len(f.functions))
	for i := range f.functions {
		fn := &f.functions[i]
		fn.name, fn.key, fn.file = d.texts.rank[fn.name], d.texts.rank[fn.key], d.texts.rank[fn.file]
		order[i] = uint32(i)
	}
	compare := func(a, b uint32) int {
		x, y := &f.functions[a], &f.functions[b]
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.file, y.file), cmp.Compare(x.startLine, y.startLine))
	}
	slices.SortFunc(order, compare)
	place = make([]uint32, len(order))
	for i, n := range order {
		if i == 0 || compare(order[i-1], n) != 0 {
			d.functions = append(d.functions, f.functions[n])
		}
		place[n] = uint32(len(d.functions) - 1)
	}
	return place
}

// orderFrames numbers every (function, line) so that the numbers order as the
// frames do.
func (b *builder) orderFrames(f *found, place []uint32) {
	d := &b.dictionary
	packed := make([]uint64, len(f.frames))
	for i, frame := range f.frames {
		packed[i] = frameOf(place[frame.function], frame.line)
	}
	cut := frameOf(place[0], 0)
	d.frames = append(slices.Clone(packed), cut)
	slices.Sort(d.frames)
	d.frames = slices.Compact(d.frames)
	rank := func(frame uint64) uint32 {
		i, _ := slices.BinarySearch(d.frames, frame)
		return uint32(i)
	}
	d.cutFrame = rank(cut)
	d.locationStart = f.start
	d.locationFrames = make([]uint32, len(packed))
	for i, frame := range packed {
		d.locationFrames[i] = rank(frame)
	}
}

// framesOf gives the frames of a location, caller first.
func (d *dictionary) framesOf(location uint32) []uint32 {
	return d.locationFrames[d.locationStart[location]:d.locationStart[location+1]]
}

// functionOf gives the function of a frame.
func (d *dictionary) functionOf(frame uint32) uint32 {
	function, _ := unpackFrame(d.frames[frame])
	return function
}
