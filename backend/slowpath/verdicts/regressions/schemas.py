"""Regressions, judgements and series on the wire."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from slowpath.verdicts.regressions.rules import CauseName, EventName, EvidenceName, JudgementName, StateName
from slowpath.verdicts.regressions.tables import (
    BuildVerdict,
    Regression,
    RegressionEvent,
    RegressionEvidence,
    SeriesMuteRule,
)

Line = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Note = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000, pattern=r"^[^\x00]*$")]
Subject = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
KindName = Literal[
    "profile.category",
    "profile.function",
    "profile.heap",
    "profile.allocs",
    "profile.mutex",
    "profile.block",
    "trace.sched_delay",
    "growth.count",
    "bench",
    "latency",
]
MOST_TRIAGED = 200


class RegressionRequest(BaseModel):
    """What is sent: nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid")


class UserRef(BaseModel):
    """Somebody of the team; without a name if they have left it."""

    id: UUID
    name: str | None


class BuildRef(BaseModel):
    """A build that a regression names. Without an id if it was deleted since."""

    build_id: UUID | None
    commit: str


class FirstBadBuildOut(BuildRef):
    """The first build of the new level."""

    ordered_at: datetime


class BuildCommitRange(BaseModel):
    """It began with one of the builds from the first to the last, both included."""

    first_commit: str
    last_commit: str


class RelatedSeriesOut(BaseModel):
    """A series that changed with it."""

    kind: str
    subject: str
    ratio: float | None
    is_cost_shift: bool


class SparklineOut(BaseModel):
    """The series in few values, null where a build has none; `levels` are those before and after `step_at`."""

    values: list[float | None]
    step_at: int | None
    levels: list[float]


class RequiredEvidenceOut(BaseModel):
    """What would make it sure: so many further builds, or so many further profiles of the newest build."""

    builds: int | None
    profiles: int | None


class RegressionOut(BaseModel):
    """A claim about a build. Without a number it is a candidate: nobody has been told of it."""

    id: UUID
    number: int | None
    service_id: UUID
    branch: str
    state: StateName
    is_confirmed: bool
    title: str
    sentence: str
    kind: str
    subject: str
    unit: str
    direction: Literal["worse", "better"]
    before: float | None
    after: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    first_bad_build: FirstBadBuildOut | None
    good: BuildRef | None
    range: BuildCommitRange | None
    fixed_by: BuildRef | None
    assignee: UserRef | None
    due_on: date | None
    related_series: list[RelatedSeriesOut]
    sparkline: SparklineOut | None
    comparison_id: UUID | None
    required_evidence: RequiredEvidenceOut | None
    is_manual: bool
    created_at: datetime
    closed_at: datetime | None


class EvidenceOut(BaseModel):
    """What a regression cites: a comparison, or the proof that it is fixed (`facts`: what was compared with what)."""

    id: UUID
    kind: EvidenceName
    comparison_id: UUID | None
    build_id: UUID | None
    details: dict[str, Any]
    created_at: datetime


class RegressionDetailOut(RegressionOut):
    """A regression with what it cites."""

    evidence: list[EvidenceOut]


class RegressionUpdate(RegressionRequest):
    """What is to be otherwise; what is left out stays, null takes a value away. A note says why."""

    state: StateName | None = None
    assignee_id: UUID | None = None
    due_on: date | None = None
    note: Note | None = None


class TriageIn(RegressionRequest):
    """The same change to many regressions."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_TRIAGED)]
    change: RegressionUpdate


class TriageOut(BaseModel):
    """The regressions as they are now."""

    items: list[RegressionOut]


class RegressionIn(RegressionRequest):
    """A regression by hand, out of a comparison of two builds of a service."""

    comparison_id: UUID
    title: Line | None = None
    note: Note | None = None


class NoteIn(RegressionRequest):
    """What somebody has to say."""

    text: Note


class RegressionEventOut(BaseModel):
    """One line of a regression's history. Facts: {"from", "to"} of a change, {"text"} of a note, ..."""

    id: UUID
    kind: EventName
    actor: UserRef | None
    details: dict[str, Any]
    created_at: datetime


class StateCounts(BaseModel):
    """Confirmed regressions by state."""

    model_config = ConfigDict(populate_by_name=True)

    new: int = 0
    investigating: int = 0
    acknowledged: int = 0
    fixed: int = 0
    improved: int = 0
    not_a_regression: int = Field(0, alias="not-a-regression")
    ignored: int = 0


class ServiceCounts(BaseModel):
    """Regressions of a service."""

    service_id: UUID
    open: int
    total: int


class RegressionSummaryOut(BaseModel):
    """How things stand; `headline` is the largest open regression."""

    open: int
    states: StateCounts
    new_unassigned_count: int = Field(description="new, and nobody is on it")
    services: list[ServiceCounts]
    headline: RegressionOut | None


class SeriesBuild(BaseModel):
    """One build of a line, and under what it was measured (equal is equal)."""

    id: UUID
    commit: str
    ordered_at: datetime
    branch: str
    label: str | None
    conditions: str
    verdict: JudgementName


