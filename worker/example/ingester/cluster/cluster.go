// Package cluster writes to the replicas of a shard and waits for as many as the consistency level asks.
package cluster

import (
	"fmt"

	"ingester/retry"
	"ingester/rpc"
	"ingester/wire"
)

// Session knows the nodes. With one replica the write is passed on in the caller's goroutine.
type Session struct {
	queues  []*hostQueue
	retrier retry.Retrier
	need    int
}

// NewSession writes to nodes and is content when need of them have written.
func NewSession(retrier retry.Retrier, need int, nodes ...*rpc.Node) *Session {
	session := &Session{retrier: retrier, need: need}
	for _, node := range nodes {
		session.queues = append(session.queues, &hostQueue{node: node})
	}
	return session
}

// WriteTagged writes a batch to all replicas.
//
//go:noinline
func (s *Session) WriteTagged(namespace string, samples []wire.Sample) error {
	attempt := writeAttempt{session: s, namespace: namespace, samples: samples}
	return s.retrier.Attempt(attempt.perform)
}

// writeAttempt is what is tried again as a whole.
type writeAttempt struct {
	session   *Session
	namespace string
	samples   []wire.Sample
}

//go:noinline
func (a *writeAttempt) perform() error {
	return a.session.writeAttempt(a.namespace, a.samples)
}

//go:noinline
func (s *Session) writeAttempt(namespace string, samples []wire.Sample) error {
	var last error
	written := 0
	for _, queue := range s.queues {
		if err := queue.Enqueue(namespace, samples); err != nil {
			last = err
			continue
		}
		written++
	}
	if written < s.need {
		return fmt.Errorf("cluster: %d of %d replicas wrote: %w", written, s.need, last)
	}
	return nil
}

// hostQueue is the way to one node.
type hostQueue struct {
	node *rpc.Node
}

//go:noinline
func (q *hostQueue) Enqueue(namespace string, samples []wire.Sample) error {
	return q.asyncTaggedWrite(namespace, samples)
}

//go:noinline
func (q *hostQueue) asyncTaggedWrite(namespace string, samples []wire.Sample) error {
	return q.node.WriteTaggedBatch(namespace, samples)
}
