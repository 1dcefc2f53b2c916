"""The compiler's decisions, as `go build -gcflags=-m=2` of Go 1.26.8 prints them."""

from slowpath.analysis.builds.compile_report import (
    describe_reason,
    find_differences,
    fold_type_arguments,
    parse_decisions,
)

BASE = """# example.com/ident
ident/clone.go:24:6: can inline cloneBytes with cost 61 as: func([]byte) []byte { return nil }
ident/clone.go:8:6: cannot inline (*Pool).Clone: function too complex: cost 140 exceeds budget 80
ident/clone.go:10:24: inlining call to atomic.(*Pointer[go.shape.struct {}]).Load
ident/clone.go:24:17: parameter slot leaks to ~r0 for cloneBytes with derefs=0:
ident/clone.go:24:17:   flow: ~r0 ← slot:
# example.com/cmd
cmd/main.go:5:6: can inline main with cost 2 as: func() { }
"""
CANDIDATE = """# example.com/ident
ident/clone.go:24:6: cannot inline cloneBytes: function too complex: cost 117 exceeds budget 80
ident/clone.go:8:6: cannot inline (*Pool).Clone: function too complex: cost 140 exceeds budget 80
ident/clone.go:36:11: &chunk{} escapes to heap in (*Pool).refill:
ident/clone.go:36:11:   flow: {heap} ← atomic.val:
ident/clone.go:36:11: &chunk{} escapes to heap
ident/clone.go:12:9: moved to heap: buffer
ident/clone.go:30:6: cannot inline (*Pool).refill: unhandled op DEFER
# example.com/cmd
cmd/main.go:5:6: cannot inline main: call to recover
"""


def test_differences_are_sentences_with_the_numbers_of_the_compiler() -> None:
    sides = [parse_decisions(printed, "example.com/cmd") for printed in (BASE, CANDIDATE)]
    assert [describe_reason(each) for each in find_differences(*sides)] == [
        "example.com/ident.(*Pool).Clone now allocates on the heap: buffer.",
        "example.com/ident.(*Pool).refill cannot be inlined: unhandled op DEFER.",
        (
            "example.com/ident.cloneBytes is no longer inlined: cost 117 exceeds budget 80. In the base, its cost is 61: "
            "budget left 19. To be inlined, it has to lose 37."
        ),
        "main.main is no longer inlined: call to recover.",
    ]
    assert [describe_reason(each) for each in find_differences(*sides[::-1])] == [
        "example.com/ident.(*Pool).Clone allocates on the heap no longer: buffer.",
        "example.com/ident.(*Pool).refill is not compiled anymore; it could not be inlined: unhandled op DEFER.",
        (
            "example.com/ident.cloneBytes can be inlined now: it could not, function too complex: cost 117 exceeds budget 80. "
            "In the candidate, its cost is 61: budget left 19."
        ),
        "main.main can be inlined now: it could not, call to recover.",
    ]


def test_what_escapes_belongs_to_the_function_around_it() -> None:
    decisions = parse_decisions(CANDIDATE)
    assert decisions["example.com/ident.(*Pool).refill"].heap == ("&chunk{}",)
    assert decisions["example.com/ident.(*Pool).Clone"].heap == ("buffer",)
    assert (decisions["example.com/cmd.main"].file, decisions["example.com/cmd.main"].line) == ("main.go", 5)


GENERIC = """# example.com/gen
gen/map.go:15:6: {shape}
gen/map.go:15:6: can inline Map[go.shape.string,go.shape.[]int] with cost 60 as: func() {{ }}
gen/map.go:15:6: cannot inline Map[string,[]int]: marked go:noinline
gen/map.go:9:6: can inline (*Box[int]).Get with cost 63 as: method(*Box[int]) func(int) int {{ }}
gen/map.go:16:13: make([]go.shape.string, 0, len(in)) escapes to heap
"""


def test_instances_of_a_generic_function_are_one_function() -> None:
    base = parse_decisions(
        GENERIC.format(shape="can inline Map[go.shape.int,go.shape.string] with cost 60 as: func() { }")
    )
    candidate = parse_decisions(
        GENERIC.format(shape="cannot inline Map[go.shape.int,go.shape.string]: cost 117 exceeds budget 80")
    )
    assert set(base) == {"example.com/gen.Map[...]"}
    assert base["example.com/gen.Map[...]"].heap == ("make([]go.shape.string, 0, len(in))",)
    [reason] = find_differences(base, candidate)
    assert describe_reason(reason).startswith(
        "example.com/gen.Map[...] is no longer inlined: cost 117 exceeds budget 80."
    )
    assert fold_type_arguments("a/b.(*Set[go.shape.struct { x [3]int }]).Add.func1") == "a/b.(*Set[...]).Add.func1"
    assert fold_type_arguments("a]b[c") == "ab[...]"


def test_equal_builds_and_other_output_differ_in_nothing() -> None:
    assert find_differences(parse_decisions(BASE), parse_decisions(BASE)) == []
    assert parse_decisions("go: downloading x\nx.go:1:2: cannot inline \nx.go:: can inline f\n# a\n") == {}
    assert find_differences({}, {}) == []
