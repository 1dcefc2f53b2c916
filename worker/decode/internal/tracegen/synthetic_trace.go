// Package tracegen writes traces that are larger than a test can record: on
// every processor goroutines take turns as fast as the bytes asked for need.
package tracegen

import (
	"bufio"
	"encoding/binary"
	"io"
)

// SyntheticTrace is what is written.
type SyntheticTrace struct {
	Procs       int
	Generations int
	Bytes       int64 // of each generation, nearly
	Unnamed     bool  // no stacks: nothing shows which goroutines these are
	Spilled     bool  // as Go 1.25 writes it: a generation ends where the next begins
}

// The events used, by number.
const (
	evEventBatch, evStacks, evStack     = 1, 2, 3
	evStrings, evString                 = 4, 5
	evFrequency, evProcStatus           = 8, 13
	evGoStart, evGoStop, evGoStatus     = 16, 19, 25
	evSync, evSnapshot, evGenerationEnd = 50, 51, 52
)

const (
	second      = 1_000_000_000
	noThread    = 1<<64 - 1
	running     = 2 // of goroutines; 1 of processors
	runnable    = 1
	procRunning = 1
	batchBytes  = 64<<10 - 64 // the runtime's buffers are 64 KiB with their header
	eventsBytes = 12          // a turn: one goroutine stops, another starts
	theStack    = 1
)

// Write writes the trace.
func (s SyntheticTrace) Write(out io.Writer) error {
	w := &writer{out: bufio.NewWriterSize(out, 1<<20)}
	version := "go 1.26 trace\x00\x00\x00"
	if s.Spilled {
		version = "go 1.25 trace\x00\x00\x00"
	}
	w.out.WriteString(version)
	threads := make([]thread, s.Procs)
	for gen := range uint64(s.Generations) {
		w.gen = gen + 1
		s.generation(w, threads)
	}
	return w.out.Flush()
}

// thread is one processor with its two goroutines.
type thread struct {
	number uint64
	now    uint64
	turn   uint64 // 0 or 1: which goroutine runs
	seq    [2]uint64
	batch  []byte
	begin  uint64
}

func (s SyntheticTrace) generation(w *writer, threads []thread) {
	start := w.gen * second
	w.batch(noThread, start, appendNumbers([]byte{evSync, evFrequency}, second, evSnapshot, 0, start, 1_700_000_000, 0))
	w.batch(noThread, start, stringsBatch())
	if !s.Unnamed {
		w.batch(noThread, start, appendNumbers([]byte{evStacks, evStack}, theStack, 1, 4711, nameString, fileString, 7))
	}
	turns := uint64(s.Bytes) / eventsBytes / uint64(s.Procs)
	step := second * 9 / 10 / max(1, turns) / 2
	for i := range threads {
		threads[i].open(uint64(i), start, w.gen)
	}
	for done := uint64(0); done < turns; done++ {
		for i := range threads {
			threads[i].take(w, max(1, step), s.stack())
		}
	}
	for i := range threads {
		threads[i].flush(w)
	}
	if !s.Spilled {
		w.out.WriteByte(evGenerationEnd)
	}
}

// The strings, by number.
const (
	reasonString = iota + 1
	nameString
	fileString
)

func stringsBatch() []byte {
	data := []byte{evStrings}
	for i, text := range []string{"preempted", "main.busy", "main.go"} {
		data = append(appendNumbers(data, evString, uint64(i+1), uint64(len(text))), text...)
	}
	return data
}

// open writes what the thread does when a generation begins.
func (t *thread) open(number, now, gen uint64) {
	t.number, t.now, t.begin, t.seq = number, now, now, [2]uint64{}
	t.batch = appendNumbers(t.batch[:0], evProcStatus, 1, number, procRunning)
	t.batch = appendNumbers(t.batch, evGoStatus, 1, t.goroutine(0), number, running)
	t.batch = appendNumbers(t.batch, evGoStatus, 1, t.goroutine(1), noThread, runnable)
	t.now += 3
}

// goroutine returns the one that runs (0) or waits (1).
func (t *thread) goroutine(which uint64) uint64 { return 100 + 2*t.number + (t.turn+which)%2 }

func (s SyntheticTrace) stack() uint64 {
	if s.Unnamed {
		return 0
	}
	return theStack
}

// take lets the goroutines take a turn.
func (t *thread) take(w *writer, step, stack uint64) {
	t.batch = appendNumbers(t.batch, evGoStop, step, reasonString, stack)
	t.turn = (t.turn + 1) % 2
	t.seq[t.turn]++
	t.batch = appendNumbers(t.batch, evGoStart, step, t.goroutine(0), t.seq[t.turn])
	if t.now += 2 * step; len(t.batch) > batchBytes {
		t.flush(w)
	}
}

func (t *thread) flush(w *writer) {
	w.batch(t.number, t.begin, t.batch)
	t.batch, t.begin = t.batch[:0], t.now
}

type writer struct {
	out *bufio.Writer
	gen uint64
}

func (w *writer) batch(thread, time uint64, data []byte) {
	w.out.Write(appendNumbers([]byte{evEventBatch}, w.gen, thread, time, uint64(len(data))))
	w.out.Write(data)
}

func appendNumbers(to []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		to = binary.AppendUvarint(to, n)
	}
	return to
}
