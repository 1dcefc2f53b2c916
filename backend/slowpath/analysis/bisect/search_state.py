"""The search as a value: its settings, deployments and measurements. Everything else is computed from it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from slowpath.analysis.bisect import candidate_sequence as lines
from slowpath.analysis.bisect.candidate_sequence import CandidateSequence

FORMAT: Final = "slowpath.bisect-state/1"

Purpose = Literal["baseline", "boundary", "control", "probe", "verify"]
DeployState = Literal["running", "done", "unbuildable", "invalidated"]
Outcome = Literal["found", "not-in-range", "not-separable", "stopped"]


@dataclass(frozen=True)
class SearchSettings:
    """How to search."""

    belief: float = 0.95
    slots: int = 1
    most_windows: int = 4
    deploy_cost: float = 1.0
    window_cost: float = 0.05
    most_deploys: int | None = None
    """None: four times the usual number for the line, see `limits`."""
    control: bool = False
    """Whether the good end stays deployed beside everything else."""
    larger_is_worse: bool = True
    end_deploys: int = 2
    """Of each end, where nothing is known of them from before."""
    between: float | None = None
    """Spread between deploys of one build over that between windows of one deploy, as earlier runs measured it."""


@dataclass(frozen=True)
class MeasuredValue:
    """One number, and in which round it was measured."""

    round: int
    value: float


@dataclass(frozen=True)
class ProbeRecord:
    """One start of a build."""

    number: int
    build: str
    """A candidate, or one of the names of `line`."""
    purpose: Purpose
    round: int
    state: DeployState = "running"
    windows: tuple[MeasuredValue, ...] = ()
    good: int = 0
    bad: int = 0
    about: str | None = None
    """Of a verification: the suspect."""

    @property
    def is_measured(self) -> bool:
        """Return whether anything of it counts."""
        return self.state not in {"invalidated", "unbuildable"} and bool(self.windows or self.good or self.bad)

    @property
    def is_ours(self) -> bool:
        """Return whether it was started for this search."""
        return self.purpose != "baseline"


@dataclass(frozen=True)
class SearchState:
    """A search so far. Deploys are only added to and completed, never taken away."""

    settings: SearchSettings
    line: CandidateSequence
    deploys: tuple[ProbeRecord, ...] = ()
    round: int = 0

    @property
    def started(self) -> int:
        """How many deploys there were, those before the search left out."""
        return sum(one.is_ours for one in self.deploys if one.state != "unbuildable")

    def with_deploy(self, deploy: ProbeRecord) -> "SearchState":
        """Return the state with a deploy changed."""
        return replace(self, deploys=tuple(deploy if one.number == deploy.number else one for one in self.deploys))


@dataclass(frozen=True)
class ProbeStart:
    """A build to probe."""

    build: str
    purpose: Purpose
    about: str | None = None


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search. `suspects` are the candidates that contain the culprit."""

    outcome: Outcome
    suspects: tuple[str, ...]
    belief: float
    fork: str | None = None
    """The state that all suspects started from, if it is bad already: they cannot be separated from what came before it."""


def search_rest(state: SearchState, culprit: str) -> SearchState:
    """Return the search for what follows a culprit, whose build becomes the good boundary; measurements are used again.

    Raises `ValueError` if the culprit is the last candidate.
    """
    at, line = state.line.position(culprit), state.line.after(culprit)
    remaining = [one for one in state.deploys if one.is_measured and state.line.position(one.build) >= at]
    deploys = []
    for number, one in enumerate(remaining, start=1):
        is_culprit = state.line.position(one.build) == at
        known = replace(one, number=number, about=None, purpose="baseline" if one.build == lines.KNOWN_BAD else "probe")
        deploys.append(replace(known, build=lines.GOOD_END, purpose="boundary") if is_culprit else known)
    last = line.at(len(line))
    deploys = [replace(one, purpose="boundary") if one.build == last else one for one in deploys]
    return SearchState(state.settings, line, tuple(deploys), state.round)


def to_json(state: SearchState) -> dict[str, Any]:
    """Return a state as JSON."""
    return {
        "format": FORMAT,
        "settings": asdict(state.settings),
        "line": lines.to_json(state.line),
        "round": state.round,
        "deploys": [asdict(one) for one in state.deploys],
    }


def from_json(document: Mapping[str, Any]) -> SearchState:
    """Read a state. Raises `ValueError` where it is none."""
    if document.get("format") != FORMAT:
        raise ValueError(f"not a {FORMAT}")
    try:
        deploys = tuple(
            ProbeRecord(
                **{**one, "windows": tuple(MeasuredValue(int(w["round"]), float(w["value"])) for w in one["windows"])}
            )
            for one in document["deploys"]
        )
        return SearchState(
            SearchSettings(**document["settings"]), lines.from_json(document["line"]), deploys, int(document["round"])
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a whole {FORMAT}: {error}") from error
