// Package downsample applies rollup rules to samples before they are stored.
package downsample

import (
	"bytes"
	"sync/atomic"

	"ingester/wire"
)

// Sink takes what the appender lets through.
type Sink interface {
	Write(samples []wire.Sample) error
}

// Rule matches identifiers by a tag.
type Rule struct {
	Tag   []byte
	Value []byte
	Drop  bool
}

// Appender matches samples against rules and passes them on.
type Appender struct {
	sink    Sink
	rules   []Rule
	matched atomic.Uint64
	dropped atomic.Uint64
}

// NewAppender makes an appender before sink.
func NewAppender(sink Sink, rules ...Rule) *Appender {
	return &Appender{sink: sink, rules: rules}
}

// Append applies the rules to a batch, in place, and passes on what stays.
//
//go:noinline
func (a *Appender) Append(samples []wire.Sample) error {
	kept := samples[:0]
	matched := 0
	for i := range samples {
		rule := a.match(samples[i].ID)
		if rule != nil {
			matched++
			if rule.Drop {
				continue
			}
		}
		kept = append(kept, samples[i])
	}
	a.matched.Add(uint64(matched))
	a.dropped.Add(uint64(len(samples) - len(kept)))
	return a.appendMatched(kept)
}

//go:noinline
func (a *Appender) appendMatched(samples []wire.Sample) error {
	if len(samples) == 0 {
		return nil
	}
	return a.sink.Write(samples)
}

// match finds the first rule whose tag=value pair the identifier carries.
func (a *Appender) match(id []byte) *Rule {
	open := bytes.IndexByte(id, '{')
	if open < 0 {
		return nil
	}
	tags := id[open+1:]
	for len(tags) > 0 {
		equals := bytes.IndexByte(tags, '=')
		if equals < 0 {
			return nil
		}
		end := bytes.IndexByte(tags, ',')
		if end < 0 {
			end = len(tags) - 1
		}
		if end < equals {
			return nil
		}
		for i := range a.rules {
			if bytes.Equal(a.rules[i].Tag, tags[:equals]) && bytes.Equal(a.rules[i].Value, tags[equals+1:end]) {
				return &a.rules[i]
			}
		}
		if end+1 >= len(tags) {
			return nil
		}
		tags = tags[end+1:]
	}
	return nil
}
