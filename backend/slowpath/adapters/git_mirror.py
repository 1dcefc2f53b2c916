"""The git binary on bare copies of repositories: fixed argument lists, no shell, no configuration but ours, limits on all of it.

What others wrote (names of branches, paths, messages) never becomes an argument: only ids of forty hexadecimal digits do,
and the address, which was checked and begins with its scheme. Every child has a session of its own, so that a time limit
or a cancelled job ends it together with whatever it started.
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

ALWAYS: Final = (
    "protocol.allow=never", "http.followRedirects=false", "http.proxy=", "http.lowSpeedLimit=1000", "http.lowSpeedTime=60",
    "credential.helper=", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
    "core.bigFileThreshold=8m", "pack.threads=1", "pack.windowMemory=64m", "core.deltaBaseCacheLimit=32m",
    "fetch.recurseSubmodules=false", "fetch.unpackLimit=1", "fetch.writeCommitGraph=false", "transfer.bundleURI=false",
    "gc.auto=0", "maintenance.auto=false", "log.showSignature=false", "diff.renameLimit=400", "advice.detachedHead=false",
)  # fmt: skip
BRANCHES: Final = "+refs/heads/*:refs/heads/*"
TAGS: Final = "+refs/tags/*:refs/tags/*"
FORMAT: Final = "tformat:%x1e%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%s%x00%b"

MOST_PACKS: Final = 40
"""Each fetch that brings something brings a pack; every look into a copy looks into all of them."""
MOST_HEADS: Final = 20_000
MOST_LISTED_BYTES: Final = 16 << 20
MOST_LOG_BYTES: Final = 4 << 30
MOST_ERROR_BYTES: Final = 8 << 10
ASK_SECONDS: Final = 60.0
READ_SECONDS: Final = 900.0


@dataclass(frozen=True)
class GitLimits:
    """What one repository may take."""

    repository_bytes: int
    fetch_seconds: float


class GitMirror:
    """A bare copy of one repository, kept by the git binary."""

    def __init__(self, folder: Path, remotes: AllowedRemotes, limits: GitLimits) -> None:
        """Keep the copy in this folder, made when it is first fetched."""
        self._folder = folder
        self._git_dir = folder / "git"
        self._remotes = remotes
        self._limits = limits

    def fetch(self, url: str, authorization: str | None, check: Callable[[], None]) -> GitBranchHeads:
        """Bring what is new. Raises `AddressRefused`, `GitRefused`, `TooLarge`, `UpstreamUnavailable`."""
        remote = self._remotes.opened(url, authorization)
        with self._locked(check):
            self._make(check)
            default_branch = self._default_branch(remote, check)
            arguments = ["fetch", "--quiet", "--prune", "--force", "--no-tags", "--no-recurse-submodules"]
            arguments += ["--no-write-fetch-head", "--no-auto-maintenance", "--", remote.url, BRANCHES, TAGS]
            self._whole(arguments, check, remote=remote, seconds=self._limits.fetch_seconds, watched=True)
            self._repack(check)
        branches = self._refs("refs/heads/", check)
        return GitBranchHeads(branches, self._refs("refs/tags/", check), default_branch)

    def commits(
        self, wanted: Collection[str], known: Collection[str], limit: int, check: Callable[[], None]
    ) -> Iterator[GitCommit]:
        """Yield the newest commits that are reached from `wanted` and not from `known`, ancestors first."""
        if not wanted:  # else git would begin at HEAD
            return iter(())
        asked = [_id(sha) for sha in wanted] + [f"^{_id(sha)}" for sha in known]
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
        said = "\n".join([*asked, ""]).encode()
        return read_commits(
            NulFieldReader(self._run(arguments, check, said=said, most=MOST_LOG_BYTES, seconds=READ_SECONDS))
        )

    def has(self, sha: str) -> bool:
        """Tell whether a commit is there."""
        if not self._git_dir.exists():
            return False
        with self.objects() as objects:
            return objects.kind(_id(sha)) == "commit"

    def patch(self, sha: str, *, max_bytes: int, check: Callable[[], None]) -> tuple[str, bool]:
        """Return what a commit changes as a patch, and whether it was cut. Raises `NotFound`."""
        if not self.has(sha):
            raise NotFound(f"The commit {sha} is not in the copy of its repository.", slug="commit-not-found")
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
        for part in self._run([*arguments, _id(sha), "--"], check, most=None, seconds=ASK_SECONDS):
            parts.append(part[: max_bytes - size])
            size += len(part)
            if size >= max_bytes:
                break
        return b"".join(parts).decode("utf-8", "replace"), size >= max_bytes

    @contextmanager
    def objects(self) -> Iterator[CatFileReader]:
        """Give a way to read objects."""
        command = [*DIES_WITH_US, "git", *self._ours(()), "cat-file", "--batch-command"]
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

    def told(self, arguments: Sequence[str], check: Callable[[], None]) -> str:
        """Return what a command of git says; whoever asks vouches that nothing in it is of others. Raises `Refused`."""
        return self._whole(arguments, check).decode("utf-8", "replace").strip("\n")

    def tags(self, check: Callable[[], None]) -> dict[str, str]:
        """Return the tags of the copy."""
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
        """Delete the mirror."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def _locked(self, check: Callable[[], None]) -> Iterator[None]:
        """Let nobody else fetch into this copy meanwhile."""
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

    def _make(self, check: Callable[[], None]) -> None:
        if not (self._git_dir / "HEAD").exists():
            (self._folder / "home").mkdir(exist_ok=True)
            self._whole(["init", "--quiet", "--bare", "--template=", "--object-format=sha1"], check)
        for left in self._git_dir.glob("**/*.lock"):  # of a fetch that was killed: nobody else is in here now
            left.unlink(missing_ok=True)
        for left in self._git_dir.glob("objects/pack/tmp_*"):
            left.unlink(missing_ok=True)

    def _repack(self, check: Callable[[], None]) -> None:
        """Make one pack of many. What no branch reaches any more stays: a build may have been made of it."""
        packs = sum(1 for _ in self._git_dir.glob("objects/pack/*.pack"))
        if packs > MOST_PACKS:
            arguments = ["repack", "-a", "-d", "--keep-unreachable", "--quiet"]
            self._whole(arguments, check, seconds=self._limits.fetch_seconds)

    def _default_branch(self, remote: ResolvedRemote, check: Callable[[], None]) -> str | None:
        told = self._whole(
            ["ls-remote", "--symref", "--", remote.url, "HEAD"], check, remote=remote, seconds=ASK_SECONDS
        )
        found = re.match(r"ref: refs/heads/([^\t\n]+)\tHEAD$", told.decode("utf-8", "replace"), re.MULTILINE)
        return found.group(1) if found else None

    def _refs(self, under: str, check: Callable[[], None]) -> dict[str, str]:
        form = "%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(refname)"
        told = self._whole(["for-each-ref", f"--count={MOST_HEADS}", f"--format={form}", under], check)
        found = {}
        for line in told.decode("utf-8", "replace").splitlines():
            sha, kind, peeled, peeled_kind, name = line.split(" ", 4)
            commit = sha if kind == "commit" else peeled if peeled_kind == "commit" else None
            if commit is not None and SHA.fullmatch(commit):
                found[name.removeprefix(under)] = commit
        return found

    def _ours(self, options: Sequence[str]) -> list[str]:
        given = [word for option in (*ALWAYS, *options) for word in ("-c", option)]
        return ["--no-pager", "--no-replace-objects", f"--git-dir={self._git_dir}", *given]

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

    def _whole(
        self,
        arguments: Sequence[str],
        check: Callable[[], None],
        *,
        remote: ResolvedRemote | None = None,
        seconds: float = ASK_SECONDS,
        watched: bool = False,
    ) -> bytes:
        most = MOST_LISTED_BYTES
        return b"".join(self._run(arguments, check, remote=remote, seconds=seconds, most=most, watched=watched))

    def _run(
        self,
        arguments: Sequence[str],
        check: Callable[[], None],
        *,
        remote: ResolvedRemote | None = None,
        said: bytes = b"",
        most: int | None,
        seconds: float,
        watched: bool = False,
    ) -> Iterator[bytes]:
        """Yield what git says. Raises what `check` raises, `GitRefused`, `TooLarge`, `UpstreamUnavailable`; the child ends in any case."""
        options, environment = (remote.options, remote.environment) if remote else ((), {})
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
            stdin.write(said)
            stdin.seek(0)
            child = subprocess.Popen(
                [*DIES_WITH_US, "git", *self._ours(options), *arguments],
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
                    if most is not None and size > most:
                        raise TooLarge("Git says more than is read of it.", limit=most, unit="bytes")
                    if time.monotonic() > until:
                        raise UpstreamUnavailable(
                            f"Git did not end within {seconds:g} seconds.", slug="answered-too-late", limit=seconds
                        )
                    if watched:
                        self._check_size()
                    if part:
                        yield part
                if child.wait(timeout=ASK_SECONDS) != 0:
                    stderr.seek(0)
                    raise explain_failure(stderr.read(MOST_ERROR_BYTES).decode("utf-8", "replace"), remote)
                if watched:
                    self._check_size()
            finally:
                terminate(child)

    def _check_size(self) -> None:
        size = 0
        for folder, _, files in os.walk(self._git_dir):
            for name in files:
                with suppress(FileNotFoundError):  # git renames what it has finished
                    size += (Path(folder) / name).stat().st_size
        if size > self._limits.repository_bytes:
            self.delete()
            raise TooLarge(
                "The repository is too large to be kept.",
                limit=self._limits.repository_bytes,
                actual=size,
                unit="bytes",
                remedy="The operator can raise SLOWPATH_MAX_REPOSITORY_BYTES; or push what is known of its commits.",
            )


def _id(sha: str) -> str:
    """Return an id that may stand in a command. Everything else is a fault of ours by now."""
    if not SHA.fullmatch(sha):
        raise ValueError("not the id of a commit")
    return sha
