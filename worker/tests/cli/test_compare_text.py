"""The text of instances of generic functions that differ."""

from slowpath.analysis.comparison.compiler_findings import (
    CompilerBuild,
    CompilerSection,
    InstanceChange,
    InstanceCode,
)
from slowpath_cli.commands.compare_text import MOST_INSTANCES, list_instances

BUILD = CompilerBuild("go1.26.8", "amd64", "a", None)
CHANGED = InstanceChange(
    "changed", "main.Map[...]", "go.shape.int", True, InstanceCode(80, 24, 1), InstanceCode(1200, 24, 1)
)


def section(*instances: InstanceChange, omitted: int = 0) -> CompilerSection:
    return CompilerSection(BUILD, BUILD, (), (), (), instances=instances, omitted_instances=omitted)


def test_instances_are_listed_with_both_sizes() -> None:
    added = InstanceChange("added", "main.Map[...]", "go.shape.string", False, None, InstanceCode(96, 32, 0))
    assert list_instances(section(CHANGED, added)) == [
        "Instances of generic functions that differ: 2",
        "changed main.Map[...] with go.shape.int: 80 B, frame 24 B -> 1,200 B, frame 24 B",
        "new main.Map[...] with go.shape.string: 96 B, frame 32 B",
    ]
    assert list_instances(section()) == []


def test_what_is_left_out_is_counted() -> None:
    lines = list_instances(section(*[CHANGED] * 200, omitted=1000))
    assert (lines[0], lines[-1]) == (
        "Instances of generic functions that differ: 1,200",
        f"{1200 - MOST_INSTANCES:,} more: see --json",
    )
    assert len(lines) == MOST_INSTANCES + 2
