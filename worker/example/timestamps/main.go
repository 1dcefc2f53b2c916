// Command timestamps is a client of a timestamp oracle and records execution traces of itself. It is the second
// example of an investigation: see the README in the folder above.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

type options struct {
	callers, tickers, hogs, pingers int
	pause, tick, warm, away         time.Duration
	tickSteps, garbage, kept, gogc  int
	seed                            uint64
	trace                           string
	until                           limits
	samples, serve                  bool
}

func main() {
	log.SetFlags(0)
	asked := flags()
	if asked.serve {
		if err := serveAlone(os.Stdin, os.Stdout, asked.away); err != nil {
			log.Fatal("timestamps: ", err)
		}
		return
	}
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(asked.gogc)
	recorded, err := run(asked)
	if err != nil {
		log.Fatal("timestamps: ", err)
	}
	if err := writeWindow(os.Stdout, recorded); err != nil {
		log.Fatal("timestamps: ", err)
	}
}

func flags() options {
	var asked options
	flag.BoolVar(&asked.serve, "serve", false, "be the oracle: the program starts itself so")
	flag.StringVar(&asked.trace, "trace", "", "file for the execution trace")
	flag.DurationVar(&asked.until.length, "for", 2500*time.Millisecond, "length of the trace at most")
	flag.Int64Var(&asked.until.bytes, "bytes", 1<<40, "size of the trace at most, about")
	flag.DurationVar(&asked.away, "away", time.Millisecond, "how far away the oracle is: how long it takes to answer")
	flag.DurationVar(&asked.warm, "warm", 500*time.Millisecond, "time before the trace")
	flag.BoolVar(&asked.samples, "samples", false, "CPU samples in the trace")
	flag.IntVar(&asked.callers, "callers", 64, "goroutines that run transactions, two timestamps each")
	flag.DurationVar(&asked.pause, "pause", 20*time.Millisecond, "their mean pause between transactions")
	flag.IntVar(&asked.hogs, "hogs", 0, "goroutines that compute all the time")
	flag.IntVar(&asked.tickers, "tickers", 0, "goroutines that tick")
	flag.DurationVar(&asked.tick, "tick", 100*time.Millisecond, "time between ticks")
	flag.IntVar(&asked.tickSteps, "tick-steps", 20_000, "work of a tick, about two nanoseconds a step")
	flag.IntVar(&asked.garbage, "garbage", 0, "records that a transaction makes and drops")
	flag.IntVar(&asked.kept, "kept", 500, "transactions whose records stay in memory")
	flag.IntVar(&asked.gogc, "gogc", 100, "by how many percent the heap may grow until it is collected")
	flag.IntVar(&asked.pingers, "pingers", 0, "pairs of goroutines that hand a token back and forth: many events")
	flag.Uint64Var(&asked.seed, "seed", 1, "draws the pauses")
	flag.Parse()
	return asked
}

// run starts everything, waits until it is warm, and records.
func run(asked options) (window, error) {
	if asked.trace == "" {
		return window{}, fmt.Errorf("name a file with -trace")
	}
	address, stop, err := startOracle(asked.away)
	if err != nil {
		return window{}, err
	}
	defer stop()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return window{}, err
	}
	defer conn.Close()
	var far progress
	start(asked, conn, &far)
	time.Sleep(asked.warm)
	return capture(asked.trace, asked.until, asked.samples, &far)
}

// start starts all goroutines; they run until the process ends.
func start(asked options, conn net.Conn, far *progress) {
	requests := make(chan request, largestBatch)
	work := load{asked.garbage, newStore(max(1, asked.kept))}
	go batcher(conn, requests)
	for number := range asked.callers {
		go caller(requests, work, asked.pause, rand.New(rand.NewPCG(asked.seed, uint64(number))), &far.answered)
	}
	for range asked.tickers {
		go ticker(asked.tick, asked.tickSteps)
	}
	for range asked.pingers {
		there, back := make(chan struct{}, 1), make(chan struct{}, 1)
		go pinger(there, back, &far.full)
		go pinger(back, there, &far.full)
		there <- struct{}{}
	}
	for range asked.hogs {
		go hog()
	}
}
