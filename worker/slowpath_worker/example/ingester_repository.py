"""Write the git repository of the ingester: one commit per build, with the files that its build tags select.

In the folder `ingester` a build tag selects a variant. In the repository the selected file is part of every build and the
others are absent, so that a difference of two commits is the change. Line numbers are those of the recorded programs.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from slowpath_worker.example.commit_import import NewCommit, import_commits

_TAG: Final = re.compile(rb"//go:build (?P<absent>!?)(?P<tag>\w+)\n")
_EVERY_BUILD: Final = b"//go:build go1.26\n"
"""Takes the line of a tag; go.mod requires this version."""


def write_repository(target: Path, folder: Path, plan: Mapping[str, Any], now: datetime) -> dict[str, str]:
    """Write a bare repository in place of an existing one; return the SHAs of the builds by their IDs.

    `folder` has the program. Raises `OSError`, `CalledProcessError`.
    """
    written: dict[str, bytes] = {}
    commits = []
    for build in plan["builds"]:
        tree = read_variant(folder, build["tags"])
        changed = {path: content for path, content in tree.items() if written.get(path) != content}
        files = {**dict.fromkeys(written.keys() - tree.keys()), **changed}
        commits.append(
            NewCommit(
                build["message"],
                build["author"],
                f"{build['author'].split(maxsplit=1)[0].lower()}@shop.example",
                now - timedelta(hours=build["hours_ago"]),
                files,
            )
        )
        written = tree
    shas = import_commits(target, plan["repository"]["branch"], commits)
    return {build["id"]: sha for build, sha in zip(plan["builds"], shas, strict=True)}


def read_variant(folder: Path, tags: list[str]) -> dict[str, bytes]:
    """Return the files of a program that these build tags select."""
    tree: dict[str, bytes] = {}
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        content = file.read_bytes()
        found = _TAG.match(content)
        if found is None or (found["tag"].decode() in tags) != bool(found["absent"]):
            path = file.relative_to(folder).as_posix()
            tree[path] = content if found is None else _EVERY_BUILD + content[found.end() :]
    return tree
