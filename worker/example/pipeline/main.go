// Command pipeline takes writes as a metrics store does: a distributor hands each one to three ingesters. One program,
// three roles: distributor, ingester, and the load that writes to them. It is the third example of an investigation: see
// the README in ../board.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"pipeline/wire"
)

// version is set when the program is built: -ldflags "-X main.version=...".
var version = "dev"

type options struct {
	role, listen, instance, version string
	ingesters                       []string
	texts                           wire.Texts
	kept                            int
	sampled                         float64
	load                            loadOptions
}

func main() {
	log.SetFlags(0)
	asked, err := flags()
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		err = run(ctx, asked)
	}
	if err != nil {
		log.Fatal("pipeline: ", err)
	}
}

func flags() (options, error) {
	var asked options
	var ingesters, texts string
	flag.StringVar(&asked.role, "role", "distributor", "distributor, ingester or load")
	flag.StringVar(&asked.listen, "listen", "127.0.0.1:7500", "where to serve")
	flag.StringVar(&asked.instance, "instance", "", "name of this instance in spans (its address if empty)")
	flag.StringVar(&asked.version, "version", version, "version in metrics and spans")
	flag.StringVar(&ingesters, "ingesters", "127.0.0.1:7501,127.0.0.1:7502,127.0.0.1:7503", "where a distributor writes to")
	flag.StringVar(&texts, "unmarshal", "zero-copy", "how a distributor reads labels: copy or zero-copy")
	flag.IntVar(&asked.kept, "kept", 2500, "writes that a distributor keeps in memory, to send them again")
	flag.Float64Var(&asked.sampled, "sampled", 0.02, "share of requests that are traced")
	flag.StringVar(&asked.load.url, "url", "http://127.0.0.1:7500/api/v1/push", "where the load writes to")
	flag.Float64Var(&asked.load.rate, "rate", 120, "writes a second of the load")
	flag.IntVar(&asked.load.series, "series", 100, "series of a write, seven labels each")
	flag.DurationVar(&asked.load.length, "for", 0, "how long the load lasts (0: until it is stopped)")
	flag.Uint64Var(&asked.load.seed, "seed", 1, "draws what the load writes, and when")
	flag.Parse()
	asked.ingesters = strings.Split(ingesters, ",")
	if asked.instance == "" {
		asked.instance = asked.listen
	}
	var err error
	asked.texts, err = wire.TextsOf(texts)
	return asked, err
}

func run(ctx context.Context, asked options) error {
	if asked.role == "load" {
		summary, err := runLoad(ctx, asked.load)
		fmt.Println(summary)
		return err
	}
	finish, err := startTracing(ctx, asked)
	if err != nil {
		return err
	}
	defer finish()
	handler, err := handlerOf(asked)
	if err != nil {
		return err
	}
	return serve(ctx, asked.listen, handler)
}

func handlerOf(asked options) (http.Handler, error) {
	switch asked.role {
	case "distributor":
		return newService(asked, newDistributor(asked)), nil
	case "ingester":
		return newService(asked, newIngester()), nil
	}
	return nil, fmt.Errorf("no role %q: distributor, ingester, load", asked.role)
}

// serve answers until the context ends, and lets requests under way finish.
func serve(ctx context.Context, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err = server.Shutdown(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
