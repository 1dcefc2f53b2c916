"""What stands beside the lines of the board besides deploys: changes of latency that were found, checks of deploys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.sessions import ReadSession


@dataclass(frozen=True)
class Check:
    """What was decided of a deploy, as it is told."""

    verdict: str
    said: dict[str, Any]


@dataclass(frozen=True)
class Marks:
    """Changes in the range, checks by deploy, and the sentence above the board."""

    changes: Sequence[dict[str, Any]] = ()
    checks: Mapping[UUID, Check] = field(default_factory=dict)
    headline: dict[str, Any] | None = None


def between(
    session: ReadSession, environment_id: EnvironmentId, service_ids: Sequence[ServiceId], from_ms: int, to_ms: int
) -> Marks:
    """Return what was found of these services in a range."""
    del session, environment_id, service_ids, from_ms, to_ms
    return Marks()
