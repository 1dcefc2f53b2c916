package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"pipeline/wire"
)

const (
	largestWrite   = 8 << 20
	mostLabels     = 30
	longestText    = 2048
	ingesterWaits  = 5 * time.Second
	connectionsFar = 64
)

// distributor checks a write and hands it to every ingester.
type distributor struct {
	ingesters []string
	texts     wire.Texts
	used      sync.Pool // *wire.Request, to be filled again
	kept      *keeper
	client    *http.Client
}

func newDistributor(asked options) *distributor {
	transport := &http.Transport{MaxIdleConnsPerHost: connectionsFar, MaxConnsPerHost: connectionsFar}
	return &distributor{
		ingesters: asked.ingesters,
		texts:     asked.texts,
		used:      sync.Pool{New: func() any { return new(wire.Request) }},
		kept:      newKeeper(asked.kept),
		client:    &http.Client{Transport: transport, Timeout: ingesterWaits},
	}
}

// push takes one write. What is between the end of the span "read body" and the first call of an ingester no span
// covers: there the message is read and checked.
func (d *distributor) push(ctx context.Context, r *http.Request) error {
	_, reading := tracer().Start(ctx, "read body")
	body, err := readBody(r)
	reading.End()
	if err != nil {
		return err
	}
	if err = d.read(body); err != nil {
		return refused{err}
	}
	return d.toAll(ctx, body)
}

// read checks a write and stores it. Labels that are separate strings are stored; labels that point into the message
// are read and dropped, the message is stored as it came, and the memory they were read into is used again.
func (d *distributor) read(body []byte) error {
	if d.texts == wire.Copy {
		request := new(wire.Request)
		if err := request.Unmarshal(body, wire.Copy); err != nil {
			return err
		}
		d.kept.keep(storedWrite{request: request})
		return check(request)
	}
	request := d.used.Get().(*wire.Request)
	defer d.used.Put(request)
	if err := request.Unmarshal(body, wire.ZeroCopy); err != nil {
		return err
	}
	d.kept.keep(storedWrite{body: body})
	return check(request)
}

func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength < 0 || r.ContentLength > largestWrite {
		return nil, refused{fmt.Errorf("a write has at most %d bytes, and says how many", largestWrite)}
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, body)
	return body, err
}

// check refuses labels that are too many, too long, or not in order.
func check(request *wire.Request) error {
	for i := range request.Series {
		labels := request.Series[i].Labels
		if len(labels) == 0 || len(labels) > mostLabels {
			return fmt.Errorf("a series has 1 to %d labels, not %d", mostLabels, len(labels))
		}
		for j, label := range labels {
			if len(label.Name) > longestText || len(label.Value) > longestText {
				return fmt.Errorf("a label is longer than %d bytes", longestText)
			}
			if j > 0 && labels[j-1].Name >= label.Name {
				return errors.New("labels are not in order")
			}
		}
	}
	return nil
}

// toAll writes to every ingester at once, and waits for all of them.
func (d *distributor) toAll(ctx context.Context, body []byte) error {
	failed := make([]error, len(d.ingesters))
	var all sync.WaitGroup
	for i, address := range d.ingesters {
		all.Go(func() { failed[i] = d.to(ctx, address, body) })
	}
	all.Wait()
	return errors.Join(failed...)
}

func (d *distributor) to(ctx context.Context, address string, body []byte) (err error) {
	ctx, span := tracer().Start(ctx, "Ingester/Push", trace.WithSpanKind(trace.SpanKindClient))
	defer func() {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}()
	url := "http://" + address + "/api/v1/push"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(request.Header))
	answer, err := d.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("ingester %s answers %d", address, answer.StatusCode)
	}
	return err
}

// storedWrite is a write as it came, or as it was read.
type storedWrite struct {
	body    []byte
	request *wire.Request
}

// keeper holds the latest writes, so that an ingester that comes back can be given what it missed.
type keeper struct {
	slots []atomic.Pointer[storedWrite]
	next  atomic.Uint64
}

func newKeeper(writes int) *keeper {
	return &keeper{slots: make([]atomic.Pointer[storedWrite], max(1, writes))}
}

func (k *keeper) keep(write storedWrite) {
	number := k.next.Add(1) - 1
	k.slots[number%uint64(len(k.slots))].Store(&write)
}
