package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slowpath.dev/decode/internal/profilegen"
)

// costRatio is how much more CPU time a hostile file may take than a plain one
// of the same unpacked size. Quadratic costs are beyond 20.
const costRatio = 4

// startup is granted to both sides: the time of a child that has nothing to do.
const startup = 100 * time.Millisecond

// cost runs a command in a child and returns the CPU time that it took. A child
// that is far beyond any bound is stopped.
func cost(t *testing.T, command string, content []byte) (spent time.Duration, stderr string) {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, content, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], command, in, in+".out")
	child.Env = append(os.Environ(), asProgram+"=1", "GOMAXPROCS=2")
	var message bytes.Buffer
	child.Stderr = &message
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(2*time.Minute, func() { _ = child.Process.Kill() })
	defer stop.Stop()
	if err := child.Wait(); err != nil && child.ProcessState.ExitCode() != exitBadInput {
		t.Errorf("%v: %s", err, message.String())
	}
	return child.ProcessState.UserTime() + child.ProcessState.SystemTime(), message.String()
}

func put(number int, body []byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|2), uint64(len(body))), body...)
}

func whole(pairs ...int) (out []byte) {
	for i := 0; i < len(pairs); i += 2 {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(pairs[i])<<3), uint64(pairs[i+1]))
	}
	return out
}

// hostile makes a profile whose string number 5 is long; parts may refer to it.
func hostile(long int, parts ...[]byte) []byte {
	out := put(1, whole(1, 1, 2, 2))
	for _, part := range parts {
		out = append(out, part...)
	}
	for _, text := range []string{"", "cpu", "ns", "main.main", "key", strings.Repeat("x", long), "contentions", "delay"} {
		out = append(out, put(6, []byte(text))...)
	}
	return out
}

func times(n int, make func(i int) []byte) (out []byte) {
	for i := range n {
		out = append(out, make(i)...)
	}
	return out
}

func sample(location int, more ...byte) []byte {
	return put(2, append(append(put(1, binary.AppendUvarint(nil, uint64(location))), put(2, []byte{7})...), more...))
}

func location(id, mapping, function int) []byte {
	out := whole(1, id)
	if mapping > 0 {
		out = append(out, whole(2, mapping)...)
	}
	if function > 0 {
		out = append(out, put(4, whole(1, function))...)
	}
	return put(4, out)
}

const (
	longText   = 8 << 20
	references = 4_000
)

func hostileProfiles() map[string][]byte {
	main := append(location(1, 0, 1), put(5, whole(1, 1, 2, 3))...)
	mainAndContention := hostile(longText,
		put(1, whole(1, 6, 2, 2)),
		times(references, func(i int) []byte {
			return put(2, append(put(1, []byte{1}), put(2, []byte{7, 7})...))
		}),
		location(1, 0, 1), put(5, whole(1, 1, 2, 5)))
	return map[string][]byte{
		"one label value": hostile(longText, main, times(references, func(i int) []byte {
			return sample(1, append(put(3, whole(1, 4, 2, 5)), put(3, whole(1, 4, 3, i+1))...)...)
		})),
		"one label key": hostile(longText, main, times(references, func(i int) []byte {
			return sample(1, put(3, whole(1, 5, 3, i+1))...)
		})),
		"one label unit": hostile(longText, main, times(references, func(i int) []byte {
			return sample(1, put(3, whole(1, 4, 3, i+1, 4, 5))...)
		})),
		"one function name": hostile(longText, times(references, func(i int) []byte {
			return append(append(sample(i+1), location(i+1, 0, i+1)...), put(5, whole(1, i+1, 2, 5, 5, i))...)
		})),
		"one file of mappings": hostile(longText, times(references, func(i int) []byte {
			return append(append(sample(i+1), location(i+1, i+1, 0)...), put(3, whole(1, i+1, 5, 5))...)
		})),
		"one comment":  hostile(longText, main, sample(1), times(references, func(int) []byte { return whole(13, 5) })),
		"one leaf":     mainAndContention,
		"sample types": hostile(longText, times(1000, func(int) []byte { return put(1, whole(1, 5, 2, 5)) }), main, sample(1)),
	}
}

