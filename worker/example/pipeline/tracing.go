package main

import (
	"context"
	"log"
	"os"
	runtimetrace "runtime/trace"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Exporters read from these where to send spans; without them, none are made.
var endpoints = []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

func tracer() trace.Tracer { return otel.Tracer("pipeline") }

// startTracing makes spans go where the environment defines; finish sends the last of them.
func startTracing(ctx context.Context, asked options) (finish func(), err error) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	if os.Getenv(endpoints[0]) == "" && os.Getenv(endpoints[1]) == "" {
		return func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	about := []attribute.KeyValue{
		attribute.String("service.name", asked.role),
		attribute.String("service.instance.id", asked.instance),
		attribute.String("service.version", asked.version),
	}
	if environment := os.Getenv("PIPELINE_ENVIRONMENT"); environment != "" {
		about = append(about, attribute.String("deployment.environment.name", environment))
	}
	provider := sdk.NewTracerProvider(
		sdk.WithSpanProcessor(named{}),
		sdk.WithBatcher(exporter, sdk.WithBatchTimeout(time.Second)),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(asked.sampled))),
		sdk.WithResource(resource.NewSchemaless(about...)),
	)
	otel.SetTracerProvider(provider)
	return func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		if err := provider.Shutdown(last); err != nil {
			log.Print("pipeline: the last spans: ", err)
		}
	}, nil
}

// named writes the id of every span into the execution trace, while one is recorded: so it is known which goroutine
// answered which request.
type named struct{}

func (named) OnStart(ctx context.Context, span sdk.ReadWriteSpan) {
	if runtimetrace.IsEnabled() {
		runtimetrace.Log(ctx, "span_id", span.SpanContext().SpanID().String())
	}
}

func (named) OnEnd(sdk.ReadOnlySpan)           {}
func (named) Shutdown(context.Context) error   { return nil }
func (named) ForceFlush(context.Context) error { return nil }
