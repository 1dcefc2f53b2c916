"""Record the example under `worker/example` in a team: services, builds, files, deployments, metrics, comparisons, a bisect."""

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import Deliver, IngestBatch
from slowpath.analysis.kinds.metrics.protocols.remote_write_parser import read_v1
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId, BuildId, EnvironmentId, RepositoryId, ServiceId
from slowpath.core.jobs import enqueue
from slowpath.evidence.artifacts.service import artifact_ingest
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels, ReceivedFile
from slowpath.evidence.metrics.service import push_decompression, sample_ingest
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.service import BuildIdentity, DeploymentFields
from slowpath.inventory.repositories.rules import ChangedFile, CommitMetadata
from slowpath.inventory.repositories.service import commit_graph, repositories
from slowpath.inventory.repositories.service.repositories import ServiceSource
from slowpath.operations.example_data.jobs import ExplainExampleGap
from slowpath.operations.example_data.rules import ENVIRONMENT, SERVICES
from slowpath.operations.example_data.service import example_state
from slowpath.verdicts.bisects.service import recorded_bisects
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.service.comparisons import SideRequest
from slowpath_worker.example.build_plan import SIDECAR, builds_of, captures_of, commit_of, metadata_of
from slowpath_worker.example.dashboard_plan import ExampleDashboard, make_history_requests, spans_in
from slowpath_worker.example.executables import read_executables
from slowpath_worker.example_evidence import create_bisect_report
from slowpath_worker.job_context import JobContext

EXAMPLE = Path(__file__).resolve().parents[1] / "example"
FOLDERS = ("board", "traces", ".")
"""Of the investigations, in the order in which they are added: lists show the last one first."""
BISECTED = "ingester"
FINISHED_AGO = timedelta(minutes=40)
"""Age of the bisect: the time since it finished."""
IDENTITY = ("commit", "go_version", "goos", "goarch", "flags")


@dataclass(frozen=True)
class _Target:
    """Where the example is added: the job, its environment and services, and the time that it ends at."""

    context: JobContext
    environment_id: EnvironmentId
    services: Mapping[str, ServiceId]
    now: datetime

    @property
    def now_ms(self) -> int:
        return round(self.now.timestamp() * 1000)

    @contextmanager
    def writing(self) -> Iterator[WriteSession]:
        """Open a session that writes only while the example is still wanted."""
        with self.context.writing() as session:
            example_state.require_wanted(session)
            yield session


def add_example(context: JobContext) -> None:
    """Add the whole example in several transactions. Raises `ExampleDataNotFound` if it is removed meanwhile."""
    context.progress("adding services", 0.0)
    target = _add_services(context)
    comparison_ids: dict[str, UUID] = {}
    for number, folder in enumerate(FOLDERS):
        plan = _read_plan(EXAMPLE / folder)
        context.progress(f"adding {plan['service']['name']}", 0.05 + 0.15 * number)
        comparison_ids[plan["service"]["name"]] = _add_investigation(target, plan, EXAMPLE / folder)
    context.progress("adding a bisect", 0.5)
    _add_bisect(target, comparison_ids[BISECTED])
    _add_builds(target, _read_plan(EXAMPLE / "builds"), EXAMPLE / "builds")


def _read_plan(folder: Path) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads((folder / "investigation.json").read_text(encoding="utf-8"))
    return plan


def _add_services(context: JobContext) -> _Target:
    """Create the environment and all services first: metrics and spans then find them by their names."""
    with context.writing() as session:
        example_state.require_wanted(session)
        artifact_ingest.require_storage_quota(session, context.settings.max_team_bytes)
        environment_id = EnvironmentId(catalog.create_environment(session, ENVIRONMENT).id)
        example_state.record_environment(session, environment_id)
        services = {
            name: ServiceId(catalog.create_service(session, name, {"is_example": True}).id) for name in SERVICES
        }
    return _Target(context, environment_id, services, context.clock.now())


