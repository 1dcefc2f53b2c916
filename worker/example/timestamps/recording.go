package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync/atomic"
	"syscall"
	"time"
)

// window is what the recording covers, and what happened meanwhile.
type window struct {
	Requests   int64  `json:"requests"`
	WallNs     int64  `json:"wall_ns"`
	CPUNs      int64  `json:"cpu_ns"`
	DeniedNs   int64  `json:"denied_ns"` // threads were ready to run, and the machine ran something else
	GoVersion  string `json:"go_version"`
	Goos       string `json:"goos"`
	Goarch     string `json:"goarch"`
	Gomaxprocs int    `json:"gomaxprocs"`
}

// limits end a recording: whichever is reached first.
type limits struct {
	length time.Duration
	bytes  int64
}

// progress is how far everything is.
type progress struct {
	answered atomic.Int64 // timestamps that callers have got
	full     atomic.Bool  // the recording has its size
}

// capture writes an execution trace to a file and returns what was counted meanwhile. With samples, the CPU profiler
// runs beside it, so that the trace holds its stacks.
func capture(path string, until limits, samples bool, far *progress) (window, error) {
	file, err := os.Create(path)
	if err != nil {
		return window{}, err
	}
	defer file.Close()
	out := &counting{to: bufio.NewWriterSize(file, 1<<20), most: until.bytes, full: &far.full}
	if samples {
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			return window{}, err
		}
		defer pprof.StopCPUProfile()
	}
	if err := trace.Start(out); err != nil {
		return window{}, err
	}
	counted, cpu, denied, began := far.answered.Load(), cpuNs(), deniedNs(), time.Now()
	for time.Since(began) < until.length && !far.full.Load() {
		time.Sleep(min(10*time.Millisecond, until.length-time.Since(began)))
	}
	summary := window{
		Requests: far.answered.Load() - counted, WallNs: int64(time.Since(began)), CPUNs: cpuNs() - cpu, DeniedNs: deniedNs() - denied,
		GoVersion: runtime.Version(), Goos: runtime.GOOS, Goarch: runtime.GOARCH, Gomaxprocs: runtime.GOMAXPROCS(0),
	}
	trace.Stop()
	return summary, out.to.Flush()
}

// counting reports when enough was written. The goroutine that writes is the tracer's, and gets its turn when others do not.
type counting struct {
	to      *bufio.Writer
	written int64
	most    int64
	full    *atomic.Bool
}

func (c *counting) Write(part []byte) (int, error) {
	c.written += int64(len(part))
	c.full.Store(c.written >= c.most)
	return c.to.Write(part)
}

func cpuNs() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// deniedNs adds up how long the threads of this process have waited for a CPU; 0 where the kernel does not report it.
func deniedNs() int64 {
	total := int64(0)
	files, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has just ended
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			total += waited
		}
	}
	return total
}

// writeWindow writes the window as one line of JSON.
func writeWindow(to io.Writer, summary window) error {
	return json.NewEncoder(to).Encode(summary)
}
