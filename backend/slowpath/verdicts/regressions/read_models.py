"""What services return about builds: the answers of a history and of a comparison, and the verdict that combines them."""

from dataclasses import dataclass
from typing import Literal

from slowpath.analysis.builds.comparison_answer import ComparisonAnswer, KindAnswer
from slowpath.analysis.comparison.stack_sizes import StackWarning
from slowpath.verdicts.regressions.rules import BuildVerdictState
from slowpath.verdicts.regressions.tables import BuildVerdict

AncestorState = Literal["pending", "compared", "failed", "first-build", "no-match", "other-conditions"]
"""`first-build`: no earlier build has evidence; `no-match`: none has the same kinds; `other-conditions`: none ran alike."""


@dataclass(frozen=True)
class SeriesAnswer:
    """The answer of the history of a branch.

    `excluded`: the smallest change of the total (a ratio above 1) that the builds since this one would have shown, and do not
    show; None with too few of them, or if there is a change.
    """

    state: Literal["changed", "passed", "inconclusive", "skipped"]
    sentence: str
    builds: int | None = None
    profiles: int | None = None
    excluded: float | None = None


@dataclass(frozen=True)
class AncestorAnswer:
    """The answer of the comparison with an earlier build, whose commit is `commit`; "" if there is none.

    `reason`: why there is no comparison, as a sentence. `kinds_left_out`: stored ids of kinds that the earlier build lacks.
    `unknown_conditions`: names of the conditions that one of the builds does not state.
    """

    state: AncestorState
    commit: str = ""
    is_merge_base: bool = False
    reason: str = ""
    kinds_left_out: tuple[str, ...] = ()
    comparison: ComparisonAnswer | None = None
    unknown_conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class StackCheck:
    """The check of a build's executable on the hot paths of an earlier build, whose commit is `commit`.

    `digest` identifies the executables and profiles.
    """

    digest: str
    commit: str
    warnings: tuple[StackWarning, ...]


@dataclass(frozen=True)
class BuildDecision:
    """The verdict on a build; `is_announced`: it is worth a comment, a message or a failed check."""

    state: BuildVerdictState
    sentence: str
    is_announced: bool = False
    builds: int | None = None
    profiles: int | None = None


@dataclass(frozen=True)
class CombinedVerdict:
    """A build verdict, what its comparison answered, and whether it is announced.

    `kinds`: the kinds of artifacts that the verdict is about; one with a confirmed regression since this build regressed.
    """

    row: BuildVerdict
    ancestor: AncestorAnswer | None
    is_announced: bool
    kinds: tuple[KindAnswer, ...] = ()
