// Package rpc is the face that a storage node shows to its cluster.
package rpc

import (
	"errors"
	"sync/atomic"

	"ingester/storage"
	"ingester/wire"
)

// ErrOverloaded is returned when a node has more writes under way than it wants.
var ErrOverloaded = errors.New("rpc: node is overloaded")

const maxPending = 4096

// Node answers writes of a cluster session.
type Node struct {
	db      *storage.DB
	pending atomic.Int64
	Errors  atomic.Uint64
}

// NewNode serves db.
func NewNode(db *storage.DB) *Node {
	return &Node{db: db}
}

// WriteTaggedBatch writes one batch unless the node is overloaded.
//
//go:noinline
func (n *Node) WriteTaggedBatch(namespace string, samples []wire.Sample) error {
	if n.pending.Add(1) > maxPending {
		n.pending.Add(-1)
		return ErrOverloaded
	}
	err := n.writeTaggedBatch(namespace, samples)
	n.pending.Add(-1)
	return err
}

//go:noinline
func (n *Node) writeTaggedBatch(namespace string, samples []wire.Sample) error {
	written, err := n.db.WriteBatch(namespace, samples)
	if err != nil {
		n.Errors.Add(uint64(len(samples) - written))
	}
	return err
}
