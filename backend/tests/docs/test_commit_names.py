"""Commits have one short form: nothing cuts a SHA by hand, and Python and TypeScript cut to the same length."""

import re
from pathlib import Path

import pytest

from slowpath.commit_names import COMMIT_DIGITS, short_commit
from tests.docs.banned_words import ROOT

PYTHON = ("backend/slowpath", "worker/slowpath_cli", "worker/slowpath_worker")
NAMED = r"(?:sha|commit|culprit|parent)"
CUT = {
    ".py": re.compile(rf"\b(?:\w*_)?{NAMED}\b(?:\"\]|'\])?(?: or \"\"\))?\[:\s*\w+\]|func\.left\([\w.]*{NAMED},\s*\d"),
    ".ts": re.compile(rf"\b\w*{NAMED}\b\??\.(?:slice|substring|substr)\(0,", re.IGNORECASE),
}
IDENTITIES = {
    "branch_history.py", "ancestor_builds.py",  # abbreviated SHAs that builds name as their parent
    "build_names.py",  # tags of images and folders
    "build_uploads.py",  # the name by which the same upload is recognized
    "dashboard_plan.py",  # the version that the example's program reports
    "example_additions.py", "example_builds.py",  # ids of runs
}  # fmt: skip
"""Modules in which the beginning of a SHA identifies something that is stored or recorded."""


def list_sources() -> list[Path]:
    python = [path for folder in PYTHON for path in (ROOT / folder).rglob("*.py")]
    pages = [path for path in (ROOT / "frontend/src").rglob("*.ts*") if "generated" not in path.parts]
    return [path for path in python + pages if path.name not in IDENTITIES and ".test." not in path.name]


def test_no_sha_is_cut_by_hand() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in list_sources()
        if path.name not in {"commit_names.py", "commits.ts"}
        for line in path.read_text().splitlines()
        if CUT[path.suffix.removesuffix("x")].search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("suffix", "line"),
    [
        (".py", "name = row.commit[:7]"),
        (".py", 'text = document["commit"][:SHORT_COMMIT]'),
        (".py", "shown = parent_sha[:12]"),
        (".py", "func.left(Build.commit, 12)"),
        (".ts", "build.commit.slice(0, 9)"),
        (".ts", "const text = commit?.slice(0, DIGITS);"),
        (".ts", "headSha.substring(0, 7)"),
    ],
)
def test_a_cut_is_recognized(suffix: str, line: str) -> None:
    assert CUT[suffix].search(line)


def test_both_sides_show_the_same_digits() -> None:
    source = (ROOT / "frontend/src/lib/commits.ts").read_text()
    assert f"const COMMIT_DIGITS = {COMMIT_DIGITS};" in source


def test_names_of_releases_and_branches_stay_whole() -> None:
    assert short_commit("8d20c6e1" * 5) == "8d20c6e18d"
    assert [short_commit(name) for name in ("go1.26.0", "main", "GODEBUG=a=1", "")] == [
        "go1.26.0",
        "main",
        "GODEBUG=a=1",
        "",
    ]
