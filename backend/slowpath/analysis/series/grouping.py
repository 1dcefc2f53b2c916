"""Changes of several series at one build that are one story: what leads, what follows, and what only moved.

Series are related by where they are measured: functions lie under their callers and in a category; a category lies in the whole.
What one function gained and another under the same caller lost is a move: in the caller they cancel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from slowpath.analysis.series.change_points import ChangePoint


@dataclass(frozen=True)
class SeriesChange:
    """A change of one series.

    `kind` is what is measured ("category", "function", "benchmark", "latency", "growth", "delay", "allocation", "total"),
    `subject` its name. `change` is where. `difference` is after minus before in `unit`, the same unit in all series of a
    kind that can be added (CPU seconds per second, per request); NaN where levels cannot be added. `callers`: functions
    beneath which nearly all of it lies, nearest first. `category`: the category in which it lies. `higher_is_worse`: False
    for throughput.
    """

    kind: str
    subject: str
    change: ChangePoint
    difference: float
    unit: str = ""
    callers: tuple[str, ...] = ()
    category: str | None = None
    higher_is_worse: bool = True


@dataclass(frozen=True)
class ChangeGroup:
    """Changes that are told as one.

    `lead` names it and stands among `members` (the largest story first). `is_move`: what members gained others lost, so that
    nothing is to be told of; `net` is what is left over in the unit of the lead, and `under` the caller in which they
    cancel. `low_index`..`high_index`: the builds in which it began, by all members together.
    """

    lead: SeriesChange
    members: tuple[SeriesChange, ...]
    is_move: bool
    net: float
    under: str | None
    low_index: int
    high_index: int


def group(changes: Sequence[SeriesChange]) -> tuple[ChangeGroup, ...]:
    """Put changes that belong together into groups; the surest first. Each change is in one group."""
    return tuple(
        ChangeGroup(one, (one,), False, one.difference, None, one.change.low_index, one.change.high_index)
        for one in sorted(changes, key=lambda one: -one.change.score)
    )
