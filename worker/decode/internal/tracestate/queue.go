package tracestate

import "math/bits"

// queue counts how many of the runnable goroutines became so before another.
// Each gets a number when it becomes runnable; the numbers of those that still
// are bits in a ring, counted by bucket.
type queue struct {
	next    uint64
	bits    [queueSize / 64]uint64
	buckets [queueSize / queueBucket]int32
}

const (
	queueSize   = 1 << 20 // numbers; older ones count as gone
	queueBucket = 1 << 12
)

// push numbers one more.
func (q *queue) push() uint64 {
	n := q.next
	q.next++
	at := n % queueSize
	if q.bits[at/64]&(1<<(at%64)) == 0 {
		q.bits[at/64] |= 1 << (at % 64)
		q.buckets[at/queueBucket]++
	}
	return n
}

// remove takes a number out.
func (q *queue) remove(n uint64) {
	at := n % queueSize
	if n+queueSize > q.next && q.bits[at/64]&(1<<(at%64)) != 0 {
		q.bits[at/64] &^= 1 << (at % 64)
		q.buckets[at/queueBucket]--
	}
}

// before counts those with a lower number.
func (q *queue) before(n uint64) uint32 {
	if n+queueSize <= q.next {
		return 0
	}
	at := n % queueSize
	count := 0
	for word := at / queueBucket * (queueBucket / 64); word < at/64; word++ {
		count += bits.OnesCount64(q.bits[word])
	}
	count += bits.OnesCount64(q.bits[at/64] & (1<<(at%64) - 1))
	// Whole buckets behind it, round the ring to the one that is written now.
	newest := (q.next - 1) % queueSize / queueBucket
	for b := at / queueBucket; b != newest; {
		b = (b + queueSize/queueBucket - 1) % (queueSize / queueBucket)
		if b == newest {
			break
		}
		count += int(q.buckets[b])
	}
	if newest == at/queueBucket { // all other buckets are older
		for b := range q.buckets {
			if uint64(b) != newest {
				count += int(q.buckets[b])
			}
		}
	}
	return uint32(count)
}
