"""Request and response bodies of regressions, their events, triage and mute rules."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints, computed_field
from typing_extensions import TypedDict

from slowpath.analysis.kinds.registry import MEASUREMENT_IDS, MeasurementId
from slowpath.platform.http.request_types import JsonDate
from slowpath.verdicts.regressions.rules import (
    EventName,
    EvidenceName,
    StateName,
)
from slowpath.verdicts.regressions.tables import (
    Regression,
    RegressionEvent,
    RegressionEvidence,
    SeriesMuteRule,
)
from slowpath.verdicts.regressions.wording import name_series

Line = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Note = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000, pattern=r"^[^\x00]*$")]
Subject = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
MeasuredKind = Annotated[MeasurementId, AfterValidator(MEASUREMENT_IDS.check)]
MOST_TRIAGED = 200


class RegressionRequest(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class UserRef(BaseModel):
    """A member of the team; without a name after leaving it."""

    id: UUID
    name: str | None


class BuildRef(BaseModel):
    """A build that a regression refers to; without an ID if it was deleted."""

    build_id: UUID | None
    commit: str


class FirstBadBuildOut(BuildRef):
    """The first build after the change point."""

    ordered_at: datetime


class BuildCommitRange(BaseModel):
    """Commits of the builds that may be the first bad one, first and last included."""

    first_commit: str
    last_commit: str


class SeriesIdentity(BaseModel):
    """What a series is of; `name` is its display text."""

    kind: str
    subject: str

    @computed_field  # type: ignore[prop-decorator]  # mypy does not support decorators on properties
    @property
    def name(self) -> str:
        """Return the display text."""
        return name_series(self.kind, self.subject)


class RelatedSeriesOut(SeriesIdentity):
    """A series that changed with the regression."""

    ratio: float | None
    is_cost_shift: bool


class SparklineOut(BaseModel):
    """A series reduced to few values, null where unknown; `levels` are before and after `step_at`."""

    values: list[float | None]
    step_at: int | None
    levels: list[float]


class RequiredEvidenceOut(BaseModel):
    """Evidence still required to confirm: more builds, or more profiles of the newest build."""

    builds: int | None
    profiles: int | None


class RegressionOut(BaseModel):
    """A regression since a build. Without a number it is unconfirmed, and no notification is sent."""

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


class FixVerification(TypedDict, total=False):
    """What a verification of a fix compared: the builds since the fix with the good or the bad ones before it."""

    against: Literal["good", "bad"]
    sentence: str
    build_id: str
    commit: str
    proof: str
    good: float
    bad: float
    now: float
    ratio: float
    low: float
    high: float


class EvidenceOut(BaseModel):
    """Evidence of a regression: a comparison, or a verification of its fix (`details`: what was compared)."""

    id: UUID
    kind: EvidenceName
    comparison_id: UUID | None
    build_id: UUID | None
    details: FixVerification
    created_at: datetime


class RegressionDetailOut(RegressionOut):
    """A regression with its evidence."""

    evidence: list[EvidenceOut]


class RegressionUpdate(RegressionRequest):
    """Fields to update; omitted fields stay, null clears one. A note gives the reason."""

    state: StateName | None = None
    assignee_id: UUID | None = None
    due_on: JsonDate | None = None
    note: Note | None = None


class TriageIn(RegressionRequest):
    """The same update of several regressions."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_TRIAGED)]
    change: RegressionUpdate


class TriageOut(BaseModel):
    """The updated regressions."""

    items: list[RegressionOut]


class RegressionIn(RegressionRequest):
    """A regression to create from a comparison of two builds of a service."""

    comparison_id: UUID
    title: Line | None = None
    note: Note | None = None


RegressionEventDetails = TypedDict(
    "RegressionEventDetails",
    {"from": str | None, "to": str | None, "text": str, "sentence": str, "build_id": str, "commit": str | None},
    total=False,
)
"""`from` and `to` of an update, `text` of a note, `sentence` with `build_id` and `commit` of what was detected."""


class RegressionEventOut(BaseModel):
    """One event of a regression."""

    id: UUID
    kind: EventName
    actor: UserRef | None
    details: RegressionEventDetails
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
    """Counts of the regressions of a service."""

    service_id: UUID
    open: int
    total: int


class RegressionSummaryOut(BaseModel):
    """Counts of regressions; `headline` is the largest open regression."""

    open: int
    states: StateCounts
    new_unassigned_count: int = Field(description="New regressions without an assignee")
    services: list[ServiceCounts]
    headline: RegressionOut | None


class MuteRuleIn(RegressionRequest):
    """A mute rule for a series, or for all series of a kind if the subject is empty."""

    kind: MeasuredKind
    subject: Subject = ""
    is_muted: StrictBool


class MuteRuleOut(BaseModel):
    """A mute rule."""

    kind: str
    subject: str
    is_muted: bool
    muted_by: UserRef | None
    created_at: datetime


Names = Mapping[UUID, str]


def make_user_ref(user_id: UUID | None, names: Names) -> UserRef | None:
    """Return the reference to a user, or None."""
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
        "assignee": make_user_ref(row.assignee_id, names),
        "is_manual": row.created_by is not None,
    }


def make_regression_out(row: Regression, names: Names) -> RegressionOut:
    """Return the response body of a regression."""
    return RegressionOut(**_values(row, names))


def make_regression_detail_out(
    row: Regression, names: Names, evidence: Sequence[RegressionEvidence]
) -> RegressionDetailOut:
    """Return the response body of a regression with its evidence."""
    cited = [EvidenceOut.model_validate(each, from_attributes=True) for each in evidence]
    return RegressionDetailOut(**_values(row, names), evidence=cited)


def make_regression_event_out(row: RegressionEvent, names: Names) -> RegressionEventOut:
    """Return the response body of an event."""
    return RegressionEventOut.model_validate(
        {"id": row.id, "kind": row.kind, "actor": make_user_ref(row.user_id, names), "details": row.details}
        | {"created_at": row.created_at}
    )


def make_mute_rule_out(row: SeriesMuteRule, names: Names) -> MuteRuleOut:
    """Return the response body of a mute rule."""
    return MuteRuleOut(
        kind=row.kind,
        subject=row.subject,
        is_muted=row.muted,
        muted_by=make_user_ref(row.created_by, names),
        created_at=row.created_at,
    )
