"""Tables of runners, bisects, probes, measurements and events.

Probes and measurements are the state of a search: rows are added and completed. Posteriors are computed from them.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class Runner(TeamScoped, Table):
    """A program in the user's infrastructure that deploys and measures probes."""

    __tablename__ = "runner"
    __table_args__ = (UniqueConstraint("team_id", "name", name="uq_runner_name"),)

    name: Mapped[str]
    slots: Mapped[int]
    """Most concurrent probes."""
    labels: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    version: Mapped[str]
    instance: Mapped[str] = mapped_column(default="", server_default="")
    """Identifies the process: generated once per work folder."""
    host: Mapped[str] = mapped_column(default="", server_default="")
    """Host name of its machine."""
    token_id: Mapped[UUID | None]
    """The API token it last used."""
    variants: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """Kinds of variants that its configuration allows."""
    can_compile: Mapped[bool] = mapped_column(default=False, server_default="false")
    """Whether it makes compile reports of culprits."""
    measurement_seconds: Mapped[float | None]
    """How long its command takes for a measurement, as configured; null if the bisect decides or it is unknown."""
    seen_at: Mapped[datetime]
    left_at: Mapped[datetime | None]
    """Time of its shutdown with nothing left deployed; the name is free since."""


class Bisect(TeamScoped, Table):
    """One bisect."""

    __tablename__ = "bisect"
    __table_args__ = (
        UniqueConstraint("team_id", "number", name="uq_bisect_number"),
        CheckConstraint(
            "state in ('planned', 'waiting-approval', 'searching', 'paused', 'found', 'not-in-range', 'not-separable', "
            "'stopped', 'cancelled', 'failed')",
            name="state",
        ),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="SET NULL (repository_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "regression_id"], ["regression.team_id", "regression.id"], ondelete="SET NULL (regression_id)"
        ),
        ForeignKeyConstraint(
            ["team_id", "comparison_id"], ["comparison.team_id", "comparison.id"], ondelete="SET NULL (comparison_id)"
        ),
        ForeignKeyConstraint(["team_id", "experiment_of"], ["bisect.team_id", "bisect.id"], ondelete="CASCADE"),
        Index("ix_bisect_newest", "team_id", "created_at", "id"),
        Index("ix_bisect_service", "team_id", "service_id"),
        Index("ix_bisect_repository", "team_id", "repository_id"),
        Index("ix_bisect_regression", "team_id", "regression_id"),
        Index("ix_bisect_comparison", "team_id", "comparison_id"),
        Index("ix_bisect_experiment_of", "team_id", "experiment_of"),
    )

    number: Mapped[int]
    """Number in the team, shown to users."""
    title: Mapped[str]
    service_id: Mapped[UUID]
    repository_id: Mapped[UUID | None]
    regression_id: Mapped[UUID | None]
    comparison_id: Mapped[UUID | None]
    good_sha: Mapped[str]
    bad_sha: Mapped[str]
    state: Mapped[str]
    signature: Mapped[dict[str, Any]]
    """`rules.signature`: what is measured of every probe."""
    settings: Mapped[dict[str, Any]]
    """`rules.settings`."""
    plan: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    """{"line": analysis.bisect.line's JSON, "nodes": {id: rules.nodes' JSON}, "levels": {id of what was opened, or "":
    {"commits", "classes", "repository", "good", "bad", "pruned": [{"why", "commits"}]}}}.

    Megabytes with thousands of candidates: deferred, so that lists and heartbeats stay cheap.
    """
    experiment_of: Mapped[UUID | None]
    """Of an experiment: the bisect whose bad commit it measures. It has no candidates."""
    experiment: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    """`rules.experiment_plan`. Deferred, because of the patches in it."""
    expanding_candidate: Mapped[str | None]
    """The candidate being expanded."""
    is_automatic: Mapped[bool] = mapped_column(default=False, server_default="false")
    """Whether a confirmed regression started it by itself."""
    commit_comparison: Mapped[dict[str, Any] | None]
    """`rules.commit_comparisons.CommitComparison` if it measures two commits alternately instead of searching: `good_sha` is
    the base and `bad_sha` the candidate; *found* means slower, *not-in-range* not slower, *not-separable* inconclusive.
    """
    approved_through_round: Mapped[int] = mapped_column(default=0)
    """The last approved round of deployments."""
    pause_reason: Mapped[str | None]
    expires_at: Mapped[datetime | None]
    """When it is discarded unless it is continued: set while it waits between its boundaries and its first candidate, and
    once it was discarded for that reason."""
    outcome: Mapped[dict[str, Any] | None]
    """{"outcome", "suspects", "belief"}."""
    compile_report: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    """{"package", "reasons"}: what the compiler decided differently in the culprit and the build before it."""
    problem: Mapped[dict[str, Any] | None]
    summary: Mapped[dict[str, Any] | None]
    """Summary for lists, as of the last step; can be computed from the probes."""
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    revision: Mapped[int] = mapped_column(default=1)
    """Increases with every change."""


