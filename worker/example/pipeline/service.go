package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const route = "POST /api/v1/push"

// refused is an error of the writer.
type refused struct{ error }

// pusher is what a role does with a write.
type pusher interface {
	push(ctx context.Context, r *http.Request) error
}

// newService wraps a role with what every service has: metrics, spans, profiles, health.
func newService(asked options, role pusher) http.Handler {
	registry := prometheus.NewRegistry()
	named := prometheus.WrapRegistererWith(prometheus.Labels{"service": asked.role}, registry)
	named.MustRegister(collectors.NewGoCollector())
	wrapped := prometheus.WrapRegistererWith(prometheus.Labels{"version": asked.version}, named)
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "http_request_duration_seconds",
		Help:    "How long requests took.",
		Buckets: []float64{.0005, .001, .0015, .002, .003, .005, .0075, .01, .015, .025, .04, .06, .1, .15, .25, .5, 1},
	}, []string{"code", "method"})
	inFlight := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "http_requests_in_flight", Help: "Requests that are being answered.",
	})
	wrapped.MustRegister(durations, inFlight)

	measured := promhttp.InstrumentHandlerDuration(durations, traced(role))
	mux := http.NewServeMux()
	mux.Handle(route, promhttp.InstrumentHandlerInFlight(inFlight, measured))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// traced answers a write within a span, below the caller's if it has one.
func traced(role pusher) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx := otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer().Start(ctx, route, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		err := role.push(ctx, r)
		if err == nil {
			return
		}
		code := http.StatusBadGateway
		if errors.As(err, new(refused)) {
			code = http.StatusBadRequest
		}
		span.SetStatus(codes.Error, err.Error())
		log.Print("pipeline: ", err)
		http.Error(w, err.Error(), code)
	}
}
