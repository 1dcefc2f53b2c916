"""What is known of a build: from the command line, else from CI's environment."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.commands.build_arguments import (
    BuildArguments,
    add_build_arguments,
    detect_ci_metadata,
    parse_build_arguments,
)
from slowpath_cli.core.collect_errors import InvalidArgument

GITHUB = {
    "GITHUB_ACTIONS": "true", "GITHUB_SHA": "aa", "GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main",
    "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7", "GITHUB_SERVER_URL": "https://github.com",
}  # fmt: skip
GITLAB = {
    "GITLAB_CI": "true", "CI_COMMIT_SHA": "aa", "CI_COMMIT_REF_NAME": "main", "CI_COMMIT_BEFORE_SHA": "0" * 40,
    "CI_PIPELINE_URL": "https://gitlab.example/p/7", "CI_COMMIT_TITLE": "Faster", "CI_COMMIT_AUTHOR": "A <a@example>",
    "CI_COMMIT_TIMESTAMP": "2026-11-21T10:00:00+01:00",
}  # fmt: skip


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    add_build_arguments(parser)
    return parser.parse_args(words)


def event(tmp_path: Path, payload: object) -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload), encoding="utf-8")
    return {**GITHUB, "GITHUB_EVENT_PATH": str(path)}


def test_a_push_on_github(tmp_path: Path) -> None:
    head = {"message": "Faster\n\nmuch", "timestamp": "2026-11-21T10:00:00Z", "author": {"name": "A"}}

    assert detect_ci_metadata(event(tmp_path, {"before": "bb", "head_commit": head})) == {
        "commit": "aa", "branch": "main", "ci_url": "https://github.com/o/r/actions/runs/7", "parent": "bb",
        "title": "Faster", "author": "A", "committed_at": "2026-11-21T10:00:00Z",
    }  # fmt: skip


def test_a_pull_request_on_github_means_its_head_and_not_the_merge(tmp_path: Path) -> None:
    pull = {"head": {"sha": "cc"}, "base": {"sha": "bb"}, "title": "Faster", "user": {"login": "a"}}
    environ = {**event(tmp_path, {"pull_request": pull}), "GITHUB_HEAD_REF": "fast", "GITHUB_REF": "refs/pull/5/merge"}

    facts = detect_ci_metadata(environ)

    assert (facts["commit"], facts["parent"], facts["branch"], facts["author"]) == ("cc", "bb", "fast", "a")
    assert facts["pull_request"] == {"number": 5, "url": "https://github.com/o/r/pull/5"}


@pytest.mark.parametrize("payload", ["", "{", "[]", "null", {"pull_request": 7, "head_commit": []}, {"before": None}])
def test_an_invalid_event_file_is_ignored(tmp_path: Path, payload: object) -> None:
    assert detect_ci_metadata(event(tmp_path, payload))["commit"] == "aa"


def test_gitlab() -> None:
    merge = {"CI_MERGE_REQUEST_IID": "5", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fast"}

    plain, merged = detect_ci_metadata(GITLAB), detect_ci_metadata(GITLAB | merge)

    assert "parent" not in plain
    assert (plain["branch"], plain["title"]) == ("main", "Faster")
    assert (merged["branch"], merged["pull_request"]) == ("fast", {"number": 5})


def test_arguments_take_precedence_over_ci_variables(tmp_path: Path) -> None:
    go_mod = tmp_path / "go.mod"
    go_mod.write_text("module x\n", encoding="utf-8")
    words = ["--build", "ingester@dd", "--branch", "mine", "--pull-request", "9", "--go-mod", str(go_mod)]

    meant = parse_build_arguments(asked(*words), GITHUB)

    assert isinstance(meant, BuildArguments)
    expected: dict[str, Any] = {"branch": "mine", "pull_request": {"number": 9}, "go_mod": "module x\n"}
    assert (meant.service, meant.commit) == ("ingester", "dd")
    assert meant.facts == {**expected, "ci_url": "https://github.com/o/r/actions/runs/7"}


def test_ci_may_name_the_commit_or_an_id() -> None:
    named = parse_build_arguments(asked("--build", "ingester"), GITHUB)
    known = "5b1f3c0e-6c0f-5d8e-9a55-7f0c9d1b2e47"

    assert isinstance(named, BuildArguments)
    assert named.commit == "aa"
    assert parse_build_arguments(asked("--build", known), GITHUB) == known
    assert parse_build_arguments(asked(), GITHUB) is None


@pytest.mark.parametrize("given", ["ingester", "@aa", "@", "ingester@"])
def test_an_invalid_build_is_rejected(given: str) -> None:
    with pytest.raises(InvalidArgument, match="SERVICE@COMMIT"):
        parse_build_arguments(asked("--build", given), {})


def test_a_missing_go_mod_is_reported() -> None:
    with pytest.raises(InvalidArgument, match="nowhere"):
        parse_build_arguments(asked("--build", "a@b", "--go-mod", "nowhere"), {})


def test_a_label_is_sent_as_the_display_name_of_the_build() -> None:
    parsed = parse_build_arguments(asked("--build", "quoter@aa", "--label", "nightly 7"), {})

    assert parsed == BuildArguments("quoter", "aa", {"display_name": "nightly 7"})
