"""Values that a comparison returns: findings, caveats, cost shifts and minimum detectable effects."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["worse", "better"]
Verdict = Literal["regressed", "improved", "mixed", "unchanged", "inconclusive"]
"""`mixed`: significant costs changed in both directions, and their net change is not significant."""
CHANGED: frozenset[Verdict] = frozenset({"regressed", "improved", "mixed"})


@dataclass(frozen=True)
class Effect:
    """An effect with its confidence interval.

    `of` names what `low` and `high` bound: the ratio or the difference.
    """

    ratio: float | None
    difference: float
    low: float
    high: float
    confidence: float
    of: Literal["ratio", "difference"]


@dataclass(frozen=True)
class AttributedCaller:
    """The first user frame, the runtime function it entered, the path from the root, and the cost it gained."""

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
    """One change. Values are in `unit` on `basis`; `certain` is False for a tentative finding.

    `quantile`: the quantile that `base` and `candidate` are, if any. `cost`: seconds of work or waiting per second that the
    process gained (or lost), where that is known; findings are ranked by it. `exclusive`: the part of `change.difference`
    that no other finding explains; None for all of it.
    """

    kind: str
    profile: str
    subject: str
    direction: Direction
    base: float
    candidate: float
    unit: str
    change: Effect
    basis: str
    q_value: float | None
    payers: tuple[AttributedCaller, ...]
    by: tuple[Contribution, ...]
    certain: bool
    more_profiles: int | None
    mechanism: str
    advice: str
    sentence: str
    quantile: float | None = None
    cost: float | None = None
    exclusive: float | None = None

    @property
    def explained(self) -> float:
        """Return how much of the change only this finding explains, in `unit`."""
        return self.change.difference if self.exclusive is None else self.exclusive


@dataclass(frozen=True)
class CostShift:
    """A cost that changed its function, not its size, below one common caller."""

    profile: str
    from_function: str
    to_function: str
    under: str
    amount: float
    unit: str
    sentence: str


@dataclass(frozen=True)
class MinimumDetectableEffect:
    """The smallest ratio that this comparison would have found."""

    kind: str
    subject: str
    ratio: float | None


@dataclass(frozen=True)
class Caveat:
    """Why a comparison may mislead.

    With `explains_effect` it could explain the entire change, which is then not significant.
    """

    id: str
    sentence: str
    explains_effect: bool = False
