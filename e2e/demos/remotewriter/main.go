// Command remotewriter is used where Prometheus is not available: it reads the metrics of targets again and again, and writes
// their samples on by remote write 2, with the client of Prometheus itself.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/snappy"
	dto "github.com/prometheus/client_model/go"
	config_util "github.com/prometheus/common/config"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"github.com/prometheus/prometheus/storage/remote"
)

const tokenVariable = "REMOTEWRITER_TOKEN"

func main() {
	log.SetFlags(0)
	to := flag.String("url", "", "where to write to")
	targets := flag.String("targets", "", "what to read: job=host:port, separated by commas")
	external := flag.String("environment", "production", "label environment of all series")
	every := flag.Duration("every", 2*time.Second, "time between two readings")
	times := flag.Int("times", 0, "so many readings (0: until it is stopped)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *to, strings.Split(*targets, ","), *external, *every, *times); err != nil {
		log.Fatal("remotewriter: ", err)
	}
}

// writeResult is what is printed of each write, one line of JSON.
type writeResult struct {
	Sent       int  `json:"sent"`
	Samples    int  `json:"samples"`
	Histograms int  `json:"histograms"`
	Confirmed  bool `json:"confirmed"`
}

func run(ctx context.Context, to string, targets []string, environment string, every time.Duration, times int) error {
	client, err := newClient(to, os.Getenv(tokenVariable))
	if err != nil {
		return err
	}
	for number := 1; times == 0 || number <= times; number++ {
		next := time.After(every)
		request, sent := gather(ctx, targets, environment)
		body, err := request.Marshal()
		if err != nil {
			return err
		}
		stats, err := client.Store(ctx, snappy.Encode(nil, body), 0)
		if ctx.Err() != nil {
			return nil
		}
		if again := new(remote.RecoverableError); err != nil && !errors.As(err, again) {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(writeResult{sent, stats.Samples, stats.Histograms, stats.Confirmed}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next:
		}
	}
	return nil
}

func newClient(to, token string) (remote.WriteClient, error) {
	address, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	conf := &remote.ClientConfig{
		URL:           &config_util.URL{URL: address},
		Timeout:       model.Duration(10 * time.Second),
		WriteProtoMsg: config.RemoteWriteProtoMsgV2,
	}
	conf.HTTPClientConfig.Authorization = &config_util.Authorization{
		Type: "Bearer", Credentials: config_util.Secret(token),
	}
	return remote.NewWriteClient("remotewriter", conf)
}

// gather reads all targets. One that does not answer is left out.
func gather(ctx context.Context, targets []string, environment string) (writev2.Request, int) {
	symbols := writev2.NewSymbolTable()
	var request writev2.Request
	for _, target := range targets {
		job, address, _ := strings.Cut(target, "=")
		families, err := read(ctx, address)
		if err != nil {
			log.Print("remotewriter: ", err)
			continue
		}
		at := time.Now().UnixMilli()
		about := map[string]string{"job": job, "instance": address, "environment": environment}
		for _, family := range families {
			request.Timeseries = append(request.Timeseries, seriesOf(family, about, at, &symbols)...)
		}
	}
	request.Symbols = symbols.Symbols()
	return request, len(request.Timeseries)
}

func read(ctx context.Context, address string) (map[string]*dto.MetricFamily, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, answer.Body)
		return nil, fmt.Errorf("%s answers %d", address, answer.StatusCode)
	}
	var parser expfmt.TextParser
	return parser.TextToMetricFamilies(answer.Body)
}

// seriesOf makes the series of a family: as Prometheus would store them.
func seriesOf(family *dto.MetricFamily, about map[string]string, at int64, symbols *writev2.SymbolsTable) []writev2.TimeSeries {
	var found []writev2.TimeSeries
	kinds := map[dto.MetricType]writev2.Metadata_MetricType{
		dto.MetricType_COUNTER:   writev2.Metadata_METRIC_TYPE_COUNTER,
		dto.MetricType_GAUGE:     writev2.Metadata_METRIC_TYPE_GAUGE,
		dto.MetricType_HISTOGRAM: writev2.Metadata_METRIC_TYPE_HISTOGRAM,
	}
	for _, metric := range family.GetMetric() {
		add := func(ending string, value float64, more ...string) {
			all := labels.NewBuilder(labels.FromMap(about))
			for _, pair := range metric.GetLabel() {
				all.Set(pair.GetName(), pair.GetValue())
			}
			for i := 0; i < len(more); i += 2 {
				all.Set(more[i], more[i+1])
			}
			all.Set(labels.MetricName, family.GetName()+ending)
			found = append(found, writev2.TimeSeries{
				LabelsRefs: symbols.SymbolizeLabels(all.Labels(), nil),
				Samples:    []writev2.Sample{{Value: value, Timestamp: at}},
				Metadata:   writev2.Metadata{Type: kinds[family.GetType()]},
			})
		}
		switch family.GetType() {
		case dto.MetricType_COUNTER:
			add("", metric.GetCounter().GetValue())
		case dto.MetricType_GAUGE:
			add("", metric.GetGauge().GetValue())
		case dto.MetricType_HISTOGRAM:
			histogram := metric.GetHistogram()
			for _, bucket := range histogram.GetBucket() {
				bound := strconv.FormatFloat(bucket.GetUpperBound(), 'g', -1, 64)
				add("_bucket", float64(bucket.GetCumulativeCount()), "le", bound)
			}
			add("_sum", histogram.GetSampleSum())
			add("_count", float64(histogram.GetSampleCount()))
		}
	}
	return found
}