// TestHostileProfilesCostNoMoreThanPlainOnes: references are cheap in the file,
// so they must be cheap to follow.
func TestHostileProfilesCostNoMoreThanPlainOnes(t *testing.T) {
	var plain bytes.Buffer
	if err := profilegen.Write(&plain, profilegen.ProfileShape{Seed: 1, Samples: 70_000, Functions: 5_000, Depth: 62}); err != nil {
		t.Fatal(err)
	}
	if plain.Len() > longText+longText/4 {
		t.Fatalf("the plain file has %d bytes: it is no fair measure", plain.Len())
	}
	fair, stderr := cost(t, "profile", plain.Bytes())
	if stderr != "" {
		t.Fatal(stderr)
	}
	for name, content := range hostileProfiles() {
		t.Run(name, func(t *testing.T) {
			if spent, stderr := cost(t, "profile", content); spent > costRatio*(fair+startup) {
				t.Errorf("%v of CPU for %d bytes, %v for a plain profile of that size: %s", spent, len(content), fair, stderr)
			}
		})
	}
}

// TestHostileOutputOfBenchmarksCostsNoMore: a configuration holds for all
// results below it.
func TestHostileOutputOfBenchmarksCostsNoMore(t *testing.T) {
	results := func(n int, between string) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, "BenchmarkA/%d 1 %d ns/op\n%s", i, i, between)
		}
		return out.String()
	}
	plain := "Benchmarks:\npkg: p\n" + results(120_000, "")
	fair, stderr := cost(t, "bench", []byte(plain))
	if stderr != "" {
		t.Fatal(stderr)
	}
	large := func(bytes int) string {
		var out strings.Builder
		for i := 0; out.Len() < bytes; i++ {
			fmt.Fprintf(&out, "k%d: %s\n", i, strings.Repeat("v", 1000))
		}
		return out.String()
	}
	for name, content := range map[string]string{
		"beyond the limit": large(240_000) + results(100_000, ""),
		"at the limit":     large(60_000) + results(100_000, ""),
		"and other lines":  large(60_000) + results(50_000, "nothing\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if spent, stderr := cost(t, "bench", []byte(content)); spent > 2*costRatio*(fair+startup) {
				t.Errorf("%v of CPU for %d bytes, %v for plain output: %s", spent, len(content), fair, stderr)
			}
		})
	}
}

// TestHostileSpansAndGrowthLogsCostNoMore: their texts remain where they are
// used, so cost follows size.
func TestHostileSpansAndGrowthLogsCostNoMore(t *testing.T) {
	line := strings.Repeat("main.f;", 60) + "main.g 3\n"
	plain := "# rate: 1000\n" + strings.Repeat(line, longText/len(line))
	long := strings.Repeat("x", 60_000)
	repeated := "# rate: 1000\n" + strings.Repeat("main.f;"+long+" 3\n", longText/60_000)
	fair, _ := cost(t, "growth", []byte(plain))
	if spent, stderr := cost(t, "growth", []byte(repeated)); spent > costRatio*(fair+startup) {
		t.Errorf("growth: %v of CPU, %v for a plain log: %s", spent, fair, stderr)
	}
	span := func(text string) string {
		return `{"traceId":"0000000000000000000000000000000a","id":"000000000000000b","name":"` + text +
			`","timestamp":1,"duration":2,"localEndpoint":{"serviceName":"s"},"tags":{"k":"` + text + `"}},`
	}
	spans := func(text string) []byte {
		return []byte("[" + strings.TrimSuffix(strings.Repeat(span(text), longText/len(span(text))), ",") + "]")
	}
	fair, _ = cost(t, "spans", spans("get"))
	if spent, stderr := cost(t, "spans", spans(long)); spent > costRatio*(fair+startup) {
		t.Errorf("spans: %v of CPU, %v for plain spans: %s", spent, fair, stderr)
	}
}
