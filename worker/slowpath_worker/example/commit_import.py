"""Write a bare repository of one branch by `git fast-import`: its SHAs depend only on contents, people and times."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class NewCommit:
    """A commit before it has a SHA: the files that differ from the commit before; None removes a file."""

    title: str
    author_name: str
    author_email: str
    at: datetime
    files: Mapping[str, bytes | None]


def import_commits(target: Path, branch: str, commits: Iterable[NewCommit]) -> list[str]:
    """Write commits, oldest first, in place of an existing repository; return their SHAs.

    Raises `OSError`, `CalledProcessError`.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    _git(["init", "--quiet", "--bare", f"--initial-branch={branch}"], target)
    stream = b"".join(_make_stream(branch, number, each) for number, each in enumerate(commits, start=1))
    _git(["fast-import", "--quiet", "--export-marks=marks"], target, stream)
    lines = (target / "marks").read_text(encoding="ascii").splitlines()
    shas = {int(mark[1:]): sha for mark, sha in (line.split() for line in lines)}
    return [shas[mark] for mark in sorted(shas)]


def _make_stream(branch: str, mark: int, commit: NewCommit) -> bytes:
    who = f"{commit.author_name} <{commit.author_email}> {int(commit.at.timestamp())} +0000"
    title = commit.title.encode()
    parent = f"from :{mark - 1}\n" if mark > 1 else ""
    head = f"commit refs/heads/{branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\ndata {len(title)}\n"
    files = (
        b"D %s\n" % path.encode()
        if content is None
        else b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content)
        for path, content in sorted(commit.files.items())
    )
    return b"%s%s\n%s%s" % (head.encode(), title, parent.encode(), b"".join(files))


def _git(arguments: Sequence[str], folder: Path, stream: bytes = b"") -> None:
    """Run git in a repository, without the user's configuration."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=folder, input=stream, env=environment, check=True)
