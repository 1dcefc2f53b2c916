"""Files of the deployments of a bisect: stored while it runs, and deleted with it only on request."""

from typing import Any

import pytest

from tests.bisects.conftest import Search, plan_of

pytestmark = pytest.mark.database


def upload(search: Search, run_id: str, text: bytes) -> str:
    response = search.runner.client.put("/api/v1/artifacts/some.txt", content=text, params={"batch": run_id})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def ended(search: Search) -> tuple[str, list[str]]:
    """Return the path of a bisect that was cancelled, and its files: two of one run, the second of them compared."""
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    files = [upload(search, lease["run_id"], text) for text in (b"one", b"other")]
    strange = search.person.put("/api/v1/artifacts/mine.txt", content=b"not of a run").json()["id"]
    asked: dict[str, Any] = {"base": {"artifact_ids": [files[1]]}, "candidate": {"artifact_ids": [strange]}}
    compared = search.person.post("/api/v1/comparisons", json=asked)
    assert compared.status_code == 201, compared.text
    return f"/api/v1/bisects/{search.bisect_id}", [*files, strange]


def cancelled(search: Search) -> None:
    search.ask("actions", {"action": "cancel"})
    for run_id in list(search.runner.running):
        search.runner.end(run_id)


def there(search: Search, files: list[str]) -> list[bool]:
    return [search.person.get(f"/api/v1/artifacts/{one}").status_code == 200 for one in files]


def test_they_stay_unless_deletion_is_requested(search: Search) -> None:
    path, files = ended(search)
    cancelled(search)
    assert search.person.get(f"{path}/artifacts").json() == {"files": 1, "size_bytes": 3, "compared_artifacts": 1}
    assert search.person.delete(path).status_code == 204
    assert there(search, files) == [True, True, True]
    assert search.person.get(f"{path}/artifacts").status_code == 404


def test_they_go_with_it_but_for_what_is_compared(search: Search) -> None:
    path, files = ended(search)
    assert search.person.delete(path, params={"delete_artifacts": "true"}).status_code == 409
    cancelled(search)
    assert search.person.delete(path, params={"delete_artifacts": "true"}).status_code == 204
    assert there(search, files) == [False, True, True]
    logged = search.bench.admin.execute("SELECT details FROM audit_event WHERE action = 'bisect.deleted'").fetchone()
    assert logged is not None
    assert (logged[0]["files"], logged[0]["bytes"]) == (1, 3)


def test_measurements_of_a_running_bisect_do_not_expire(search: Search) -> None:
    ended(search)
    search.bench.admin.execute("DELETE FROM comparison")
    search.bench.admin.execute("UPDATE artifact SET state = 'invalid', created_at = created_at - interval '40 days'")

    def doomed() -> tuple[int, int]:
        body = search.person.get("/api/v1/retention/preview", params={"rule": ["unread:30"]}).json()
        return body["files"], body["retained_artifacts"]

    assert doomed() == (1, 2)
    cancelled(search)
    assert doomed() == (3, 0)
