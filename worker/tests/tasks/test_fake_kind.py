"""A kind that only the registries know is uploaded, decoded, compared, measured, shared, retained and deleted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from slowpath.analysis.comparison import compare_sides
from slowpath.analysis.findings.build_measurements import KindMeasurement, MeasurementKind, SubjectValues
from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import read_columns, write_columns
from slowpath.analysis.kinds import registry
from slowpath.analysis.kinds.artifact_kind import ArtifactKind
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, KindSides, of_type
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, TeamId
from slowpath.evidence import kind_registry
from slowpath.evidence.kind_registry import StoredKind
from slowpath.operations.retention.jobs import EnforceRetention
from slowpath_worker import readers
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile
from tests.factories.findings import FINDING
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.test_decode_handlers import again, put, run_all

pytestmark = pytest.mark.database

FAKE, SECTION, MEASURED, FORMAT = "fake", "fakes", "fake.value", "tests.fake"
SMALL, LARGE = (b"# TYPE value gauge\nvalue %d\n" % value for value in (10, 20))


class _Base(DeclarativeBase):
    """Tables of this test, apart from those of the product."""


class FakeOutput(_Base):
    """One decoded file."""

    __tablename__ = "fake_output"

    team_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(primary_key=True)
    columns_key: Mapped[str]


@dataclass(frozen=True)
class FakeArtifact:
    """One number."""

    name: str
    facts: RunMetadata
    value: float


@dataclass(frozen=True)
class FakePage:
    """The document of the page."""

    base_label: str
    candidate_label: str
    values: tuple[float, float]


@dataclass(frozen=True)
class FakeComparison:
    """The sum of each side."""

    values: tuple[float, float]
    findings: tuple[Finding, ...]
    verdict: Verdict = "regressed"
    cost_shifts: tuple[CostShift, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    detectable: tuple[MinimumDetectableEffect, ...] = ()
    reason: str | None = None

    def page(self, base_label: str, candidate_label: str) -> FakePage:
        return FakePage(base_label, candidate_label, self.values)


def read_artifact(columns: DecodedColumns) -> FakeArtifact:
    value = read_columns(columns.content, FORMAT).column("value", "f64")[0]
    return FakeArtifact(columns.name, columns.facts, float(value))


def compare(sides: KindSides, progress: Any) -> FakeComparison:  # noqa: ANN401 - a function
    progress("adding up", 1.0)
    base, candidate = (
        sum(each.value for each in of_type(FakeArtifact, side)) for side in (sides.base, sides.candidate)
    )
    finding = replace(FINDING, kind=MEASURED, profile_kind=FAKE, subject="value", sentence="The value is larger.")
    return FakeComparison((base, candidate), (finding,))


def measure_build(_stored_id: str, artifacts: Sequence[Any], _most_functions: int) -> tuple[KindMeasurement, ...]:
    values = SubjectValues("units", np.array([sum(each.value for each in artifacts)]), np.array([np.nan]))
    return (KindMeasurement(MEASURED, len(artifacts), ("value",), {"count": values}),)


def read_file(original: OriginalFile, _helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    value = float(original.path.read_bytes().split()[-1])
    key = columns_key(context.team_id, original.sha256)
    context.blobs.put(key, write_columns({"format": FORMAT, "format_version": 1}, {"value": np.array([value])}))

    def record(session: WriteSession, artifact_id: ArtifactId) -> None:
        session.merge(FakeOutput(team_id=session.team_id, id=artifact_id, columns_key=key))

    return DecodedArtifact(FAKE, {"value": value}, record)


def columns_key(team_id: TeamId, sha256: str) -> BlobKey:
    return BlobKey(f"{team_id}/{SECTION}/v1/{sha256[:2]}/{sha256}")


KIND = ArtifactKind(
    id=FAKE,
    section=SECTION,
    summary_field=FAKE,
    noun_plural="fakes",
    command=FAKE,
    formats=("metrics-text",),  # a format that the helper recognizes and no kind has
    measurements={FAKE: (MeasurementKind(MEASURED, FAKE, ("grows", "shrinks")),)},
    read_artifact=read_artifact,
    compare=compare,
    measure_build=measure_build,
    finding_prefix=FAKE,
    cost_weight=1,
)


@pytest.fixture(autouse=True)
def fake_kind(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the kind and create its table: all that a kind needs beside its own package."""
    monkeypatch.setitem(registry.ARTIFACT_KINDS, FAKE, KIND)
    monkeypatch.setitem(kind_registry.STORED_KINDS, FAKE, StoredKind(KIND, FakeOutput, SECTION, columns_key))
    monkeypatch.setitem(readers.READERS, FAKE, read_file)
    bench.admin.execute(
        "CREATE TABLE fake_output (team_id uuid, id uuid, columns_key text, PRIMARY KEY (team_id, id),"
        " FOREIGN KEY (team_id, id) REFERENCES artifact (team_id, id) ON DELETE CASCADE)"
    )
    bench.admin.execute("GRANT ALL ON fake_output TO slowpath_app")
    yield
    bench.admin.execute("DROP TABLE fake_output")


