// Command labels is a service whose endpoints share all of their code, and
// differ in how much data a request has. Each request runs with the labels
// endpoint and tenant; CPU profiles are recorded one after the other, each with
// the requests, the process's CPU time and the wall time beside it.
package main

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type endpoint struct {
	name  string
	items int     // of a request
	share float64 // of all requests
}

// endpoints returns 20 endpoints that take from 1% to 15% of the CPU time.
func endpoints() []endpoint {
	all := []endpoint{}
	for n := range 20 {
		all = append(all, endpoint{"/api/" + string(rune('a'+n)), 4 + 3*(n%6), 1 / float64(2+n)})
	}
	total := 0.0
	for _, each := range all {
		total += each.share
	}
	for n := range all {
		all[n].share /= total
	}
	return all
}

type item struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Attrs map[string]string `json:"attrs"`
}

// serve is what every endpoint does: decode, look up, sort, hash, encode, compress.
func serve(body []byte, index map[string]int) int {
	var items []item
	if err := json.Unmarshal(body, &items); err != nil {
		panic(err)
	}
	for _, each := range items {
		index[each.Name]++
	}
	sort.Slice(items, func(a, b int) bool { return items[a].Name < items[b].Name })
	encoded, err := json.Marshal(items)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	var out bytes.Buffer
	packer, _ := flate.NewWriter(&out, flate.BestSpeed)
	_, _ = packer.Write(encoded)
	_ = packer.Close()
	return out.Len() + int(sum[0])
}

func bodyOf(items int, rng *rand.Rand) []byte {
	all := make([]item, items)
	for n := range all {
		all[n] = item{ID: n, Name: "item-" + strconv.Itoa(rng.IntN(500)), Tags: []string{"a", strconv.Itoa(n)}, Attrs: map[string]string{"kind": strconv.Itoa(n % 7), "text": strings.Repeat("x", rng.IntN(80))}}
	}
	body, _ := json.Marshal(all)
	return body
}

type service struct {
	endpoints []endpoint
	bodies    [][][]byte
	rng       *rand.Rand
	index     map[string]int
	worked    int
}

func newService() *service {
	s := &service{endpoints: endpoints(), rng: rand.New(rand.NewPCG(1, 2)), index: map[string]int{}}
	for _, each := range s.endpoints {
		bodies := [][]byte{}
		for range 16 {
			bodies = append(bodies, bodyOf(each.items, s.rng))
		}
		s.bodies = append(s.bodies, bodies)
	}
	return s
}

// request serves one request of a random endpoint and tenant, and returns the endpoint.
func (s *service) request() string {
	at, drawn := 0, s.rng.Float64()
	for drawn > s.endpoints[at].share && at < len(s.endpoints)-1 {
		drawn -= s.endpoints[at].share
		at++
	}
	body := s.bodies[at][s.rng.IntN(16)]
	tenant := "tenant-" + strconv.Itoa(int(10*s.rng.Float64()*s.rng.Float64()))
	labels := pprof.Labels("endpoint", s.endpoints[at].name, "tenant", tenant)
	pprof.Do(context.Background(), labels, func(context.Context) { s.worked += serve(body, s.index) })
	return s.endpoints[at].name
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// record writes one profile of that much CPU time, and its run metadata.
func record(s *service, out string, number int, cpu time.Duration) error {
	file, err := os.Create(filepath.Join(out, fmt.Sprintf("%03d.pb.gz", number)))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	start, used, requests, routes := time.Now(), cpuTime(), 0, map[string]int{}
	for cpuTime()-used < cpu {
		for range 50 {
			routes[s.request()]++
			requests++
		}
	}
	took, wall := cpuTime()-used, time.Since(start)
	pprof.StopCPUProfile()
	facts := map[string]any{
		"requests": requests, "cpu_ns": took.Nanoseconds(), "wall_ns": wall.Nanoseconds(), "gomaxprocs": runtime.GOMAXPROCS(0),
		"go_version": runtime.Version(), "goos": runtime.GOOS, "goarch": runtime.GOARCH, "routes": routes,
	}
	content, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, fmt.Sprintf("%03d.facts.json", number)), content, 0o644); err != nil {
		return err
	}
	return file.Close()
}

func main() {
	out := flag.String("out", "", "folder for the profiles")
	profiles := flag.Int("profiles", 40, "how many")
	cpu := flag.Duration("cpu", 12*time.Second, "CPU time of a profile")
	flag.Parse()
	s := newService()
	for start := cpuTime(); cpuTime()-start < 2*time.Second; {
		s.request()
	}
	for number := range *profiles {
		if err := record(s, *out, number, *cpu); err != nil {
			fmt.Fprintln(os.Stderr, "labels:", err)
			os.Exit(1)
		}
	}
}
