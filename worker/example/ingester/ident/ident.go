// Package ident keeps copies of series identifiers that must outlive the request that brought them.
package ident

import "sync/atomic"

// ID is a copy of an identifier that lives in a chunk of its pool. The collector frees a chunk with its last identifier.
type ID struct {
	Data []byte
}

// chunkBytes is how much a pool asks for at a time: some hundreds of identifiers.
const chunkBytes = 32 << 10

// Pool hands out room for identifiers from chunks, without a lock.
type Pool struct {
	current atomic.Pointer[chunk]
}

type chunk struct {
	used  atomic.Int64
	bytes [chunkBytes]byte
}

// NewPool makes a pool with its first chunk.
func NewPool() *Pool {
	pool := &Pool{}
	pool.current.Store(&chunk{})
	return pool
}

// refill returns room for length bytes when the current chunk has none left.
func (p *Pool) refill(length int) []byte {
	if length > chunkBytes {
		return make([]byte, length)
	}
	fresh := &chunk{}
	fresh.used.Store(int64(length))
	p.current.Store(fresh)
	return fresh.bytes[:length:length]
}
