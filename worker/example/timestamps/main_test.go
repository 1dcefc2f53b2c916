package main

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test's own binary be the oracle, as the program starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-serve" {
		if err := serveAlone(os.Stdin, os.Stdout, 0); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestTimestampsOnlyGrow(t *testing.T) {
	var source oracle
	now := time.UnixMilli(1_700_000_000_000)
	last := uint64(0)
	for i, moment := range []time.Time{now, now, now.Add(-time.Hour), now.Add(time.Millisecond)} {
		first, err := source.take(1000, moment)
		if err != nil || first < last {
			t.Fatal(i, first, last, err)
		}
		last = first + 1000
	}
	if last>>logicalBits != uint64(now.UnixMilli()+1) {
		t.Error("the clock is not in them:", last>>logicalBits)
	}
	for _, wanted := range []uint32{0, mostWanted + 1} {
		if _, err := source.take(wanted, now); !errors.Is(err, errTooMany) {
			t.Error(wanted, err)
		}
	}
}

func TestABatchIsAskedForAtOnceAndHandedOut(t *testing.T) {
	near, far := net.Pipe()
	requests := make(chan request, 3)
	answers := make([]chan uint64, 3)
	for i := range answers {
		answers[i] = make(chan uint64, 1)
		requests <- request{answers[i]}
	}
	go batcher(near, requests)
	var question [questionBytes]byte
	if _, err := io.ReadFull(far, question[:]); err != nil || binary.LittleEndian.Uint32(question[:]) != 3 {
		t.Fatal("one question for all three:", question, err)
	}
	if _, err := far.Write(binary.LittleEndian.AppendUint64(nil, 40)); err != nil {
		t.Fatal(err)
	}
	for i, answer := range answers {
		if got := <-answer; got != uint64(40+i) {
			t.Error(i, got)
		}
	}
	close(requests)
}

func TestABatchHasAnEnd(t *testing.T) {
	requests := make(chan request, 2*largestBatch)
	for range cap(requests) {
		requests <- request{}
	}
	if got := len(gather(make([]request, 0, largestBatch), requests)); got != largestBatch {
		t.Error(got)
	}
}

func TestCallersGetDifferentTimestampsFromAnOracleOfItsOwn(t *testing.T) {
	address, stop, err := startOracle(0)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	requests := make(chan request, 8)
	go batcher(conn, requests)
	answer, seen := make(chan uint64, 1), map[uint64]bool{}
	for range 200 {
		requests <- request{answer}
		seen[<-answer] = true
	}
	if len(seen) != 200 {
		t.Error("some were handed out twice:", len(seen))
	}
	var answered atomic.Int64
	go caller(requests, load{3, newStore(2)}, time.Microsecond, rand.New(rand.NewPCG(1, 1)), &answered)
	for deadline := time.Now().Add(5 * time.Second); answered.Load() < 100; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("only", answered.Load())
		}
	}
}

func TestATraceIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.trace")
	asked := options{
		callers: 4, tickers: 2, pingers: 1, pause: time.Millisecond, tick: time.Millisecond, garbage: 5,
		trace: path, until: limits{200 * time.Millisecond, 1 << 30}, samples: true,
	}
	recorded, err := run(asked)
	if err != nil || recorded.Requests == 0 || recorded.WallNs < 200e6 || recorded.CPUNs == 0 || recorded.Gomaxprocs == 0 {
		t.Fatal(recorded, err)
	}
	content, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(content), "go 1.") {
		t.Error("no trace:", err)
	}
}

func TestARecordingEndsAtItsSize(t *testing.T) {
	asked := options{
		callers: 1, pingers: 2, pause: time.Millisecond,
		trace: filepath.Join(t.TempDir(), "a.trace"), until: limits{time.Minute, 1 << 16},
	}
	if recorded, err := run(asked); err != nil || recorded.WallNs > int64(20*time.Second) {
		t.Error(recorded, err)
	}
}

func TestWithoutAFileItSaysSo(t *testing.T) {
	if _, err := run(options{}); err == nil || !strings.Contains(err.Error(), "-trace") {
		t.Error(err)
	}
}