class Probe(TeamScoped, Table):
    """One deployment of a build.

    Or, without one, an override by a user (`override`) or a production baseline (`baseline`).
    """

    __tablename__ = "probe"
    __table_args__ = (
        UniqueConstraint("team_id", "bisect_id", "number", name="uq_probe_number"),
        UniqueConstraint("team_id", "run_id", name="uq_probe_run_id"),
        UniqueConstraint("callback_hash", name="uq_probe_callback_hash"),
        CheckConstraint(
            "state in ('queued', 'leased', 'deploying', 'warming', 'soaking', 'collecting', 'idle', 'stopping', 'done', "
            "'unbuildable', 'unhealthy', 'failed', 'invalidated', 'lost')",
            name="state",
        ),
        CheckConstraint(
            "purpose in ('boundary', 'control', 'probe', 'verify', 'override', 'baseline', 'variant', 'compile')",
            name="purpose",
        ),
        CheckConstraint("octet_length(log_tail) <= 8192", name="log_tail"),
        ForeignKeyConstraint(["team_id", "bisect_id"], ["bisect.team_id", "bisect.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "runner_id"], ["runner.team_id", "runner.id"], ondelete="SET NULL (runner_id)"
        ),
        Index(
            "uq_probe_slot",
            "team_id",
            "runner_id",
            "slot",
            unique=True,
            postgresql_where=text("runner_id IS NOT NULL AND ended_at IS NULL"),
        ),
        Index("ix_probe_queued", "team_id", "queued_at", postgresql_where=text("state = 'queued'")),
        Index("ix_probe_runner", "team_id", "runner_id"),
    )

    bisect_id: Mapped[UUID]
    number: Mapped[int]
    """Number in the bisect, from 1."""
    run_id: Mapped[UUID]
    """Public ID of the deployment; nothing is started twice under one."""
    callback_hash: Mapped[bytes] = mapped_column(LargeBinary)
    build: Mapped[dict[str, Any]]
    candidate: Mapped[str]
    purpose: Mapped[str]
    round: Mapped[int]
    verified_candidate: Mapped[str | None]
    """Of a verification: the suspect."""
    state: Mapped[str]
    runner_id: Mapped[UUID | None]
    slot: Mapped[int | None]
    lease_expires_at: Mapped[datetime | None]
    measurements_requested: Mapped[int] = mapped_column(default=1)
    good_verdicts: Mapped[int] = mapped_column(default=0)
    bad_verdicts: Mapped[int] = mapped_column(default=0)
    """Verdicts of its measurements, or of a user."""
    reason: Mapped[str | None]
    """Why it was overridden, invalidated or lost."""
    queued_at: Mapped[datetime]
    leased_at: Mapped[datetime | None]
    deployed_at: Mapped[datetime | None]
    ready_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    """Time since which nothing of it is deployed."""
    log_tail: Mapped[str] = mapped_column(default="")
    callback: Mapped[dict[str, Any] | None]
    """{"state", "detail", "at"} of the last callback of the deployment."""


class ProbeMeasurement(TeamScoped, Table):
    """One measurement of a probe. Without value, verdict and problem it is pending."""

    __tablename__ = "probe_measurement"
    __table_args__ = (
        UniqueConstraint("team_id", "probe_id", "index", name="uq_probe_measurement_index"),
        CheckConstraint("verdict in ('slower', 'not-slower')", name="verdict"),
        ForeignKeyConstraint(["team_id", "probe_id"], ["probe.team_id", "probe.id"], ondelete="CASCADE"),
    )

    probe_id: Mapped[UUID]
    index: Mapped[int]
    round: Mapped[int]
    value: Mapped[float | None]
    measures: Mapped[dict[str, Any] | None]
    """Of an experiment: further values by name."""
    verdict: Mapped[str | None]
    problem: Mapped[str | None]
    invalidated: Mapped[bool] = mapped_column(default=False)
    artifact_ids: Mapped[list[Any]]
    requests: Mapped[int | None] = mapped_column(BigInteger)
    """Number of requests, if read from dashboard metrics."""
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime]


