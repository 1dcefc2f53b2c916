"""Values of pprof sample labels with their share, and matchers that select samples by them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LabelMatcher:
    """A condition on a sample: the label `key` has this value; None selects samples without the key."""

    key: str
    value: str | None


@dataclass(frozen=True)
class LabelValue:
    """One value of a label: its raw cost, its share of the total, and the number of profiles that have it."""

    value: str
    raw: float
    share: float
    profiles: int


@dataclass(frozen=True)
class LabelKey:
    """A label and its largest values; `other_values` were omitted, samples without the label have `without_share`."""

    key: str
    unit: str | None
    values: tuple[LabelValue, ...]
    other_values: int
    without_share: float
