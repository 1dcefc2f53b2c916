package calltree

// compact is step 6: functions and texts that no stack uses are left behind,
// and those that stay are written.
func (b *builder) compact() {
	f, d := b.file, &b.dictionary
	usedFrame := make([]bool, len(d.frames))
	for _, frame := range b.lineFrame[1:] {
		usedFrame[frame] = true
	}
	usedFunction, count := make([]bool, len(d.functions)), 0
	for frame, used := range usedFrame {
		if function := d.functionOf(uint32(frame)); used && !usedFunction[function] {
			usedFunction[function] = true
			count++
		}
	}
	textPlace := b.writeTexts(usedFunction)
	functionPlace := make([]uint32, len(d.functions))
	f.FunctionName, f.FunctionKey, f.FunctionFile = make([]uint32, 0, count), make([]uint32, 0, count), make([]uint32, 0, count)
	f.FunctionStartLine = make([]int32, 0, count)
	for i, fn := range d.functions {
		if !usedFunction[i] {
			continue
		}
		functionPlace[i] = uint32(len(f.FunctionName))
		d.functions[i].key = textPlace[fn.key]
		f.FunctionName = append(f.FunctionName, textPlace[fn.name])
		f.FunctionKey = append(f.FunctionKey, textPlace[fn.key])
		f.FunctionFile = append(f.FunctionFile, textPlace[fn.file])
		f.FunctionStartLine = append(f.FunctionStartLine, fn.startLine)
	}
	if b.options.Brief && f.Header.Kind != kindContention { // whose kind is read off the functions of leaves
		return
	}
	framePlace := make([]uint32, len(d.frames))
	for frame, used := range usedFrame {
		if used {
			function, line := unpackFrame(d.frames[frame])
			framePlace[frame] = uint32(len(f.FrameFunction))
			f.FrameFunction = append(f.FrameFunction, functionPlace[function])
			f.FrameLine = append(f.FrameLine, line)
		}
	}
	f.LineNodeFrame = make([]uint32, len(b.lineFrame))
	for node, frame := range b.lineFrame[1:] {
		f.LineNodeFrame[node+1] = framePlace[frame]
	}
}

// writeTexts writes the strings in use, and the labels, and returns the place of
// each string.
func (b *builder) writeTexts(usedFunction []bool) (place []uint32) {
	f, d := b.file, &b.dictionary
	used := make([]bool, len(d.texts.all))
	used[0] = true
	for i, fn := range d.functions {
		if usedFunction[i] {
			used[fn.key], used[fn.name], used[fn.file] = true, true, true
		}
	}
	for _, l := range d.labels {
		used[l.key], used[l.value] = true, true
	}
	f.StringsOffset, f.StringsBytes, place = d.texts.keep(used)
	for _, l := range d.labels {
		f.LabelKey = append(f.LabelKey, place[l.key])
		f.LabelValue = append(f.LabelValue, place[l.value])
	}
	d.texts = nil
	return place
}
