"""Builds, deployments and artifacts with run metadata, as rows that searches and previews read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import new_id
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.profiles.tables import Profile
from slowpath.inventory.catalog.tables import Build, Deployment, Environment, Service
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

RECORDED_AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
METADATA: dict[str, Any] = {
    "go_version": "go1.25",
    "goos": "linux",
    "goarch": "amd64",
    "cpu_model": "EPYC",
    "requests": 9000,
}


@dataclass(frozen=True)
class EvidenceFactory:
    """Makes rows of a team."""

    app: AppUnderTest
    team: SomeTeam
    scope: TeamScope = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", TeamScope(self.team.id, self.team.owner.user_id))

    def add(self, row: Any) -> UUID:  # noqa: ANN401 - a row of any table
        row.team_id, row.id = self.team.id, new_id()
        with self.app.database.writing(self.scope) as session:
            session.add(row)
            session.commit()
        found: UUID = row.id
        return found

    def service(self, name: str = "ingester") -> UUID:
        return self.add(Service(slug=name, name=name, description=""))

    def environment(self, name: str = "production") -> UUID:
        return self.add(Environment(slug=name, name=name))

    def build(self, service_id: UUID, commit: str, **values: Any) -> UUID:  # noqa: ANN401 - any column
        return self.add(Build(service_id=service_id, commit=commit, sender_ids=[], **values))

    def deployment(
        self,
        service_id: UUID,
        environment_id: UUID,
        build_id: UUID | None,
        started_at: datetime,
        **values: Any,  # noqa: ANN401
    ) -> UUID:
        row = Deployment(
            service_id=service_id,
            environment_id=environment_id,
            build_id=build_id,
            started_at=started_at,
            commits=[],
            **values,
        )
        return self.add(row)

    def repository(self, service_id: UUID, branches: dict[str, str], tags: dict[str, str]) -> UUID:
        row = Repository(
            label="mirror",
            kind="other",
            url="https://git.example/x.git",
            credentials="none",
            branch_heads=branches,
            tags=tags,
        )
        repository_id = self.add(row)
        self.add(ServiceRepository(service_id=service_id, repository_id=repository_id, directory="", main_package=""))
        return repository_id

    def profile(
        self,
        build_id: UUID | None,
        *,
        kind: str = "cpu",
        recorded_at: datetime = RECORDED_AT,
        state: str = "decoded",
        samples: int = 4000,
        go_build_id: str = "",
        labels: Mapping[str, Mapping[str, float]] | None = None,
        **metadata: Any,  # noqa: ANN401 - any run metadata
    ) -> UUID:
        """Make a profile of 10 s; its file states when it was recorded. `labels` are percents by key and value."""
        time_ns = int(recorded_at.timestamp() * 1e9)
        summary: dict[str, Any] = {
            "time_ns": time_ns,
            "duration_ns": 10_000_000_000,
            "samples": samples,
            "period": 10_000_000,
        }
        if labels is not None:
            keys = [
                {"key": key, "values": [{"value": value, "raw": raw} for value, raw in values.items()]}
                for key, values in labels.items()
            ]
            summary["labels"] = {"total": 100, "keys": keys}
        artifact_id = self.add(
            Artifact(
                name=f"{kind}.pprof",
                size_bytes=1,
                sha256="0" * 64,
                build_id=build_id,
                run_metadata=METADATA | metadata,
                state=state,
                kind=f"profile.{kind}" if state == "decoded" else None,
                summary=summary if state == "decoded" else None,
            )
        )
        if state == "decoded":
            row = Profile(
                team_id=self.team.id,
                id=artifact_id,
                kind=kind,
                sample_types=[{"type": kind, "unit": "nanoseconds"}],
                default_sample_type=0,
                period=10_000_000,
                period_type={"type": kind, "unit": "nanoseconds"},
                time_ns=time_ns,
                duration_ns=10_000_000_000,
                mappings=[{"file": "ingester", "build_id": go_build_id}],
                counts={"samples": samples},
                warnings=[],
                columns_key="nowhere",
                columns_bytes=1,
            )
            with self.app.database.writing(self.scope) as session:
                session.add(row)
                session.commit()
        return artifact_id

    def profiles(self, build_id: UUID | None, count: int, **values: Any) -> list[UUID]:  # noqa: ANN401
        """Make profiles a minute apart."""
        at = values.pop("recorded_at", RECORDED_AT)
        return [self.profile(build_id, recorded_at=at + timedelta(minutes=number), **values) for number in range(count)]
