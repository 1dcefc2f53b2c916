"""Run git on bare mirrors of repositories: fixed arguments, no shell, no external configuration, limited time and size.

Untrusted text (names of branches, paths, messages) never becomes an argument: only SHAs of 40 hexadecimal digits do, and
the checked address, which begins with its scheme. Every child has a separate session, so that a timeout or a cancelled job
kills it with all its children.
"""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowpath.adapters.git_log_parser import NulFieldReader, read_commits
from slowpath.adapters.git_objects import CatFileReader
from slowpath.adapters.git_process import POLL_SECONDS, explain_failure, read_output_chunks, terminate
from slowpath.adapters.git_remotes import AllowedRemotes, ResolvedRemote
from slowpath.core.errors import NotFound, TooLarge, UpstreamUnavailable
from slowpath.core.git_ports import GitBranchHeads, GitCommit

SHA: Final = re.compile(r"[0-9a-f]{40}")
DIES_WITH_US = (SETPRIV, "--pdeathsig", "KILL", "--") if (SETPRIV := shutil.which("setpriv")) else ()

GIT_CONFIG: Final = (
    "protocol.allow=never", "http.followRedirects=false", "http.proxy=", "http.lowSpeedLimit=1000", "http.lowSpeedTime=60",
    "credential.helper=", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
    "core.bigFileThreshold=8m", "pack.threads=1", "pack.windowMemory=64m", "core.deltaBaseCacheLimit=32m",
    "fetch.recurseSubmodules=false", "fetch.unpackLimit=1", "fetch.writeCommitGraph=false", "transfer.bundleURI=false",
    "gc.auto=0", "maintenance.auto=false", "log.showSignature=false", "diff.renameLimit=400", "advice.detachedHead=false",
)  # fmt: skip
BRANCHES: Final = "+refs/heads/*:refs/heads/*"
TAGS: Final = "+refs/tags/*:refs/tags/*"
FORMAT: Final = "tformat:%x1e%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%s%x00%b"

MAX_PACKS: Final = 40
"""Each fetch of new objects adds a pack, and each access searches all packs; above this number they are repacked."""
MAX_REFS: Final = 20_000
MAX_OUTPUT_BYTES: Final = 16 << 20
MAX_LOG_BYTES: Final = 4 << 30
MAX_ERROR_BYTES: Final = 8 << 10
COMMAND_SECONDS: Final = 60.0
READ_SECONDS: Final = 900.0
DELETE_SECONDS: Final = 10.0


@dataclass(frozen=True)
class GitLimits:
    """Limits of one repository."""

    repository_bytes: int
    fetch_seconds: float


