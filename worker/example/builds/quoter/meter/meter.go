// Package meter counts quotes and writes them as Prometheus text.
package meter

import (
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Meter holds the counters of one process.
type Meter struct {
	started time.Time
	quotes  atomic.Uint64
	refused atomic.Uint64
}

// New starts counting.
func New() *Meter {
	return &Meter{started: time.Now()}
}

// Quoted counts a basket that was answered.
func (m *Meter) Quoted() { m.quotes.Add(1) }

// Refused counts a basket that could not be read.
func (m *Meter) Refused() { m.refused.Add(1) }

// Write writes everything as Prometheus text.
func (m *Meter) Write(w io.Writer) {
	fmt.Fprintf(w, "# TYPE quoter_requests_total counter\n")
	fmt.Fprintf(w, "quoter_requests_total{outcome=\"quoted\"} %d\n", m.quotes.Load())
	fmt.Fprintf(w, "quoter_requests_total{outcome=\"refused\"} %d\n", m.refused.Load())
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		cpu := float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
		fmt.Fprintf(w, "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total %g\n", cpu)
	}
	fmt.Fprintf(w, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds %.3f\n", float64(m.started.UnixMilli())/1e3)
	fmt.Fprintf(w, "# TYPE go_info gauge\ngo_info{version=\"%s\"} 1\n", runtime.Version())
	fmt.Fprintf(w, "go_sched_gomaxprocs_threads %d\n", runtime.GOMAXPROCS(0))
}
