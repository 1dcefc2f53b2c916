// Package meter counts requests and latencies and writes them as Prometheus text.
package meter

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// bounds of the latency histogram in seconds, about 1.6 apart.
var bounds = []float64{
	0.0001, 0.00016, 0.00025, 0.0004, 0.00063, 0.001, 0.0016, 0.0025, 0.004, 0.0063, 0.01, 0.016, 0.025, 0.04, 0.063, 0.1,
	0.16, 0.25, 0.4, 0.63, 1, 1.6, 2.5, 4, 6.3, 10,
}

// Meter holds the counters of one process.
type Meter struct {
	started  time.Time
	requests atomic.Uint64
	failed   atomic.Uint64
	samples  atomic.Uint64
	sumNs    atomic.Int64
	buckets  [27]atomic.Uint64
}

// New starts counting.
func New() *Meter {
	return &Meter{started: time.Now()}
}

// Batch counts one write request of so many samples that took so long since it was sent.
func (m *Meter) Batch(samples int, took time.Duration, err error) {
	if err != nil {
		m.failed.Add(1)
	} else {
		m.requests.Add(1)
	}
	m.samples.Add(uint64(samples))
	m.sumNs.Add(int64(took))
	low, high := 0, len(bounds)
	for seconds := took.Seconds(); low < high; {
		middle := (low + high) / 2
		if seconds <= bounds[middle] {
			high = middle
		} else {
			low = middle + 1
		}
	}
	m.buckets[low].Add(1)
}

// WriteTo writes everything as Prometheus text.
func (m *Meter) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# HELP ingester_write_requests_total Batches taken in, by outcome.\n# TYPE ingester_write_requests_total counter\n")
	fmt.Fprintf(out, "ingester_write_requests_total{outcome=\"written\"} %d\n", m.requests.Load())
	fmt.Fprintf(out, "ingester_write_requests_total{outcome=\"failed\"} %d\n", m.failed.Load())
	fmt.Fprintf(out, "# TYPE ingester_samples_total counter\ningester_samples_total %d\n", m.samples.Load())
	m.writeLatency(out)
	writeProcess(out, m.started)
	writeRuntime(out)
	return int64(out.Buffered()), out.Flush()
}

func (m *Meter) writeLatency(out io.Writer) {
	fmt.Fprintf(out, "# HELP ingester_write_latency_seconds From sent to written.\n# TYPE ingester_write_latency_seconds histogram\n")
	total := uint64(0)
	for i := range m.buckets {
		total += m.buckets[i].Load()
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(out, "ingester_write_latency_seconds_bucket{le=\"%s\"} %d\n", bound, total)
	}
	fmt.Fprintf(out, "ingester_write_latency_seconds_sum %g\n", float64(m.sumNs.Load())/1e9)
	fmt.Fprintf(out, "ingester_write_latency_seconds_count %d\n", total)
}

func writeProcess(out io.Writer, started time.Time) {
	var usage syscall.Rusage
	cpu := 0.0
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		cpu = float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
	}
	fmt.Fprintf(out, "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total %g\n", cpu)
	fmt.Fprintf(out, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds %.3f\n", float64(started.UnixMilli())/1e3)
}

func writeRuntime(out io.Writer) {
	fmt.Fprintf(out, "# TYPE go_info gauge\ngo_info{version=\"%s\"} 1\n", runtime.Version())
	fmt.Fprintf(out, "# TYPE go_goroutines gauge\ngo_goroutines %d\n", runtime.NumGoroutine())
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/stack/starting-size:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/sched/gomaxprocs:threads"},
	}
	metrics.Read(samples)
	for i, name := range []string{
		"go_gc_cycles_total_gc_cycles_total", "go_gc_heap_allocs_bytes_total", "go_gc_stack_starting_size_bytes",
		"go_memory_classes_heap_stacks_bytes", "go_sched_gomaxprocs_threads",
	} {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			fmt.Fprintf(out, "%s %d\n", name, samples[i].Value.Uint64())
		}
	}
}
