// Package series holds the samples of one series in blocks, times as deltas of deltas and values as changed bits.
package series

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const blockBytes = 512

// Series is the open block of one series. Its owner, a shard, guards it by a lock.
type Series struct {
	ID       string
	block    []byte
	sealed   int
	lastNs   int64
	deltaNs  int64
	lastBits uint64
	Count    uint64
}

// New makes an empty series.
func New(id string) *Series {
	return &Series{ID: id, block: make([]byte, 0, blockBytes)}
}

// Write appends one sample to the open block, sealing it first when it is full.
//
//go:noinline
func (s *Series) Write(timeNs int64, value float64) {
	if len(s.block)+24 > blockBytes {
		s.sealed++
		s.block = s.block[:0]
	}
	delta := timeNs - s.lastNs
	s.block = binary.AppendVarint(s.block, delta-s.deltaNs)
	s.block = appendBits(s.block, s.lastBits^math.Float64bits(value))
	s.lastNs, s.deltaNs, s.lastBits = timeNs, delta, math.Float64bits(value)
	s.Count++
}

// appendBits writes the meaningful bytes between the leading and the trailing zeros of a changed value.
func appendBits(dst []byte, changed uint64) []byte {
	if changed == 0 {
		return append(dst, 0)
	}
	leading, trailing := bits.LeadingZeros64(changed)/8, bits.TrailingZeros64(changed)/8
	dst = append(dst, byte(0x80|leading<<3|trailing))
	for i := trailing; i < 8-leading; i++ {
		dst = append(dst, byte(changed>>(8*i)))
	}
	return dst
}
