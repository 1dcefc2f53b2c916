"""Where the artifacts of a side come from, as values and as stored JSON, which is also the wire shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, assert_never
from uuid import UUID

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.core.ids import ArtifactId, BuildId, DeployId, EnvironmentId, ServiceId
from slowpath.verdicts.comparisons.rules import LabelMatchers, TimeRange, format_label_matchers

EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class ArtifactsSource:
    """Listed artifacts."""

    type: ClassVar[str] = "artifacts"

    artifact_ids: tuple[ArtifactId, ...]
    labels: LabelMatchers = ()


@dataclass(frozen=True)
class BuildSource:
    """All artifacts of a build."""

    type: ClassVar[str] = "build"

    build_id: BuildId
    labels: LabelMatchers = ()


@dataclass(frozen=True)
class RefSource:
    """The newest build with evidence of a branch, or of a tag's commit."""

    type: ClassVar[str] = "ref"

    service_id: ServiceId
    ref: str
    labels: LabelMatchers = ()


@dataclass(frozen=True)
class DeploymentSource:
    """What was recorded while a deployment ran: artifacts of its build, and metrics."""

    type: ClassVar[str] = "deployment"

    deployment_id: DeployId
    labels: LabelMatchers = ()


@dataclass(frozen=True)
class TimeRangeSource:
    """What was recorded of a service in an environment between two times: artifacts, and metrics."""

    type: ClassVar[str] = "time_range"

    time_range: TimeRange
    labels: LabelMatchers = ()


SideSource = ArtifactsSource | BuildSource | RefSource | DeploymentSource | TimeRangeSource
"""Where the artifacts of a side come from."""


@dataclass(frozen=True)
class SideEvidence:
    """One artifact that a side may use. `kind` is None before it is decoded; `recorded_ms` is since 1970."""

    artifact_id: ArtifactId
    name: str
    kind: str | None
    build_id: BuildId | None
    recorded_ms: float
    run_metadata: Mapping[str, Any]
    summary: Mapping[str, Any]


def to_ms(at: datetime) -> int:
    """Return a time in milliseconds since 1970."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def from_ms(at_ms: int) -> datetime:
    """Return the time of milliseconds since 1970."""
    return EPOCH + timedelta(milliseconds=at_ms)


def format_source(source: SideSource) -> dict[str, Any]:
    """Return a source as stored JSON, which is also its wire shape."""
    stored: dict[str, Any] = {"type": source.type, "labels": format_label_matchers(source.labels)}
    match source:
        case ArtifactsSource():
            return stored | {"artifact_ids": [str(each) for each in source.artifact_ids]}
        case BuildSource():
            return stored | {"build_id": str(source.build_id)}
        case RefSource():
            return stored | {"service_id": str(source.service_id), "ref": source.ref}
        case DeploymentSource():
            return stored | {"deployment_id": str(source.deployment_id)}
        case TimeRangeSource():
            window = source.time_range
            return stored | {
                "service_id": str(window.service_id),
                "environment_id": str(window.environment_id),
                "begin": from_ms(window.from_ms).isoformat(),
                "end": from_ms(window.to_ms).isoformat(),
            }
    assert_never(source)


def parse_source(stored: Mapping[str, Any]) -> SideSource:
    """Return the source of stored JSON, which `format_source` wrote."""
    labels = tuple(LabelMatcher(each["key"], each["value"]) for each in stored["labels"])
    match stored["type"]:
        case ArtifactsSource.type:
            return ArtifactsSource(tuple(ArtifactId(UUID(each)) for each in stored["artifact_ids"]), labels)
        case BuildSource.type:
            return BuildSource(BuildId(UUID(stored["build_id"])), labels)
        case RefSource.type:
            return RefSource(ServiceId(UUID(stored["service_id"])), stored["ref"], labels)
        case DeploymentSource.type:
            return DeploymentSource(DeployId(UUID(stored["deployment_id"])), labels)
    begin_ms, end_ms = (to_ms(datetime.fromisoformat(stored[name])) for name in ("begin", "end"))
    service_id, environment_id = ServiceId(UUID(stored["service_id"])), EnvironmentId(UUID(stored["environment_id"]))
    return TimeRangeSource(TimeRange(service_id, environment_id, begin_ms, end_ms), labels)
