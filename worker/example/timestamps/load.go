package main

import (
	"hash/crc32"
	"strconv"
	"sync/atomic"
	"time"
)

// sink keeps what is computed from being optimised away.
var sink atomic.Uint64

// load is what a transaction does between its two timestamps.
type load struct {
	garbage int // records that it makes and drops
	kept    *store
}

// transaction is the work between two timestamps.
func (l load) transaction(begun uint64) {
	if l.garbage == 0 {
		spin(2_000)
		return
	}
	rows := make(map[string]*record, l.garbage)
	for i := range l.garbage {
		key := strconv.FormatUint(begun+uint64(i), 36)
		rows[key] = &record{key: key, fields: []string{key + "/name", key + "/value"}}
	}
	l.kept.swap(begun, rows)
}

// record is something with pointers, so that the collector has to look at it.
type record struct {
	key    string
	fields []string
}

// store keeps the rows of the latest transactions alive: what the collector marks.
type store struct {
	slots []atomic.Pointer[map[string]*record]
}

func newStore(transactions int) *store {
	return &store{slots: make([]atomic.Pointer[map[string]*record], transactions)}
}

func (s *store) swap(begun uint64, rows map[string]*record) {
	s.slots[begun%uint64(len(s.slots))].Store(&rows)
}

// ticker wakes up again and again and does next to nothing.
func ticker(every time.Duration, steps int) {
	for range time.Tick(every) {
		spin(steps)
	}
}

// hog computes and never waits for anything.
func hog() {
	for {
		spin(1 << 20)
	}
}

// spin computes for so many steps, about two nanoseconds each.
func spin(steps int) {
	block := [8]byte{}
	sum := uint32(1)
	for i := range steps / 8 {
		block[i&7]++
		sum = crc32.Update(sum, crc32.IEEETable, block[:])
	}
	sink.Store(uint64(sum))
}

const (
	handovers = 1_000
	breath    = 4 * time.Millisecond
)

// pinger hands a token back and forth with another one until the recording is full: nothing makes more events. It pauses
// now and then, else not even the tracer's own goroutine would get its turn.
func pinger(in <-chan struct{}, out chan<- struct{}, full *atomic.Bool) {
	for number := 1; !full.Load(); number++ {
		<-in
		if number%handovers == 0 {
			time.Sleep(breath)
		}
		out <- struct{}{}
	}
}
