package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"pipeline/wire"
)

const (
	bodies  = 32
	mostOut = 64
)

type loadOptions struct {
	url    string
	rate   float64
	series int
	length time.Duration
	seed   uint64
}

// loadSummary is what a load reports at its end.
type loadSummary struct{ sent, failed, late int64 }

func (t loadSummary) String() string {
	return fmt.Sprintf(`{"sent": %d, "failed": %d, "late": %d}`, t.sent, t.failed, t.late)
}

// runLoad writes at a rate, with the pauses between arrivals that independent callers make; it does not wait for answers,
// unless too many are due.
func runLoad(ctx context.Context, asked loadOptions) (loadSummary, error) {
	if asked.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, asked.length)
		defer cancel()
	}
	dice := rand.New(rand.NewPCG(asked.seed, 1))
	messages := draw(asked.series, dice)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: mostOut}}
	out := make(chan struct{}, mostOut)
	var all sync.WaitGroup
	var failed atomic.Int64
	var result loadSummary
	for next := time.Now(); ; next = next.Add(time.Duration(dice.ExpFloat64() / asked.rate * float64(time.Second))) {
		select {
		case <-ctx.Done():
			all.Wait()
			result.failed = failed.Load()
			return result, nil
		case <-time.After(time.Until(next)):
		}
		select {
		case out <- struct{}{}:
		default:
			result.late++ // nothing is taken that fast
			continue
		}
		body := messages[dice.IntN(len(messages))]
		result.sent++
		all.Go(func() {
			defer func() { <-out }()
			if err := write(client, asked.url, body); err != nil {
				failed.Add(1)
			}
		})
	}
}

func write(client *http.Client, url string, body []byte) error {
	answer, err := client.Post(url, "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return err
}

// draw makes messages as agents of many machines send them.
func draw(series int, dice *rand.Rand) [][]byte {
	messages := make([][]byte, bodies)
	for i := range messages {
		machine := dice.IntN(10_000)
		request := wire.Request{Series: make([]wire.Series, series)}
		for j := range request.Series {
			request.Series[j] = wire.Series{
				Labels: []wire.Label{
					{Name: "__name__", Value: fmt.Sprintf("container_metric_%02d_total", j%40)},
					{Name: "cluster", Value: "production-eu-west-1"},
					{Name: "instance", Value: fmt.Sprintf("ip-10-0-%d-%d.internal:9100", machine/256, machine%256)},
					{Name: "job", Value: "kubernetes-pods"},
					{Name: "namespace", Value: fmt.Sprintf("team-%d", machine%20)},
					{Name: "pod", Value: fmt.Sprintf("worker-6b7f9c4d58-%05d", machine)},
					{Name: "shard", Value: fmt.Sprint(j / 40)},
				},
				Samples: []wire.Sample{{Value: dice.Float64(), AtMs: 1_700_000_000_000 + int64(j)}},
			}
		}
		messages[i] = request.Marshal()
	}
	return messages
}
