"""The line of candidates: builds in order from good to bad, each of which may be the first bad one.

Positions: 0 is the good end, 1..N are the candidates in order, the last of them the bad end. A hypothesis h says that every
build from position h on is bad: 0 says that the good end is bad too, N + 1 that not even the bad end is. Builds measured
elsewhere (in production, before the search) stand at GOOD and BAD_END + 1: they are good or bad whatever the line holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

GOOD_END: Final = "good"
KNOWN_GOOD, KNOWN_BAD = "known-good", "known-bad"


@dataclass(frozen=True)
class Candidate:
    """A build that may be the first bad one."""

    id: str
    weight: float = 1.0
    """Suspicion relative to the adjacent candidates, from the changed code; 0 where the evidence is against it."""
    hides: bool = False
    """Whether others may hide in it: a merge, a bump of versions. It is asked for them once it is suspected."""
    is_pruned: bool = False
    """Whether its build has the inputs of the build before it: measured to prove it, and hardly suspected."""
    is_fork: bool = False
    """Whether it is only the state that the next candidate started from, and cannot be the culprit itself. Also hardly suspected."""


@dataclass(frozen=True)
class CandidateSequence:
    """Candidates in order. `evidence` and `even` are log masses given one of them is guilty: by weight, and all alike."""

    ids: tuple[str, ...]
    evidence: tuple[float, ...]
    even: tuple[float, ...]
    hiding: frozenset[str] = frozenset()
    """Those whose inside is not known yet."""
    built_by: Mapping[str, str] = field(default_factory=dict)
    """Which last inner candidate has the build of one that was opened."""
    depths: tuple[int, ...] = ()
    """[N] number of expanded candidates that contain each one; empty if none is expanded."""
    pruned: frozenset[str] = frozenset()
    """Those that are hardly suspected: pruned commits and forks."""
    forks: frozenset[str] = frozenset()
    """Those that cannot be the culprit."""
    outers: Mapping[str, str] = field(default_factory=dict)
    """By inner candidate: the candidate that it replaced with others."""

    def __len__(self) -> int:
        """Return how many candidates there are."""
        return len(self.ids)

    def position(self, id_: str) -> int:
        """Return the position of a build: -1 and N + 1 are the ones known from elsewhere. Raises `KeyError`."""
        if id_ == GOOD_END:
            return 0
        if id_ == KNOWN_GOOD:
            return -1
        if id_ == KNOWN_BAD:
            return len(self.ids) + 1
        while id_ in self.built_by:
            id_ = self.built_by[id_]
        return self._places[id_]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {one: place for place, one in enumerate(self.ids, start=1)}

    def at(self, position: int) -> str:
        """Return the build at a position from 0 to N."""
        return GOOD_END if position == 0 else self.ids[position - 1]

    def opened(self, id_: str, inner: Sequence[Candidate]) -> "CandidateSequence":
        """Return the line with a candidate replaced by what it hides, the last of which has its build.

        With nothing inside it stays and hides nothing any more.
        """
        if not inner:
            return replace(self, hiding=self.hiding - {id_})
        at = self.position(id_) - 1
        some, depths = line_of(inner), self.depths or (0,) * len(self)
        is_deeper = id_ in self.pruned or len(some.ids) - len(some.pruned) > 1
        return CandidateSequence(
            self.ids[:at] + some.ids + self.ids[at + 1 :],
            self.evidence[:at] + tuple(self.evidence[at] + one for one in some.evidence) + self.evidence[at + 1 :],
            self.even[:at] + tuple(self.even[at] + one for one in some.even) + self.even[at + 1 :],
            (self.hiding - {id_}) | some.hiding,
            {**self.built_by, id_: some.ids[-1]},
            depths[:at] + (depths[at] + is_deeper,) * len(some) + depths[at + 1 :],
            (self.pruned - {id_}) | some.pruned,
            self.forks | some.forks,
            {**self.outers, **dict.fromkeys(some.ids, id_)},
        )

    def started_from(self, fork: str) -> tuple[str, ...]:
        """Return the candidates that inherit a state: all of the branch after it."""
        level = self.outers.get(self.outers.get(fork, ""))
        later = self.ids[self.position(fork) :]
        return tuple(one for one in later if level is None or self._is_inside(one, level))

    def _is_inside(self, id_: str, outer: str) -> bool:
        at = self.outers.get(id_)
        while at is not None and at != outer:
            at = self.outers.get(at)
        return at is not None

    def after(self, id_: str) -> "CandidateSequence":
        """Return the line of the candidates after one, whose build becomes the good end. Raises `ValueError` for the last one."""
        at = self.position(id_)
        ids = self.ids[at:]
        if not ids:
            raise ValueError("no candidate is after the last one")
        evidence, even = (np.array(one[at:]) for one in (self.evidence, self.even))
        remaining = frozenset(ids)
        return CandidateSequence(
            ids,
            tuple((evidence - np.logaddexp.reduce(evidence)).tolist()),
            tuple((even - np.logaddexp.reduce(even)).tolist()),
            self.hiding & remaining,
            {one: by for one, by in self.built_by.items() if self.position(by) > at},
            self.depths[at:],
            self.pruned & remaining,
            self.forks & remaining,
            self.outers,
        )

    def depth(self, id_: str) -> int:
        """Return the number of expanded candidates that contain a candidate. Raises `KeyError`."""
        return self.depths[self.position(id_) - 1] if self.depths else 0

    @property
    def deepest(self) -> int:
        """The largest number of expanded candidates that contain one candidate."""
        return max(self.depths, default=0)


def line_of(candidates: Sequence[Candidate]) -> CandidateSequence:
    """Return a line of candidates. Raises `ValueError` where there is none, or two of one name."""
    ids = tuple(one.id for one in candidates)
    if not ids or len(set(ids)) != len(ids) or {GOOD_END, KNOWN_GOOD, KNOWN_BAD} & set(ids):
        raise ValueError("a line needs candidates of different names")
    weights = np.array([max(one.weight, 0.0) for one in candidates])
    pruned = np.array([one.is_pruned or one.is_fork for one in candidates])
    return CandidateSequence(
        ids,
        tuple(_log_masses(weights, pruned).tolist()),
        tuple(_log_masses(np.ones(len(ids)), pruned).tolist()),
        frozenset(one.id for one in candidates if one.hides),
        pruned=frozenset(one.id for one in candidates if one.is_pruned or one.is_fork),
        forks=frozenset(one.id for one in candidates if one.is_fork),
    )


LEAST: Final = -700.0
PRUNED_SHARE: Final = 0.01
"""Prior mass of pruned commits relative to all other candidates of their level: inputs that the closure does not know."""


def _log_masses(weights: F64, pruned: NDArray[np.bool_]) -> F64:
    """Return [N] log masses of candidates by their weights; all alike if the weights are unusable."""
    masses = np.where(pruned, 0.0, weights)
    if not np.isfinite(masses).all() or masses.sum() <= 0:
        masses = np.where(pruned, 0.0, 1.0)
    total = float(masses.sum())
    masses = np.where(pruned, PRUNED_SHARE * total if total else 1.0, masses)
    with np.errstate(divide="ignore"):
        out: F64 = np.maximum(np.log(masses / masses.sum()), LEAST)
    return out


def to_json(line: CandidateSequence) -> dict[str, Any]:
    """Return a line as JSON."""
    return {
        "ids": list(line.ids),
        "evidence": list(line.evidence),
        "even": list(line.even),
        "hiding": sorted(line.hiding),
        "stands_for": dict(line.built_by),
        "depths": list(line.depths),
        "pruned": sorted(line.pruned),
        "forks": sorted(line.forks),
        "outers": dict(line.outers),
    }


def from_json(document: Mapping[str, Any]) -> CandidateSequence:
    """Read a line. Raises `KeyError`, `TypeError`, `ValueError` where it is none; one written before depths existed has none."""
    return CandidateSequence(
        tuple(map(str, document["ids"])),
        tuple(map(float, document["evidence"])),
        tuple(map(float, document["even"])),
        frozenset(map(str, document["hiding"])),
        {str(key): str(value) for key, value in document["stands_for"].items()},
        tuple(map(int, document.get("depths", ()))),
        frozenset(map(str, document.get("pruned", ()))),
        frozenset(map(str, document.get("forks", ()))),
        {str(key): str(value) for key, value in document.get("outers", {}).items()},
    )
