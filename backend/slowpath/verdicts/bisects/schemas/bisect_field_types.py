"""Field types and references shared by the bodies of bisects."""

from typing import Annotated, Literal
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from slowpath.platform.http.request_types import JsonFloat

Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000, pattern=r"^[^\x00]*$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
SignatureSubject = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
SignatureKind = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[a-z0-9._-]+$")]
RunnerName = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
RunnerInstance = Annotated[str, StringConstraints(max_length=64, pattern=r"^[A-Za-z0-9._-]*$")]
LogTail = Annotated[str, StringConstraints(max_length=8192)]
CandidateId = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]
Module = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[A-Za-z0-9._~/-]+$")]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.]+$")]
Place = Annotated[str, StringConstraints(max_length=300, pattern=r"^[A-Za-z0-9._~/-]*$")]
At = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
DayName = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
BoardMatch = Literal["instance", "version", "environment"]
MeasureName = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]+$")]
VariantKind = Literal["GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "pgo", "revert", "patch"]
VerdictName = Literal["slower", "not-slower"]
Finite = Annotated[JsonFloat, Field(allow_inf_nan=False)]


def _validate_zone(zone: str) -> str:
    if zone not in available_timezones():
        raise ValueError("unknown time zone")
    return ZoneInfo(zone).key


def _validate_labels(labels: dict[str, str]) -> dict[str, str]:
    if any("\x00" in name for name in labels):
        raise ValueError("a label name contains a NUL character")
    return labels


RunnerLabels = Annotated[
    dict[
        Annotated[str, StringConstraints(min_length=1, max_length=60)],
        Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")],
    ],
    Field(max_length=20),
    AfterValidator(_validate_labels),
]
Zone = Annotated[str, StringConstraints(min_length=1, max_length=60), AfterValidator(_validate_zone)]


class BisectRequest(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ServiceRef(BaseModel):
    """A service by id and name."""

    id: UUID
    name: str


class SignatureOut(BaseModel):
    """What is measured of every probe."""

    kind: str
    subject: str
    label: str
    unit: str
    larger_is_worse: bool
