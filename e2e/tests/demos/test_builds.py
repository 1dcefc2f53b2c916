"""The small parts of demo:builds; the whole is played by itself."""

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from demos.example_pipeline import free_ports
from support.demo_repository import SLOWER_TITLE, History, Plan, demo_plan
from support.receiver_doubles import SLACK_PATH, TOKEN, receiving

UNTIL = datetime(2026, 11, 21, tzinfo=UTC)
SHA = "a" * 40
GITHUB = {"Authorization": f"Bearer {TOKEN}", "X-GitHub-Api-Version": "2022-11-28"}
STATUS = {"state": "success", "description": "Nothing changed.", "target_url": "http://127.0.0.1/b", "context": "x"}


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_history_is_a_real_repository_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    one, other = (History(tmp_path / name, demo_plan(30), 3, UNTIL) for name in ("a", "b"))
    assert [step.built.sha for step in one.steps] == [step.built.sha for step in other.steps]
    assert [step.variant for step in one.steps].index("moved") == 9
    assert [step.variant for step in one.steps].index("slower") == 18
    assert [step.variant for step in one.steps].index("smaller") == 24
    slower = one.steps[18].built
    assert (slower.title, slower.modified) == (SLOWER_TITLE, ("discount/discount.go",))
    assert SLOWER_TITLE in git(one.host, "log", "-1", "--format=%s", slower.sha)


def test_what_is_pushed_is_what_a_code_host_has(tmp_path: Path) -> None:
    history = History(tmp_path, Plan(12), 1, UNTIL)
    merge = history.steps[9]
    history.push(merge)
    assert git(history.host, "rev-parse", "refs/heads/main").strip() == merge.built.sha
    assert len(merge.built.parents) == 2
    assert [each.sha for each in merge.pushed][-1] == merge.built.sha
    known = set(git(history.host, "rev-list", "main").split())
    assert known == {each.sha for step in history.steps[:10] for each in step.pushed}
    assert "refs/heads/main" in git(history.host, "show-ref", "--heads")
    assert git(history.host, "show-ref", "--heads").count("\n") == 1


def test_receivers_are_as_strict_as_the_real_ones() -> None:
    (port,) = free_ports(1)
    with receiving(port) as receivers, httpx.Client(base_url=receivers.url) as http:
        path = f"/github/repos/shop/quoter/statuses/{SHA}"
        assert http.post(path, json=STATUS).status_code == 422, "no token"
        assert http.post(path, json=STATUS | {"state": "passed"}, headers=GITHUB).status_code == 422
        assert http.post(path, json=STATUS | {"description": "x" * 141}, headers=GITHUB).status_code == 422
        assert http.post(path, json=STATUS, headers=GITHUB).status_code == 201
        assert http.post(SLACK_PATH, json={"text": "so"}).status_code == 422, "blocks are missing"
        section = {"type": "section", "text": {"type": "mrkdwn", "text": "so"}}
        assert http.post(SLACK_PATH, json={"text": "so", "blocks": [section]}).status_code == 200
        assert http.post("/elsewhere", json={}).status_code == 422
    received = receivers.received
    assert (list(received.statuses), len(received.slack), len(received.complaints)) == ([(SHA, "x")], 1, 5)


def test_a_comment_is_found_and_changed() -> None:
    (port,) = free_ports(1)
    with receiving(port) as receivers, httpx.Client(base_url=receivers.url, headers=GITHUB) as http:
        path = "/github/repos/shop/quoter/issues"
        made = http.post(f"{path}/7/comments", json={"body": "one"}).json()["id"]
        assert json.loads(http.get(f"{path}/7/comments?per_page=100").content) == [{"id": made, "body": "one"}]
        assert http.get(f"{path}/8/comments").json() == []
        assert http.patch(f"{path}/comments/{made}", json={"body": "two"}).status_code == 200
        assert http.patch(f"{path}/comments/1", json={"body": "two"}).status_code == 422
    assert receivers.received.comments == {made: (7, "two")}


@pytest.mark.parametrize(
    ("build", "variant"), [(0, "base"), (59, "base"), (60, "moved"), (120, "slower"), (160, "smaller")]
)
def test_a_story_has_a_move_a_change_for_the_worse_and_other_machines(build: int, variant: str) -> None:
    assert demo_plan(200).variant(build) == variant
    assert Plan(200).variant(build) == "base"
