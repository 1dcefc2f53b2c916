// Package tracefile is the decoded form of one execution trace: what
// comparisons and pages read instead of events.
//
// Times are nanoseconds since the first event. Groups, waiters, classes,
// stacks and strings are indexes; None represents "no such".
package tracefile

import (
	"io"

	"slowpath.dev/decode/internal/slowcol"
)

const (
	// Format and Version name the file format.
	Format  = "slowpath.trace"
	Version = 1
	// None marks where an index has nothing to point to.
	None = ^uint32(0)
	// BlockNs is the grain of the delay histograms in time.
	BlockNs = 100_000_000
	// OccupancyBlockNs is the grain of occupancy in time.
	OccupancyBlockNs = 1_000_000_000
)

// File is a whole decoded trace.
type File struct {
	Header Header
	Columns
}

// Header is everything that is not a column.
type Header struct {
	Kind             string           `json:"kind"`
	HeaderVersion    string           `json:"header_version"`
	DurationNs       int64            `json:"duration_ns"`
	Events           int64            `json:"events"`
	Generations      int64            `json:"generations"`
	WallStartNs      *int64           `json:"wall_start_ns"` // nil before Go 1.25
	Gomaxprocs       Gomaxprocs       `json:"gomaxprocs"`
	Recording        string           `json:"recording"`
	BlockNs          int64            `json:"block_ns"`
	OccupancyBlockNs int64            `json:"blame_block_ns"`
	BinNs            int64            `json:"bin_ns"`
	Unreadable       *UnreadableRange `json:"lost"`
	Warnings         []string         `json:"warnings"`
	Source           Source           `json:"source"`
	CPUSamples       int64            `json:"cpu_samples"`
	Counts           Counts           `json:"counts"`
	ClassKinds       []string         `json:"class_kinds"`
	GC               GC               `json:"gc"`
	Totals           Totals           `json:"totals"`
	Series           []SeriesHeader   `json:"series"`
}

// Gomaxprocs counts how many Ps there were; Changes counts changes after the
// first value.
type Gomaxprocs struct {
	First   int64 `json:"first"`
	Last    int64 `json:"last"`
	Max     int64 `json:"max"`
	Changes int64 `json:"changes"`
}

// UnreadableRange describes what could not be read: Bytes of the unpacked file, their Share of
// it, and after what time.
type UnreadableRange struct {
	Bytes   int64   `json:"bytes"`
	Share   float64 `json:"share"`
	AfterNs int64   `json:"after_ns"`
	Message string  `json:"message"`
}

// Source describes what was read.
type Source struct {
	Bytes         int64  `json:"bytes"`
	BytesUnpacked int64  `json:"bytes_unpacked"`
	Encoding      string `json:"encoding"`
}

// Counts holds how much the trace and the summary hold.
type Counts struct {
	Goroutines   int64 `json:"goroutines"`
	Groups       int64 `json:"groups"`
	Waiters      int64 `json:"victims"`
	Classes      int64 `json:"classes"`
	Waits        int64 `json:"waits"`
	LongestWaits int64 `json:"worst"`
	Segments     int64 `json:"segments"`
}

// GC sums the work of the garbage collector up. Assists count running time;
// AssistWallNs is what the trace calls the assist's range, waiting included.
// CPUFraction is of P-time, without idle workers.
type GC struct {
	Cycles         int64   `json:"cycles"`
	MarkWallNs     int64   `json:"mark_wall_ns"`
	DedicatedNs    int64   `json:"dedicated_ns"`
	FractionalNs   int64   `json:"fractional_ns"`
	IdleNs         int64   `json:"idle_ns"`
	AssistNs       int64   `json:"assist_ns"`
	AssistWallNs   int64   `json:"assist_wall_ns"`
	SweepNs        int64   `json:"sweep_ns"`
	StwNs          int64   `json:"stw_ns"`
	CPUFraction    float64 `json:"cpu_fraction"`
	HeapLiveMax    int64   `json:"heap_live_max"`
	HeapGoalMax    int64   `json:"heap_goal_max"`
	AllocatedBytes int64   `json:"allocated_bytes"`
}

// Totals sums waits and scheduling events over the trace. ProcsNs is the time
// of all Ps together, known or not.
type Totals struct {
	Waits          int64 `json:"waits"`
	WaitNs         int64 `json:"wait_ns"`
	CensoredLeft   int64 `json:"censored_left"`
	CensoredRight  int64 `json:"censored_right"`
	CensoredNs     int64 `json:"censored_ns"`
	Handoffs       int64 `json:"handoffs"`
	Preemptions    int64 `json:"preemptions"`
	Retakes        int64 `json:"retakes"`
	NetworkWakes   int64 `json:"network_wakes"`
	Created        int64 `json:"created"`
	ProcsNs        int64 `json:"procs_ns"`
	HostContention bool  `json:"host_contention"`
}

// SeriesHeader names one series; Of is "level" (mean, min, max a bin) or
// "count".
type SeriesHeader struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Of   string `json:"of"`
}

// Columns are the arrays of a file, in the order of writing.
type Columns struct{ list []slowcol.Column }

// Add appends a column; data is a slice of one of the container's types.
func (c *Columns) Add(name string, data any) {
	c.list = append(c.list, slowcol.Column{Name: name, Data: data})
}

// Column returns the data of a column, or nil.
func (c *Columns) Column(name string) any {
	for _, column := range c.list {
		if column.Name == name {
			return column.Data
		}
	}
	return nil
}

// Write writes the file as a columnar container.
func (f *File) Write(w io.Writer) error {
	return slowcol.Write(w, Format, Version, f.Header, f.list)
}

// Append adds the columns of another list.
func (c *Columns) Append(o *Columns) { c.list = append(c.list, o.list...) }

// All returns the columns in the order of writing.
func (c *Columns) All() []slowcol.Column { return c.list }
