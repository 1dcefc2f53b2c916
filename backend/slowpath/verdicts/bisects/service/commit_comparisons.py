"""Measure pull requests against their merge base where the service allows it, and any two commits on request."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.findings.wording import pluralize
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import BisectId, ComparisonId, RepositoryId, ServiceId, UserId, new_id
from slowpath.core.jobs import enqueue, enqueue_unless_pending
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories import tables
from slowpath.inventory.repositories.service import commit_graph, pull_requests, repositories
from slowpath.inventory.repositories.tables import Repository
from slowpath.inventory.webhooks.jobs import PullRequestChanged
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import BisectIncomplete, BisectNotFound, InvalidBisectRequest
from slowpath.verdicts.bisects.jobs import MeasureOpenPullRequests, MeasureRefusedPullRequest, PlanBisect
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import BisectState
from slowpath.verdicts.bisects.rules.commit_comparisons import (
    DAY,
    CommitComparison,
    PullRequest,
    SideProbe,
    find_free_time,
)
from slowpath.verdicts.bisects.rules.service_rules import MeasurementRules
from slowpath.verdicts.bisects.service import bisect_creation, pair_steps, service_rules
from slowpath.verdicts.bisects.service.bisect_creation import BisectOptions
from slowpath.verdicts.bisects.service.bisect_locks import get_bisect, lock_bisect, record_bisect_event
from slowpath.verdicts.bisects.service.latency_signature import resolve_latency_signature
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.errors import ComparisonNotFound
from slowpath.verdicts.comparisons.rules import ComparisonState
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.tables import Comparison

SHORTEST_WAIT_S: Final = 60.0
"""Before a refused pull request is tried again: what is deployed now goes on."""
MOST_AT_ONCE: Final = 10
"""Most open pull requests that are measured when the rules are turned on: each is an open bisect of the team."""
LONGEST_WAIT: Final = timedelta(minutes=15)
"""Time after which a result is announced without its cause."""
NEWER_PUSH: Final = "A newer commit was pushed to the pull request."
ABOVE_MINUTES: Final = "above-minutes"
"""Outcome of a head that was not measured, because the minutes of the day were used up."""
CLOSED: Final = "The pull request was closed."


@dataclass(frozen=True)
class CommitComparisonDetail:
    """A commit comparison with the measurements of its pairs."""

    row: Bisect
    service: str
    options: CommitComparison
    sides: Sequence[SideProbe]


def update_pull_request(
    session: WriteSession, service_id: ServiceId, repository_id: RepositoryId, number: int, *, now: datetime
) -> Bisect | None:
    """Cancel measurements of former heads of a pull request, and measure its head if the service allows it.

    Each head is measured once. Above the minutes of a day, the commit gets a status that states it, once.
    """
    queries.lock_team(session)
    reported = pull_requests.get_reported_pull_request(session, repository_id, number)
    if reported is None:  # deleted with its repository
        return None
    for row in queries.select_open_commit_comparisons(session, service_id, number):
        if row.bad_sha != reported.head_sha or not reported.is_open:
            locked = lock_bisect(session, row.id)
            pair_steps.cancel_pairs(session, locked, NEWER_PUSH if reported.is_open else CLOSED, now=now)
    outcomes = queries.select_head_outcomes(session, service_id, number, reported.head_sha)
    if not reported.is_open or any(one != ABOVE_MINUTES for one in outcomes.values()):
        return None
    refused = next((BisectId(one) for one in outcomes), None)
    try:
        return _measure_pull_request(session, service_id, reported, now, refused=refused)
    except (InvalidRequest, LimitExceeded, NotFound):  # the settings name what is missing
        return None


def _measure_pull_request(
    session: WriteSession,
    service_id: ServiceId,
    reported: tables.PullRequest,
    now: datetime,
    *,
    refused: BisectId | None,
) -> Bisect | None:
    """Measure the head; above the minutes of a day, refuse it once, and measure it when there are minutes again."""
    rules = service_rules.find_rules(session, service_id, MeasurementRules)
    if not rules.enabled or reported.branch is None or reported.base_branch is None:
        return None
    is_above = queries.sum_pair_seconds(session, service_id, now - DAY, now) >= 60 * rules.minutes_per_day
    if is_above and refused is not None:
        _measure_later(session, service_id, refused, rules, now)
        return None
    source = commit_graph.get_service_source(session, service_id)
    repository = repositories.get_repository(session, RepositoryId(source.repository_id))
    branches = rules.base_branches or (repository.default_branch,)
    base = reported.base_sha or repository.branch_heads.get(reported.base_branch)
    if repository.id != reported.repository_id or reported.base_branch not in branches or base is None:
        return None
    named = PullRequest(reported.number, reported.url, reported.branch, reported.base_branch)
    options = CommitComparison(rules.smallest_change, minutes=rules.minutes_per_pull_request, pull_request=named)
    row = create_commit_comparison(session, service_id, base, reported.head_sha, options, rules, by=None, now=now)
    if is_above:
        _refuse(session, row, rules, now)
        _measure_later(session, service_id, BisectId(row.id), rules, now)
        return None
    return row


def _refuse(session: WriteSession, row: Bisect, rules: MeasurementRules, now: datetime) -> None:
    """End a commit comparison before its first deployment, because the minutes of the day are used up, and notify."""
    limit = pluralize(rules.minutes_per_day, "minute")
    used = f"The limit of {limit} of deployments for pull requests in 24 hours is reached."
    row.outcome = {"outcome": ABOVE_MINUTES, "sentence": f"Not measured yet. {used} It waits for free minutes."}
    row.started_at = now
    pair_steps.cancel_pairs(session, row, used, now=now)


def _measure_later(
    session: WriteSession, service_id: ServiceId, refused: BisectId, rules: MeasurementRules, now: datetime
) -> None:
    spans = queries.select_pair_spans(session, service_id, now - DAY, now)
    wait = find_free_time(spans, 60.0 * rules.minutes_per_day, now) - now
    after_s = max(wait.total_seconds(), 0.0) + SHORTEST_WAIT_S
    enqueue_unless_pending(session, MeasureRefusedPullRequest(refused), after_s=after_s)


def measure_refused(session: WriteSession, bisect_id: BisectId, *, now: datetime) -> None:
    """Measure the pull request of a refused commit comparison if its service allows it now. Raises `BisectNotFound`."""
    row = get_bisect(session, bisect_id)
    named = None if row.commit_comparison is None else _options_of(row).pull_request
    if named is not None and row.repository_id is not None:
        repository_id = RepositoryId(row.repository_id)
        update_pull_request(session, ServiceId(row.service_id), repository_id, named.number, now=now)


def request_open_pull_requests(session: WriteSession, service_id: ServiceId) -> None:
    """List the open pull requests of a service at the code host, and measure them. Raises `InvalidBisectRequest`."""
    if not service_rules.get_rules(session, service_id, MeasurementRules).enabled:
        raise InvalidBisectRequest(
            "Pull requests of this service are not measured.", remedy="Turn the measurement of pull requests on first."
        )
    enqueue_unless_pending(session, MeasureOpenPullRequests(service_id))


def enqueue_open_pull_requests(session: WriteSession, service_id: ServiceId) -> None:
    """Enqueue the measurement of the open pull requests that changed last: those that were measured are not again."""
    for one in pull_requests.list_open_pull_requests(session, service_id, MOST_AT_ONCE):
        enqueue(session, PullRequestChanged(service_id, RepositoryId(one.repository_id), one.number))


def create_commit_comparison(  # noqa: PLR0917 - the commits, and how they are measured
    session: WriteSession,
    service_id: ServiceId,
    base: str,
    candidate: str,
    options: CommitComparison,
    rules: MeasurementRules,
    *,
    by: UserId | None,
    now: datetime,
) -> Bisect:
    """Measure a commit against its merge base with another one.

    Raises `NotFound`, `BisectIncomplete`, `InvalidBisectRequest`, `TooManyBisects`.
    """
    if base == candidate:
        raise InvalidBisectRequest("Both commits are the same.", remedy="Choose another base.")
    service = catalog.service(session, service_id)
    kind, subject = rules.signature or ("custom", "")
    completed = bisect_creation.complete_request(
        session, BisectOptions(service_id=service_id, signature=(kind, subject))
    )
    if completed.repository_id is None:
        raise BisectIncomplete(f"{service.name} has no repository.", remedy="Link one in Settings, Integrations.")
    repository = repositories.get_repository(session, RepositoryId(completed.repository_id))
    bisect_creation.require_readable_repository(repository)
    asked: dict[str, Any] = {
        "runner_labels": dict(rules.runner_labels),
        "measurement_seconds": rules.measurement_seconds,
        "warm_up_seconds": rules.warm_up_seconds,
    }
    signature, settings = resolve_latency_signature(
        session, completed.signature, bisect_settings.apply_settings_update(BisectSettings(), asked), is_window_set=True
    )
    bisect_creation.require_bisect_capacity(session)
    named = options.pull_request
    title = (
        f"#{named.number} against {named.base_branch}"
        if named
        else f"{_name_commit(repository, candidate)} against {_name_commit(repository, base)}"
    )
    row = Bisect(
        team_id=session.team_id, id=new_id(), number=queries.next_number(session), title=f"{service.name}: {title}"[:300],
        service_id=service_id, repository_id=completed.repository_id, good_sha=base, bad_sha=candidate,
        state=BisectState.PLANNED, signature=asdict(signature), settings=bisect_settings.to_json(settings),
        commit_comparison=options.to_json(), approved_through_round=0, created_by=by, revision=1,
    )  # fmt: skip
    session.add(row)
    session.flush()
    record_bisect_event(session, row, "started", {}, now=now, by=by)
    enqueue(session, PlanBisect(BisectId(row.id)))
    session.flush()
    return row


def list_commit_comparisons(
    session: ReadSession, service_id: UUID | None, pull_request: int | None, commit: str | None, *,
    after: tuple[datetime, UUID] | None, limit: int,
) -> list[CommitComparisonDetail]:  # fmt: skip
    """Return commit comparisons without their measurements, newest first; `commit`: first digits of the candidate."""
    rows = queries.select_commit_comparisons(session, service_id, pull_request, commit, after=after, limit=limit)
    names = queries.select_service_names(session, [row.service_id for row in rows])
    return [CommitComparisonDetail(row, names.get(row.service_id, ""), _options_of(row), ()) for row in rows]


def get_commit_comparison(session: ReadSession, bisect_id: BisectId, now: datetime) -> CommitComparisonDetail:
    """Return a commit comparison with its measurements. Raises `BisectNotFound`."""
    row = get_bisect(session, bisect_id)
    if row.commit_comparison is None:
        raise BisectNotFound("The team has no commit comparison with this ID.")
    probes, windows = queries.select_probes(session, row.id), queries.select_measurements(session, row.id)
    service = queries.select_service_names(session, [row.service_id]).get(row.service_id, "")
    return CommitComparisonDetail(row, service, _options_of(row), pair_steps.observe_sides(probes, windows, now))


def cancel_commit_comparison(session: WriteSession, bisect_id: BisectId, *, now: datetime) -> None:
    """Cancel an open commit comparison; one that has ended stays as it is. Raises `BisectNotFound`."""
    get_commit_comparison(session, bisect_id, now)
    pair_steps.cancel_pairs(session, lock_bisect(session, bisect_id), "A user cancelled it.", now=now)


def find_cause(session: ReadSession, row: Bisect) -> str:
    """Return the headline of the comparison of both sides' artifacts; empty without one."""
    found = _comparison_of(session, row)
    return "" if found is None else found.headline or ""


def waits_for_cause(session: ReadSession, bisect_id: BisectId, now: datetime) -> bool:
    """Return whether the comparison of both sides' artifacts is not computed yet. Raises `BisectNotFound`."""
    row = get_bisect(session, bisect_id)
    if row.commit_comparison is None or row.finished_at is None or now - row.finished_at > LONGEST_WAIT:
        return False
    found = _comparison_of(session, row)
    return found is not None and found.state in {ComparisonState.WAITING, ComparisonState.RUNNING}


def _name_commit(repository: Repository, sha: str) -> str:
    """Return the tag or branch that a commit is the head of now, else its first digits."""
    refs = (*repository.tags.items(), *repository.branch_heads.items())
    return next((name for name, head in refs if head == sha), short_commit(sha))


def _comparison_of(session: ReadSession, row: Bisect) -> Comparison | None:
    if row.comparison_id is None:
        return None
    try:
        return comparisons.get_comparison(session, ComparisonId(row.comparison_id))
    except ComparisonNotFound:
        return None


def _options_of(row: Bisect) -> CommitComparison:
    assert row.commit_comparison is not None
    return CommitComparison.from_json(row.commit_comparison)
