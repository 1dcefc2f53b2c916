package tracedecode

import (
	"math"
	"testing"

	"slowpath.dev/decode/internal/tracegc"
)

// utilization is what Go's own tool computes (internal/trace of Go 1.26.8:
// MutatorUtilizationV2 with stops, background workers, assists and sweeping, and
// MMU) for windows of 10 us to 1 s, six a decade. It was made to forget workers
// when they stop: as it is, it counts their next start twice and its curve ends
// early. go121-fmt has no second start; there the tool without changes yields the same.
var utilisation = map[string][]float64{
	"go121-fmt.trace":       {0.875, 0.875, 0.881644832, 0.889487082, 0.894829504, 0.898469264, 0.908889375, 0.927967451, 0.940965099, 0.949820422, 0.955853423, 0.9643988, 0.975745188, 0.983475386, 0.988741915, 0.992329956, 0.994774459, 0.996439881, 0.997574519, 0.998347539, 0.998874191, 0.999232995, 0.999477446, 0.999643988, 0.999757452, 0.999834754, 0.999870611, 0.999870611, 0.999870611, 0.999870611, 0.999870611},
	"hogs.trace":            {0, 0, 0, 0, 0, 0, 0, 0, 0.0312356401, 0.180635491, 0.205860492, 0.324098918, 0.325184, 0.523378882, 0.675281918, 0.778772138, 0.849279202, 0.897315116, 0.9300416, 0.952337898, 0.967528187, 0.977877212, 0.98492792, 0.989731511, 0.99300416, 0.99523379, 0.996752819, 0.997787721, 0.998492792, 0.998973151, 0.999300416},
	"go122-gc-stress.trace": {0, 0, 0, 0, 0, 0, 0.1551, 0.416619544, 0.455106358, 0.475587959, 0.500897367, 0.533767307, 0.564478542, 0.602296392, 0.646447222, 0.711263229, 0.775228344, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248, 0.777432248},
	"cpusamples.trace":      {0, 0, 0, 0, 0, 0, 0, 0, 0.0236605506, 0.113139886, 0.236435144, 0.310242891, 0.347104, 0.395833149, 0.38808133, 0.554184673, 0.696269532, 0.793070843, 0.8590208, 0.903951991, 0.934563252, 0.955418463, 0.969626952, 0.979307083, 0.98590208, 0.990395199, 0.993456325, 0.995541846, 0.996962695, 0.997930708, 0.998590208},
	"go122-svc.trace":       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0028955595, 0.123773654, 0.176896, 0.299806036, 0.522963561, 0.674998846, 0.778579275, 0.849147818, 0.8972256, 0.929980618, 0.952296349, 0.967499881, 0.977857927, 0.984914781, 0.98972256, 0.992998062, 0.995229635, 0.996127449, 0.997361662, 0.998202521, 0.998271776},
	"go119-http.trace":      {0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.769236527, 0.802944395, 0.856761638, 0.847119701, 0.895843875, 0.929039245, 0.951655016, 0.967062945, 0.967178427, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269, 0.97538269},
}

func TestUtilizationEqualsGoTool(t *testing.T) {
	for name, want := range utilisation {
		d := decodeFile(t, testdata+name)
		got, windows := column[float64](d, "mmu"), column[int64](d, "mmu_window_ns")
		if len(got) != len(want) || len(windows) != len(tracegc.Windows()) {
			t.Fatal(name, len(got))
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-8 {
				t.Errorf("%s, window %d ns: %v, want %v", name, windows[i], got[i], want[i])
			}
		}
	}
}

// An assist that began before the trace, in a goroutine that waits for a P, counts
// when the goroutine runs, and then no longer: the trace has no cycle, and what the
// collector takes of it is a millionth. (Reported by the thread that begins the trace, it was
// counted twice and ended once: the curve was flat at one P less, or two.)
func TestAssistsOfBeforeTheTrace(t *testing.T) {
	for name, wants := range map[string][2]float64{"run.00": {0.91675, 0.9998}, "run.02": {0.9744, 0.9999}} {
		result, err := ReadFile("../../../example/traces/tickers/"+name+".trace.gz", DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		mmu, _ := result.File.Columns.Column("mmu").([]float64)
		if len(mmu) != len(tracegc.Windows()) || math.Abs(mmu[0]-wants[0]) > 1e-4 || mmu[len(mmu)-1] < wants[1] {
			t.Errorf("%s: %v", name, mmu)
		}
	}
}