def uploaded(client: TestClient, bench: Bench, content: bytes) -> dict[str, Any]:
    artifact = put(client, content, "value.txt")
    run_all(bench)
    return again(client, artifact)


def test_it_is_decoded_listed_and_shown(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    shown = uploaded(client, bench, SMALL)
    [listed] = client.get("/api/v1/artifacts", params={"kind": FAKE}).json()["items"]

    assert (shown["state"], shown["kind"]) == ("decoded", FAKE), shown["error"]
    assert listed["id"] == shown["id"]
    assert columns_key(bench.team.id, shown["sha256"]) in app.blobs.stored


def test_it_is_compared_and_shared_in_a_report(client: TestClient, bench: Bench) -> None:
    base, candidate = (uploaded(client, bench, content) for content in (SMALL, LARGE))
    sides = {"base": {"artifact_ids": [base["id"]]}, "candidate": {"artifact_ids": [candidate["id"]]}}
    asked = client.post("/api/v1/comparisons", json=sides).json()
    run_all(bench)
    compared = again(client, asked, "comparisons")
    page = f"/comparisons/{asked['id']}/results/{SECTION}"

    assert (compared["state"], compared["verdict"]) == ("done", "regressed"), compared["problem"]
    assert compared["artifact_kinds"] == [SECTION]
    assert compared["result"]["artifact_kinds"] == [{"kind": SECTION, "verdict": "regressed"}]
    assert compared["result"]["headline"]["sentence"] == "Regressed: the value is larger."
    assert client.get(f"/api/v1{page}").json()["values"] == [10, 20]

    report = client.post("/api/v1/reports", json={"title": "The value"}).json()
    snapshot = {"title": "Fakes", "path": "/comparison", "requests": [f"/comparisons/{asked['id']}", page]}
    shared = client.post(f"/api/v1/reports/{report['id']}/snapshots", json=snapshot)
    assert [each["status"] for each in shared.json()["responses"]] == [200, 200], shared.text


def test_a_side_without_it_is_noted() -> None:
    side = ComparisonSide(others={FAKE: (FakeArtifact("value.txt", RunMetadata(), 1.0),)})
    compared = compare_sides.compare(side, ComparisonSide(), {}, np.random.default_rng(1), lambda _step, _done: None)

    assert [each.sentence for each in compared.caveats] == ["The candidate has no fakes: they were not compared."]


def test_it_is_measured_with_its_build(client: TestClient, bench: Bench) -> None:
    sent = client.put("/api/v1/builds/ingester/" + "a" * 40 + "/artifacts/value.txt", content=LARGE)
    assert sent.status_code in (200, 201), sent.text
    run_all(bench)

    measured = bench.admin.execute("SELECT kind FROM build_measurement").fetchall()
    service = client.get("/api/v1/services").json()["items"][0]["id"]
    series = client.get(f"/api/v1/services/{service}/series", params={"kind": MEASURED})
    assert measured == [(MEASURED,)]
    assert series.status_code == 200, series.text
    assert client.get(f"/api/v1/services/{service}/series", params={"kind": "fake.other"}).status_code == 422


def test_it_is_deleted_with_its_decoded_data(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    artifact = uploaded(client, bench, SMALL)

    assert client.delete(f"/api/v1/artifacts/{artifact['id']}").status_code == 204
    run_all(bench)

    assert not [key for key in app.blobs.stored if artifact["sha256"] in key]
    assert bench.admin.execute("SELECT count(*) FROM fake_output").fetchone() == (0,)


def test_it_expires_by_its_own_retention(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    artifact, recent = (uploaded(client, bench, content) for content in (SMALL, LARGE))
    changed = client.put("/api/v1/retention", json={"rules": [{"kind": FAKE, "retention_days": 30}]})
    assert changed.status_code == 200, changed.text
    [rule] = [each for each in changed.json()["rules"] if each["kind"] == FAKE]
    run_all(bench)
    bench.admin.execute(
        "UPDATE artifact SET created_at = clock_timestamp() - interval '31 days' WHERE id = %s", (artifact["id"],)
    )

    bench.write_down(EnforceRetention(bench.team.id))
    run_all(bench)

    assert (rule["is_artifact_kind"], rule["item_count"]) == (True, 2)
    assert [each["id"] for each in client.get("/api/v1/artifacts").json()["items"]] == [recent["id"]]
    assert not [key for key in app.blobs.stored if artifact["sha256"] in key]
