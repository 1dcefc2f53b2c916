package calltree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilefixture"
)

// inlinedCalls draws the inlined calls of a profile, one text each.
func inlinedCalls(f *profilefile.File) (drawn []string) {
	for i, caller := range f.InlinedCaller {
		drawn = append(drawn, fmt.Sprintf("%s:%d %s", f.String(caller), f.InlinedLine[i], f.String(f.InlinedCallee[i])))
	}
	return drawn
}

func TestInlinedCalls(t *testing.T) {
	p := profilefixture.Stacks(`
		main.main:5                     main.main:5   main.main:6
		main.a:10>main.b:20>main.c:30   main.a:10     main.a:10>main.b:21
		main.d:40                       main.b:20     .
	`)
	unused := &profile.Location{ID: 99, Line: []profile.Line{{Function: p.Function[0], Line: 1}, {Function: p.Function[1], Line: 2}}}
	p.Location = append(p.Location, unused)
	want := []string{"main.a:10 main.b", "main.b:20 main.c"}
	if got := inlinedCalls(read(t, p)); !slices.Equal(got, want) {
		t.Errorf("inlined calls are %q, want %q", got, want)
	}
}

func TestNoInlinedCalls(t *testing.T) {
	f := read(t, profilefixture.Stacks("main.main:5\nmain.a:10"))
	if f.InlinedCaller != nil {
		t.Errorf("inlined calls are %q, want none", inlinedCalls(f))
	}
}
