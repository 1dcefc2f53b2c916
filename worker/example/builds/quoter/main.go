// Command quoter says what a basket costs: lines are looked up, converted, discounted, taxed, added up and sealed. It is the
// example of a service of which every build is watched: see the README in the folder above.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/pprof"
	"time"

	"quoter/catalog"
	"quoter/discount"
	"quoter/meter"
	"quoter/quote"
	"quoter/rates"
	"quoter/seal"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7500", "address of the API, /metrics and /debug/pprof")
	flag.Parse()
	server := &http.Server{Addr: *listen, Handler: routes(), ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func routes() http.Handler {
	meter := meter.New()
	quoter := quote.New(catalog.Load(), rates.Load(), discount.Load(), seal.New([]byte("not a secret: an example")))
	mux := http.NewServeMux()
	mux.Handle("POST /quote", quote.NewHandler(quoter, meter))
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		meter.Write(w)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/heap", pprof.Index)
	return mux
}
