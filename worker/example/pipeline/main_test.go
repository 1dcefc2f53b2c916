package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"pipeline/wire"
)

// started is a distributor with three ingesters behind it.
type started struct {
	distributor *httptest.Server
	ingesters   []*httptest.Server
}

func start(t *testing.T, texts wire.Texts) started {
	t.Helper()
	var all started
	var addresses []string
	for range 3 {
		server := httptest.NewServer(newService(options{role: "ingester", version: "test"}, newIngester()))
		t.Cleanup(server.Close)
		all.ingesters = append(all.ingesters, server)
		addresses = append(addresses, strings.TrimPrefix(server.URL, "http://"))
	}
	asked := options{role: "distributor", version: "test", ingesters: addresses, texts: texts, kept: 10}
	all.distributor = httptest.NewServer(newService(asked, newDistributor(asked)))
	t.Cleanup(all.distributor.Close)
	return all
}

func post(t *testing.T, server *httptest.Server, body []byte) int {
	t.Helper()
	answer, err := http.Post(server.URL+"/api/v1/push", "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func metrics(t *testing.T, server *httptest.Server) string {
	t.Helper()
	answer, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestEachWriteReachesThreeIngesters(t *testing.T) {
	for _, texts := range []wire.Texts{wire.Copy, wire.ZeroCopy} {
		all := start(t, texts)
		for _, body := range draw(5, rand.New(rand.NewPCG(1, 1)))[:4] {
			if code := post(t, all.distributor, body); code != http.StatusOK {
				t.Fatalf("answers %d", code)
			}
		}
		for _, server := range append(all.ingesters, all.distributor) {
			counted := `http_request_duration_seconds_count{code="200",method="post",service="`
			if text := metrics(t, server); !strings.Contains(text, counted) || !strings.Contains(text, `version="test"} 4`) {
				t.Errorf("not four requests: %s", text)
			}
		}
	}
}

func TestWhatIsNotInOrderIsRefused(t *testing.T) {
	all := start(t, wire.Copy)
	pairs := []wire.Label{{Name: "job", Value: "a"}, {Name: "a", Value: "b"}}
	request := wire.Request{Series: []wire.Series{{Labels: pairs}}}
	for _, body := range [][]byte{request.Marshal(), {0x0a, 0x7f}} {
		if code := post(t, all.distributor, body); code != http.StatusBadRequest {
			t.Errorf("answers %d", code)
		}
	}
}

func TestAnIngesterThatIsAwayIsAnError(t *testing.T) {
	all := start(t, wire.ZeroCopy)
	all.ingesters[1].Close()
	if code := post(t, all.distributor, draw(1, rand.New(rand.NewPCG(1, 1)))[0]); code != http.StatusBadGateway {
		t.Errorf("answers %d", code)
	}
}

func TestSpansTellOfThreeCallsAndOfNothingBefore(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSyncer(exporter)))
	otel.SetTextMapPropagator(propagation.TraceContext{})
	all := start(t, wire.Copy)
	post(t, all.distributor, draw(5, rand.New(rand.NewPCG(1, 1)))[0])
	all.distributor.Close() // a span ends after the answer is sent
	counted := map[string]int{}
	traces := map[string]bool{}
	for _, span := range exporter.GetSpans() {
		counted[span.Name+" "+span.SpanKind.String()]++
		traces[span.SpanContext.TraceID().String()] = true
	}
	want := map[string]int{route + " server": 4, "read body internal": 1, "Ingester/Push client": 3}
	for name, number := range want {
		if counted[name] != number {
			t.Errorf("%s: %d spans, not %d", name, counted[name], number)
		}
	}
	if len(traces) != 1 {
		t.Errorf("%d traces, not one", len(traces))
	}
}

func TestTheLoadWritesAtItsRate(t *testing.T) {
	var lock sync.Mutex
	received := 0
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		lock.Lock()
		defer lock.Unlock()
		received++
	}))
	defer server.Close()
	asked := loadOptions{url: server.URL, rate: 200, series: 2, length: 500 * time.Millisecond, seed: 7}
	result, err := runLoad(context.Background(), asked)
	if err != nil || result.failed > 0 {
		t.Fatal(result, err)
	}
	if received != int(result.sent) || result.sent+result.late < 50 || result.sent > 160 {
		t.Errorf("sent %d (late %d) in half a second at 200 a second, received %d", result.sent, result.late, received)
	}
}

func TestAWriteHoldsAboutFourteenHundredTexts(t *testing.T) {
	var request wire.Request
	if err := request.Unmarshal(draw(100, rand.New(rand.NewPCG(1, 1)))[0], wire.Copy); err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, series := range request.Series {
		texts += 2 * len(series.Labels)
	}
	if texts != 1400 {
		t.Error(texts)
	}
	if err := check(&request); err != nil {
		t.Error(err)
	}
}
