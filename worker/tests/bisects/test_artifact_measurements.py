"""A measurement whose value is read from uploaded files of the runner: real profiles, the real helper."""

import json
from pathlib import Path
from typing import Any

import pytest

from slowpath.core.ids import JobId
from slowpath.core.settings import Settings
from tests.bisects.conftest import Search, plan_of
from tests.tasks.conftest import settings  # noqa: F401 - pytest finds fixtures by name

pytestmark = pytest.mark.database

CAPTURES = Path(__file__).parents[2] / "example" / "artifacts"


def upload(search: Search, run_id: str, path: Path) -> str:
    facts = json.loads(path.with_name(f"{path.name}.facts.json").read_text())
    stored = {name: facts[name] for name in ("requests", "wall_ns", "go_version", "gomaxprocs")}
    response = search.runner.client.put(
        f"/api/v1/artifacts/{path.name}",
        content=path.read_bytes(),
        params={"batch": run_id, "run_metadata": json.dumps(stored)},
    )
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def decode(search: Search, settings: Settings) -> None:  # noqa: F811
    found = search.bench.admin.execute("SELECT id FROM job WHERE state = 'waiting' AND queue = 'decode'").fetchall()
    own = search.bench.worker_context.settings.model_copy(update={"decode_bin": settings.decode_bin})
    bench = search.bench.with_settings(own)
    for (job_id,) in found:
        row = bench.carry_out(JobId(job_id))
        assert row["state"] == "done", row["problem"]


def signed(search: Search, kind: str, subject: str) -> None:
    search.bench.admin.execute(
        "UPDATE bisect SET signature = signature || jsonb_build_object('kind', %s::text, 'subject', %s::text, 'unit', '')",
        (kind, subject),
    )


def first(search: Search) -> dict[str, Any]:
    found: dict[str, Any] = search.get_detail()["probes"][0]
    return found


def test_a_window_is_read_when_its_artifacts_are_decoded(search: Search, settings: Settings) -> None:  # noqa: F811
    search.begin(plan_of(6))
    signed(search, "profile.category", "app")
    [lease] = search.runner.lease()
    one = upload(search, lease["run_id"], CAPTURES / "helper" / "cpu.00.pb.gz")
    search.runner.measure(lease["run_id"], artifact_ids=[one])
    waiting = search.bench.admin.execute("SELECT id FROM job WHERE name = 'bisects.read-measurement'").fetchone()
    assert waiting is not None
    assert search.bench.carry_out(JobId(waiting[0]))["state"] == "waiting"
    assert first(search)["measurements"][0]["value"] is None

    decode(search, settings)
    search.work()
    detail = search.get_detail()
    [window] = detail["probes"][0]["measurements"]
    assert window["value"] > 0
    assert window["artifact_ids"] == [one]
    assert detail["signature"]["unit"] == detail["evidence"]["unit"] != ""


def test_three_windows_without_the_signature_and_a_probe_is_given_up(search: Search, settings: Settings) -> None:  # noqa: F811
    search.begin(plan_of(6))
    signed(search, "growth.count", "total")
    [lease] = search.runner.lease()
    for number in range(3):
        one = upload(search, lease["run_id"], CAPTURES / "helper" / f"cpu.{number:02}.pb.gz")
        search.runner.measure(lease["run_id"], artifact_ids=[one])
        decode(search, settings)
        search.work()
    measurement = first(search)
    assert [bool(window["problem"]) for window in measurement["measurements"]] == [True] * 3
    assert measurement["state"] == "invalidated"
    assert search.runner.beat(lease["run_id"])["command"] == "stop"


def test_artifacts_deleted_before_they_are_read_are_reported(search: Search) -> None:
    search.begin(plan_of(6))
    signed(search, "profile.category", "app")
    [lease] = search.runner.lease()
    one = upload(search, lease["run_id"], CAPTURES / "helper" / "cpu.00.pb.gz")
    search.runner.measure(lease["run_id"], artifact_ids=[one])
    assert search.person.delete(f"/api/v1/artifacts/{one}").status_code == 204
    search.work()
    assert "deleted" in first(search)["measurements"][0]["problem"]
