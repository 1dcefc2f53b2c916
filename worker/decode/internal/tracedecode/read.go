// Package tracedecode turns an execution trace into its decoded form, in one pass
// and in bounded memory.
//
//	tracesource  events of the file, or what is wrong with it
//	tracestate   goroutines and processors, state by state; notifies the others:
//	schedlatency   delays by waiter (group and reason), the worst of them
//	blockedtime    where goroutines were blocked, and who ended it
//	poccupancy   who occupied the processors meanwhile
//	tracegc      the collector, and what it leaves to the program
//	traceseries  all of it over time
//	tracedecode    (here) the end of the pass: tables become columns
package tracedecode

import (
	"golang.org/x/exp/trace"

	"slowpath.dev/decode/internal/blockedtime"
	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/schedlatency"
	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/tracegc"
	"slowpath.dev/decode/internal/traceintern"
	"slowpath.dev/decode/internal/traceseries"
	"slowpath.dev/decode/internal/tracesource"
	"slowpath.dev/decode/internal/tracestate"
)

// Options are what the caller decides.
type Options struct {
	Limits         tracesource.Limits
	HistogramsOnly bool  // no occupancy, collector, series or longest waits
	Segments       int64 // bytes for occupations of all Ps together
	Profiles       bool  // make the profiles of delays and CPU samples, too
	// Reopen returns the trace once more; nil: it can be read only once.
	Reopen func() (*tracesource.Source, func() error, error)
}

// DefaultOptions returns what is used without flags.
func DefaultOptions() Options {
	return Options{Limits: tracesource.DefaultLimits(), Segments: 64 << 20}
}

// sharedMemory is what the occupations and the bytes of a generation may take
// together: a generation beyond what the first leave free takes from them. What
// is forgotten of long waits is read again.
const sharedMemory = 208 << 20

// Result is what a trace becomes. The profiles are nil when not asked for, or
// when there is nothing to write.
type Result struct {
	File       *tracefile.File
	CPUSamples *profilefile.File
	Delays     *profilefile.File
}

// maxTime is where time ends, in ns: sums of it must not overflow.
const maxTime = 1 << 60

// pass is one reading of a trace.
type pass struct {
	options Options
	source  *tracesource.Source
	names   *traceintern.StringInterner
	machine *tracestate.Machine
	longest *longestWaits
	file    *tracefile.File

	first, now int64
	events     int64
	wallStart  *int64
	warnings   []string
}

// ReadFile decodes the trace in a file. Errors are faults of the input, or
// failures to read.
func ReadFile(path string, options Options) (*Result, error) {
	source, closeFile, err := tracesource.OpenFile(path, options.Limits)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	options.Reopen = func() (*tracesource.Source, func() error, error) { return tracesource.OpenFile(path, options.Limits) }
	return Read(source, options)
}

// Read decodes a trace.
func Read(source *tracesource.Source, options Options) (*Result, error) {
	p := newPass(source, options)
	if err := source.Finish(p.readAll()); err != nil {
		return nil, err
	}
	p.machine.Finish(p.now)
	p.file = &tracefile.File{}
	p.write()
	result := &Result{File: p.file}
	return result, p.profiles(result)
}

func newPass(source *tracesource.Source, options Options) *pass {
	p := &pass{options: options, source: source, names: traceintern.NewStrings()}
	m := tracestate.New(p.names)
	p.machine = m
	if source.Version >= tracesource.FirstV2 {
		m.Reasons.Coroutines()
	}
	if options.HistogramsOnly {
		m.Waits = schedlatency.New(m.Groups, nil)
		return p
	}
	ring := poccupancy.NewSegmentRing(options.Segments)
	m.Occupancy = poccupancy.NewOccupancyTotals(poccupancy.NewClasses(traceintern.Other), ring, tracefile.OccupancyBlockNs)
	m.Waits = schedlatency.New(m.Groups, m.Occupancy)
	m.GC = tracegc.New()
	m.Series = traceseries.New()
	m.Blocked = blockedtime.New()
	p.longest = newLongestWaits(m, ring, func() int64 { return p.now })
	source.Holding = func(bytes int64) { ring.Bound(sharedMemory - bytes) }
	return p
}

// readAll takes all events in, and returns the error that ends them.
func (p *pass) readAll() (err error) {
	defer tracesource.Guard(&err)
	reader := p.source.Reader()
	for {
		ev, err := reader.ReadEvent()
		if err != nil {
			return err
		}
		p.source.Step(ev.Kind() == trace.EventSync)
		p.step(&ev)
	}
}

// step takes one event in. Times are made to begin at 0 and never to fall.
func (p *pass) step(ev *trace.Event) {
	if p.events == 0 {
		p.first = int64(ev.Time())
	}
	p.events++
	if t := int64(uint64(ev.Time()) - uint64(p.first)); t > p.now {
		p.now = min(t, maxTime)
	}
	if ev.Kind() == trace.EventSync && p.wallStart == nil {
		p.readClock(ev)
	}
	p.machine.Step(ev, p.now)
}

// readClock takes the wall clock at the first event from a generation's
// snapshot of clocks.
func (p *pass) readClock(ev *trace.Event) {
	if snapshot := ev.Sync().ClockSnapshot; snapshot != nil {
		wall := snapshot.Wall.UnixNano() - (int64(snapshot.Trace) - p.first)
		p.wallStart = &wall
	}
}
