// Command load sends requests to a program under test, at a rate that can be changed while it runs, and counts those that
// were answered. It reads its targets from a file and is controlled over HTTP:
//
//	GET  /count                    requests answered and failed so far
//	POST /phase?rate=R&heavy=H     R requests a second; H of them (0 to 1) are drawn from the heavy targets
//	GET  /page                     a small backend for proxies under test
//
// Requests are sent in small bursts at random intervals, or with -every at exact intervals (in lockstep with a profiler).
// With -neighbor it sends nothing and disturbs the machine instead: bursts of work over a memory larger than the caches.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Target is one kind of request. Line is repeated Repeat times; see expand for its placeholders.
type Target struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Line   string `json:"line"`
	Repeat int    `json:"repeat"`
	Pad    int    `json:"pad"`
	Weight int    `json:"weight"`
	Heavy  bool   `json:"heavy"`
}

type plan struct {
	Connections int      `json:"connections"`
	Keys        int      `json:"keys"`
	NATS        string   `json:"nats"`
	Targets     []Target `json:"targets"`
}

type sender func(r *rand.Rand, t *Target) error

var (
	answered, failed atomic.Int64
	rate, heavy      atomic.Uint64 // both times a million
)

func main() {
	file := flag.String("plan", "", "targets (JSON)")
	listen := flag.String("listen", "127.0.0.1:7500", "address of the control and of the backend")
	every := flag.Duration("every", 0, "send exactly so often, not at random intervals")
	neighbor := flag.Bool("neighbor", false, "disturb the machine instead")
	flag.Parse()
	if *neighbor {
		disturb()
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		log.Fatal(err)
	}
	var p plan
	if err := json.Unmarshal(text, &p); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /count", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"answered": %d, "failed": %d}`, answered.Load(), failed.Load())
	})
	http.HandleFunc("POST /phase", func(w http.ResponseWriter, r *http.Request) {
		set(&rate, r.FormValue("rate"))
		set(&heavy, r.FormValue("heavy"))
	})
	page := []byte(strings.Repeat(`{"id": 4711, "name": "a page of the backend", "tags": ["a", "b"]},`, 40))
	http.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(page)
	})
	go func() { log.Fatal(http.ListenAndServe(*listen, nil)) }()
	send(p, *every)
}

func set(to *atomic.Uint64, text string) {
	value, err := strconv.ParseFloat(text, 64)
	if err == nil && value >= 0 {
		to.Store(uint64(value * 1e6))
	}
}

// send hands out jobs to the connections. It is an open loop, but never more than a tenth of a second behind: a program that
// cannot keep up is not sent a backlog.
func send(p plan, every time.Duration) {
	var light, weighty []*Target
	for i := range p.Targets {
		t := &p.Targets[i]
		for range max(t.Weight, 1) {
			if t.Heavy {
				weighty = append(weighty, t)
			} else {
				light = append(light, t)
			}
		}
	}
	jobs := make(chan *Target, 4096)
	for c := range p.Connections {
		go work(p, uint64(c), jobs)
	}
	dice := rand.New(rand.NewPCG(1, 7))
	due, owed := time.Now(), 0.0
	for {
		pause := every
		if every == 0 {
			pause = time.Duration(float64(5*time.Millisecond) * (0.5 + dice.Float64()))
		}
		due = due.Add(pause)
		if time.Since(due) > 100*time.Millisecond {
			due = time.Now()
		}
		time.Sleep(time.Until(due))
		for owed += float64(rate.Load()) / 1e6 * pause.Seconds(); owed >= 1; owed-- {
			from := light
			if len(weighty) > 0 && dice.Float64() < float64(heavy.Load())/1e6 {
				from = weighty
			}
			select {
			case jobs <- from[dice.IntN(len(from))]:
			default:
				failed.Add(1)
			}
		}
	}
}

