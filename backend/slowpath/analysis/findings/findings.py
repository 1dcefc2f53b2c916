"""Values that a comparison returns: findings, caveats, cost shifts and minimum detectable effects."""

import math
from dataclasses import dataclass, replace
from typing import Literal

Direction = Literal["worse", "better"]
Verdict = Literal["regressed", "improved", "mixed", "unchanged", "inconclusive"]
"""`mixed`: significant costs changed in both directions, and their net change is not significant."""
CHANGED: frozenset[Verdict] = frozenset({"regressed", "improved", "mixed"})


@dataclass(frozen=True)
class Effect:
    """An effect size with its confidence interval; `ci_of` names what `ci_low` and `ci_high` bound."""

    ratio: float | None
    difference: float
    ci_low: float
    ci_high: float
    confidence_level: float
    ci_of: Literal["ratio", "difference"]

    def over(self, share: float) -> "Effect":
        """Return the effect per unit of which there are `share` as many."""
        low, high = self.ci_low, self.ci_high
        if self.ci_of == "difference":
            low, high = low / share, high / share
        return replace(self, difference=self.difference / share, ci_low=low, ci_high=high)

    @property
    def assured_share(self) -> float:
        """Return the share (0 to 1) of the effect that the closer end of its interval leaves, for ratios on a log scale."""
        if self.ci_of == "difference":
            effect, low, high = self.difference, self.ci_low, self.ci_high
        else:
            effect, low, high = _log(1.0 if self.ratio is None else self.ratio), _log(self.ci_low), _log(self.ci_high)
        assured = low if effect > 0 else high
        return min(1.0, max(0.0, assured / effect)) if effect and math.isfinite(assured) else 0.0


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf


@dataclass(frozen=True)
class AttributedCaller:
    """The first user frame below a runtime cost, and by how much the cost through it changed.

    `entry` is the runtime function that it called, `path` the frames from the root.
    """

    function: str
    entry: str | None
    path: tuple[str, ...]
    difference: float


@dataclass(frozen=True)
class Contribution:
    """A part of a finding and its share of the change."""

    subject: str
    share: float


@dataclass(frozen=True)
class Finding:
    """One reported change. Values are in `unit` under `normalization`; a tentative one is not `is_significant`.

    `quantile` is the quantile of a distribution that `base` and `candidate` are. `cost_s_per_s` is by how many seconds
    more (or less) the process works or its goroutines wait per second, where that is known: findings are ranked by it.
    `exclusive_difference` is the part of `change.difference` that no other finding explains; None if that is all of it.
    `whole_difference` is the change in `unit` of the whole program, where the finding counts requests of a part of it only.
    `signature` is what `slowpath bisect --signature` measures of a build; None if builds are not measured by it.
    """

    kind: str
    profile_kind: str
    subject: str
    direction: Direction
    base: float
    candidate: float
    unit: str
    change: Effect
    normalization: str
    q_value: float | None
    attributed_callers: tuple[AttributedCaller, ...]
    contributions: tuple[Contribution, ...]
    is_significant: bool
    profiles_needed: int | None
    mechanism: str
    advice: str
    sentence: str
    quantile: float | None = None
    cost_s_per_s: float | None = None
    exclusive_difference: float | None = None
    signature: str | None = None
    whole_difference: float | None = None

    @property
    def difference_of_whole(self) -> float:
        """Return the change in `unit` of the whole program."""
        return self.change.difference if self.whole_difference is None else self.whole_difference

    @property
    def explained(self) -> float:
        """Return how much of the change of the whole program this finding alone explains, in `unit`."""
        return self.difference_of_whole if self.exclusive_difference is None else self.exclusive_difference

    @property
    def assured_cost_s_per_s(self) -> float:
        """Return how many seconds per second the confidence interval assures, without sign; 0 if the cost is unknown."""
        return abs(self.cost_s_per_s or 0.0) * self.change.assured_share


@dataclass(frozen=True)
class CostShift:
    """A cost that changed its function and not its size: both functions have one common caller."""

    profile_kind: str
    from_function: str
    to_function: str
    common_caller: str
    amount: float
    unit: str
    sentence: str


@dataclass(frozen=True)
class MinimumDetectableEffect:
    """The smallest ratio that this comparison would have found; None if that is not known."""

    kind: str
    subject: str
    ratio: float | None


@dataclass(frozen=True)
class Caveat:
    """Why a result may mislead. One with `explains_effect` could explain a whole change, which is then not significant."""

    id: str
    sentence: str
    explains_effect: bool = False