def _add_investigation(target: _Target, plan: dict[str, Any], folder: Path) -> UUID:
    """Add an investigation; return its first comparison, which is the newest."""
    plan = {**plan, "environment": {"name": ENVIRONMENT}}
    service_id = target.services[plan["service"]["name"]]
    with target.writing() as session:
        catalog.describe_example_service(session, service_id, plan["service"])
        builds = {each["id"]: _add_build(session, service_id, each) for each in plan["builds"]}
    for build, content in read_executables(folder).items():  # first: they are decoded before any comparison
        _add_executable(target, f"{build}-{plan['service']['main_package']}", content, builds[build])
    sets = {each["id"]: _add_files(target, each, builds[each["build"]], folder) for each in plan["sets"]}
    if "history" in plan:
        ids = {name: str(build_id) for name, build_id in builds.items()}
        board = ExampleDashboard(plan, folder, str(service_id), str(target.environment_id), ids, target.now_ms)
        _add_dashboard(target, board, service_id, builds)
    if explained := plan.get("explained"):
        with target.writing() as session:
            files = [str(each) for each in sets[explained["set"]]]
            enqueue(session, ExplainExampleGap(session.team_id, files, explained["trace_id"], explained["service"]))
    labels = {each["id"]: each["label"] for each in plan["sets"]}
    comparison_id = uuid4()
    with target.writing() as session:
        for each in reversed(plan["comparisons"]):
            base, candidate = (
                SideRequest(tuple(sets[each[side]]), labels[each[side]]) for side in ("base", "candidate")
            )
            comparison_id = comparisons.create_comparison(session, each["name"], base, candidate).id
    return comparison_id


def _add_build(session: WriteSession, service_id: ServiceId, planned: Mapping[str, str]) -> BuildId:
    identity = BuildIdentity(service_id, *(planned.get(name, "") for name in IDENTITY))
    values = {"branch": planned.get("branch"), "display_name": planned.get("message")}
    return BuildId(catalog.register_build(session, identity, values)[0].id)


def _add_files(target: _Target, planned: Mapping[str, Any], build_id: BuildId, folder: Path) -> list[ArtifactId]:
    files = sorted(each for each in (folder / planned["folder"]).iterdir() if not each.name.endswith(SIDECAR))
    spans = [each for each in files if ".otlp" in each.name]
    moved: Sequence[float] = planned.get("spans_minutes_ago") or ()
    batch, ids = uuid4(), []
    with TemporaryDirectory(dir=target.context.scratch, prefix="example-") as scratch, target.writing() as session:
        for file in files:
            source = file
            if file in spans:  # without an environment, they would be in the default one of the team
                at_ms = target.now_ms - round(moved[spans.index(file)] * 60_000) if moved else None
                source = Path(scratch) / file.name
                source.write_bytes(spans_in(file, ENVIRONMENT, at_ms))
            labels = ArtifactLabels(f"{planned['id']}-{file.name}", batch, build_id, _metadata_beside(file))
            artifact = artifact_ingest.ingest_file(session, target.context.blobs, _received(source), labels)
            ids.append(ArtifactId(artifact.id))
    return ids


def _add_executable(target: _Target, name: str, content: bytes, build_id: BuildId) -> None:
    with TemporaryDirectory(dir=target.context.scratch, prefix="example-") as scratch, target.writing() as session:
        file = Path(scratch) / name
        file.write_bytes(content)
        labels = ArtifactLabels(name, build_id=build_id)
        artifact_ingest.ingest_file(session, target.context.blobs, _received(file), labels)


def _metadata_beside(file: Path) -> dict[str, Any]:
    sidecar = file.with_name(file.name + SIDECAR)
    metadata: dict[str, Any] = json.loads(sidecar.read_text(encoding="utf-8")) if sidecar.is_file() else {}
    return metadata


def _received(file: Path) -> ReceivedFile:
    content = file.read_bytes()
    return ReceivedFile(file, len(content), hashlib.sha256(content).hexdigest())


