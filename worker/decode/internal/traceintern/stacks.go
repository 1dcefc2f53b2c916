package traceintern

import (
	"encoding/binary"

	"golang.org/x/exp/trace"
)

// maxFrames bounds the frames of all distinct stacks together, and maxLines the
// distinct frames.
const (
	maxFrames = 2 << 20
	maxLines  = 1 << 20
)

// maxStackFrames is where the runtime cuts stacks in traces: the root of a longer
// one is unknown.
const maxStackFrames = 128

// Frame is one line of code; Function and File are strings.
type Frame struct {
	Function uint32
	File     uint32
	Line     int32
}

// StackInterner numbers distinct stacks across generations; 0 is the empty one. In a
// trace the same stack has another number, and another table, in every
// generation.
type StackInterner struct {
	names  *StringInterner
	seen   map[trace.Stack]uint32 // of this generation
	known  map[string]uint32      // by the bytes of the frames' numbers
	lines  map[Frame]uint32
	frames []Frame
	offset []uint32
	flat   []uint32 // frames of all stacks, leaf first
	key    []byte
	full   bool
}

// NewStacks makes a table with the empty stack.
func NewStacks(names *StringInterner) *StackInterner {
	return &StackInterner{
		names: names, seen: map[trace.Stack]uint32{}, known: map[string]uint32{"": 0},
		lines: map[Frame]uint32{}, offset: []uint32{0, 0},
	}
}

// NextGeneration forgets the numbers of the generation before, so that its
// tables can be freed.
func (s *StackInterner) NextGeneration() { clear(s.seen) }

// Of returns the number of an event's stack.
func (s *StackInterner) Of(stack trace.Stack) uint32 {
	if stack == trace.NoStack {
		return 0
	}
	if i, ok := s.seen[stack]; ok {
		return i
	}
	i := s.intern(stack)
	s.seen[stack] = i
	return i
}

func (s *StackInterner) intern(stack trace.Stack) uint32 {
	s.key = s.key[:0]
	for frame := range stack.Frames() {
		if frame.Func == "" { // represents "no stack" in wakes by the runtime
			continue
		}
		s.key = binary.LittleEndian.AppendUint32(s.key, s.line(frame))
	}
	if i, ok := s.known[string(s.key)]; ok {
		return i
	}
	if len(s.flat)+len(s.key)/4 > maxFrames {
		s.full = true
		return 0
	}
	for at := 0; at < len(s.key); at += 4 {
		s.flat = append(s.flat, binary.LittleEndian.Uint32(s.key[at:]))
	}
	s.offset = append(s.offset, uint32(len(s.flat)))
	i := uint32(len(s.offset) - 2)
	s.known[string(s.key)] = i
	return i
}

func (s *StackInterner) line(frame trace.StackFrame) uint32 {
	f := Frame{s.names.Intern(frame.Func), s.names.Intern(frame.File), int32(min(frame.Line, 1<<31-1))}
	if i, ok := s.lines[f]; ok {
		return i
	}
	if len(s.frames) >= maxLines {
		s.full = true
		return 0
	}
	i := uint32(len(s.frames))
	s.lines[f] = i
	s.frames = append(s.frames, f)
	return i
}

// Full reports whether stacks were left out.
func (s *StackInterner) Full() bool { return s.full }

// Frames returns the frames of stack i, leaf first, as indexes for Frame.
func (s *StackInterner) Frames(i uint32) []uint32 { return s.flat[s.offset[i]:s.offset[i+1]] }

// Frame returns one frame.
func (s *StackInterner) Frame(i uint32) Frame { return s.frames[i] }

// Function returns the name of a frame's function.
func (s *StackInterner) Function(i uint32) string { return s.names.At(s.frames[i].Function) }

// Columns returns the table as it is written.
func (s *StackInterner) Columns() (frames []Frame, offset, flat []uint32) {
	return s.frames, s.offset, s.flat
}
