"""Create a git repository for a demo: the example's service with 200 commits, including merges; three change its cost.

`git fast-import` writes the commits, so their SHAs depend only on the seed and the hour. All commits are in the bare
repository from the start; a push only updates its branch.
"""

import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "worker" / "example" / "builds"
MERGE_EVERY = 9
PEOPLE = (("Ada Holm", "ada"), ("Bo Lund", "bo"), ("Cleo Berg", "cleo"), ("Dan Falk", "dan"), ("Eva Krog", "eva"))
PACKAGES = ("cart", "catalog", "meter", "quote", "seal", "discount", "money", "rates")
MOVED_TITLE = "Smoothing is arithmetic: it goes to money"
SLOWER_TITLE = "Discounts stay in the order in which they were written"


@dataclass(frozen=True)
class Plan:
    """The number of builds, and the first build of each change; None without the change."""

    builds: int
    moved: int | None = None
    slower: int | None = None
    smaller: int | None = None

    def variant(self, build: int) -> str:
        """Return the variant of the captures for a build."""
        for name, since in (("smaller", self.smaller), ("slower", self.slower), ("moved", self.moved)):
            if since is not None and build >= since:
                return name
        return "base"


def demo_plan(builds: int) -> Plan:
    """Return a plan with a cost shift, a regression, and a change of machines, in this order."""
    return Plan(builds, moved=builds * 3 // 10, slower=builds * 6 // 10, smaller=builds * 8 // 10)


@dataclass(frozen=True)
class Change:
    """One commit as in a code host's webhook."""

    sha: str
    parents: tuple[str, ...]
    title: str
    author: str
    email: str
    at: datetime
    added: tuple[str, ...]
    modified: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One build: the built commit, and all commits pushed with it."""

    number: int
    variant: str
    built: Change
    pushed: tuple[Change, ...]


@dataclass
class _WrittenCommit:
    """A commit for `git fast-import`."""

    mark: int
    parents: tuple[int, ...]
    title: str
    author: int
    at: datetime
    files: dict[str, bytes]
    added: tuple[str, ...]


class History:
    """The repository of a plan."""

    def __init__(self, folder: Path, plan: Plan, seed: int, until: datetime) -> None:
        """Write the whole history into a bare repository in `folder`; nothing is pushed yet."""
        self._rng = random.Random(seed)  # noqa: S311 - reproducible; no secret
        self._tree: dict[str, bytes] = {}
        self._comments: dict[str, bytes] = {}
        self._written: list[_WrittenCommit] = []
        self._builds: list[list[_WrittenCommit]] = []
        self._plan = plan
        self.host = folder / "quoter.git"
        started_at = until - timedelta(minutes=45 * plan.builds)
        for number in range(plan.builds):
            self._builds.append(list(self._build(number, started_at + timedelta(minutes=45 * number))))
        shas = self._import()
        self.steps = [
            Step(number, plan.variant(number), changes[-1], tuple(changes))
            for number, group in enumerate(self._builds)
            for changes in [[_change(each, shas) for each in group]]
        ]

    def push(self, step: Step) -> None:
        """Update the branch to a build's commit."""
        _git(["update-ref", "refs/heads/main", step.built.sha], self.host)

    def _build(self, number: int, at: datetime) -> Iterator[_WrittenCommit]:
        if number == 0:
            yield self._commit("The first quoter", at, _files(EXAMPLE / "quoter"), self._head())
        elif number == self._plan.moved:
            yield self._commit(MOVED_TITLE, at, self._changed_files("moved"), self._head())
        elif number == self._plan.slower:
            yield self._commit(SLOWER_TITLE, at, self._changed_files("slower"), self._head())
        elif number % MERGE_EVERY == 0:
            head = self._head()
            first = self._commit(*self._minor_change(number, "a"), head)
            yield first
            second = self._commit(*self._minor_change(number, "b"), (first.mark,))
            yield second
            yield self._commit(f"Merge branch 'topic-{number}'", at, {}, (*head, second.mark))
        else:
            title, _, files = self._minor_change(number, "")
            yield self._commit(title, at, files, self._head())

    def _changed_files(self, change: str) -> dict[str, bytes]:
        """Return the files of a change, with the comments added to them by earlier commits."""
        files = _files(EXAMPLE / "changes" / change)
        return {path: content + self._comments.get(path, b"") for path, content in files.items()}

    def _head(self) -> tuple[int, ...]:
        return (self._written[-1].mark,) if self._written else ()

    def _minor_change(self, number: int, part: str) -> tuple[str, datetime, dict[str, bytes]]:
        """Return title, time and files of a commit without cost: a note, a test or a comment."""
        package = self._rng.choice(PACKAGES)
        at = self._written[-1].at + timedelta(minutes=5)
        kind = self._rng.randrange(4)
        if kind == 0:
            path = f"notes/{number:03d}{part}.md"
            return f"A note about {package}", at, {path: f"# {package}\n\nSeen in build {number}.\n".encode()}
        if kind == 1:
            path = f"{package}/build{number}{part}_test.go"
            text = f'package {package}\n\nimport "testing"\n\nfunc TestBuild{number}{part}(t *testing.T) {{ t.Parallel() }}\n'
            return f"Another test of {package}", at, {path: text.encode()}
        path = f"{package}/{package}.go"
        comment = f"\n// Reviewed again for build {number}{part}.\n".encode()
        self._comments[path] = self._comments.get(path, b"") + comment
        return f"A comment in {package}", at, {path: self._tree[path] + comment}

    def _commit(self, title: str, at: datetime, files: dict[str, bytes], parents: tuple[int, ...]) -> _WrittenCommit:
        author = 1 if title == SLOWER_TITLE else self._rng.randrange(len(PEOPLE))
        added = tuple(path for path in files if path not in self._tree)
        written = _WrittenCommit(len(self._written) + 1, parents, title, author, at, files, added)
        self._tree.update(files)
        self._written.append(written)
        return written

    def _import(self) -> dict[int, str]:
        self.host.mkdir(parents=True)
        _git(["init", "--quiet", "--bare", "--initial-branch=main"], self.host)
        marks = self.host / "marks"
        stream = b"".join(_stream(each) for each in self._written)
        _git(["fast-import", "--quiet", f"--export-marks={marks}"], self.host, stream)
        lines = marks.read_text(encoding="ascii").splitlines()
        return {int(mark[1:]): sha for mark, sha in (line.split() for line in lines)}


def _stream(written: _WrittenCommit) -> bytes:
    name, user = PEOPLE[written.author]
    signature = f"{name} <{user}@shop.example> {int(written.at.timestamp())} +0000"
    title = written.title.encode()
    parts = [
        f"commit refs/to-be-pushed/main\nmark :{written.mark}\nauthor {signature}\ncommitter {signature}\ndata {len(title)}\n".encode()
    ]
    parts += [title, b"\n"]
    for number, parent in enumerate(written.parents):
        parts.append(f"{'from' if number == 0 else 'merge'} :{parent}\n".encode())
    for path, content in written.files.items():
        parts += [f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
    return b"".join([*parts, b"\n"])


def _change(written: _WrittenCommit, shas: dict[int, str]) -> Change:
    name, user = PEOPLE[written.author]
    modified = tuple(path for path in written.files if path not in written.added)
    parents = tuple(shas[parent] for parent in written.parents)
    email = f"{user}@shop.example"
    return Change(shas[written.mark], parents, written.title, name, email, written.at, written.added, modified)


def _files(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _git(arguments: list[str], folder: Path, stdin: bytes = b"") -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=folder, input=stdin, env=environment, check=True)
