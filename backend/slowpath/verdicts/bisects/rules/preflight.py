"""What is known of a bisect before its first deployment."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from slowpath.verdicts.bisects.rules.candidates import PrunedCommits

Relation = Literal["ancestor", "swapped", "diverged", "unrelated"]
"""Of good to bad: good is an ancestor of bad, bad of good, both have a merge base, or no common history."""
CheckKey = Literal["repositories", "credentials", "commits", "candidates", "runner", "good", "bad", "effect"]
CheckState = Literal["ok", "running", "warning", "missing"]
FixAction = Literal[
    "add-repository", "set-repository-url", "fetch-repository", "open-integrations", "choose-ends", "swap-ends",
    "use-merge-base", "set-main-package", "start-runner", "run-again", "measure-again",
    "set-credentials",
]  # fmt: skip


@dataclass(frozen=True)
class ProbeForecast:
    """Expected number of probes, with its 80% interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class UpdatedModule:
    """A module that good and bad require in different versions, and whether the team has its repository."""

    module: str
    before: str
    after: str
    is_linked: bool


@dataclass(frozen=True)
class FirstCandidate:
    """A candidate that would be probed first, and its prior, 0 to 1."""

    sha: str
    title: str
    prior: float


@dataclass(frozen=True)
class RepositoryCredentials:
    """Whether the credentials of a repository of the search worked when the range was read."""

    repository_id: str
    label: str
    state: Literal["valid", "refused", "unknown"]
    expires_at: str | None
    """ISO 8601; None: never, or not stated by the host."""
    detail: str


@dataclass(frozen=True)
class RangeReport:
    """What the mirror of the repository shows of a range. Without the relation `ancestor` nothing is counted."""

    relation: Relation
    merge_base: str | None = None
    commits: int = 0
    classes: int = 0
    """Candidates: commits with equal build inputs count once."""
    main_package: str | None = None
    """Folder of the main package; None if every commit is a candidate."""
    pruned: tuple[PrunedCommits, ...] = ()
    modules: tuple[UpdatedModule, ...] = ()
    with_prior: ProbeForecast | None = None
    without_prior: ProbeForecast | None = None
    git_bisect_probes: int = 0
    """Deployments git bisect would need with five measurements per build."""
    first_round: tuple[FirstCandidate, ...] = ()
    credentials: tuple[RepositoryCredentials, ...] = ()
    """Of the repositories that have any."""


@dataclass(frozen=True)
class PreflightFix:
    """What solves a check: an action of the page, with the value it needs."""

    action: FixAction
    label: str
    value: str = ""


@dataclass(frozen=True)
class PreflightCheck:
    """One check. `blocks_start`: the bisect cannot start before it is solved."""

    key: CheckKey
    state: CheckState
    title: str
    value: str
    detail: str
    fixes: tuple[PreflightFix, ...] = ()
    blocks_start: bool = False


def to_json(report: RangeReport) -> dict[str, Any]:
    """Return a report as JSON."""
    return asdict(report)


def from_json(stored: Mapping[str, Any]) -> RangeReport:
    """Return the report of stored JSON."""

    def forecast(name: str) -> ProbeForecast | None:
        return ProbeForecast(**stored[name]) if stored[name] else None

    return RangeReport(
        **{
            **stored,
            "pruned": tuple(PrunedCommits(**one) for one in stored["pruned"]),
            "modules": tuple(UpdatedModule(**one) for one in stored["modules"]),
            "with_prior": forecast("with_prior"),
            "without_prior": forecast("without_prior"),
            "first_round": tuple(FirstCandidate(**one) for one in stored["first_round"]),
            "credentials": tuple(RepositoryCredentials(**one) for one in stored.get("credentials", ())),
        }
    )
