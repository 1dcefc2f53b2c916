"""SELECT statements of what a bisect can start from: ends, preflights, and automatic bisects."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.sql.functions import Function

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectPreflightId
from slowpath.inventory.catalog.tables import Build
from slowpath.inventory.repositories.tables import Commit
from slowpath.verdicts.bisects.queries.commit_comparisons import NUMBER
from slowpath.verdicts.bisects.tables import AutomaticBisect, Bisect, BisectPreflight, Probe, PullRequestRules
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression

RulesTable = TypeVar("RulesTable", bound=AutomaticBisect | PullRequestRules)


def select_commits_by_prefix(session: ReadSession, repository_id: UUID, digits: str) -> Sequence[str]:
    """Return at most three SHAs that begin with these digits, by uq_commit_sha: hexadecimal digits sort before g."""
    found = select(Commit.sha).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.sha >= digits,
        Commit.sha < digits + "g",
    )
    return session.scalars(found.order_by(Commit.sha).limit(3)).all()


def select_last_good_commit(session: ReadSession, service_id: UUID) -> str | None:
    """Return the commit of the newest build that passed before the oldest open regression of the service."""
    opened = select(func.min(Regression.since_at)).where(
        Regression.team_id == session.team_id,
        Regression.service_id == service_id,
        Regression.confirmed,
        Regression.direction == "worse",
        Regression.closed_at.is_(None),
    )
    since = session.scalar(opened)
    found = (
        select(Build.commit)
        .join(BuildVerdict, (BuildVerdict.team_id == Build.team_id) & (BuildVerdict.build_id == Build.id))
        .where(Build.team_id == session.team_id, Build.service_id == service_id, BuildVerdict.state == "passed")
    )
    if since is not None:
        found = found.where(BuildVerdict.ordered_at < since)
    return session.scalars(found.order_by(BuildVerdict.ordered_at.desc(), Build.id.desc()).limit(1)).first()


def select_service_rules(session: ReadSession, table: type[RulesTable], service_id: UUID) -> RulesTable | None:
    """Return the rules of a service, by their unique constraint."""
    found = select(table).where(table.team_id == session.team_id, table.service_id == service_id)
    return session.scalar(found, execution_options={"populate_existing": True})


def has_bisect(session: ReadSession, regression_id: UUID) -> bool:
    """Return whether a regression has a bisect, by ix_bisect_regression."""
    found = select(Bisect.id).where(
        Bisect.team_id == session.team_id, Bisect.regression_id == regression_id, Bisect.experiment_of.is_(None)
    )
    return session.scalar(found.limit(1)) is not None


def count_automatic_deployments(session: ReadSession, service_id: UUID, since: datetime) -> int:
    """Count the deployments of automatic bisects of a service since a time."""
    return session.scalar(_sum_deployments(session, service_id, since, func.count()).where(Bisect.is_automatic)) or 0


def sum_pair_seconds(
    session: ReadSession, service_id: UUID, since: datetime, now: datetime, *, without: UUID | None = None
) -> float:
    """Return the seconds of deployments for pull requests of a service since a time, except those of one measurement."""
    seconds = func.extract("epoch", func.coalesce(Probe.ended_at, now) - Probe.leased_at)
    found = _sum_deployments(session, service_id, since, func.sum(seconds)).where(NUMBER.is_not(None))
    return float(session.scalar(found if without is None else found.where(Bisect.id != without)) or 0.0)


def select_pair_spans(
    session: ReadSession, service_id: UUID, since: datetime, now: datetime
) -> list[tuple[datetime, datetime]]:
    """Return the deployments for pull requests of a service since a time, each from its lease to its end, or now."""
    found = select(Probe.leased_at, func.coalesce(Probe.ended_at, now)).join_from(
        Probe, Bisect, (Bisect.team_id == Probe.team_id) & (Bisect.id == Probe.bisect_id)
    )
    of_service = found.where(Probe.team_id == session.team_id, Bisect.service_id == service_id, NUMBER.is_not(None))
    spans = session.execute(of_service.where(Probe.leased_at >= since))
    return [(start, end) for start, end in spans if start is not None]


def _sum_deployments(session: ReadSession, service_id: UUID, since: datetime, value: Function[Any]) -> Select[Any]:
    joined = select(value).join_from(Probe, Bisect, (Bisect.team_id == Probe.team_id) & (Bisect.id == Probe.bisect_id))
    return joined.where(Probe.team_id == session.team_id, Bisect.service_id == service_id, Probe.leased_at >= since)


def select_preflight(session: ReadSession, preflight_id: BisectPreflightId) -> BisectPreflight | None:
    """Return one preflight, by primary key."""
    return session.get(BisectPreflight, (session.team_id, preflight_id), populate_existing=True)


def select_equal_preflight(session: ReadSession, row: BisectPreflight, since: datetime) -> BisectPreflight | None:
    """Return the newest preflight since a time with the same request and ends, without a problem, by ix_bisect_preflight_newest."""
    found = select(BisectPreflight).where(
        BisectPreflight.team_id == session.team_id,
        BisectPreflight.created_at >= since,
        BisectPreflight.request == row.request,
        BisectPreflight.repository_id == row.repository_id,
        BisectPreflight.good_sha == row.good_sha,
        BisectPreflight.bad_sha == row.bad_sha,
        BisectPreflight.problem.is_(None),
    )
    newest = found.order_by(BisectPreflight.created_at.desc(), BisectPreflight.id.desc()).limit(1)
    return session.scalars(newest).first()


def delete_preflights(session: WriteSession, before: datetime) -> None:
    """Delete the preflights created before a time, by ix_bisect_preflight_newest."""
    session.execute(
        delete(BisectPreflight).where(BisectPreflight.team_id == session.team_id, BisectPreflight.created_at < before)
    )
