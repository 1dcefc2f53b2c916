// Command watched serves /work, which takes about two milliseconds of CPU, and publishes metrics in the ways that programs do:
//
//	-counters admin     only what is served to those who watch it is counted (a proxy whose own metrics are off)
//	-counters all       one counter without labels counts whatever is asked, profiles and metrics included
//	-counters handlers  one counter with the handler as a label
//	-counters several   two counters of two kinds of requests
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

var (
	lock   sync.Mutex
	counts = map[string]int{}
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7500", "address")
	mode := flag.String("counters", "all", "admin, all, handlers or several")
	flag.Parse()
	http.HandleFunc("/work", func(http.ResponseWriter, *http.Request) {
		sum := 0
		for began := time.Now(); time.Since(began) < 2*time.Millisecond; {
			sum++
		}
		_ = sum
	})
	http.HandleFunc("/metrics", tell)
	log.Fatal(http.ListenAndServe(*listen, counted(*mode, http.DefaultServeMux)))
}

// counted counts each request once it was answered.
func counted(mode string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		work := r.URL.Path == "/work"
		switch mode {
		case "admin":
			if !work {
				count(fmt.Sprintf("proxy_admin_http_requests_total{path=%q}", r.URL.Path))
			}
		case "all":
			count("http_requests_total")
		case "handlers":
			count(fmt.Sprintf("http_requests_total{code=\"200\",handler=%q}", r.URL.Path))
		case "several":
			if work {
				count(fmt.Sprintf("orders_requests_total{kind=%q}", r.FormValue("kind")))
				count("promhttp_metric_handler_requests_total")
			} else {
				count("quotes_requests_total")
			}
		}
	})
}

func count(series string) {
	lock.Lock()
	defer lock.Unlock()
	counts[series]++
}

func tell(w http.ResponseWriter, _ *http.Request) {
	lock.Lock()
	defer lock.Unlock()
	var lines []string
	for series, value := range counts {
		lines = append(lines, fmt.Sprintf("%s %d\n", series, value))
	}
	sort.Strings(lines)
	_, _ = w.Write([]byte(strings.Join(lines, "")))
}
