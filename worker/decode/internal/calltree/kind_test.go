package calltree_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
	"slowpath.dev/decode/internal/profilefixture"
)

func TestKinds(t *testing.T) {
	for _, test := range []struct {
		types    string // sample types; a * marks the default
		period   string
		leaf     string
		fileName string
		kind     string
		warning  string
	}{
		{types: "samples cpu", kind: "cpu"},
		{types: "samples", period: "cpu", kind: "cpu"},
		{types: "samples", period: "wall", kind: "other"},
		{types: "alloc_objects alloc_space inuse_objects inuse_space", kind: "heap"},
		{types: "alloc_objects alloc_space inuse_objects *inuse_space", kind: "heap", fileName: "allocs.pb.gz"},
		{types: "alloc_objects *alloc_space inuse_objects inuse_space", kind: "allocs"},
		{types: "alloc_objects alloc_space inuse_objects inuse_space", kind: "allocs", fileName: "svc.Allocs.00"},
		{types: "alloc_objects alloc_space", kind: "allocs"},
		{types: "inuse_objects inuse_space", kind: "heap"},
		{types: "contentions delay", leaf: "sync.(*Mutex).Unlock", kind: "mutex"},
		{types: "contentions delay", leaf: "sync.(*RWMutex).RUnlock", kind: "mutex"},
		{types: "contentions delay", leaf: "runtime.unlock", kind: "mutex"},
		{types: "contentions delay", leaf: "runtime._LostContendedRuntimeLock", kind: "mutex", fileName: "block.pb.gz"},
		{types: "contentions delay", leaf: "sync.(*Mutex).Lock", kind: "block"},
		{types: "contentions delay", leaf: "sync.(*WaitGroup).Wait", kind: "block", fileName: "mutex.pb.gz"},
		{types: "contentions delay", leaf: "runtime.selectgo", kind: "block"},
		{types: "contentions delay", leaf: "main.x", kind: "block", fileName: "block.01.pb.gz"},
		{types: "contentions delay", leaf: "main.x", kind: "mutex", fileName: "mutex.01.pb.gz"},
		{types: "contentions delay", leaf: "main.x", kind: "mutex", warning: "kind-guessed"},
		{types: "goroutine", kind: "goroutine"},
		{types: "threadcreate", kind: "threadcreate"},
		{types: "thread", kind: "other"},
	} {
		t.Run(test.types+test.leaf+test.fileName, func(t *testing.T) {
			b := profilefixture.New()
			b.SampleType = nil
			for _, name := range strings.Fields(test.types) {
				v := &profile.ValueType{Type: strings.TrimPrefix(name, "*"), Unit: "count"}
				if v.Type == "cpu" {
					v.Unit = "nanoseconds"
				}
				if v.Type != name {
					b.DefaultSampleType = v.Type
				}
				b.SampleType = append(b.SampleType, v)
			}
			b.PeriodType.Type = test.period
			b.Sample([]string{"main.main", leafOr(test.leaf)}, 1)
			f := read(t, b.Profile, func(o *calltree.Options) { o.FileName = test.fileName })
			if f.Header.Kind != test.kind {
				t.Errorf("kind %s, want %s", f.Header.Kind, test.kind)
			}
			if got := strings.Join(f.Header.Warnings, ""); !strings.HasPrefix(got, test.warning) || test.warning == "" && got != "" {
				t.Errorf("warnings %q, want %q", got, test.warning)
			}
		})
	}
}

// A profile without samples is refused with advice for its kind.
func TestNoSamplesAdvice(t *testing.T) {
	for types, advice := range map[string]string{
		"cpu nanoseconds": "under load", "contentions count": "SetMutexProfileFraction", "inuse_space bytes": "MemProfileRate", "goroutine count": "idle",
	} {
		b := profilefixture.New()
		name, unit, _ := strings.Cut(types, " ")
		b.SampleType = []*profile.ValueType{{Type: name, Unit: unit}}
		_, err := pprofread.Read(bytes.NewReader(profilefixture.Bytes(b.Profile)), calltree.Options{Limits: inputlimits.Default()})
		var bad *inputerror.InputError
		if !errors.As(err, &bad) || bad.Slug != "no-samples" || !strings.Contains(bad.Message, advice) {
			t.Errorf("%s: %v", types, err)
		}
	}
}

func leafOr(leaf string) string {
	if leaf == "" {
		return "main.leaf"
	}
	return leaf
}

// A unit that cannot be shown to people does not reach a page.
func TestGarbledUnitsAreReplaced(t *testing.T) {
	b := profilefixture.New()
	b.SampleType = []*profile.ValueType{{Type: "cpu", Unit: "nano\x00\u202eseconds"}}
	b.PeriodType.Unit = "\u202ens"
	b.Sample([]string{"main.main"}, 1)
	f := read(t, b.Profile, func(*calltree.Options) {})
	if got := f.Header.SampleTypes[0]; got.Type != "cpu" || got.Unit != "unknown" {
		t.Errorf("sample type %+v, want cpu in unknown", got)
	}
	if got := f.Header.PeriodType.Unit; got != "unknown" {
		t.Errorf("period unit %q, want unknown", got)
	}
}