func work(p plan, seed uint64, jobs <-chan *Target) {
	dice := rand.New(rand.NewPCG(seed, 11))
	once := overHTTP(p)
	if p.NATS != "" {
		once = overNATS(p)
	}
	for t := range jobs {
		if err := once(dice, t); err != nil {
			failed.Add(1)
			continue
		}
		answered.Add(1)
	}
}

func overHTTP(p plan) sender {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}, Timeout: 10 * time.Second}
	var body bytes.Buffer
	return func(r *rand.Rand, t *Target) error {
		body.Reset()
		for range t.Repeat {
			expand(&body, t.Line, r, p.Keys, t.Pad)
		}
		var url bytes.Buffer
		expand(&url, t.URL, r, p.Keys, t.Pad)
		request, err := http.NewRequest(t.Method, url.String(), bytes.NewReader(body.Bytes()))
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		if err == nil && response.StatusCode >= 400 {
			err = fmt.Errorf("status %d", response.StatusCode)
		}
		return err
	}
}

// overNATS publishes on one connection; subscribers on another receive everything.
func overNATS(p plan) sender {
	connection := dial(p.NATS)
	subscriber := dial(p.NATS)
	fmt.Fprintf(subscriber, "SUB load.> 1\r\nSUB load.*.%d 2\r\n", rand.IntN(p.Keys))
	out := bufio.NewWriterSize(connection, 1<<15)
	var lock sync.Mutex
	go func() {
		for range time.Tick(2 * time.Millisecond) {
			lock.Lock()
			_ = out.Flush()
			lock.Unlock()
		}
	}()
	payload := bytes.Repeat([]byte("x"), 1<<20)
	return func(r *rand.Rand, t *Target) error {
		lock.Lock()
		defer lock.Unlock()
		fmt.Fprintf(out, "PUB load.%d.%d %d\r\n", r.IntN(16), r.IntN(p.Keys), t.Pad)
		_, _ = out.Write(payload[:t.Pad])
		_, err := out.WriteString("\r\n")
		return err
	}
}

func dial(address string) net.Conn {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	_, _ = connection.Write([]byte("CONNECT {\"verbose\":false,\"pedantic\":false}\r\nPING\r\n"))
	go func() {
		buffer := make([]byte, 1<<16)
		for {
			n, err := connection.Read(buffer)
			if err != nil {
				log.Fatal(err)
			}
			if bytes.HasPrefix(buffer[:n], []byte("PING")) {
				_, _ = connection.Write([]byte("PONG\r\n"))
			}
		}
	}()
	return connection
}

// expand replaces {n} by a random number below keys, {key} by the base64 of a key, {pad} by pad letters, {now} by the time (ms).
func expand(to *bytes.Buffer, line string, r *rand.Rand, keys, pad int) {
	for {
		before, after, found := strings.Cut(line, "{")
		to.WriteString(before)
		if !found {
			return
		}
		name, rest, closed := strings.Cut(after, "}")
		switch {
		case closed && name == "n":
			fmt.Fprint(to, r.IntN(keys))
		case closed && name == "key":
			to.WriteString(base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "key-%08d", r.IntN(keys))))
		case closed && name == "pad":
			for range pad {
				to.WriteByte("ABCDEFGHIJKLMNOPabcdefghijklmnop"[r.IntN(32)])
			}
		case closed && name == "now":
			fmt.Fprint(to, time.Now().UnixMilli())
		default:
			to.WriteByte('{')
			rest = after
		}
		line = rest
	}
}

func disturb() {
	memory := make([]uint64, 8<<20)
	dice := rand.New(rand.NewPCG(3, 5))
	for {
		until := time.Now().Add(time.Duration(50+dice.IntN(300)) * time.Millisecond)
		for time.Now().Before(until) {
			for range 4096 {
				memory[dice.IntN(len(memory))] += dice.Uint64()
			}
		}
		time.Sleep(time.Duration(20+dice.IntN(200)) * time.Millisecond)
	}
}
