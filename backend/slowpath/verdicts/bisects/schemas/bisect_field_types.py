"""The small words of the wire, and what all shapes of bisects share."""

from typing import Annotated, Literal
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

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
VerdictName = Literal["slower", "not-slower"]
Finite = Annotated[float, Field(allow_inf_nan=False)]


def _known_zone(zone: str) -> str:
    if zone not in available_timezones():
        raise ValueError("no time zone of this name")
    return ZoneInfo(zone).key


def _storable(labels: dict[str, str]) -> dict[str, str]:
    if any("\x00" in name for name in labels):
        raise ValueError("the name of a label holds a NUL")
    return labels


RunnerLabels = Annotated[
    dict[
        Annotated[str, StringConstraints(min_length=1, max_length=60)],
        Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")],
    ],
    Field(max_length=20),
    AfterValidator(_storable),
]
Zone = Annotated[str, StringConstraints(min_length=1, max_length=60), AfterValidator(_known_zone)]


class BisectRequest(BaseModel):
    """What is sent: nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ServiceRef(BaseModel):
    """A service by id and name."""

    id: UUID
    name: str


class SignatureOut(BaseModel):
    """What is measured of every build."""

    kind: str
    subject: str
    label: str
    unit: str
    larger_is_worse: bool
