"""Queries of example data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Select, Uuid, all_, any_, exists, func, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.elements import CollectionAggregate

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.metrics.tables import MetricSeries
from slowpath.evidence.profiles.tables import ProfileExport, ProfileSetArtifact, ProfileView
from slowpath.evidence.spans.tables import SpanSet
from slowpath.inventory.catalog.tables import Build, Deployment, Environment, Service
from slowpath.inventory.repositories.tables import ServiceRepository
from slowpath.operations.example_data.rules import OwnData, ReceivedItem
from slowpath.operations.example_data.tables import ExampleData
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact, ComparisonExport, DiffView
from slowpath.verdicts.gap_explanations.tables import GapExplanation
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.tables import Regression

_OfService = Build | Deployment | Bisect | Regression | ProductionEvent


def select_example(session: ReadSession) -> ExampleData | None:
    """Return the row of the team."""
    return session.scalars(select(ExampleData).where(ExampleData.team_id == session.team_id)).one_or_none()


def lock_example(session: WriteSession) -> ExampleData | None:
    """Return the row of the team and lock it until the transaction ends."""
    wanted = select(ExampleData).where(ExampleData.team_id == session.team_id).with_for_update()
    return session.scalars(wanted.execution_options(populate_existing=True)).one_or_none()


def select_example_services(session: ReadSession) -> Sequence[Service]:
    """Return the services of the example, by name."""
    wanted = select(Service).where(Service.team_id == session.team_id, Service.is_example)
    return session.scalars(wanted.order_by(Service.slug)).all()


def count_example_series(session: ReadSession) -> int:
    """Return the number of time series of the example's services."""
    wanted = (
        select(func.count())
        .select_from(MetricSeries)
        .join(Service, (Service.team_id == MetricSeries.team_id) & (Service.id == MetricSeries.service_id))
        .where(MetricSeries.team_id == session.team_id, Service.is_example)
    )
    return session.scalar(wanted) or 0


def select_own_data(session: ReadSession) -> OwnData:
    """Return the newest artifact, build and deployment that are not of the example."""
    of_build = (Build.team_id == Artifact.team_id) & (Build.id == Artifact.build_id)
    of_service = (Service.team_id == Build.team_id) & (Service.id == Build.service_id)
    artifact = (
        select(Artifact.name, Artifact.created_at)
        .outerjoin(Build, of_build)
        .outerjoin(Service, of_service)
        .where(Artifact.team_id == session.team_id, Service.is_example.is_not(True))
        .order_by(Artifact.created_at.desc())
    )
    build = (
        select(Build.commit, Build.created_at)
        .join(Service, of_service)
        .where(Build.team_id == session.team_id, Service.is_example.is_(False))
        .order_by(Build.created_at.desc())
    )
    deployment = (
        select(Deployment.commit, Deployment.created_at)
        .join(Service, (Service.team_id == Deployment.team_id) & (Service.id == Deployment.service_id))
        .where(Deployment.team_id == session.team_id, Service.is_example.is_(False))
        .order_by(Deployment.created_at.desc())
    )
    newest = (session.execute(each.limit(1)).one_or_none() for each in (artifact, build, deployment))
    return OwnData(*(ReceivedItem(row[0], row[1]) if row is not None else None for row in newest))


def select_taken_names(session: ReadSession, services: Sequence[str], environment: str) -> list[str]:
    """Return which of these slugs the team's own services and environments have."""
    own = select(Service.slug).where(
        Service.team_id == session.team_id, Service.slug.in_(services), Service.is_example.is_(False)
    )
    places = select(Environment.slug).where(Environment.team_id == session.team_id, Environment.slug == environment)
    return [*session.scalars(own.order_by(Service.slug)), *session.scalars(places)]


def select_example_artifacts(session: ReadSession, limit: int) -> Sequence[Artifact]:
    """Return artifacts of builds of the example's services."""
    wanted = (
        select(Artifact)
        .join(Build, (Build.team_id == Artifact.team_id) & (Build.id == Artifact.build_id))
        .join(Service, (Service.team_id == Build.team_id) & (Service.id == Build.service_id))
        .where(Artifact.team_id == session.team_id, Service.is_example)
        .limit(limit)
    )
    return session.scalars(wanted).all()


