// Package commitlog writes every sample behind the series it belongs to, in segments that are cut off by size.
package commitlog

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"sync"

	"ingester/ident"
	"ingester/wire"
)

const (
	segmentBytes = 64 << 10
	flushEntries = 64
	listCount    = 16
	headerBytes  = 40
)

// Entry is one write as the log remembers it.
type Entry struct {
	ID     ident.ID
	TimeNs int64
	Value  float64
	Sum    uint32
}

// Log takes entries from many writers and encodes them in a goroutine of its own.
type Log struct {
	pool    *ident.Pool
	mu      sync.Mutex
	pending []Entry
	full    chan []Entry
	back    chan []Entry
	segment []byte
	sum     uint32
}

// NewLog makes a log whose identifiers come from pool, and starts its encoder.
func NewLog(pool *ident.Pool) *Log {
	log := &Log{
		pool:    pool,
		pending: make([]Entry, 0, flushEntries),
		full:    make(chan []Entry, listCount),
		back:    make(chan []Entry, listCount),
		segment: make([]byte, 0, segmentBytes),
	}
	for range listCount - 1 {
		log.back <- make([]Entry, 0, flushEntries)
	}
	go log.encodeLoop()
	return log
}

// Write queues one sample. The identifier is cloned: the body it points into is reused after the answer.
//
//go:noinline
func (l *Log) Write(sample *wire.Sample) error {
	return l.enqueue(sample)
}

//go:noinline
func (l *Log) enqueue(sample *wire.Sample) error {
	entry := l.newEntry(sample)
	l.mu.Lock()
	l.pending = append(l.pending, entry)
	if len(l.pending) < flushEntries {
		l.mu.Unlock()
		return nil
	}
	l.full <- l.pending
	l.pending = <-l.back
	l.mu.Unlock()
	return nil
}

// newEntry clones the identifier and sums up the header, so that the one encoder has less to do.
//
//go:noinline
func (l *Log) newEntry(sample *wire.Sample) Entry {
	var header [headerBytes]byte
	n := binary.PutVarint(header[:], sample.TimeNs)
	binary.LittleEndian.PutUint64(header[n:], math.Float64bits(sample.Value))
	sum := uint32(2166136261)
	for _, c := range header[:n+8] {
		sum = (sum ^ uint32(c)) * 16777619
	}
	return Entry{ID: l.pool.Clone(sample.ID), TimeNs: sample.TimeNs, Value: sample.Value, Sum: sum}
}

func (l *Log) encodeLoop() {
	for entries := range l.full {
		for i := range entries {
			l.encode(&entries[i])
		}
		clear(entries)
		l.back <- entries[:0]
	}
}

func (l *Log) encode(entry *Entry) {
	if len(l.segment)+len(entry.ID.Data)+32 > segmentBytes {
		l.sum = crc32.ChecksumIEEE(l.segment)
		l.segment = l.segment[:0]
	}
	l.segment = binary.AppendUvarint(l.segment, uint64(len(entry.ID.Data)))
	l.segment = append(l.segment, entry.ID.Data...)
	l.segment = binary.AppendVarint(l.segment, entry.TimeNs)
	l.segment = binary.LittleEndian.AppendUint64(l.segment, math.Float64bits(entry.Value))
	l.segment = binary.LittleEndian.AppendUint32(l.segment, entry.Sum)
}
