// Package storage is the database behind the ingester: namespaces of shards of series.
package storage

import (
	"errors"
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"ingester/commitlog"
	"ingester/ident"
	"ingester/wire"
)

// ErrNoNamespace is returned for a write into a namespace that does not exist.
var ErrNoNamespace = errors.New("storage: no such namespace")

// ErrClosed is returned for writes after Close.
var ErrClosed = errors.New("storage: database is closed")

const (
	shardCount    = 128
	maxSkewNs     = int64(3600e9)
	defaultBounds = 1 << 20
	maxRejections = 26
)

// DB owns the namespaces and the commit logs.
type DB struct {
	namespaces map[string]*Namespace
	closed     atomic.Bool
}

// NewDB makes a database with the namespaces named.
func NewDB(names ...string) *DB {
	db := &DB{namespaces: make(map[string]*Namespace)}
	for _, name := range names {
		db.namespaces[name] = newNamespace(name)
	}
	return db
}

// WriteBatch writes the samples of one batch; it reports how many were written before an error.
//
//go:noinline
func (db *DB) WriteBatch(namespace string, samples []wire.Sample) (int, error) {
	if db.closed.Load() {
		return 0, ErrClosed
	}
	target, found := db.namespaces[namespace]
	if !found {
		return 0, ErrNoNamespace
	}
	return db.writeBatch(target, samples)
}

// rejection is one sample that was not written, and why.
type rejection struct {
	index int
	err   error
}

// writeBatch writes what it can; a sample that is refused does not stop the others.
//
//go:noinline
func (db *DB) writeBatch(target *Namespace, samples []wire.Sample) (int, error) {
	var rejected [maxRejections]rejection
	count := 0
	for i := range samples {
		if err := target.Write(&samples[i]); err != nil {
			rejected[count] = rejection{index: i, err: err}
			if count++; count == maxRejections {
				break
			}
		}
	}
	if count > 0 {
		return len(samples) - count, fmt.Errorf("storage: %d samples refused, first number %d: %w", count, rejected[0].index, rejected[count-1].err)
	}
	return len(samples), nil
}

// Namespace spreads series over shards.
type Namespace struct {
	name    string
	seed    maphash.Seed
	shards  []*Shard
	written atomic.Uint64
}

func newNamespace(name string) *Namespace {
	namespace := &Namespace{name: name, seed: maphash.MakeSeed(), shards: make([]*Shard, shardCount)}
	for i := range namespace.shards {
		namespace.shards[i] = newShard(commitlog.NewLog(ident.NewPool()))
		go namespace.shards[i].tickLoop()
	}
	return namespace
}

// Write finds the shard of a sample and writes it there.
//
//go:noinline
func (n *Namespace) Write(sample *wire.Sample) error {
	shard := n.shards[maphash.Bytes(n.seed, sample.ID)%shardCount]
	if err := shard.Write(sample); err != nil {
		return err
	}
	n.written.Add(1)
	return nil
}