def select_example_comparisons(session: ReadSession, limit: int) -> Sequence[UUID]:
    """Return comparisons whose artifacts are all of the example."""
    return _select_comparisons_within(session, _select_artifact_ids(session, _select_build_ids(session)))[:limit]


def _comparisons(session: ReadSession) -> Select[UUID]:
    return select(Comparison.id).where(
        Comparison.team_id == session.team_id,
        _has_artifact(Service.is_example.is_(True)),
        ~_has_artifact(or_(Service.id.is_(None), Service.is_example.is_(False))),
    )


def select_example_subjects(session: ReadSession) -> list[UUID]:
    """Return the IDs of all that belongs to the example and can be the subject of a job or of an event.

    One statement per table, with the IDs of the one above: as one statement, its plan without statistics of the tables
    took minutes.
    """
    services = [each.id for each in select_example_services(session)]
    builds = _select_build_ids(session)
    files = _select_artifact_ids(session, builds)
    comparisons = _select_comparisons_within(session, files)
    sets = _select_ids(session, ProfileSetArtifact.set_id, ProfileSetArtifact.artifact_id, files)
    of_services = [
        each
        for table in (Deployment, Bisect, Regression, ProductionEvent)
        for each in _select_ids(session, table.id, table.service_id, services)
    ]
    derived = [
        *_select_ids(session, GapExplanation.id, GapExplanation.artifact_id, files),
        *_select_ids(session, ProfileView.id, ProfileView.set_id, sets),
        *_select_ids(session, ProfileExport.id, ProfileExport.set_id, sets),
        *_select_ids(session, DiffView.id, DiffView.comparison_id, comparisons),
        *_select_ids(session, ComparisonExport.id, ComparisonExport.comparison_id, comparisons),
    ]
    return [*services, *builds, *of_services, *files, *comparisons, *sets, *derived]


def _select_build_ids(session: ReadSession) -> list[UUID]:
    services = [each.id for each in select_example_services(session)]
    return _select_ids(session, Build.id, Build.service_id, services)


def _select_artifact_ids(session: ReadSession, builds: Sequence[UUID]) -> list[UUID]:
    return _select_ids(session, Artifact.id, Artifact.build_id, builds)


def _select_comparisons_within(session: ReadSession, artifact_ids: Sequence[UUID]) -> list[UUID]:
    """Return the comparisons with at least one of these artifacts and no other."""
    found = _select_ids(session, ComparisonArtifact.comparison_id, ComparisonArtifact.artifact_id, artifact_ids)
    others = select(ComparisonArtifact.comparison_id).where(
        ComparisonArtifact.team_id == session.team_id,
        ComparisonArtifact.comparison_id == _any_of(found),
        ComparisonArtifact.artifact_id != all_(literal(list(artifact_ids), ARRAY(Uuid))),
    )
    mixed = set(session.scalars(others))
    return [each for each in found if each not in mixed]


def _select_ids(
    session: ReadSession,
    column: InstrumentedAttribute[UUID],
    reference: InstrumentedAttribute[UUID] | InstrumentedAttribute[UUID | None],
    ids: Sequence[UUID],
) -> list[UUID]:
    """Return the distinct values of a column of the team's rows that refer to any of these IDs."""
    table = column.class_
    return list(
        session.scalars(select(column).distinct().where(table.team_id == session.team_id, reference == _any_of(ids)))
    )


def _any_of(ids: Sequence[UUID]) -> CollectionAggregate[bool]:
    return any_(literal(list(ids), ARRAY(Uuid)))


