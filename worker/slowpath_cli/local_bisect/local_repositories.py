"""Read local repositories through a bare copy that borrows their objects; the originals are never modified.

Names from users and go.mod files never become git arguments: they are resolved among the repository's references, and git
gets only SHAs of 40 hexadecimal digits. Hooks do not run.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

from slowpath.analysis.closure.module_versions import resolve_version
from slowpath.commit_names import short_commit
from slowpath.core.errors import InvalidRequest
from slowpath.core.git_ports import GitObjectReader, GitParentLink
from slowpath.verdicts.bisects.rules.range_ends import parse_date
from slowpath_cli.local_bisect.submodules import fill_submodules

SHA: Final = re.compile(r"[0-9a-f]{40}")
SHORT: Final = re.compile(r"[0-9a-f]{4,40}")
ANCESTRY: Final = re.compile(r"((?:~\d{0,6}|\^\d?)*)$")
SECONDS: Final = 600.0
NO_VARIABLES: Final[Mapping[str, str]] = {}
DIES_WITH_US: Final = (SETPRIV, "--pdeathsig", "KILL", "--") if (SETPRIV := shutil.which("setpriv")) else ()
GIT_CONFIG: Final = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.allow=never", "protocol.file.allow=always",
    "advice.detachedHead=false", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "log.showSignature=false",
)  # fmt: skip


ObjectReaderFactory = Callable[["subprocess.Popen[bytes]"], GitObjectReader]
"""Makes an object reader of a running `git cat-file --batch-command`."""


class InvalidRepository(InvalidRequest):
    """A repository or commit is invalid; the message gives the reason."""


class LocalRepository:
    """A repository of the user and its bare copy."""

    def __init__(self, label: str, source: Path, home: Path, read_objects: ObjectReaderFactory) -> None:
        """Create the copy in `home`, borrowing the objects of `source`. Raises `InvalidRepository`."""
        self.label, self.folder = label, source.resolve()
        self._home = home
        self._read_objects = read_objects
        self._checkouts = Lock()
        text = _git(["-C", str(_folder(source)), "rev-parse", "--git-common-dir"], f"{source} is not a git repository")
        self._source = (_folder(source) / text).resolve()
        self._git_dir = home / "git"
        if not (self._git_dir / "HEAD").exists():
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True, mode=0o700)
            _git(["init", "--quiet", "--bare", "--template=", str(self._git_dir)], "git cannot create a copy")
        info = self._git_dir / "objects" / "info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "alternates").write_text(f"{self._source / 'objects'}\n", encoding="utf-8", errors="surrogateescape")

    def resolve(self, name: str) -> str:
        """Resolve a branch, tag, HEAD or SHA, with optional `~3` or `^`, or a date, to a SHA. Raises `InvalidRepository`.

        A date is the newest commit of the default branch then: of the remote's, or of the branch that is checked out.
        """
        found_suffix = ANCESTRY.search(name)
        suffix = found_suffix[1] if found_suffix else ""
        base = name[: len(name) - len(suffix)] if suffix else name
        found = self._named(base)
        if found is None and (at := parse_date(name)) is not None:
            return self._newest_at(at, name)
        if found is None:
            raise InvalidRepository(
                f"{self.label} has no commit, branch or tag {name!r}; a date is written as 2026-11-17."
            )
        return self._peel(found + suffix, name)

    def _newest_at(self, at: datetime, name: str) -> str:
        head = self._named("refs/remotes/origin/HEAD") or self._named("HEAD") or ""
        found = self._git(
            "rev-list", "-1", "--first-parent", f"--before={int(at.timestamp())}", self._peel(head, "HEAD"), "--"
        )
        if not found:
            raise InvalidRepository(f"The default branch of {self.label} has no commit before {name}.")
        return found

    def version(self, version: str, module: str) -> str:
        """Return the commit of a module version: a tag, pseudo-version or revision. Raises `InvalidRepository`."""
        resolved, refs = resolve_version(version, module), self._refs()
        for tag in resolved.tags:
            if f"refs/tags/{tag}" in refs:
                return self._peel(refs[f"refs/tags/{tag}"], tag)
        if resolved.revision is not None:
            return self._peel(resolved.revision, version)
        raise InvalidRepository(f"{self.label} has no tag or commit for {version!r}.")

    def line(self, good: str, bad: str) -> list[GitParentLink]:
        """Return the commits in `bad` but not in `good`, along first parents, oldest first."""
        text = self._git(
            "rev-list", "--first-parent", "--reverse", "--parents", _require_sha(bad), f"^{_require_sha(good)}", "--"
        )
        lines = [line.split() for line in text.splitlines()]
        titles = self._titles(good, bad) if lines else {}
        return [GitParentLink(one[0], tuple(one[1:]), titles.get(one[0], "")) for one in lines]

    def is_ancestor(self, one: str, of: str) -> bool:
        """Return whether `one` is `of` or one of its ancestors."""
        return self._git("merge-base", "--is-ancestor", _require_sha(one), _require_sha(of), output=False) == "0"

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, or None if they have none."""
        return self._git("merge-base", _require_sha(one), _require_sha(other), missing="") or None

    def reachable(self, sha: str, patterns: Sequence[str]) -> bool:
        """Return whether a commit is reachable from a ref whose full name matches one of the patterns."""
        text = _git(
            ["--git-dir", str(self._source), "for-each-ref", f"--contains={_require_sha(sha)}", "--format=%(refname)"],
            "references cannot be read", "",
        )  # fmt: skip
        return any(fnmatchcase(name, pattern) for name in text.splitlines() for pattern in patterns)

    def changed(self, before: str, after: str) -> list[str]:
        """Return the paths that differ between two commits."""
        text = self._git(
            "diff-tree", "-r", "-z", "--no-renames", "--name-only", _require_sha(before), _require_sha(after), "--"
        )
        return [one for one in text.split("\0") if one]

    def parents(self, sha: str) -> tuple[str, ...]:
        """Return the parents of a commit."""
        return tuple(self._git("rev-list", "--parents", "-n1", _require_sha(sha), "--").split()[1:])

    @contextmanager
    def objects(self) -> Iterator[GitObjectReader]:
        """Open a reader of the repository's objects."""
        child = subprocess.Popen(
            [*DIES_WITH_US, "git", *self._options(), "cat-file", "--batch-command"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(), start_new_session=True,
        )  # fmt: skip
        try:
            yield self._read_objects(child)
        finally:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()

    def tree(self, slot: int, sha: str) -> Path:
        """Check a commit out in the slot's work tree, remove all other files, and return its folder."""
        with self._checkouts:  # git fails on a work tree that another slot has created in part
            folder = self._home / f"slot-{slot}"
            if not (folder / ".git").exists():
                shutil.rmtree(folder, ignore_errors=True)
                self._git(
                    "worktree", "add", "--quiet", "--force", "--detach", "--no-checkout", str(folder), _require_sha(sha)
                )
            (self._git_dir / "worktrees" / folder.name / "index.lock").unlink(missing_ok=True)
            at = ["-C", str(folder), *_config_arguments()]
            _git(
                [*at, "checkout", "--quiet", "--force", "--detach", _require_sha(sha), "--"],
                f"{sha} cannot be checked out",
            )
            _git([*at, "clean", "-ffdxq"], f"{folder} cannot be cleaned")
            index = {"GIT_INDEX_FILE": str(self._home / f"submodule-index-{slot}")}
            fill_submodules(
                lambda words, failure: _git(words, failure, extra=index), self._git_dir, folder, sha, self._source / "modules"
            )  # fmt: skip
        return folder

    def revert(self, tree: Path, sha: str) -> None:
        """Revert a commit in a clean work tree; a merge is reverted to its first parent. Raises `InvalidRepository` on conflicts."""
        at = ["-C", str(tree), *_config_arguments()]
        mainline = ["-m", "1"] if len(self.parents(sha)) > 1 else []
        words = [*at, "revert", "--no-commit", *mainline, _require_sha(sha)]
        if _run_git(words).returncode != 0:
            files = _git([*at, "diff", "--name-only", "--diff-filter=U"], f"{tree} cannot be read").split("\n")
            conflicts = ", ".join(files[:5]) or "its changes are no longer there"
            raise InvalidRepository(f"{short_commit(sha)} alone cannot be reverted: conflicts in {conflicts}.")

    def apply_patch(self, tree: Path, patch: Path) -> None:
        """Apply a patch to a clean work tree; git changes nothing outside of it. Raises `InvalidRepository`."""
        words = ["-C", str(tree), *_config_arguments(), "apply", "--whitespace=nowarn", "--", str(patch.absolute())]
        _git(words, "The patch does not apply")

    def _titles(self, good: str, bad: str) -> dict[str, str]:
        text = self._git(
            "log", "--first-parent", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--format=tformat:%H %s",
            _require_sha(bad), f"^{_require_sha(good)}", "--",
        )  # fmt: skip
        return dict(one.split(" ", 1) for one in text.split("\0") if " " in one)

    def _named(self, base: str) -> str | None:
        if SHORT.fullmatch(base) and len(base) == 40:
            return base
        if base in {"HEAD", "@"}:
            return _git(["--git-dir", str(self._source), "rev-parse", "--verify", "HEAD"], "HEAD is not a commit")
        refs = self._refs()
        for form in ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}"):
            if form.format(base) in refs:
                return refs[form.format(base)]
        return base if SHORT.fullmatch(base) else None

    @lru_cache(maxsize=1)  # noqa: B019 - repositories live as long as the command
    def _refs(self) -> dict[str, str]:
        text = _git(
            ["--git-dir", str(self._source), "for-each-ref", "--format=%(objectname) %(refname)"], "references cannot be read"
        )  # fmt: skip
        return {name: sha for sha, _, name in (line.partition(" ") for line in text.splitlines())}

    def _peel(self, hexadecimal: str, name: str) -> str:
        """Resolve hexadecimal digits with optional steps to a commit."""
        assert re.fullmatch(r"[0-9a-f]{4,40}(~\d{0,6}|\^\d?)*", hexadecimal)
        found = self._git("rev-parse", "--verify", "--quiet", f"{hexadecimal}^{{commit}}", missing="")
        if not SHA.fullmatch(found):
            raise InvalidRepository(f"{self.label} has no commit {name!r}.")
        return found

    def _options(self) -> list[str]:
        return ["--no-pager", "--no-replace-objects", f"--git-dir={self._git_dir}", *_config_arguments()]

    def _git(self, *words: str, output: bool = True, missing: str | None = None) -> str:
        if not output:
            return str(_run_git([*self._options(), *words]).returncode)
        return _git([*self._options(), *words], f"{self.label}: git cannot {words[0]}", missing)


def _config_arguments() -> list[str]:
    return [word for option in GIT_CONFIG for word in ("-c", option)]


def _folder(source: Path) -> Path:
    if not source.is_dir():
        raise InvalidRepository(f"No such folder: {source}.")
    return source.resolve()


def _require_sha(sha: str) -> str:
    if not SHA.fullmatch(sha):
        raise ValueError("not a SHA of 40 hexadecimal digits")
    return sha


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
        "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
    }  # fmt: skip


def _run_git(words: Sequence[str], extra: Mapping[str, str] = NO_VARIABLES) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*DIES_WITH_US, "git", *words], stdin=subprocess.DEVNULL, capture_output=True, env={**_environment(), **extra}, timeout=SECONDS,
        check=False,
    )  # fmt: skip


def _git(
    words: Sequence[str], failure: str, missing: str | None = None, *, extra: Mapping[str, str] = NO_VARIABLES
) -> str:
    done = _run_git(words, extra)
    if done.returncode != 0:
        if missing is not None:
            return missing
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InvalidRepository(f"{failure}: {errors[-1] if errors else f'exit code {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape").strip("\n")
