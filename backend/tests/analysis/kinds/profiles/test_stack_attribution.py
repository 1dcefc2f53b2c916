"""Category, entry and attributed caller of stacks, with the special cases of the Go runtime."""

import pytest

from slowpath.analysis.kinds.profiles.categories.category_advice import BY_ENTRY, TEXTS, text_for
from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import runtime_rules
from slowpath.analysis.kinds.profiles.categories.stack_attribution import GROUPS, StackAttribution, attribute_stacks
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks, unite_stacks
from tests.analysis.kinds.profiles.generated_profiles import table


def attributed(stack: str) -> tuple[str, str, str]:
    """Return (category, entry, attributed caller) of one stack, root first."""
    found: DistinctStacks = unite_stacks([table([(tuple(stack.split()), 1)])])
    got: StackAttribution = attribute_stacks(found.frames, found.labels)
    name = {i: label.key for i, label in enumerate(found.labels)}
    return got.categories[int(got.category[0])], name[int(got.entry[0])], name[int(got.attributed_caller[0])]


GROWTH = "main.main a/x.Clone runtime.newstack runtime.copystack runtime.adjustframe"


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        (GROWTH, ("stack-growth", "runtime.newstack", "a/x.Clone")),
        ("main.main a/x.Clone runtime.morestack", ("stack-growth", "runtime.morestack", "a/x.Clone")),
        # Since Go 1.12 morestack above gopreempt_m is cooperative preemption, not growth.
        (
            "runtime.morestack runtime.newstack runtime.gopreempt_m runtime.goschedImpl runtime.schedule",
            ("preemption", "runtime.morestack", ""),
        ),
        # The collector shrinks stacks; that is its own cost.
        (
            "runtime.gcBgMarkWorker runtime.systemstack runtime.markroot runtime.scanstack runtime.shrinkstack runtime.copystack",
            ("gc-mark", "runtime.gcBgMarkWorker", ""),
        ),
        # A new goroutine gets its stack from the scheduler's newproc.
        ("main.main runtime.newproc runtime.systemstack runtime.newproc.func1 runtime.newproc1 runtime.malg runtime.stackalloc",
         ("scheduler", "runtime.newproc", "main.main")),
        ("main.main a/x.F runtime.slicebytetostring runtime.mallocgc", ("allocation", "runtime.slicebytetostring", "a/x.F")),
        ("main.main a/x.F runtime.slicebytetostring", ("string-bytes", "runtime.slicebytetostring", "a/x.F")),
        ("main.main a/x.F runtime.mallocgc runtime.gcAssistAlloc", ("gc-assist", "runtime.mallocgc", "a/x.F")),
        ("main.main a/x.F runtime.chansend1 runtime.chansend runtime.lock2", ("lock-runtime", "runtime.chansend1", "a/x.F")),
        ("main.main a/x.F runtime.chansend1 runtime.chansend", ("channel", "runtime.chansend1", "a/x.F")),
        # The entry skips the switch of stacks; the attributed caller skips the standard library.
        ("main.main a/x.F strings.(*Builder).grow runtime.systemstack runtime.growslice",
         ("allocation", "runtime.growslice", "a/x.F")),
        ("net/http.(*conn).serve bufio.(*Reader).fill runtime.memmove", ("memmove-memclr", "runtime.memmove", "bufio.(*Reader).fill")),
        ("runtime.systemstack", ("runtime-other", "runtime.systemstack", "")),
        # Frames that wrap user code are not the runtime's doing.
        ("runtime.main main.main", ("app", "", "main.main")),
        ("runtime.main runtime/pprof.Do main.work", ("app", "", "main.work")),
        ("main.main reflect.Value.call main.handler a/x.F", ("app", "", "a/x.F")),
        ("main.main sync.(*Once).doSlow main.setup", ("app", "", "main.setup")),
        # Size-specialised allocators and Green Tea are matched by prefix.
        ("main.main runtime.mallocgcSmallNoScanSC2", ("allocation", "runtime.mallocgcSmallNoScanSC2", "main.main")),
        ("runtime.gcBgMarkWorker internal/runtime/gc/scan.scanSpanPackedAVX512", ("gc-mark", "runtime.gcBgMarkWorker", "")),
        ("main.main runtime.gcWriteBarrier2", ("gc-write-barrier", "runtime.gcWriteBarrier2", "main.main")),
        ("main.main runtime.mapaccess1_faststr aeshashbody", ("map", "runtime.mapaccess1_faststr", "main.main")),
        ("main.main runtime.asyncPreempt", ("preemption", "runtime.asyncPreempt", "main.main")),
        ("main.main runtime.unheardOf", ("runtime-other", "runtime.unheardOf", "main.main")),
        ("main.main internal/poll.(*FD).Read", ("app", "internal/poll.(*FD).Read", "main.main")),
        ("[root] main.main", ("app", "", "main.main")),
    ],
)  # fmt: skip
def test_traps(stack: str, expected: tuple[str, str, str]) -> None:
    assert attributed(stack) == expected


def test_a_stack_without_frames_is_the_applications() -> None:
    found = unite_stacks([table([((), 1)])])
    got = attribute_stacks(found.frames, found.labels)
    assert (got.category.tolist(), got.entry.tolist(), got.attributed_caller.tolist()) == ([0], [0], [0])


def test_groups_are_made_of_categories() -> None:
    categories = set(runtime_rules().categories)
    assert all(set(parts) <= categories for parts in GROUPS.values())


def test_every_category_and_group_has_a_text() -> None:
    rules = runtime_rules()
    for name in (*rules.categories, *GROUPS):
        text = text_for(name)
        assert name in TEXTS
        assert text.title
        assert text.mechanism.endswith(".")
        assert text.advice.endswith(".")
    for category, entry in BY_ENTRY:
        assert {category, entry} <= set(rules.categories)
        assert text_for(category, entry) is BY_ENTRY[category, entry]
    assert text_for("allocation", "timers") is TEXTS["allocation"]
    assert text_for("unheard-of") is TEXTS["runtime-other"]


def test_ids_have_hyphens() -> None:
    assert all("_" not in name for name in runtime_rules().categories)
