// Command shopper sends baskets to a quoter at a steady rate. It keeps to a schedule (open loop): what could not be sent in
// time is sent late, never left out.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

var (
	kinds = []string{"hammer", "saw", "plane", "chisel", "vice", "square", "drill", "file"}
	codes = []string{"SEK", "NOK", "DKK", "EUR", "CHF", "PLN", "CZK", "GBP"}
)

func main() {
	url := flag.String("url", "http://127.0.0.1:7500/quote", "where to send")
	rate := flag.Float64("rate", 3_000, "baskets a second")
	lines := flag.Int("lines", 200, "lines a basket")
	connections := flag.Int("connections", 2, "connections they are spread over")
	seed := flag.Uint64("seed", 1, "for the drawing of baskets and pauses")
	flag.Parse()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *connections}}
	var wait sync.WaitGroup
	for c := range *connections {
		wait.Go(func() {
			log.Fatal(shop(client, *url, *rate/float64(*connections), *lines, rand.New(rand.NewPCG(*seed, uint64(c)))))
		})
	}
	wait.Wait()
}

// shop sends baskets until one fails. A pause is drawn at random: a rhythm in step with the profiler's clock would be seen
// always or never.
func shop(client *http.Client, url string, rate float64, lines int, dice *rand.Rand) error {
	baskets := make([][]byte, 64)
	for b := range baskets {
		for range lines {
			baskets[b] = fmt.Appendf(baskets[b], "%s-%d %d %s\n", kinds[dice.IntN(8)], dice.IntN(500), 1+dice.IntN(60), codes[dice.IntN(8)])
		}
	}
	due := time.Now()
	for {
		due = due.Add(time.Duration(float64(time.Second) / rate * (0.5 + dice.Float64())))
		time.Sleep(time.Until(due))
		if err := post(client, url, baskets[dice.IntN(len(baskets))]); err != nil {
			return err
		}
	}
}

func post(client *http.Client, url string, body []byte) error {
	answer, err := client.Post(url, "text/plain", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("shopper: %s: %s", answer.Status, text)
	}
	return err
}
