"""What a comparison finds: values only. Judging happens before, telling (`wording`, `advice`) and writing after."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["worse", "better"]
Verdict = Literal["regressed", "improved", "mixed", "unchanged", "inconclusive"]
"""`mixed`: significant costs moved both ways, and their net change is not significant."""
CHANGED: frozenset[Verdict] = frozenset({"regressed", "improved", "mixed"})


@dataclass(frozen=True)
class Effect:
    """An effect with its interval; `low` and `high` bound the ratio or the difference, as `of` says."""

    ratio: float | None
    difference: float
    low: float
    high: float
    confidence: float
    of: Literal["ratio", "difference"]


@dataclass(frozen=True)
class AttributedCaller:
    """Who pays: the first user frame, the runtime function it entered, the path from the root, and how much more."""

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
    """One thing that changed. Values are in `unit` on `basis`; `certain` is False for what is merely likely.

    `quantile` says which one of a distribution `base` and `candidate` are. `cost` is by how many seconds more (or less)
    the process works or its goroutines wait in a second, where that can be said: what findings are ranked by.
    `exclusive` is the part of `change.difference` that no other finding explains; None if that is all of it.
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
        """How much of the change this finding alone explains, in `unit`."""
        return self.change.difference if self.exclusive is None else self.exclusive


@dataclass(frozen=True)
class CostShift:
    """A cost that changed its place and not its size: between functions under one common caller."""

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
    """Why a comparison may mislead. `explains_effect`: it could explain a whole change, which is then not significant."""

    id: str
    sentence: str
    explains_effect: bool = False
