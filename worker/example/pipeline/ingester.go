package main

import (
	"context"
	"hash/maphash"
	"net/http"
	"sync"

	"pipeline/wire"
)

const shards = 16

// ingester keeps the latest sample of each series.
type ingester struct {
	seed   maphash.Seed
	shards [shards]shard
	used   sync.Pool // *wire.Request, to be filled again
}

type shard struct {
	sync.Mutex
	latest map[uint64]wire.Sample
}

func newIngester() *ingester {
	made := &ingester{seed: maphash.MakeSeed(), used: sync.Pool{New: func() any { return new(wire.Request) }}}
	for i := range made.shards {
		made.shards[i].latest = make(map[uint64]wire.Sample)
	}
	return made
}

// push takes what a distributor hands on. Nothing of the message outlives the call, so its texts need no copies.
func (g *ingester) push(_ context.Context, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	request := g.used.Get().(*wire.Request)
	defer g.used.Put(request)
	if err = request.Unmarshal(body, wire.ZeroCopy); err != nil {
		return refused{err}
	}
	for i := range request.Series {
		g.append(&request.Series[i])
	}
	return nil
}

func (g *ingester) append(series *wire.Series) {
	var hash maphash.Hash
	hash.SetSeed(g.seed)
	for _, label := range series.Labels {
		hash.WriteString(label.Name)
		hash.WriteByte(0)
		hash.WriteString(label.Value)
		hash.WriteByte(0)
	}
	sum := hash.Sum64()
	part := &g.shards[sum%shards]
	part.Lock()
	defer part.Unlock()
	for _, sample := range series.Samples {
		part.latest[sum] = sample
	}
}
