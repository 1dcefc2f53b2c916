// Package inputlimits holds the bounds under which an input is read.
//
// Two kinds work together: absolute ones, set by flags, and proportional ones,
// which follow the bytes really read, so that a small input can never make a
// large table.
package inputlimits

// Limits bounds one decode. Zero values are never valid: start from Default.
type Limits struct {
	Unpacked  int64 // bytes after unpacking
	Ratio     int64 // unpacked bytes per packed byte, once ratioGrace bytes came out
	Depth     int64 // frames of one stack, inlined ones included
	Frames    int64 // frames of all stacks together, before merging
	Nodes     int64 // nodes of one call tree
	Strings   int64 // bytes of all strings together
	Text      int64 // bytes of one string that are retained; the rest is cut off
	Samples   int64 // samples in the file
	Locations int64 // locations in the file
	Functions int64 // functions in the file
	Legacy    int64 // bytes of a legacy (not protobuf) profile, held in memory whole
}

// Default returns the bounds used without flags.
func Default() Limits {
	return Limits{
		Unpacked:  1 << 30,
		Ratio:     500,
		Depth:     8192,
		Frames:    1 << 30,
		Nodes:     32 << 20,
		Strings:   256 << 20,
		Text:      64 << 10,
		Samples:   32 << 20,
		Locations: 16 << 20,
		Functions: 8 << 20,
		Legacy:    8 << 20,
	}
}

// framesGranted and framesPerByte bound frames by what was read: a location in
// a stack costs at least a byte and mostly two, and represents a handful of
// inlined frames at most.
const (
	framesGranted = 1 << 16
	framesPerByte = 4
)

// FramesFor returns how many frames the stacks of an input of the given unpacked
// size may have.
func (l Limits) FramesFor(unpacked int64) int64 {
	if unpacked >= l.Frames/framesPerByte {
		return l.Frames
	}
	return min(l.Frames, framesGranted+framesPerByte*unpacked)
}
