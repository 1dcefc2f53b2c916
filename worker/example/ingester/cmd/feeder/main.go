// Command feeder sends bursts of batches to an ingester, as an aggregation tier does when its window closes. It keeps to a
// schedule (open loop): what could not be sent in time is sent late, never left out.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"ingester/wire"
)

type options struct {
	url         string
	rate        float64
	samples     int
	series      int
	burst       time.Duration
	connections int
	seed        uint64
	length      time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.url, "url", "http://127.0.0.1:7400/write", "where to send")
	flag.Float64Var(&o.rate, "rate", 100_000, "batches a second, on average")
	flag.IntVar(&o.samples, "samples", 8, "samples a batch")
	flag.IntVar(&o.series, "series", 6_000, "distinct series")
	flag.DurationVar(&o.burst, "burst", 60*time.Millisecond, "mean time between bursts; each pause is drawn from half to one and a half of it")
	flag.IntVar(&o.connections, "connections", 2, "bursts are spread over so many connections")
	flag.Uint64Var(&o.seed, "seed", 1, "for the drawing of pauses and series")
	flag.DurationVar(&o.length, "for", 0, "stop after this time (0 = never)")
	flag.Parse()
	if err := feed(o); err != nil {
		log.Fatal(err)
	}
}

// feed sends bursts until its time is up. A pause is drawn at random: bursts in step with the profiler's clock would be seen
// always or never.
func feed(o options) error {
	dice := rand.New(rand.NewPCG(o.seed, 7))
	bodies := prepare(o, dice)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.connections}}
	start := time.Now()
	due := start
	for sent := 0; o.length == 0 || time.Since(start) < o.length; sent++ {
		pause := time.Duration(float64(o.burst) * (0.5 + dice.Float64()))
		batches := int(o.rate * pause.Seconds())
		due = due.Add(pause)
		time.Sleep(time.Until(due))
		if err := sendBurst(client, o, bodies, sent, batches); err != nil {
			return err
		}
	}
	return nil
}

// prepare builds a long run of frames for each connection; bursts are cut out of it at frame borders.
func prepare(o options, dice *rand.Rand) [][]byte {
	bodies := make([][]byte, o.connections)
	batch := make([]wire.Sample, o.samples)
	for c := range bodies {
		for range 12_000 {
			for i := range batch {
				n := dice.IntN(o.series)
				batch[i] = wire.Sample{
					ID:    fmt.Appendf(nil, "api.requests.latency{dc=ams%d,host=web-%04d,status=%d00,tier=core}", n%3, n%1000, n%4+2),
					Value: float64(dice.IntN(1000)) / 8,
				}
				batch[i].ID = fmt.Appendf(batch[i].ID[:len(batch[i].ID)-1], ",route=r%d}", n/1000)
			}
			bodies[c] = wire.AppendFrame(bodies[c], 0, batch)
		}
	}
	return bodies
}

// cut restamps and returns so many frames from a random place of a body.
func cut(body []byte, offset *int, batches int, now int64) []byte {
	if *offset >= len(body) {
		*offset = 0
	}
	start, at := *offset, *offset
	for range batches {
		if at >= len(body) {
			break
		}
		length := int(binary.LittleEndian.Uint32(body[at:]))
		wire.Restamp(body[at+4:], now)
		at += 4 + length
	}
	*offset = at
	return body[start:at]
}

var offsets [64]int

func sendBurst(client *http.Client, o options, bodies [][]byte, _ int, batches int) error {
	var wait sync.WaitGroup
	errs := make([]error, len(bodies))
	now := time.Now().UnixNano()
	for c := range bodies {
		wait.Go(func() {
			for left := batches / len(bodies); left > 0; {
				part := cut(bodies[c], &offsets[c], left, now)
				left -= count(part)
				if errs[c] = post(client, o.url, part); errs[c] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func count(part []byte) int {
	frames := 0
	for at := 0; at < len(part); frames++ {
		at += 4 + int(binary.LittleEndian.Uint32(part[at:]))
	}
	return frames
}

func post(client *http.Client, url string, body []byte) error {
	answer, err := client.Post(url, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err == nil && answer.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("feeder: %s: %s", answer.Status, text)
	}
	return err
}
