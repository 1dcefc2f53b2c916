// Command ingester takes in metrics in bursts and keeps them in memory. It is the example of an investigation: see the README
// in the folder above.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/pprof"
	"runtime"
	"time"

	"ingester/cluster"
	"ingester/downsample"
	"ingester/fanout"
	"ingester/ingest"
	"ingester/meter"
	"ingester/retry"
	"ingester/rpc"
	"ingester/storage"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7400", "address of the API, /metrics and /debug/pprof")
	limit := flag.Int("limit", 256, "batches written at a time")
	contention := flag.Bool("contention", false, "record mutex and block profiles")
	flag.Parse()
	if *contention {
		runtime.SetMutexProfileFraction(10)
		runtime.SetBlockProfileRate(100_000)
	}
	meter := meter.New()
	server := &http.Server{Addr: *listen, Handler: routes(meter, *limit), ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// routes plugs the layers together, storage at the bottom.
func routes(meter *meter.Meter, limit int) http.Handler {
	node := rpc.NewNode(storage.NewDB("raw"))
	session := cluster.NewSession(retry.Retrier{Attempts: 2, Pause: time.Millisecond}, 1, node)
	stores := fanout.New(fanout.Target{Store: session, Attributes: fanout.Attributes{Namespace: "raw"}})
	appender := downsample.NewAppender(stores,
		downsample.Rule{Tag: []byte("env"), Value: []byte("test"), Drop: true},
		downsample.Rule{Tag: []byte("tier"), Value: []byte("edge")},
	)
	mux := http.NewServeMux()
	mux.Handle("POST /write", ingest.NewHandler(appender, meter, retry.Retrier{Attempts: 3, Pause: 2 * time.Millisecond}, limit))
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = meter.WriteTo(w)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
