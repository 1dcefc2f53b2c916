// Package fanout writes to several stores as if they were one.
package fanout

import (
	"errors"

	"ingester/wire"
)

// Store is anything that takes batches.
type Store interface {
	WriteTagged(namespace string, samples []wire.Sample) error
}

// Attributes say what a store keeps.
type Attributes struct {
	Namespace string
	Unwanted  byte // first letter of identifiers that the store does not keep; 0 = keeps all
}

// Target is a store with what it keeps.
type Target struct {
	Store      Store
	Attributes Attributes
}

// Storage writes each batch to every target.
type Storage struct {
	targets []Target
}

// New makes a storage over targets.
func New(targets ...Target) *Storage {
	return &Storage{targets: targets}
}

// Write writes one batch to all targets and joins their errors.
//
//go:noinline
func (s *Storage) Write(samples []wire.Sample) error {
	var errs []error
	for i := range s.targets {
		if err := s.writeSingle(&s.targets[i], samples); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

//go:noinline
func (s *Storage) writeSingle(target *Target, samples []wire.Sample) error {
	if unwanted := target.Attributes.Unwanted; unwanted != 0 && len(samples) > 0 && len(samples[0].ID) > 0 && samples[0].ID[0] == unwanted {
		return nil
	}
	return target.Store.WriteTagged(target.Attributes.Namespace, samples)
}