def _add_dashboard(
    target: _Target, board: ExampleDashboard, service_id: ServiceId, builds: Mapping[str, BuildId]
) -> None:
    with target.writing() as session:
        for planned in board.plan["deploys"]:
            new = DeploymentFields(
                service_id=service_id,
                environment_id=target.environment_id,
                started_at=board.at(planned["minutes_ago"]),
                source="api",
                build_id=builds[planned["build"]],
                commits=planned["commits"],
            )
            catalog.record_deployment(session, new)
    cache = SeriesCache()
    for content in make_history_requests(board):
        plain = push_decompression.decompress_snappy(content)

        def read(known: Mapping[bytes, int], deliver: Deliver, plain: bytes = plain) -> IngestBatch:
            return read_v1(plain, known, deliver)

        with cache.of(target.context.team_id) as team, target.writing() as session:
            most_series = target.context.settings.max_series
            sample_ingest.ingest_samples(
                session, team, "remote-write-1", read, now_ms=target.now_ms, most_series=most_series
            )


def _add_builds(target: _Target, plan: dict[str, Any], folder: Path) -> None:
    rng = random.Random(plan["seed"])  # noqa: S311 - the same example every time; no secret
    service_id = target.services[plan["service"]["name"]]
    builds = list(builds_of(plan, target.now))
    with target.writing() as session:
        catalog.describe_example_service(session, service_id, plan["service"])
        repository_id = _add_repository(session, plan["repository"], [ServiceSource(service_id, "", "")])
        commit_graph.record_commits(session, repository_id, [_parse_commit(commit_of(each)) for each in builds])
    for number, build in enumerate(builds):
        target.context.progress("adding builds", 0.55 + 0.45 * number / len(builds))
        captures = rng.sample(captures_of(folder, build.variant), plan["profiles"])
        with target.writing() as session:
            row, _ = catalog.upsert_build(session, str(service_id), build.sha, metadata_of(build, plan["branch"]))
            for position, capture in enumerate(captures):
                facts = {**_metadata_beside(capture), "run": f"{build.sha[:7]}/{position}"}
                labels = ArtifactLabels(f"cpu.{position}.pb.gz", build_id=BuildId(row.id), facts=facts)
                artifact_ingest.ingest_file_once(session, target.context.blobs, _received(capture), labels)


def _add_bisect(target: _Target, comparison_id: UUID) -> None:
    recording = json.loads(gzip.decompress((EXAMPLE / "bisects" / "recorded.json.gz").read_bytes()))
    with target.writing() as session:
        repository_id = _add_repository(session, recording["repository"], [])
        commit_graph.record_commits(session, repository_id, [_parse_commit(each) for each in recording["commits"]])
        place = recorded_bisects.RecordedBisectTarget(
            target.services[BISECTED], repository_id, comparison_id, session.scope.user_id
        )
        bisect = recorded_bisects.insert_recorded_bisect(session, recording, place, ended_at=target.now - FINISHED_AGO)
        report_id = create_bisect_report(session, target.context.blobs, bisect, target.now)
        example_state.record_report(session, report_id)


def _add_repository(session: WriteSession, label: str, services: Sequence[ServiceSource]) -> RepositoryId:
    repository_id = RepositoryId(repositories.create_pushed_repository(session, label=label, services=services).id)
    example_state.record_repository(session, repository_id)
    return repository_id


def _parse_commit(fields: Mapping[str, Any]) -> CommitMetadata:
    """Return a commit of a plan or a recording, whose times are texts."""
    authored, committed = fields.get("authored_at"), fields.get("committed_at")
    return CommitMetadata(
        sha=fields["sha"],
        parents=fields.get("parents"),
        author_name=fields.get("author_name", ""),
        author_email=fields.get("author_email", ""),
        authored_at=datetime.fromisoformat(authored) if authored else None,
        committed_at=datetime.fromisoformat(committed) if committed else None,
        title=fields.get("title", ""),
        message=fields.get("message", ""),
        files=[ChangedFile(**each) for each in fields["files"]] if fields.get("files") is not None else None,
    )