def _has_artifact(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists(
        select(ComparisonArtifact.id)
        .join(
            Artifact,
            (Artifact.team_id == ComparisonArtifact.team_id) & (Artifact.id == ComparisonArtifact.artifact_id),
        )
        .outerjoin(Build, (Build.team_id == Artifact.team_id) & (Build.id == Artifact.build_id))
        .outerjoin(Service, (Service.team_id == Build.team_id) & (Service.id == Build.service_id))
        .where(
            ComparisonArtifact.team_id == Comparison.team_id,
            ComparisonArtifact.comparison_id == Comparison.id,
            condition,
        )
    )


def is_environment_used(session: ReadSession, environment_id: UUID) -> bool:
    """Return whether deployments, series or spans of services are in an environment."""
    used: tuple[tuple[InstrumentedAttribute[UUID], InstrumentedAttribute[UUID | None]], ...] = (
        (Deployment.team_id, Deployment.environment_id),
        (MetricSeries.team_id, MetricSeries.environment_id),
        (SpanSet.team_id, SpanSet.environment_id),
    )
    return any(
        session.scalar(select(exists().where(team == session.team_id, environment == environment_id)))
        for team, environment in used
    )


def is_repository_linked(session: ReadSession, repository_id: UUID) -> bool:
    """Return whether a service is built from a repository."""
    wanted = exists().where(
        ServiceRepository.team_id == session.team_id, ServiceRepository.repository_id == repository_id
    )
    return bool(session.scalar(select(wanted)))


def is_example_service(session: ReadSession, slug: str) -> bool:
    """Return whether a service of the example has this slug."""
    wanted = exists().where(Service.team_id == session.team_id, Service.slug == slug, Service.is_example)
    return bool(session.scalar(select(wanted)))


def is_part_of_example(session: ReadSession, parameter: str, part_id: UUID) -> bool:
    """Return whether the object that a path parameter names is part of the example; False for other parameters."""
    make = _PARTS.get(parameter)
    return make is not None and bool(session.scalar(select(make(session, part_id))))


def _is_service(session: ReadSession, part_id: UUID) -> ColumnElement[bool]:
    return exists().where(Service.team_id == session.team_id, Service.id == part_id, Service.is_example)


def _belongs_to_service(table: type[_OfService]) -> Callable[[ReadSession, UUID], ColumnElement[bool]]:
    def make(session: ReadSession, part_id: UUID) -> ColumnElement[bool]:
        of_service = (Service.team_id == table.team_id) & (Service.id == table.service_id)
        return exists(
            select(table.id)
            .join(Service, of_service)
            .where(table.team_id == session.team_id, table.id == part_id, Service.is_example)
        )

    return make


def _is_artifact(session: ReadSession, part_id: UUID) -> ColumnElement[bool]:
    return exists(
        select(Artifact.id)
        .join(Build, (Build.team_id == Artifact.team_id) & (Build.id == Artifact.build_id))
        .join(Service, (Service.team_id == Build.team_id) & (Service.id == Build.service_id))
        .where(Artifact.team_id == session.team_id, Artifact.id == part_id, Service.is_example)
    )


def _is_comparison(session: ReadSession, part_id: UUID) -> ColumnElement[bool]:
    return exists(_comparisons(session).where(Comparison.id == part_id))


def _is_recorded(session: ReadSession, part_id: UUID) -> ColumnElement[bool]:
    return exists().where(
        ExampleData.team_id == session.team_id,
        or_(
            ExampleData.environment_id == part_id,
            ExampleData.report_id == part_id,
            ExampleData.repository_ids.contains([part_id]),
        ),
    )


_PARTS: Final[Mapping[str, Callable[[ReadSession, UUID], ColumnElement[bool]]]] = {
    "service_id": _is_service,
    "build_id": _belongs_to_service(Build),
    "deployment_id": _belongs_to_service(Deployment),
    "bisect_id": _belongs_to_service(Bisect),
    "regression_id": _belongs_to_service(Regression),
    "event_id": _belongs_to_service(ProductionEvent),
    "artifact_id": _is_artifact,
    "comparison_id": _is_comparison,
    "environment_id": _is_recorded,
    "repository_id": _is_recorded,
    "report_id": _is_recorded,
}
"""How the object of a path parameter is found among the parts of the example."""
