package main

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// most timestamps asked for at once.
const largestBatch = 1024

// request asks for one timestamp; the answer goes where it waits.
type request struct {
	answer chan<- uint64
}

// batcher requests the timestamps of all waiting callers from the oracle, all at once, and hands them out: while it is not
// run, no caller gets one. It ends when requests is closed or the connection breaks.
func batcher(conn io.ReadWriter, requests <-chan request) {
	batch := make([]request, 0, largestBatch)
	for first := range requests {
		batch = gather(append(batch[:0], first), requests)
		stamp, err := ask(conn, uint32(len(batch)))
		if err != nil {
			return
		}
		for i, each := range batch {
			each.answer <- stamp + uint64(i)
		}
	}
}

// gather adds those who wait already.
func gather(batch []request, requests <-chan request) []request {
	for len(batch) < cap(batch) {
		select {
		case each, open := <-requests:
			if !open {
				return batch
			}
			batch = append(batch, each)
		default:
			return batch
		}
	}
	return batch
}

// ask is one round trip.
func ask(conn io.ReadWriter, wanted uint32) (uint64, error) {
	var buffer [answerBytes]byte
	binary.LittleEndian.PutUint32(buffer[:], wanted)
	if _, err := conn.Write(buffer[:questionBytes]); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(conn, buffer[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(buffer[:]), nil
}

// caller runs one transaction after the other: a timestamp to begin with, some work, a timestamp to commit with, a pause.
func caller(requests chan<- request, work load, pause time.Duration, dice *rand.Rand, answered *atomic.Int64) {
	answer := make(chan uint64, 1)
	for {
		requests <- request{answer}
		begun := <-answer
		work.transaction(begun)
		requests <- request{answer}
		<-answer
		answered.Add(2)
		if pause > 0 {
			time.Sleep(pause/2 + time.Duration(dice.Int64N(int64(pause)))) // not in step with the others
		}
	}
}
