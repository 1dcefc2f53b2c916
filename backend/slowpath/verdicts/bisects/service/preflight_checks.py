"""Checks of a request for a bisect: what is there, what is missing, and what solves it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from slowpath.analysis.findings.wording import pluralize
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import RepositoryId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import repositories
from slowpath.inventory.repositories.tables import Repository
from slowpath.verdicts.bisects.rules.bisect_proposals import SignatureProposal
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.preflight import PreflightCheck, PreflightFix, RangeReport
from slowpath.verdicts.bisects.service import boundary_rows, credential_rows, production_baselines, runners
from slowpath.verdicts.bisects.service.bisect_creation import CompletedRequest
from slowpath.verdicts.bisects.service.boundary_rows import BoundaryCheck
from slowpath.verdicts.bisects.tables import BisectPreflight
from slowpath.verdicts.bisects.wording import format_measured
from slowpath.verdicts.regressions.service.commit_measurements import (
    CommitMeasurement,
    CommitMeasurements,
    SubjectQuery,
)

CLEAR: Final = 3.0
"""Standard errors between good and bad from which few measurements per build suffice."""
OPEN_INTEGRATIONS: Final = PreflightFix("open-integrations", "Open Settings, Integrations")
CHOOSE_ENDS: Final = PreflightFix("choose-ends", "Choose the commits")
RUN_AGAIN: Final = PreflightFix("run-again", "Run again")
HOSTS: Final = ("github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/")
MOST_NAMED: Final = 3


@dataclass(frozen=True)
class PreflightState:
    """A preflight with all that its checks need."""

    row: BisectPreflight
    completed: CompletedRequest
    report: RangeReport | None
    settings: BisectSettings
    boundaries: BoundaryCheck | None = None
    """The bisect that measures the boundaries of this request before its first candidate."""


def check_request(session: ReadSession, state: PreflightState, now: datetime) -> list[PreflightCheck]:
    """Return all checks of a request, in the order of the page."""
    repository = _repository(session, state)
    commits = _check_commits(state, repository)
    return [
        _check_repository(state, repository),
        *credential_rows.make_rows(state.report, now),
        commits,
        _check_candidates(state, is_waiting=commits.state == "running"),
        _check_runner(session, state, now),
        *_check_measurements(session, state),
    ]


def _repository(session: ReadSession, state: PreflightState) -> Repository | None:
    id_ = state.completed.repository_id
    return None if id_ is None else repositories.get_repository(session, RepositoryId(id_))


def _check_repository(state: PreflightState, repository: Repository | None) -> PreflightCheck:
    def missing(value: str, detail: str, *fixes: PreflightFix) -> PreflightCheck:
        return PreflightCheck("repositories", "missing", "Repository is not readable", value, detail, fixes, True)

    if repository is None and state.completed.service_id is None:
        return PreflightCheck(
            "repositories",
            "missing",
            "Service is not chosen",
            "",
            "Its repository is the one that is searched.",
            (),
            True,
        )
    if repository is None:
        return missing(
            "none", "No repository is linked to this service.",
            PreflightFix("add-repository", "Add its address"), OPEN_INTEGRATIONS,
        )  # fmt: skip
    if repository.url is None:
        return missing(
            repository.label, "Only commit metadata was pushed for it. A search reads the files of each commit.",
            PreflightFix("set-repository-url", "Add its address", str(repository.id)), OPEN_INTEGRATIONS,
        )  # fmt: skip
    fetch = PreflightFix("fetch-repository", "Fetch again", str(repository.id))
    if repository.problem is not None:
        detail = str(repository.problem.get("detail") or "The last fetch failed.")
        return missing(repository.label, detail, fetch, OPEN_INTEGRATIONS)
    if repository.fetched_at is None:
        return PreflightCheck(
            "repositories", "running", "Repository is being fetched", repository.label,
            "The first fetch copies all commits.", (fetch,), True,
        )  # fmt: skip
    return _check_modules(state, repository, fetch)


def _check_modules(state: PreflightState, repository: Repository, fetch: PreflightFix) -> PreflightCheck:
    modules = state.report.modules if state.report is not None else ()
    unlinked = [one.module for one in modules if not one.is_linked]
    labels = ", ".join([repository.label, *(one.module for one in modules if one.is_linked)])
    count = f"{1 + len(modules) - len(unlinked)} of {1 + len(modules)}"
    if not unlinked:
        return PreflightCheck("repositories", "ok", "Repositories are readable", count, labels, (fetch,))
    named = ", ".join(unlinked[:MOST_NAMED]) + (
        f" and {len(unlinked) - MOST_NAMED} more" if len(unlinked) > MOST_NAMED else ""
    )
    verb = "changes its version" if len(unlinked) == 1 else "change their versions"
    detail = f"{named} {verb} in this range, without a linked repository: the search ends at the update."
    fixes = [
        PreflightFix("add-repository", f"Add {one}", f"https://{'/'.join(one.split('/')[:3])}")
        for one in unlinked[:MOST_NAMED]
        if one.startswith(HOSTS)
    ]
    return PreflightCheck(
        "repositories", "warning", "Repositories of some dependencies are missing", count, detail,
        (*fixes, OPEN_INTEGRATIONS),
    )  # fmt: skip


def _check_commits(state: PreflightState, repository: Repository | None) -> PreflightCheck:
    row = state.row
    if row.good_sha is None or row.bad_sha is None:
        names = [name for name, sha in (("good", row.good_sha), ("bad", row.bad_sha)) if sha is None]
        subject = f"The {names[0]} commit is" if len(names) == 1 else "The good and the bad commit are"
        return _wrong_ends(f"{subject} not chosen", "A search needs both ends of the range.", CHOOSE_ENDS)
    if row.good_sha == row.bad_sha:
        return _wrong_ends("Good and bad are the same commit", "Choose an older commit as good.", CHOOSE_ENDS)
    if row.problem is not None:
        detail = " ".join(str(row.problem[one]) for one in ("detail", "remedy") if row.problem.get(one))
        fetch = () if repository is None else (PreflightFix("fetch-repository", "Fetch again", str(repository.id)),)
        return _wrong_ends("The range cannot be searched", detail, RUN_AGAIN, *fetch)
    if state.report is None:
        waiting = repository is not None and repository.url is not None
        detail = "Reading the commits of both ends." if waiting else "The commits can be read once the repository is."
        return PreflightCheck("commits", "running" if waiting else "missing", "Commits are not read yet", "", detail)
    return _check_relation(state.report)


def _check_relation(report: RangeReport) -> PreflightCheck:
    """Return the check of good being an ancestor of bad."""
    if report.relation == "swapped":
        return _wrong_ends(
            "Good and bad are swapped", "The bad commit is an ancestor of the good one.",
            PreflightFix("swap-ends", "Exchange them"),
        )  # fmt: skip
    if report.relation == "diverged":
        base = report.merge_base or ""
        return _wrong_ends(
            "Good is not an ancestor of bad",
            f"They are on different branches. Their merge base is {short_commit(base)}. "
            "It is the good end if the change came after it.",
            PreflightFix("use-merge-base", f"Use {short_commit(base)} as good", base),
        )  # fmt: skip
    if report.relation == "unrelated":
        return _wrong_ends(
            "Good and bad have no common history", "Choose two commits of one history.", CHOOSE_ENDS
        )  # fmt: skip
    return PreflightCheck(
        "commits", "ok", "Commits are present", format(report.commits, ","),
        "Good is an ancestor of bad. Commits of merged branches are searched once a merge is suspected.",
    )  # fmt: skip


def _wrong_ends(title: str, detail: str, *fixes: PreflightFix) -> PreflightCheck:
    return PreflightCheck("commits", "missing", title, "", detail, fixes, blocks_start=True)


def _check_candidates(state: PreflightState, *, is_waiting: bool) -> PreflightCheck:
    report = state.report
    if report is None or report.relation != "ancestor":
        return PreflightCheck(
            "candidates", "running" if is_waiting else "missing", "Candidates are not counted yet", "",
            "They are counted once the commits are present.",
        )  # fmt: skip
    if report.classes == 0:
        return PreflightCheck(
            "candidates", "missing", "No commit changes the binary", "0",
            f"None of the {pluralize(report.commits, 'commit')} changes the build inputs of {report.main_package}.",
            (CHOOSE_ENDS, PreflightFix("set-main-package", "Change the main package")),
            True,
        )  # fmt: skip
    pruned = sum(one.commits for one in report.pruned)
    value = format(report.classes, ",")
    if report.main_package is None:
        return PreflightCheck(
            "candidates", "warning", "Every commit is a candidate", value,
            "The main package is unknown, so commits that build the same binary are not excluded.",
            (PreflightFix("set-main-package", "Set the main package"),),
        )  # fmt: skip
    excluded = f"{pluralize(pruned, 'commit')} of {report.commits:,} excluded: equal build inputs."
    return PreflightCheck("candidates", "ok", "Candidates change the binary", value, excluded)


def _check_runner(session: ReadSession, state: PreflightState, now: datetime) -> PreflightCheck:
    alive = [one for one in runners.list_runners(session) if one.is_alive(now)]
    fitting = [one for one in alive if state.settings.is_for(one.row.labels)]
    title = runners.find_missing_runner(session, state.settings, now)
    if title is not None:
        others = f" Online without them: {', '.join(one.row.name for one in alive)}." if alive else ""
        return PreflightCheck(
            "runner", "missing", title, "0", f"A bisect that is started now waits for one.{others}",
            (PreflightFix("start-runner", "Start a runner"),),
        )  # fmt: skip
    slots = sum(one.row.slots for one in fitting)
    names = ", ".join(one.row.name for one in fitting[:MOST_NAMED])
    seconds = min(max((now - one.row.seen_at).total_seconds(), 0) for one in fitting)
    detail = f"{names}: {pluralize(slots, 'slot')}, last heard of {seconds:.0f} s ago"
    if slots < state.settings.slots:
        return PreflightCheck(
            "runner", "warning", "The runners have fewer slots than requested", str(len(fitting)),
            f"{detail}. {pluralize(state.settings.slots, 'parallel deployment')} requested: the rest waits.",
        )  # fmt: skip
    return PreflightCheck("runner", "ok", "A runner is online", str(len(fitting)), f"{detail}.")


def _check_measurements(session: ReadSession, state: PreflightState) -> list[PreflightCheck]:
    """Return the checks of both boundaries and of their difference."""
    completed, row = state.completed, state.row
    offered, service_id = completed.signature, completed.service_id
    found: list[CommitMeasurement | None] = [None, None]
    if service_id is not None and offered.board is None and offered.signature.kind != "custom":
        commits = CommitMeasurements(session, ServiceId(service_id))
        signature = offered.signature
        query = SubjectQuery(signature.kind, signature.subject, signature.unit, production_baselines.MOST_WINDOWS)
        found = [commits.find_measurement(sha, query) if sha else None for sha in (row.good_sha, row.bad_sha)]
    measured = state.boundaries
    by_runner = (None, None, None) if measured is None else boundary_rows.make_rows(measured, offered.signature.unit)
    return [
        by_runner[0] or _check_boundary(session, state, "good", found[0]),
        by_runner[1] or _check_boundary(session, state, "bad", found[1]),
        by_runner[2] or _check_effect(offered),
    ]


def _check_boundary(
    session: ReadSession, state: PreflightState, key: Literal["good", "bad"], measured: CommitMeasurement | None
) -> PreflightCheck:
    offered, row = state.completed.signature, state.row
    sha, value = (row.good_sha, offered.before) if key == "good" else (row.bad_sha, offered.after)
    name, unit = key.capitalize(), offered.signature.unit
    if measured is not None:
        files = pluralize(len(measured.artifacts), "artifact")
        place = f", {measured.conditions}" if measured.conditions else ""
        return PreflightCheck(
            key, "ok", f"{name} boundary is built and measured",
            format_measured(measured.value, measured.error, measured.unit), f"{files}{place}",
        )  # fmt: skip
    if value is not None and offered.board is not None:
        return PreflightCheck(
            key, "ok", f"{name} boundary was measured in production", format_measured(value, None, unit),
            f"On the dashboard of {offered.board.environment}.",
        )  # fmt: skip
    service_id = state.completed.service_id
    built = bool(sha and service_id and catalog.builds_of_commit(session, ServiceId(service_id), sha))
    title = f"{name} boundary is built, not measured" if built else f"{name} boundary is not built yet"
    detail = "Measure both ends now, or let the first round do it: that shows whether it can be built."
    return PreflightCheck(key, "warning", title, "", detail)


def _check_effect(offered: SignatureProposal) -> PreflightCheck:
    separation = offered.separation
    if separation is None:
        return PreflightCheck(
            "effect", "warning", "Noise is not known", "",
            "No stored evidence shows how much this criterion varies. The first measurements of both boundaries do.",
        )  # fmt: skip
    value = f"{separation:.1f} standard errors" if separation < 10 else f"{separation:.0f} standard errors"
    if separation < CLEAR:
        return PreflightCheck(
            "effect", "warning", "The difference is small against the noise", value,
            "Each build needs more measurements. A criterion with a larger separation needs fewer.",
        )  # fmt: skip
    return PreflightCheck("effect", "ok", "The difference is clear against the noise", value, offered.why)
