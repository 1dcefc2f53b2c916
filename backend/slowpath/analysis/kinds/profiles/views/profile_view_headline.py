"""The headline of one view of a profile set: its largest cost, and the function that it is attributed to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.findings import wording
from slowpath.analysis.kinds.profiles.categories.category_advice import TEXTS
from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import APP
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.views.profile_set_document import ProfileCategory

ALMOST_ALL, MOST = 0.9, 0.5
TOTALS: Final = {
    "alloc_space": "the allocated bytes",
    "alloc_objects": "the allocated objects",
    "inuse_space": "the memory in use",
    "inuse_objects": "the objects in use",
    "contentions": "the contentions",
    "delay": "the waiting time",
    "goroutine": "the goroutines",
    "goroutines": "the goroutines",
    "threadcreate": "the created threads",
    "sampled": "the sampled stack growths",
    "growths": "the stack growths",
    "copied": "the bytes copied by stack growth",
}
"""What a sample type adds up, by its name."""
CPU_KINDS: Final = frozenset({"cpu", "trace-cpu"})


@dataclass(frozen=True)
class LargestFunction:
    """The function with the largest cost of its own code, as a share of the total."""

    name: str
    share: float


def write_headline(
    kind: str,
    sample_type: SampleType,
    categories: Sequence[ProfileCategory],
    function: LargestFunction | None,
    *,
    has_matchers: bool,
) -> str:
    """Name the largest runtime category with its attributed caller, or the largest function if that costs more."""
    if not categories:
        return "No sample matches the labels." if has_matchers else "The profiles have no samples."
    total = _total(kind, sample_type)
    category = next((each for each in categories if each.category != APP and each.raw > 0), None)
    if category is not None and category.share >= (function.share if function else 0.0):
        verb = "takes" if kind in CPU_KINDS else "has"
        title = TEXTS.get(category.category, TEXTS["runtime-other"]).title.partition(" (")[0]
        return f"{title} {verb} {_percent(category.share)} of {total}{_caller(category)}."
    if function is not None:
        verb = "takes" if kind in CPU_KINDS else "has"
        return f"`{wording.function(function.name)}` {verb} {_percent(function.share)} of {total}."
    return "No function of the profiles has a name: they were recorded without symbols."


def _total(kind: str, sample_type: SampleType) -> str:
    if kind in CPU_KINDS:
        return "CPU time" if sample_type.unit == "nanoseconds" else "the CPU samples"
    return TOTALS.get(sample_type.type, f"the {sample_type.type}" if sample_type.type else "the total")


def _caller(category: ProfileCategory) -> str:
    """Return the words on the largest attributed caller, as the end of a sentence."""
    if not category.attributed_callers:
        return ""
    caller = category.attributed_callers[0]
    part = "almost all" if caller.share >= ALMOST_ALL else "most" if caller.share >= MOST else _percent(caller.share)
    return f", {part} of it attributed to `{wording.function(caller.function)}`"


def _percent(share: float) -> str:
    """Format a share in whole percent, a small one with three significant digits."""
    return f"{share:.0%}" if share >= 0.01 else f"{wording.format_number(100 * share)}%"