class GitMirror:
    """A bare mirror of one repository."""

    def __init__(self, folder: Path, remotes: AllowedRemotes, limits: GitLimits) -> None:
        """Store the mirror in `folder`; the first fetch creates it."""
        self._folder = folder
        self._git_dir = folder / "git"
        self._remotes = remotes
        self._limits = limits

    def fetch(self, url: str, authorization: str | None, check: Callable[[], None]) -> GitBranchHeads:
        """Fetch new commits and return the heads.

        Raises `AddressNotAllowed`, `GitCommandError`, `TooLarge`, `UpstreamUnavailable`.
        """
        remote = self._remotes.opened(url, authorization)
        with self._locked(check):
            self._prepare(check)
            default_branch = self._default_branch(remote, check)
            arguments = ["fetch", "--quiet", "--prune", "--force", "--no-tags", "--no-recurse-submodules"]
            arguments += ["--no-write-fetch-head", "--no-auto-maintenance", "--", remote.url, BRANCHES, TAGS]
            try:
                self._run_whole(arguments, check, remote=remote, seconds=self._limits.fetch_seconds, watched=True)
            except TooLarge:
                self.delete()  # not before git has ended: it would create its folders again
                raise
            self._repack(check)
        branches = self._refs("refs/heads/", check)
        return GitBranchHeads(branches, self._refs("refs/tags/", check), default_branch)

    def commits(
        self, shas: Collection[str], known: Collection[str], limit: int, check: Callable[[], None]
    ) -> Iterator[GitCommit]:
        """Yield the newest commits reachable from `shas` and not from `known`, ancestors first."""
        if not shas:  # without revisions, git would start at HEAD
            return iter(())
        revisions = [_require_sha(sha) for sha in shas] + [f"^{_require_sha(sha)}" for sha in known]
        arguments = [
            "log",
            "--stdin",
            "-z",
            "--topo-order",
            "--reverse",
            f"--max-count={int(limit)}",
            "--raw",
            "--numstat",
        ]
        arguments += ["--no-abbrev", "--find-renames", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv"]
        arguments += ["--no-color", "--no-notes", "--no-mailmap", "--encoding=UTF-8", f"--format={FORMAT}"]
        stdin = "\n".join([*revisions, ""]).encode()
        return read_commits(
            NulFieldReader(
                self._run(arguments, check, input_bytes=stdin, max_bytes=MAX_LOG_BYTES, seconds=READ_SECONDS)
            )
        )

    def has(self, sha: str) -> bool:
        """Return whether the mirror has a commit."""
        if not self._git_dir.exists():
            return False
        with self.objects() as objects:
            return objects.kind(_require_sha(sha)) == "commit"

    def patch(self, sha: str, *, max_bytes: int, check: Callable[[], None]) -> tuple[str, bool]:
        """Return a commit's patch, and whether it was truncated. Raises `NotFound`."""
        if not self.has(sha):
            raise NotFound(f"The commit {sha} is not in the mirror of its repository.", slug="commit-not-found")
        arguments = [
            "log",
            "-1",
            "--patch",
            "--format=",
            "--diff-merges=first-parent",
            "--find-renames",
            "--full-index",
        ]
        arguments += [
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--unified=3",
        ]
        parts, size = [], 0
        for part in self._run([*arguments, _require_sha(sha), "--"], check, max_bytes=None, seconds=COMMAND_SECONDS):
            parts.append(part[: max_bytes - size])
            size += len(part)
            if size >= max_bytes:
                break
        return b"".join(parts).decode("utf-8", "replace"), size >= max_bytes

    @contextmanager
    def objects(self) -> Iterator[CatFileReader]:
        """Open a reader of the mirror's objects."""
        command = [*DIES_WITH_US, "git", *self._config_arguments(()), "cat-file", "--batch-command"]
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment({}),
            start_new_session=True,
        )
        try:
            yield CatFileReader(child)
        finally:
            terminate(child)

    def read_output(self, arguments: Sequence[str], check: Callable[[], None]) -> str:
        """Run a git command and return its output; callers must not pass untrusted arguments. Raises `InvalidRequest`."""
        return self._run_whole(arguments, check).decode("utf-8", "replace").strip("\n")

    def tags(self, check: Callable[[], None]) -> dict[str, str]:
        """Return the tags of the mirror."""
        return self._refs("refs/tags/", check) if self._git_dir.exists() else {}

    def read_package_cache(self) -> bytes:
        """Return the package cache stored beside the mirror; empty if there is none or it is damaged."""
        try:
            return zlib.decompress((self._folder / "memory").read_bytes())
        except (FileNotFoundError, zlib.error):
            return b""

    def write_package_cache(self, content: bytes) -> None:
        """Store a package cache beside the mirror."""
        new = self._folder / f"memory.{os.getpid()}"
        new.write_bytes(zlib.compress(content))
        new.replace(self._folder / "memory")

    def delete(self) -> None:
        """Delete the mirror, again if a killed process of git still wrote to it."""
        until = time.monotonic() + DELETE_SECONDS
        while self._folder.exists() and time.monotonic() < until:
            shutil.rmtree(self._folder, ignore_errors=True)
            time.sleep(POLL_SECONDS)

    @contextmanager
    def _locked(self, check: Callable[[], None]) -> Iterator[None]:
        """Lock the mirror against concurrent fetches."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self._folder / "lock").open("w") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    check()
                    time.sleep(POLL_SECONDS)
            yield

    def _prepare(self, check: Callable[[], None]) -> None:
        if not (self._git_dir / "HEAD").exists():
            (self._folder / "home").mkdir(exist_ok=True)
            self._run_whole(["init", "--quiet", "--bare", "--template=", "--object-format=sha1"], check)
        for left in self._git_dir.glob("**/*.lock"):  # of a killed fetch; the lock excludes running ones
            left.unlink(missing_ok=True)
        for left in self._git_dir.glob("objects/pack/tmp_*"):
            left.unlink(missing_ok=True)

    def _repack(self, check: Callable[[], None]) -> None:
        """Merge the packs. Unreachable commits are preserved: a build may refer to them."""
        packs = sum(1 for _ in self._git_dir.glob("objects/pack/*.pack"))
        if packs > MAX_PACKS:
            arguments = ["repack", "-a", "-d", "--keep-unreachable", "--quiet"]
            self._run_whole(arguments, check, seconds=self._limits.fetch_seconds)

    def _default_branch(self, remote: ResolvedRemote, check: Callable[[], None]) -> str | None:
        output = self._run_whole(
            ["ls-remote", "--symref", "--", remote.url, "HEAD"], check, remote=remote, seconds=COMMAND_SECONDS
        )
        found = re.match(r"ref: refs/heads/([^\t\n]+)\tHEAD$", output.decode("utf-8", "replace"), re.MULTILINE)
        return found.group(1) if found else None

    def _refs(self, under: str, check: Callable[[], None]) -> dict[str, str]:
        form = "%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(refname)"
        output = self._run_whole(["for-each-ref", f"--count={MAX_REFS}", f"--format={form}", under], check)
        found = {}
        for line in output.decode("utf-8", "replace").splitlines():
            sha, kind, peeled, peeled_kind, name = line.split(" ", 4)
            commit = sha if kind == "commit" else peeled if peeled_kind == "commit" else None
            if commit is not None and SHA.fullmatch(commit):
                found[name.removeprefix(under)] = commit
        return found

    def _config_arguments(self, options: Sequence[str]) -> list[str]:
        config = [word for option in (*GIT_CONFIG, *options) for word in ("-c", option)]
        return ["--no-pager", "--no-replace-objects", f"--git-dir={self._git_dir}", *config]

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._folder / "home"),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            **more,
        }

    def _run_whole(
        self,
        arguments: Sequence[str],
        check: Callable[[], None],
        *,
        remote: ResolvedRemote | None = None,
        seconds: float = COMMAND_SECONDS,
        watched: bool = False,
    ) -> bytes:
        max_bytes = MAX_OUTPUT_BYTES
        return b"".join(
            self._run(arguments, check, remote=remote, seconds=seconds, max_bytes=max_bytes, watched=watched)
        )

    def _run(
        self,
        arguments: Sequence[str],
        check: Callable[[], None],
        *,
        remote: ResolvedRemote | None = None,
        input_bytes: bytes = b"",
        max_bytes: int | None,
        seconds: float,
        watched: bool = False,
    ) -> Iterator[bytes]:
        """Yield git's output; the child process always ends.

        Raises the errors of `check`, `GitCommandError`, `TooLarge`, `UpstreamUnavailable`.
        """
        options, environment = (remote.options, remote.environment) if remote else ((), {})
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
            stdin.write(input_bytes)
            stdin.seek(0)
            child = subprocess.Popen(
                [*DIES_WITH_US, "git", *self._config_arguments(options), *arguments],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=self._environment(environment),
                start_new_session=True,
            )
            try:
                size, until = 0, time.monotonic() + seconds
                for part in read_output_chunks(child):
                    check()
                    size += len(part)
                    if max_bytes is not None and size > max_bytes:
                        raise TooLarge("The output of git is too large.", limit=max_bytes, unit="bytes")
                    if time.monotonic() > until:
                        raise UpstreamUnavailable(
                            f"Git did not finish within {seconds:g} seconds.", slug="answered-too-late", limit=seconds
                        )
                    if watched:
                        self._check_size()
                    if part:
                        yield part
                if child.wait(timeout=COMMAND_SECONDS) != 0:
                    stderr.seek(0)
                    raise explain_failure(stderr.read(MAX_ERROR_BYTES).decode("utf-8", "replace"), remote)
                if watched:
                    self._check_size()
            finally:
                terminate(child)

    def _check_size(self) -> None:
        size = 0
        for folder, _, files in os.walk(self._git_dir):
            for name in files:
                with suppress(FileNotFoundError):  # git renames finished files
                    size += (Path(folder) / name).stat().st_size
        if size > self._limits.repository_bytes:
            raise TooLarge(
                "The repository is too large to mirror.",
                limit=self._limits.repository_bytes,
                actual=size,
                unit="bytes",
                remedy="An operator can raise SLOWPATH_MAX_REPOSITORY_BYTES. Alternatively, send the commits by the API.",
            )


def _require_sha(sha: str) -> str:
    """Return `sha` if it is valid in a command; anything else is an internal error. Raises `ValueError`."""
    if not SHA.fullmatch(sha):
        raise ValueError("not a SHA of 40 hexadecimal digits")
    return sha