class SeriesChangePoint(BaseModel):
    """A step of a series: the new level begins with the build `index`, or one from `low_index` to `high_index`."""

    index: int
    low_index: int
    high_index: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    score: float
    cause: CauseName


class SeriesCourse(BaseModel):
    """A slow course of a series, beside which it has steps or none: a trend, a ramp between two builds, or a season.

    `values` is what the series is without its noise.
    """

    kind: Literal["trend", "ramp", "season"]
    sentence: str
    values: list[float | None]


class SeriesOut(BaseModel):
    """One series over the builds: values with their 95 % interval by the build's own profiles, null where unknown.

    `levels` is what the series is without its noise; a series with a `course` has none. `detectable`: the smallest ratio that would be told of.
    """

    kind: str
    subject: str
    unit: str
    values: list[float | None]
    low: list[float | None]
    high: list[float | None]
    levels: list[float | None]
    change_points: list[SeriesChangePoint]
    course: SeriesCourse | None
    minimum_detectable_effect: float | None
    is_muted: bool


class SeriesPage(BaseModel):
    """Series over the same builds, oldest build first."""

    branch: str
    branches: list[str]
    builds: list[SeriesBuild]
    series: list[SeriesOut]


class BuildVerdictOut(BaseModel):
    """What is known of a build. `waiting` and `judging` will become something else; the others may, when more comes."""

    build_id: UUID
    state: JudgementName
    sentence: str
    required_evidence: RequiredEvidenceOut | None
    regression_ids: list[UUID]
    evaluated_at: datetime | None


class MuteRuleIn(RegressionRequest):
    """A rule on a series, or on all of a kind if the subject is left empty."""

    kind: KindName
    subject: Subject = ""
    is_muted: bool


class MuteRuleOut(BaseModel):
    """A rule on a series."""

    kind: str
    subject: str
    is_muted: bool
    muted_by: UserRef | None
    created_at: datetime


Names = Mapping[UUID, str]


def person(user_id: UUID | None, names: Names) -> UserRef | None:
    """Return somebody, or nobody."""
    return None if user_id is None else UserRef(id=user_id, name=names.get(user_id))


def _point(build_id: UUID | None, commit: str | None) -> BuildRef | None:
    return None if commit is None else BuildRef(build_id=build_id, commit=commit)


def _values(row: Regression, names: Names) -> dict[str, Any]:
    same = (
        "id", "number", "service_id", "branch", "state", "title", "sentence", "kind", "subject", "unit",
        "direction", "before", "after", "ratio", "ratio_low", "ratio_high", "due_on",
        "comparison_id", "created_at", "closed_at",
    )  # fmt: skip
    since = None
    if row.since_commit is not None and row.since_at is not None:
        since = FirstBadBuildOut(build_id=row.since_build_id, commit=row.since_commit, ordered_at=row.since_at)
    within = None
    if row.first_commit is not None and row.last_commit is not None:
        within = BuildCommitRange(first_commit=row.first_commit, last_commit=row.last_commit)
    return {
        **{name: getattr(row, name) for name in same},
        "is_confirmed": row.confirmed,
        "related_series": [
            RelatedSeriesOut(kind=one["kind"], subject=one["subject"], ratio=one["ratio"], is_cost_shift=one["is_move"])
            for one in row.related_series
        ],
        "sparkline": row.sparkline,
        "required_evidence": row.required_evidence,
        "first_bad_build": since,
        "good": _point(row.good_build_id, row.good_commit),
        "range": within,
        "fixed_by": _point(row.fixed_build_id, row.fixed_commit),
        "assignee": person(row.assignee_id, names),
        "is_manual": row.created_by is not None,
    }


def regression_out(row: Regression, names: Names) -> RegressionOut:
    """Tell a regression."""
    return RegressionOut(**_values(row, names))


def whole(row: Regression, names: Names, evidence: Sequence[RegressionEvidence]) -> RegressionDetailOut:
    """Tell a regression with what it cites."""
    cited = [EvidenceOut.model_validate(each, from_attributes=True) for each in evidence]
    return RegressionDetailOut(**_values(row, names), evidence=cited)


def event_out(row: RegressionEvent, names: Names) -> RegressionEventOut:
    """Tell a line of the history."""
    return RegressionEventOut.model_validate(
        {"id": row.id, "kind": row.kind, "actor": person(row.user_id, names), "details": row.details}
        | {"created_at": row.created_at}
    )


def judgement_out(row: BuildVerdict) -> BuildVerdictOut:
    """Tell what is known of a build."""
    return BuildVerdictOut.model_validate(row, from_attributes=True)


def watched_out(row: SeriesMuteRule, names: Names) -> MuteRuleOut:
    """Tell a rule."""
    return MuteRuleOut(
        kind=row.kind,
        subject=row.subject,
        is_muted=row.muted,
        muted_by=person(row.created_by, names),
        created_at=row.created_at,
    )
