package storage

import (
	"errors"
	"sync"
	"time"

	"ingester/commitlog"
	"ingester/series"
	"ingester/wire"
)

// ErrTooManySeries is returned when a shard holds as many series as it may.
var ErrTooManySeries = errors.New("storage: shard holds too many series")

// ErrTooFarOff is returned for a sample from another hour.
var ErrTooFarOff = errors.New("storage: sample is too far from now")

// Shard holds the series of one slice of the identifier space.
type Shard struct {
	log    *commitlog.Log
	mu     sync.RWMutex
	series map[string]*entry
	nowNs  int64
}

// entry is a series with the lock of its open block.
type entry struct {
	mu     sync.Mutex
	series *series.Series
}

func newShard(log *commitlog.Log) *Shard {
	return &Shard{log: log, series: make(map[string]*entry), nowNs: time.Now().UnixNano()}
}

// tickLoop keeps the shard's coarse clock; it parks between ticks.
func (s *Shard) tickLoop() {
	for range time.Tick(time.Second) {
		now := time.Now().UnixNano()
		s.mu.Lock()
		s.nowNs = now
		s.mu.Unlock()
	}
}

// Write checks one sample and writes it to its series and to the log.
//
//go:noinline
func (s *Shard) Write(sample *wire.Sample) error {
	found, nowNs := s.lookup(sample.ID)
	if sample.TimeNs > nowNs+maxSkewNs || sample.TimeNs < nowNs-maxSkewNs {
		return ErrTooFarOff
	}
	if found == nil {
		created, err := s.insert(sample.ID)
		if err != nil {
			return err
		}
		found = created
	}
	return s.writeAndIndex(found, sample)
}

//go:noinline
func (s *Shard) lookup(id []byte) (*entry, int64) {
	s.mu.RLock()
	found, nowNs := s.series[string(id)], s.nowNs
	s.mu.RUnlock()
	return found, nowNs
}

func (s *Shard) insert(id []byte) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, present := s.series[string(id)]; present {
		return found, nil
	}
	if len(s.series) >= defaultBounds {
		return nil, ErrTooManySeries
	}
	name := string(id)
	created := &entry{series: series.New(name)}
	s.series[name] = created
	return created, nil
}

//go:noinline
func (s *Shard) writeAndIndex(target *entry, sample *wire.Sample) error {
	target.mu.Lock()
	target.series.Write(sample.TimeNs, sample.Value)
	target.mu.Unlock()
	return s.log.Write(sample)
}
