"""Read the build of uploaded files and its metadata from the command line or from CI's environment."""

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from slowpath_cli.core.collect_errors import InvalidArgument

MAX_EVENT_BYTES = 25 << 20
MAX_GO_MOD_BYTES = 1 << 20
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_PULL = re.compile(r"refs/pull/(\d+)/")
METADATA = (
    "branch",
    "parent",
    "go-version",
    "goos",
    "goarch",
    "flags",
    "ci-url",
    "title",
    "author",
    "label",
    "committed-at",
)
"""Build metadata with one option each."""
API_NAMES = {"label": "display_name"}
"""Fields of the API whose option has another name."""


@dataclass(frozen=True)
class BuildArguments:
    """A build by its service and commit, and its metadata as in the API."""

    service: str
    commit: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments with build metadata."""
    facts = parser.add_argument_group("build", "with --build SERVICE@COMMIT; missing values are taken from CI")
    for name in METADATA:
        facts.add_argument(f"--{name}", metavar=name.rsplit("-", 1)[-1].upper())
    facts.add_argument("--pull-request", type=int, metavar="N", help="number of the pull or merge request")
    facts.add_argument("--go-mod", metavar="FILE", help="go.mod, for the versions of dependencies")


def parse_build_arguments(options: argparse.Namespace, environ: Mapping[str, str]) -> str | BuildArguments | None:
    """Return the build's ID as given, or its service and commit with metadata. Raises `InvalidArgument`."""
    build = parse_build_name(options.build, environ)
    if not isinstance(build, BuildArguments):
        return build
    values = {name.replace("-", "_"): getattr(options, name.replace("-", "_")) for name in METADATA}
    facts = {**build.facts, **{API_NAMES.get(name, name): value for name, value in values.items() if value}}
    if options.pull_request:
        facts["pull_request"] = {**facts.get("pull_request", {}), "number": options.pull_request}
    if options.go_mod:
        facts["go_mod"] = _text(Path(options.go_mod), MAX_GO_MOD_BYTES)
    return replace(build, facts=facts)


def parse_build_name(given: str | None, environ: Mapping[str, str]) -> str | BuildArguments | None:
    """Return the build's ID as given, or its service and commit with the metadata of CI. Raises `InvalidArgument`."""
    if given is None or _ID.fullmatch(given):
        return given
    from_ci = detect_ci_metadata(environ)
    service, _, commit = given.partition("@")
    commit_of_ci = from_ci.pop("commit", "")
    commit = commit or commit_of_ci
    if not service or not commit:
        raise InvalidArgument(f"{given!r} is not a build. Use SERVICE@COMMIT, or the ID of a build.")
    return BuildArguments(service, commit, from_ci)


def detect_ci_metadata(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return commit, branch, pull request and links of GitHub Actions or GitLab CI; empty elsewhere."""
    if environ.get("GITHUB_ACTIONS") == "true":
        facts = _github(environ)
    elif environ.get("GITLAB_CI") == "true":
        facts = _gitlab(environ)
    else:
        facts = {}
    return {name: value for name, value in facts.items() if value}


def _github(environ: Mapping[str, str]) -> dict[str, Any]:
    home = f"{environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{environ.get('GITHUB_REPOSITORY', '')}"
    facts: dict[str, Any] = {
        "commit": environ.get("GITHUB_SHA"),
        "branch": environ.get("GITHUB_HEAD_REF") or environ.get("GITHUB_REF_NAME"),
        "ci_url": f"{home}/actions/runs/{environ['GITHUB_RUN_ID']}" if environ.get("GITHUB_RUN_ID") else None,
    }
    event = _event(environ.get("GITHUB_EVENT_PATH"))
    pull, head = _part(event, "pull_request"), _part(event, "head_commit")
    if pull:  # the built commit is a temporary merge; the metadata describes its head
        facts |= {
            "commit": _part(pull, "head").get("sha") or facts["commit"],
            "parent": _part(pull, "base").get("sha"),
            "title": pull.get("title"),
            "author": _part(pull, "user").get("login"),
        }
    elif head:
        facts |= {
            "parent": event.get("before") if set(str(event.get("before"))) != {"0"} else None,
            "title": str(head.get("message", "")).split("\n")[0],
            "author": _part(head, "author").get("name"),
            "committed_at": head.get("timestamp"),
        }
    number = _PULL.match(environ.get("GITHUB_REF", ""))
    if number:
        base_branch = environ.get("GITHUB_BASE_REF")
        facts["pull_request"] = {
            "number": int(number[1]),
            "url": f"{home}/pull/{number[1]}",
            **({"base_branch": base_branch} if base_branch else {}),
        }
    return facts


def _gitlab(environ: Mapping[str, str]) -> dict[str, Any]:
    before = environ.get("CI_COMMIT_BEFORE_SHA", "")
    facts: dict[str, Any] = {
        "commit": environ.get("CI_COMMIT_SHA"),
        "branch": environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME") or environ.get("CI_COMMIT_REF_NAME"),
        "parent": environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA") or (before if set(before) != {"0"} else None),
        "ci_url": environ.get("CI_PIPELINE_URL"),
        "title": environ.get("CI_COMMIT_TITLE"),
        "author": environ.get("CI_COMMIT_AUTHOR"),
        "committed_at": environ.get("CI_COMMIT_TIMESTAMP"),
    }
    number = environ.get("CI_MERGE_REQUEST_IID", "")
    if number.isascii() and number.isdigit():
        home = environ.get("CI_MERGE_REQUEST_PROJECT_URL")
        url = f"{home}/-/merge_requests/{number}" if home else None
        known = {"url": url, "base_branch": environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")}
        facts["pull_request"] = {"number": int(number), **{name: value for name, value in known.items() if value}}
    return facts


def _event(path: str | None) -> dict[str, Any]:
    try:
        event = json.loads(_text(Path(path), MAX_EVENT_BYTES)) if path else {}
    except (InvalidArgument, ValueError):
        return {}  # the event only adds details
    return event if isinstance(event, dict) else {}


def _part(whole: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = whole.get(key)
    return part if isinstance(part, dict) else {}


def _text(path: Path, max_bytes: int) -> str:
    try:
        if path.stat().st_size > max_bytes:
            raise InvalidArgument(f"{path} is larger than the limit of {max_bytes:,} bytes.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8.") from error
