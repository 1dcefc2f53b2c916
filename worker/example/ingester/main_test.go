package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ingester/meter"
	"ingester/wire"
)

func post(t *testing.T, server *httptest.Server, body []byte) (int, string) {
	t.Helper()
	answer, err := http.Post(server.URL+"/write", "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

func burst(batches int, id string, at time.Time) []byte {
	var body []byte
	for i := range batches {
		body = wire.AppendFrame(body, at.UnixNano(), []wire.Sample{
			{ID: []byte(id), TimeNs: at.UnixNano() + int64(i), Value: float64(i)},
			{ID: []byte("other{env=test}"), TimeNs: at.UnixNano(), Value: 1},
		})
	}
	return body
}

func TestABurstIsWrittenAndCounted(t *testing.T) {
	server := httptest.NewServer(routes(meter.New(), 8))
	defer server.Close()
	if status, text := post(t, server, burst(1000, "cpu{host=a}", time.Now())); status != http.StatusNoContent {
		t.Fatal(status, text)
	}
	answer, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	for _, line := range []string{
		`ingester_write_requests_total{outcome="written"} 1000`, "ingester_samples_total 2000",
		`ingester_write_latency_seconds_bucket{le="+Inf"} 1000`, "process_cpu_seconds_total ", "go_info{version=\"go1.",
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("metrics lack %s:\n%s", line, text)
		}
	}
}

func TestSamplesFromAnotherHourAreRefused(t *testing.T) {
	server := httptest.NewServer(routes(meter.New(), 8))
	defer server.Close()
	status, text := post(t, server, burst(3, "cpu{host=a}", time.Now().Add(-3*time.Hour)))
	if status != http.StatusUnprocessableEntity || !strings.Contains(text, "too far from now") {
		t.Error(status, text)
	}
}

func TestDamagedBurstsAreRefused(t *testing.T) {
	server := httptest.NewServer(routes(meter.New(), 8))
	defer server.Close()
	whole := burst(2, "cpu{host=a}", time.Now())
	for _, body := range [][]byte{whole[:len(whole)-1], {1, 2, 3}, {255, 255, 255, 255}, {2, 0, 0, 0, 1, 2}} {
		if status, text := post(t, server, body); status != http.StatusUnprocessableEntity {
			t.Error(status, text)
		}
	}
	if status, text := post(t, server, whole); status != http.StatusNoContent {
		t.Error("after the damaged ones:", status, text)
	}
}
