//go:build corpus

package sniff

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusRoot is a folder of real files of every kind, outside the project.
func corpusRoot() string {
	if root := os.Getenv("SLOWPATH_CORPUS"); root != "" {
		return root
	}
	return "../../../../../shared/corpus"
}

// unrecognisable are files of the corpus that are nothing, or differ from the name of their folder.
var unrecognisable = map[string]bool{
	"text.bin": true, "overlong-varint.pb": true, "double-gzip.pb.gz": true, "gzip-bomb-64MB.pb.gz": true,
}

func TestCorpus(t *testing.T) {
	for pattern, want := range map[string]string{
		"pprof/*/*": Pprof, "traces/*/*": GoTrace, "growth/*": GrowthLog, "metrics/*": MetricsText,
		"spans/CRISP/*": SpansJaeger, "spans/zipkin/*": SpansZipkin, "spans/otlp-lines/*": SpansOTLP,
		"spans/synthetic/*.jaeger.json": SpansJaeger, "spans/synthetic/*.otlp.json": SpansOTLP, "spans/synthetic/*.zipkin.json": SpansZipkin,
		"cases/*/*/cpu.*.pb.gz": Pprof, "cases/*/*/heap.*": Pprof, "cases/*/*/block.*": Pprof, "cases/*/*/trace.*": GoTrace, "cases/*/*/metrics.*": MetricsText,
	} {
		paths, err := filepath.Glob(filepath.Join(corpusRoot(), pattern))
		if err != nil || len(paths) == 0 {
			t.Errorf("%s: nothing there", pattern)
		}
		for _, path := range paths {
			expect(t, path, want)
		}
	}
	manifest(t)
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	stat, err := os.Stat(path)
	if err != nil || stat.IsDir() || stat.Size() == 0 || unrecognisable[filepath.Base(path)] {
		return
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := Read(in); err != nil || got.Kind != want {
		t.Errorf("%s: %+v %v, want %s", path, got, err, want)
	}
}

// manifest checks spans against the format that the corpus assigns to them.
func manifest(t *testing.T) {
	in, err := os.Open(filepath.Join(corpusRoot(), "spans/manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 6 {
			continue
		}
		for prefix, want := range map[string]string{"otlp": SpansOTLP, "jaeger": SpansJaeger, "zipkin": SpansZipkin} {
			if strings.HasPrefix(fields[5], prefix) {
				expect(t, filepath.Join(corpusRoot(), "spans", fields[0]), want)
			}
		}
	}
}
