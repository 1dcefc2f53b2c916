// Package retry tries again what failed for a passing reason.
package retry

import (
	"errors"
	"time"
)

// ErrPassing marks an error after which trying again may help.
var ErrPassing = errors.New("retry: passing failure")

// Retrier knows how often and how patiently to try.
type Retrier struct {
	Attempts int
	Pause    time.Duration
}

// Attempt runs fn until it succeeds, fails for good, or the attempts are used up.
//
//go:noinline
func (r *Retrier) Attempt(fn func() error) error {
	err := r.attempt(fn)
	for tries := 1; err != nil && tries < r.Attempts && errors.Is(err, ErrPassing); tries++ {
		time.Sleep(r.Pause << tries)
		err = r.attempt(fn)
	}
	return err
}

//go:noinline
func (r *Retrier) attempt(fn func() error) error {
	return fn()
}
