package benchcompare

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/benchfile"
	"slowpath.dev/decode/internal/inputlimits"
)

// benchstat builds the real one, from the module that we use.
func benchstat(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "benchstat")
	if out, err := exec.Command("go", "build", "-o", path, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Skipf("the oracle cannot be built: %v %s", err, out)
	}
	return path
}

// cell is the result of benchstat for one row of a table.
type cell struct {
	unit, name                string
	base, candidate, delta, p string
}

// runOracle returns all rows, the geometric means among them.
func runOracle(t *testing.T, tool, base, candidate string) []cell {
	t.Helper()
	out, err := exec.Command(tool, "-format", "csv", base, candidate).Output()
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(out)))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cells []cell
	unit := ""
	for _, record := range records {
		switch {
		case len(record) < 2, record[0] == "" && len(record) < 7:
		case record[0] == "" && record[2] == "CI":
			unit = record[1]
		case record[0] != "":
			record = append(record, make([]string, 7)...)
			cells = append(cells, cell{unit, record[0], record[1], record[3], record[5], record[6]})
		}
	}
	return cells
}

// Random results, with ties, zeros, few values and exact units: every number
// and every verdict is benchstat's.
func TestOracle(t *testing.T) {
	tool := benchstat(t)
	dice := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for round := range 40 {
		base, candidate := drawn(t, dice, round, 0), drawn(t, dice, round, 1)
		result := Compare([]*benchfile.Set{loaded(t, base)}, []*benchfile.Set{loaded(t, candidate)})
		for _, c := range runOracle(t, tool, base, candidate) {
			if c.name == "geomean" {
				compareMean(t, result, c)
			} else if c.base != "" && c.candidate != "" {
				compareRow(t, result, c)
				compared++
			}
		}
	}
	if compared < 200 {
		t.Errorf("only %d rows compared", compared)
	}
}

func drawn(t *testing.T, dice *rand.Rand, round, side int) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "Unit exact-bytes assume=exact\ngoos: linux\npkg: example.com/a\n")
	for name := range 4 {
		if side == 1 && dice.IntN(8) == 0 {
			continue // the other side alone has it
		}
		level := float64(100*(name+1)) * (1 + float64(side*dice.IntN(3))/10)
		for range 1 + dice.IntN(14) {
			value := level * (1 + dice.NormFloat64()/20)
			if round%3 == 0 {
				value = math.Round(value/10) * 10 // ties
			}
			if round%7 == 0 {
				value = 0
			}
			fmt.Fprintf(&out, "BenchmarkX%d/n=%d-8 100 %.2f ns/op %.1f MB/s %d allocs/op %d exact-bytes\n", name, name, value, 8e3/max(1, value), dice.IntN(3), 10+dice.IntN(2))
		}
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.txt", side))
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func loaded(t *testing.T, path string) *benchfile.Set {
	t.Helper()
	set, err := benchfile.ReadFile(path, inputlimits.Default())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func compareRow(t *testing.T, result *Comparison, c cell) {
	t.Helper()
	i := slices.IndexFunc(result.Rows, func(r Row) bool { return r.Name == c.name && r.Unit == c.unit })
	if i < 0 {
		t.Errorf("%+v is missing", c)
		return
	}
	r := result.Rows[i]
	if fmt.Sprint(r.Base.Center) != c.base || fmt.Sprint(r.Candidate.Center) != c.candidate {
		t.Errorf("%+v: centers %v %v", c, r.Base.Center, r.Candidate.Center)
	}
	message := c.delta != "~" && c.delta != "0.00%"
	if r.Significant != message {
		t.Errorf("%+v: significant %v, p %v", c, r.Significant, r.P)
	}
	if message && c.delta != "?" && fmt.Sprintf("%+.2f%%", (*r.Ratio-1)*100) != c.delta {
		t.Errorf("%+v: ratio %v", c, *r.Ratio)
	}
	if p, _, ok := strings.Cut(strings.TrimPrefix(c.p, "p="), " "); ok && !r.Exact && strings.HasPrefix(c.p, "p=") && fmt.Sprintf("%0.3f", *r.P) != p {
		t.Errorf("%+v: p %v", c, *r.P)
	}
}

func compareMean(t *testing.T, result *Comparison, c cell) {
	t.Helper()
	i := slices.IndexFunc(result.Geomeans, func(g Geomean) bool { return g.Unit == c.unit })
	if i < 0 {
		if c.base != "" && c.candidate != "" {
			t.Errorf("%+v is missing", c)
		}
		return
	}
	g := result.Geomeans[i]
	if !near(g.Base, c.base) || !near(g.Candidate, c.candidate) || g.Ratio != nil && fmt.Sprintf("%+.2f%%", (*g.Ratio-1)*100) != c.delta || g.Ratio == nil && c.delta != "?" {
		t.Errorf("%+v: %+v", c, g)
	}
}

func near(got *float64, want string) bool {
	if got == nil || want == "" {
		return got == nil && want == ""
	}
	v, err := strconv.ParseFloat(want, 64)
	return err == nil && math.Abs(*got-v) <= 1e-9*math.Abs(v)
}
