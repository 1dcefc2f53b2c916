// Package limits holds the bounds under which an input is read.
//
// Two kinds work together: absolute ones, set by flags, and proportional ones,
// which follow the bytes really read, so that a small input can never make a
// large table.
package limits

// Limits bounds one decode. Zero values are never valid: start from Default.
type Limits struct {
	Unpacked  int64 // bytes after unpacking
	Ratio     int64 // unpacked bytes per packed byte, once ratioGrace bytes came out
	Depth     int64 // frames of one stack, inlined ones included
	Nodes     int64 // nodes of one call tree
	Strings   int64 // bytes of all strings together
	Samples   int64 // samples in the file
	Locations int64 // locations in the file
	Functions int64 // functions in the file
	Legacy    int64 // bytes of a legacy (not protobuf) profile, held in memory whole
}

// Default gives the bounds used when no flag says otherwise.
func Default() Limits {
	return Limits{
		Unpacked:  1 << 30,
		Ratio:     500,
		Depth:     8192,
		Nodes:     32 << 20,
		Strings:   256 << 20,
		Samples:   32 << 20,
		Locations: 16 << 20,
		Functions: 8 << 20,
		Legacy:    32 << 20,
	}
}

// nodesGranted and nodesPerByte bound tree nodes by what was read: a frame
// costs at least one byte, and inlining seldom doubles a stack.
const (
	nodesGranted = 1 << 16
	nodesPerByte = 4
)

// NodesFor gives how many nodes an input of the given unpacked size may make.
func (l Limits) NodesFor(unpacked int64) int64 {
	if unpacked > (l.Nodes-nodesGranted)/nodesPerByte {
		return l.Nodes
	}
	return min(l.Nodes, nodesGranted+nodesPerByte*unpacked)
}
