// Package ingest takes bursts of batches over HTTP and writes each batch in a goroutine.
package ingest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"ingester/meter"
	"ingester/retry"
	"ingester/wire"
)

// maxBurstBytes bounds the body of one request.
const maxBurstBytes = 32 << 20

// Appender is what a batch is handed to.
type Appender interface {
	Append(samples []wire.Sample) error
}

// Handler answers POST /write.
type Handler struct {
	appender Appender
	meter    *meter.Meter
	retrier  retry.Retrier
	spawner  *spawner
	bodies   sync.Pool
}

// NewHandler writes to appender, at most limit batches at a time.
func NewHandler(appender Appender, meter *meter.Meter, retrier retry.Retrier, limit int) *Handler {
	handler := &Handler{appender: appender, meter: meter, retrier: retrier}
	handler.bodies.New = func() any { return &[]byte{} }
	handler.spawner = newSpawner(limit)
	return handler
}

// burst is one request's body while its batches are being written.
type burst struct {
	handler *Handler
	waiting sync.WaitGroup
	mu      sync.Mutex
	failure error
}

// ServeHTTP reads a burst and answers when all its batches are written.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := h.bodies.Get().(*[]byte)
	defer h.bodies.Put(body)
	if err := readBody(w, r, body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	under := &burst{handler: h}
	err := under.spawnAll(*body)
	under.waiting.Wait()
	if err = errors.Join(err, under.failure); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func readBody(w http.ResponseWriter, r *http.Request, body *[]byte) error {
	if r.ContentLength < 0 || r.ContentLength > maxBurstBytes {
		return fmt.Errorf("ingest: a burst is at most %d bytes long and says its length", maxBurstBytes)
	}
	if int64(cap(*body)) < r.ContentLength {
		*body = make([]byte, r.ContentLength)
	}
	*body = (*body)[:r.ContentLength]
	_, err := io.ReadFull(http.MaxBytesReader(w, r.Body, maxBurstBytes), *body)
	return err
}

func (b *burst) spawnAll(body []byte) error {
	for len(body) > 0 {
		if len(body) < 4 {
			return wire.ErrFrame
		}
		length := binary.LittleEndian.Uint32(body)
		if length > wire.MaxFrameBytes || int(length) > len(body)-4 {
			return wire.ErrFrame
		}
		frame := body[4 : 4+length]
		body = body[4+length:]
		b.waiting.Add(1)
		b.handler.spawner.spawn(b, frame)
	}
	return nil
}

// writeFrame is the whole life of one batch.
//
//go:noinline
func (b *burst) writeFrame(frame []byte) {
	written, err := b.handler.decodeAndWrite(frame)
	b.handler.meter.Batch(written, time.Duration(time.Now().UnixNano()-wire.SentNs(frame)), err)
	if err != nil {
		b.fail(err)
	}
	b.waiting.Done()
}

func (b *burst) fail(err error) {
	b.mu.Lock()
	if b.failure == nil {
		b.failure = err
	}
	b.mu.Unlock()
}

//go:noinline
func (h *Handler) decodeAndWrite(frame []byte) (int, error) {
	samples, err := wire.Decode(frame)
	if err != nil {
		return 0, err
	}
	return len(samples), h.writeBatch(samples)
}

//go:noinline
func (h *Handler) writeBatch(samples []wire.Sample) error {
	attempt := batchAttempt{handler: h, samples: samples}
	return h.retrier.Attempt(attempt.perform)
}

// batchAttempt is what is tried again as a whole.
type batchAttempt struct {
	handler *Handler
	samples []wire.Sample
}

//go:noinline
func (a *batchAttempt) perform() error {
	return a.handler.writeWithOptions(a.samples)
}

//go:noinline
func (h *Handler) writeWithOptions(samples []wire.Sample) error {
	if len(samples) == 0 {
		return nil
	}
	return h.appender.Append(samples)
}
