"""Write a repository from trees in memory by `git fast-import`, so that SHAs depend only on the seed."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

PEOPLE = (("Ada Holm", "ada"), ("Bo Lund", "bo"), ("Cleo Berg", "cleo"), ("Dan Falk", "dan"), ("Eva Krog", "eva"))
Tree = Mapping[str, bytes]


@dataclass(frozen=True)
class WrittenHistory:
    """A commit before it has a SHA. `tree` has all its files."""

    mark: int
    parents: tuple["WrittenHistory", ...]
    title: str
    author: int
    at: datetime
    tree: Tree

    def changed(self) -> dict[str, bytes]:
        """Return the files that differ from the first parent. Files are never deleted."""
        before = self.parents[0].tree if self.parents else {}
        return {path: content for path, content in self.tree.items() if before.get(path) != content}


def imported(folder: Path, commits: list[WrittenHistory]) -> dict[int, str]:
    """Write commits as the branch `main` of a bare repository; return their SHAs by mark."""
    folder.mkdir(parents=True)
    git(["init", "--quiet", "--bare", "--initial-branch=main"], folder)
    git(["fast-import", "--quiet", "--export-marks=marks"], folder, b"".join(_stream(each) for each in commits))
    lines = (folder / "marks").read_text(encoding="ascii").splitlines()
    return {int(mark[1:]): sha for mark, sha in (line.split() for line in lines)}


def tag(folder: Path, name: str, sha: str) -> None:
    """Tag a commit."""
    git(["update-ref", f"refs/tags/{name}", sha], folder)


def git(arguments: list[str], folder: Path, stdin: bytes = b"") -> None:
    """Run git in a repository, without the user's configuration."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=folder, input=stdin, env=environment, check=True)


def _stream(written: WrittenHistory) -> bytes:
    name, user = PEOPLE[written.author]
    who = f"{name} <{user}@shop.example> {int(written.at.timestamp())} +0000"
    title = written.title.encode()
    head = f"commit refs/heads/main\nmark :{written.mark}\nauthor {who}\ncommitter {who}\ndata {len(title)}\n"
    parts = [head.encode(), title, b"\n"]
    for number, parent in enumerate(written.parents):
        parts.append(f"{'from' if number == 0 else 'merge'} :{parent.mark}\n".encode())
    for path, content in written.changed().items():
        parts += [f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
    return b"".join([*parts, b"\n"])