class BisectEvent(TeamScoped, Table):
    """One event of a bisect."""

    __tablename__ = "bisect_event"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "bisect_id"], ["bisect.team_id", "bisect.id"], ondelete="CASCADE"),
        Index("ix_bisect_event_newest", "team_id", "bisect_id", "created_at", "id"),
    )

    bisect_id: Mapped[UUID]
    occurred_at: Mapped[datetime]
    kind: Mapped[str]
    actor: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    """The user; None if the search recorded it."""
    details: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")


class BisectPreflight(TeamScoped, Table):
    """What a request for a bisect would search, counted from the mirror before anything is deployed. Stored for a day."""

    __tablename__ = "bisect_preflight"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="CASCADE"),
        Index("ix_bisect_preflight_newest", "team_id", "created_at", "id"),
        Index("ix_bisect_preflight_service", "team_id", "service_id"),
        Index("ix_bisect_preflight_repository", "team_id", "repository_id"),
    )

    service_id: Mapped[UUID | None]
    repository_id: Mapped[UUID | None]
    good_sha: Mapped[str | None]
    bad_sha: Mapped[str | None]
    request: Mapped[dict[str, Any]]
    """`bisect_creation.BisectOptions` as JSON."""
    report: Mapped[dict[str, Any] | None]
    """`rules.preflight.RangeReport`; null until it is computed."""
    problem: Mapped[dict[str, Any] | None]
    """Why it could not be computed."""


class ServiceRulesColumns(TeamScoped):
    """What the rules of a service have, whatever they allow. No row: nothing is allowed."""

    service_id: Mapped[UUID]
    enabled: Mapped[bool]


def _make_rules_constraints(limit: CheckConstraint) -> tuple[SchemaItem, ...]:
    to_service = ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE")
    return UniqueConstraint("team_id", "service_id"), to_service, limit


class AutomaticBisect(ServiceRulesColumns, Table):
    """Whether confirmed regressions of a service start a bisect by themselves."""

    __tablename__ = "automatic_bisect"
    __table_args__ = _make_rules_constraints(CheckConstraint("deployments_per_day >= 1", name="deployments_per_day"))

    deployments_per_day: Mapped[int]
    """Most deployments of automatic bisects of the service in 24 hours."""
    needs_approval: Mapped[bool]
    """Whether each round of deployments requires approval."""
    deployment_hours: Mapped[dict[str, Any] | None]
    """Stored as in `rules.bisect_settings`; null: always."""
    runner_labels: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")


class PullRequestRules(ServiceRulesColumns, Table):
    """Whether runners measure the pull requests of a service before the merge."""

    __tablename__ = "pull_request_rules"
    __table_args__ = _make_rules_constraints(
        CheckConstraint("minutes_per_day >= 1 AND minutes_per_pull_request >= 1", name="minutes")
    )

    runner_labels: Mapped[dict[str, Any]]
    base_branches: Mapped[list[Any]]
    """Branches whose pull requests are measured; empty: the default branch."""
    minutes_per_day: Mapped[int]
    """Most minutes of deployments in 24 hours."""
    minutes_per_pull_request: Mapped[int]
    smallest_change: Mapped[float]
    """Relative change that matters."""
    measurement_seconds: Mapped[float]
    warm_up_seconds: Mapped[float]
    signature: Mapped[list[Any] | None]
    """Kind and subject; null: the number that the runner's command prints."""
