package traceintern

import (
	"strings"
	"testing"

	"golang.org/x/exp/trace"
)

// stackOf interns a stack, leaf first.
func stackOf(t *testing.T, s *StackInterner, functions ...string) uint32 {
	t.Helper()
	var frames []trace.StackFrame
	for i, f := range functions {
		frames = append(frames, trace.StackFrame{PC: uint64(i + 1), Func: f, File: "f.go", Line: uint64(i)})
	}
	return s.Of(trace.MakeStack(frames))
}

func TestGroups(t *testing.T) {
	for _, test := range []struct {
		stack       string // leaf first
		name, start string
		final       bool
		system      bool
	}{
		{"runtime.chanrecv1 main.batcher", "main.batcher", "main.batcher", true, false},
		{"main.main runtime.main", "main.main", "runtime.main", true, false},
		{"runtime.main", "runtime.main", "runtime.main", false, false},
		{"main.seq iter.Pull[...].func1 runtime.corostart", "iter.Pull[...].func", "runtime.corostart", true, false},
		{"main.work main.main.gowrap1", "main.work", "main.main.gowrap1", true, false},
		{"main.main.gowrap12", "main.main.gowrap12", "main.main.gowrap12", false, false},
		{"x main.fetch.func3 golang.org/x/sync/errgroup.(*Group).Go.func1", "main.fetch.func", "golang.org/x/sync/errgroup.(*Group).Go.func1", true, false},
		{"golang.org/x/sync/errgroup.(*Group).Go.func1", "golang.org/x/sync/errgroup.(*Group).Go.func1", "golang.org/x/sync/errgroup.(*Group).Go.func1", false, false},
		{"main.job sync.(*WaitGroup).Go.func1", "main.job", "sync.(*WaitGroup).Go.func1", true, false},
		{"net.read s.(*client).readLoop s.(*Server).createClient.func1 s.(*Server).startGoRoutine.func1", "s.(*client).readLoop", "s.(*Server).startGoRoutine.func1", true, false},
		{"main.tick time.goFunc", "main.tick", "time.goFunc", true, false},
		{"internal/poll.read net/http.(*conn).serve", "net/http.(*conn).serve", "net/http.(*conn).serve", true, false},
		{"main.run.func1.2", "main.run.func", "main.run.func1.2", true, false},
		{"runtime.gopark runtime.bgsweep runtime.gcenable.gowrap1", "runtime.bgsweep", "runtime.gcenable.gowrap1", true, true},
		{"runtime/trace.Start.func1", "runtime/trace.Start.func", "runtime/trace.Start.func1", true, true},
		{"a main.Map[go.shape.int]", "main.Map[...]", "main.Map[go.shape.int]", true, false},
	} {
		names := NewStrings()
		stacks := NewStacks(names)
		groups := NewGroups(names, stacks)
		i, final := groups.Of(stackOf(t, stacks, strings.Fields(test.stack)...))
		g := groups.At(i)
		if names.At(g.Name) != test.name || names.At(g.Start) != test.start || final != test.final || g.System != test.system {
			t.Errorf("%s: %s from %s, final %v, system %v", test.stack, names.At(g.Name), names.At(g.Start), final, g.System)
		}
	}
}

// The root of a stack as deep as the runtime goes is not known.
func TestDeepStack(t *testing.T) {
	names := NewStrings()
	stacks := NewStacks(names)
	groups := NewGroups(names, stacks)
	if _, final := groups.Of(stackOf(t, stacks, strings.Fields(strings.Repeat("main.f ", maxStackFrames))...)); final {
		t.Error("final")
	}
	if group, final := groups.Of(0); group != Unnamed || final {
		t.Error(group, final)
	}
}

// The same stack of another generation is the same; one without names is none.
func TestStacksAcrossGenerations(t *testing.T) {
	stacks := NewStacks(NewStrings())
	a := stackOf(t, stacks, "b", "a")
	stacks.NextGeneration()
	if b := stackOf(t, stacks, "b", "a"); a != b || a == 0 {
		t.Error(a, b)
	}
	if stackOf(t, stacks, "") != 0 || stacks.Of(trace.NoStack) != 0 || stackOf(t, stacks, "a", "b") == a {
		t.Error("stacks are confused")
	}
}

func TestGroupsOverflow(t *testing.T) {
	names := NewStrings()
	stacks := NewStacks(names)
	groups := NewGroups(names, stacks)
	for i := range 2 * MaxGroups {
		group, _ := groups.Of(stackOf(t, stacks, "main.f"+strings.Repeat("x", i)))
		if last := i == 2*MaxGroups-1; last && group != Other {
			t.Error(group)
		}
	}
	if groups.Len() != MaxGroups {
		t.Error(groups.Len())
	}
}

func TestHostileStrings(t *testing.T) {
	s := NewStrings()
	if got := s.At(s.Intern("a\xff\x00b")); got != "a\ufffd\ufffdb" {
		t.Errorf("%q", got)
	}
	if got := s.At(s.Intern(strings.Repeat("x", 1<<20))); len(got) != maxNameBytes {
		t.Error(len(got))
	}
	for i := range 2 * allNames / maxNameBytes {
		s.Intern(strings.Repeat("y", maxNameBytes-10) + string(rune('a'+i%26)) + strings.Repeat("z", i%9) + string(rune('a'+i/26%26)) + string(rune(i)))
	}
	offsets, bytes := s.Columns()
	if len(bytes) > allNames || int(offsets[len(offsets)-1]) != len(bytes) {
		t.Error(len(bytes))
	}
}

func TestReasons(t *testing.T) {
	r := NewReasons(NewStrings())
	if r.Of("") != ReasonUnspecified || r.Of("preempted") != ReasonPreempted || r.Kind(r.Of("network")) != Network || r.Kind(r.Of("chan send")) != Synchronization {
		t.Error("reasons are confused")
	}
	for i := range 2 * maxReasons {
		r.Of(strings.Repeat("r", i+1))
	}
	if len(r.list) != maxReasons || r.Of("one more") != ReasonOverflow {
		t.Error(len(r.list))
	}
}
