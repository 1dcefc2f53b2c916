"""The dashboard over HTTP and PostgreSQL: its rows, their order, and the reasons of empty ones."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from pydantic import TypeAdapter
from sqlalchemy import text

from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import DashboardHeader
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.queries import now_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.rules import CallEdge
from slowpath.platform.accounts.rules.roles import TokenScope
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, WrittenBlock, remote_write_body
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
LAST_HOUR = {"from": str(NOW_MS - HOUR), "to": str(NOW_MS)}

Push = Callable[..., None]


@pytest.fixture
def push(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> Push:
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)

    def pushed(*services: SomeService) -> None:
        write(program, [one for service in services for one in service.written()])

    return pushed


def write(program: TestClient, series: Sequence[WrittenBlock]) -> None:
    answer = program.post("/api/v1/metrics/write", content=remote_write_body(series), headers=REMOTE_WRITE_HEADERS)
    assert answer.status_code == 204, answer.text


def steady(job: str, *, hours: float = 1.25, ago: float = 0.0, **overrides: Any) -> SomeService:  # noqa: ANN401 - its fields
    until = NOW_MS - round(ago * HOUR)
    return SomeService(job, until - round(hours * HOUR), until, **overrides)


def board_of(client: TestClient, **asked: Any) -> ColumnFile:  # noqa: ANN401 - any query
    answer = client.get("/api/v1/dashboard", params={**LAST_HOUR, **asked})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-encoding"] == "gzip"
    board = read_columns(answer.content, "slowpath.board")
    TypeAdapter(DashboardHeader).validate_json(json.dumps(board.header), strict=True)
    return board


def column(board: ColumnFile, name: str) -> NDArray[np.float32]:
    return board.column(name, "f32")


def names(board: ColumnFile) -> list[str]:
    return [row["service"]["name"] for row in board.header["rows"]]


def services_of(client: TestClient) -> dict[str, str]:
    return {row["slug"]: row["id"] for row in client.get("/api/v1/services").json()["items"]}


def environment_of(client: TestClient) -> str:
    found: str = client.get("/api/v1/environments").json()["items"][0]["id"]
    return found


def deployed(client: TestClient, service: str, ago_ms: int, commit: str = "5f3c1e8") -> dict[str, Any]:
    fields = {
        "service_id": services_of(client)[service], "environment_id": environment_of(client), "commit": commit,
        "started_at": (datetime.fromtimestamp(NOW_MS / 1000, UTC) - timedelta(milliseconds=ago_ms)).isoformat(),
    }  # fmt: skip
    answer = client.post("/api/v1/deployments", json=fields)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_requests_and_latency_of_a_service(client: TestClient, push: Push) -> None:
    push(steady("distributor", gauge=True))
    board = board_of(client)
    header = board.header
    assert (header["from_ms"], header["step_ms"], header["points"]) == (NOW_MS - HOUR + 15_000, 15_000, 240)
    assert (header["now_ms"], header["newest_ms"], header["empty"]) == (NOW_MS, NOW_MS, None)
    (row,) = header["rows"]
    assert row["service"]["slug"] == "distributor"
    assert row["latency"] == {"histogram": "classic", "reason": None}
    assert row["requests"] == {"found": True, "reason": None}
    assert (row["instances"], row["gaps"], row["resets"], row["build"]) == (2, [], [], None)
    assert row["gauges"] == [{"key": "queue_depth", "name": "queue_depth", "unit": "", "max": 14.0}]
    assert column(board, "r0_qps_2xx") == pytest.approx(np.full(240, 98), rel=0.02)
    assert column(board, "r0_qps_5xx") == pytest.approx(np.full(240, 2), rel=0.1)
    assert column(board, "r0_p50") == pytest.approx(np.full(240, 0.18), rel=0.02)
    assert set(column(board, "r0_p99").tolist()) == {1.0}
    assert column(board, "r0_p50_low")[9] == pytest.approx(0.1)
    assert column(board, "r0_p50_high")[9] == 0.5
    assert np.isposinf(column(board, "r0_p99_high")).all()
    assert column(board, "r0_mean") == pytest.approx(np.full(240, 0.3), rel=0.02)
    assert set(column(board, "r0_gauge0").tolist()) == {14.0}
    assert not [name for name in board.arrays if "against" in name or "inst" in name]


def test_instances_are_drawn_when_asked_for(client: TestClient, push: Push) -> None:
    push(steady("distributor"))
    board = board_of(client, instances="true")
    assert board.header["rows"][0]["instance_names"] == ["a:80", "b:80"]
    assert column(board, "r0_inst1")[-1] == 1.0


def test_one_service_is_split_by_a_label(client: TestClient, push: Push) -> None:
    push(steady("distributor", routes=("/push", "/query")), steady("ingester", routes=("/push", "/query")))
    split = {"split_service": services_of(client)["distributor"], "split_label": "route"}
    board = board_of(client, **split)
    distributor, ingester = board.header["rows"]
    assert distributor["split_labels"] == [{"name": "route", "values": 2}]
    assert distributor["split"] == [{"value": "/push", "values": 1}, {"value": "/query", "values": 1}]
    assert (ingester["split_labels"], ingester["split"]) == (distributor["split_labels"], [])
    assert column(board, "r0_split1")[-1] == 1.0
    assert "r1_split0" not in board.arrays


def test_newest_cells_of_a_split_are_refused(client: TestClient, push: Push) -> None:
    push(steady("distributor"))
    split = {"split_service": services_of(client)["distributor"], "split_label": "route"}
    answer = client.get("/api/v1/dashboard", params={**split, "since_ms": NOW_MS - 60_000})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:split-incremental")


def test_rows_stand_in_the_order_in_which_requests_flow(
    client: TestClient, push: Push, app: AppUnderTest, team: SomeTeam
) -> None:
    push(steady("alpha"), steady("distributor"), steady("zeta"))
    ids = services_of(client)
    assert names(board_of(client)) == ["alpha", "distributor", "zeta"]
    with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
        edge = CallEdge(ServiceId(UUID(ids["zeta"])), ServiceId(UUID(ids["alpha"])), 300, 100)
        seen = datetime.fromtimestamp(NOW_MS / 1000, UTC)
        catalog.record_edges(session, EnvironmentId(UUID(environment_of(client))), [edge], seen)
    board = board_of(client)
    assert board.header["order_source"] == "spans"
    assert names(board).index("zeta") < names(board).index("alpha")
    assert board.header["edges"] == [{"caller": ids["zeta"], "callee": ids["alpha"], "ratio": 3.0}]


def test_a_service_that_is_only_called_has_a_row_with_the_reason(
    client: TestClient, push: Push, app: AppUnderTest, team: SomeTeam
) -> None:
    push(steady("distributor"))
    with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
        store = catalog.ensure_service(session, "store")
        edge = CallEdge(ServiceId(UUID(services_of(client)["distributor"])), ServiceId(store.id), 1, 1)
        seen = datetime.fromtimestamp(NOW_MS / 1000, UTC)
        catalog.record_edges(session, EnvironmentId(UUID(environment_of(client))), [edge], seen)
    board = board_of(client)
    assert names(board) == ["distributor", "store"]
    assert "No metrics of this service" in board.header["rows"][1]["latency"]["reason"]
    assert not [name for name in board.arrays if name.startswith("r1_")]


def test_a_service_without_a_histogram_has_a_reason(client: TestClient, push: Push) -> None:
    push(steady("distributor", histogram=False))
    board = board_of(client)
    (row,) = board.header["rows"]
    assert row["latency"]["histogram"] == "none"
    assert "http_request_duration_seconds" in row["latency"]["reason"]
    assert "r0_p99" not in board.arrays
    assert column(board, "r0_qps_2xx")[-1] == pytest.approx(98, rel=0.02)


def test_deploys_and_annotations_stand_beside(client: TestClient, push: Push) -> None:
    push(steady("distributor"))
    deploy = deployed(client, "distributor", 20 * MINUTE)
    at = (datetime.fromtimestamp(NOW_MS / 1000, UTC) - timedelta(minutes=5)).isoformat()
    fields = {"environment_id": environment_of(client), "started_at": at, "text": "traffic moved"}
    assert client.post("/api/v1/annotations", json=fields).status_code == 201
    header = board_of(client).header
    (found,) = header["deployments"]
    assert (found["id"], found["at_ms"], found["verdict"], found["check"]) == (
        deploy["id"],
        NOW_MS - 20 * MINUTE,
        None,
        None,
    )
    assert header["rows"][0]["build"]["commit"] == "5f3c1e8"
    assert header["rows"][0]["build"]["since_ms"] == NOW_MS - 20 * MINUTE
    assert [(each["text"], each["at_ms"]) for each in header["annotations"]] == [("traffic moved", NOW_MS - 5 * MINUTE)]


def test_the_same_time_last_week_is_laid_beneath(client: TestClient, push: Push) -> None:
    push(steady("distributor", ago=7 * 24, per_second=50.0, shares=(0.9, 0.95, 0.99, 1.0)), steady("distributor"))
    board = board_of(client, time_shift="week")
    assert board.header["time_shift"] == {"shift_ms": 7 * DAY, "label": "one week earlier"}
    assert column(board, "r0_against_qps") == pytest.approx(np.full(240, 50), rel=0.05)
    assert column(board, "r0_against_p50") == pytest.approx(np.full(240, 0.0555), rel=0.05)
    assert column(board, "r0_p50") == pytest.approx(np.full(240, 0.18), rel=0.05)


def test_before_the_deploy_ends_at_the_deploy(client: TestClient, push: Push) -> None:
    push(steady("distributor", hours=3, ago=20 / 60, per_second=50.0))
    push(SomeService("distributor", NOW_MS - 20 * MINUTE + 15_000, NOW_MS, per_second=80.0, instances=("c:80", "d:80")))
    deployed(client, "distributor", 20 * MINUTE)
    board = board_of(client, time_shift="before-deploy")
    assert board.header["time_shift"] == {"shift_ms": 20 * MINUTE, "label": "before deployment 5f3c1e8"}
    assert column(board, "r0_against_qps")[-20:] == pytest.approx(np.full(20, 50), rel=0.1)
    assert column(board, "r0_qps_2xx")[-20:] == pytest.approx(np.full(20, 78.4), rel=0.05)


def test_without_a_deploy_there_is_no_before(client: TestClient, push: Push) -> None:
    push(steady("distributor"))
    header = board_of(client, time_shift="before-deploy").header
    assert (header["time_shift"], header["time_shift_reason"]) == (None, "No deployment in this time range.")


def test_a_new_team_has_an_empty_state(client: TestClient) -> None:
    header = board_of(client).header
    assert header["environment"] is None
    assert header["empty"] == {"code": "no-metrics", "reason": "No metrics received yet.", "newest_ms": None}
    assert header["rows"] == []


def test_metrics_in_which_no_service_was_recognised(
    client: TestClient, app: AppUnderTest, people: AccountsFactory, team: SomeTeam
) -> None:
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    write(program, [WrittenBlock({"__name__": "go_goroutines", "job": "x"}, [(NOW_MS, 5.0)])])
    assert client.post("/api/v1/environments", json={"name": "Production"}).status_code == 201
    empty = board_of(client).header["empty"]
    assert empty["code"] == "not-recognised"
    assert empty["reason"].startswith("1 series")


def test_an_empty_range_states_when_the_last_samples_were(client: TestClient, push: Push) -> None:
    push(steady("distributor", ago=30.0))
    header = board_of(client).header
    assert header["empty"]["code"] == "nothing-in-range"
    assert header["empty"]["newest_ms"] == header["newest_ms"] == NOW_MS - 30 * HOUR
    assert [row["service"]["slug"] for row in header["rows"]] == ["distributor"]


def test_a_service_without_samples_in_the_range_has_a_reason(client: TestClient, push: Push) -> None:
    push(steady("distributor"), steady("ingester", ago=30.0))
    distributor, ingester = board_of(client).header["rows"]
    assert distributor["requests"] == {"found": True, "reason": None}
    assert ingester["requests"] == {"found": False, "reason": "no samples in this time range."}
    assert ingester["latency"] == {"histogram": "none", "reason": "no samples in this time range."}


def test_an_environment_without_samples_expires_despite_another(client: TestClient, push: Push) -> None:
    push(steady("distributor", ago=0.5, environment="production"), steady("distributor", environment="staging"))
    header = board_of(client).header
    assert header["newest_ms"] < NOW_MS - 29 * MINUTE
    assert header["rows"][0]["instances"] == 0
    (other,) = (each["id"] for each in header["environments"] if each["name"] == "staging")
    staging = board_of(client, environment_id=other).header
    assert staging["newest_ms"] > NOW_MS - MINUTE
    assert staging["rows"][0]["instances"] == 2


def test_each_environment_has_its_own_board(client: TestClient, push: Push) -> None:
    push(steady("distributor", environment="production"), steady("distributor", environment="staging", per_second=7.0))
    board = board_of(client)
    assert board.header["environment"]["name"] == "production"
    other = next(each["id"] for each in board.header["environments"] if each["name"] == "staging")
    staging = board_of(client, environment_id=other)
    assert staging.header["environment"]["id"] == other
    assert column(staging, "r0_qps_2xx")[-1] == pytest.approx(6.9, rel=0.1)
    assert column(board, "r0_qps_2xx")[-1] == pytest.approx(98, rel=0.1)


def test_an_environment_with_services_to_show_comes_first(client: TestClient, push: Push) -> None:
    assert client.post("/api/v1/environments", json={"name": "Production"}).status_code == 201
    push(steady("distributor", environment="staging"))
    assert board_of(client).header["environment"]["name"] == "staging"


def test_objects_of_others_are_not_found(client: TestClient, push: Push) -> None:
    push(steady("distributor"))
    assert client.get("/api/v1/dashboard", params={"environment_id": str(uuid4())}).status_code == 404
    assert client.get("/api/v1/dashboard", params={"services": str(uuid4())}).status_code == 404


def test_services_are_shown_page_by_page(client: TestClient, push: Push) -> None:
    for start in (0, 20, 40):
        push(*(steady(f"s{n:02}", hours=0.1, instances=("a",)) for n in range(start, min(start + 20, 53))))
    deployed(client, "s52", 20 * MINUTE)
    board = board_of(client)
    assert len(board.header["rows"]) == 50
    assert board.header["services_total"] == 53
    assert len(board_of(client, rows="24").header["rows"]) == 24
    known = board.header["services"]
    assert [each["slug"] for each in known] == [f"s{n:02}" for n in range(53)]
    assert [each["commit"] for each in board.header["deployments"]] == ["5f3c1e8"]  # markers are those of all services
    rest = board_of(client, services=[each["id"] for each in known[50:]], step_ms=board.header["step_ms"])
    assert names(rest) == ["s50", "s51", "s52"]
    assert column(rest, "r2_qps_2xx")[-1] == pytest.approx(98, rel=0.1)
    assert [rest.header[key] for key in ("from_ms", "points")] == [board.header[key] for key in ("from_ms", "points")]


def database_ms(app: AppUnderTest, team: SomeTeam) -> int:
    with app.database.reading(TeamScope(team.id, team.owner.user_id)) as session:
        return now_ms(session)


def test_pages_lie_on_the_grid_that_they_name(client: TestClient, push: Push) -> None:
    push(steady("distributor"), steady("slow", step_ms=60_000))
    ids = services_of(client)
    assert board_of(client).header["step_ms"] == 15_000
    assert board_of(client, services=ids["slow"]).header["step_ms"] == 60_000
    page = board_of(client, services=ids["slow"], step_ms="15000")
    assert (page.header["step_ms"], page.header["points"]) == (15_000, 240)
    assert np.isfinite(column(page, "r0_qps_2xx")).sum() > 200


def test_an_open_dashboard_requests_only_its_newest_cells(
    client: TestClient, push: Push, app: AppUnderTest, team: SomeTeam
) -> None:
    push(steady("distributor", gauge=True), steady("quiet", hours=0.25, ago=0.9))
    deployed(client, "distributor", 50 * MINUTE)
    whole = board_of(client)
    since = NOW_MS - 10 * MINUTE
    seen = str(database_ms(app, team) + 60_000)
    part = board_of(client, since_ms=str(since), step_ms="15000", known_until_ms=seen)
    assert (part.header["from_ms"], part.header["points"]) == (since + 15_000, 40)
    assert set(part.arrays) == {name for name in whole.arrays if name.startswith("r0_")}
    for name in part.arrays:
        np.testing.assert_array_equal(column(part, name), column(whole, name)[-40:])
    assert part.header["empty"] is None
    assert part.header["deployments"] == whole.header["deployments"]
    assert part.header["services"] == whole.header["services"]


def test_late_samples_reload_the_whole_dashboard(
    client: TestClient, push: Push, app: AppUnderTest, team: SomeTeam
) -> None:
    push(steady("distributor", hours=0.15))
    newest = {"since_ms": str(NOW_MS - 6 * MINUTE), "step_ms": "15000"}
    seen = str(database_ms(app, team) + 11_000)
    assert board_of(client, **newest, known_until_ms=seen).header["points"] == 24
    # Until then nothing had been seen.
    assert board_of(client, **newest, known_until_ms="0").header["points"] == 240
    with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
        session.execute(text("UPDATE metric_wal_record SET created_at = created_at - interval '1 hour'"))
    seen = str(database_ms(app, team))
    assert board_of(client, **newest, known_until_ms=seen).header["points"] == 24
    push(steady("distributor", hours=0.1, ago=0.5))
    again = board_of(client, **newest, known_until_ms=seen)
    assert again.header["points"] == 240
    assert np.isfinite(column(again, "r0_qps_2xx")[100:110]).all()


def test_restarts_have_their_times(client: TestClient, push: Push) -> None:
    push(steady("distributor", ago=0.5, instances=("a:80",)), steady("distributor", hours=0.4, instances=("a:80",)))
    (at,) = board_of(client).header["rows"][0]["resets"]
    assert at == NOW_MS - 24 * MINUTE


def test_no_query_is_asked_for_each_row(client: TestClient, push: Push, queries: Statements) -> None:
    push(*(steady(f"s{n}", hours=0.1) for n in range(2)))
    with queries.during() as few:
        board_of(client)
    push(*(steady(f"s{n}", hours=0.1) for n in range(2, 12)))
    with queries.during() as many:
        board_of(client)
    assert len(many) == len(few)


@pytest.mark.parametrize(
    ("asked", "slug"),
    [
        ({"from": "yesterday"}, "time-unreadable"),
        ({"from": "2026-11-21T10:00:00Z", "to": "2026-11-21T09:00:00Z"}, "range-reversed"),
        ({"from": str(NOW_MS), "to": str(NOW_MS)}, "range-reversed"),
        ({"from": str(NOW_MS - 5), "to": str(NOW_MS)}, "range-too-short"),
        ({"from": str(NOW_MS - 91 * DAY), "to": str(NOW_MS)}, "range-too-long"),
        ({"from": "0", "to": "9" * 16}, "time-out-of-range"),
        ({"to": "9" * 60}, "time-out-of-range"),
        ({"from": "9999-12-31T23:59:59Z"}, "time-out-of-range"),
        ({"from": "0001-01-01T00:00:00+23:59"}, "time-out-of-range"),
        ({"from": "-1"}, "time-unreadable"),
        ({"from": "١٢٣"}, "time-unreadable"),
        ({"from": "2026-11-21T10:00:00Z\x00"}, "time-unreadable"),
        ({"from": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")}, "time-unreadable"),
        ({"services": [str(uuid4()) for _ in range(51)]}, "too-many-services"),
        ({"step_ms": "7"}, "step-unusable"),
        ({"step_ms": "1000"}, "step-unusable"),
        ({"since_ms": str(NOW_MS)}, "since-outside"),
        ({"since_ms": "5"}, "since-outside"),
    ],
)
def test_ranges_that_cannot_be_drawn_are_refused_by_name(client: TestClient, asked: dict[str, Any], slug: str) -> None:
    answer = client.get("/api/v1/dashboard", params=asked)
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == f"urn:slowpath:{slug}"


@pytest.mark.parametrize(
    "asked", [{"from": "2026-11-21T10:00:00+01:00"}, {"from": "2026-11-21"}, {"to": "2026-11-21T12:00:00Z"}, {}]
)
def test_times_are_read_as_people_and_programs_write_them(client: TestClient, asked: dict[str, str]) -> None:
    answer = client.get("/api/v1/dashboard", params=asked)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("days", [1, 7, 90])
def test_every_range_fits_a_grid(client: TestClient, push: Push, days: int) -> None:
    push(steady("distributor"))
    header = board_of(client, **{"from": str(NOW_MS - days * DAY)}).header
    assert 0 < header["points"] <= 720
    assert header["from_ms"] % header["step_ms"] == 0
