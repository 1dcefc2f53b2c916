"""Check out a build for a slot: work trees of its repositories, with its module overrides."""

import hashlib
import os
import subprocess
from pathlib import Path
from threading import Lock
from typing import Final

from slowpath.analysis.closure.build_constraints import BuildTarget as GoTarget
from slowpath.core.errors import SlowpathError
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.service.candidate_discovery import MAIN, BinaryInputs, MultiRepositoryHistory
from slowpath_cli.local_bisect.build_changes import BuildChange
from slowpath_cli.local_bisect.local_repositories import (
    DIES_WITH_US,
    InvalidRepository,
    LocalRepository,
    ObjectReaderFactory,
)
from slowpath_cli.local_bisect.script_runner import prepare_work_tree
from slowpath_cli.runner.core.driver_interface import BuildFailed, DeploymentFailed
from slowpath_cli.runner.core.runner_config import RunnerConfig

FETCH_SECONDS: Final = 1800.0
PROTOCOLS: Final = ("https", "http", "ssh", "git", "file")


class FetchFailed(Exception):
    """A repository could not be fetched; a retry may help."""


class WorkTrees:
    """The repositories of a runner, with one work tree per repository and slot."""

    def __init__(self, config: RunnerConfig, read_objects: ObjectReaderFactory) -> None:
        self._read_objects = read_objects
        self._config = config
        self._opened: dict[str, LocalRepository] = {}
        self._lock = Lock()

    def of(
        self, build: BuildInputs, slot: int, change: BuildChange | None = None
    ) -> tuple[Path, dict[str, dict[str, str]]]:
        """Check out a build; return its folder and its module overrides. Raises `BuildFailed`, `DeploymentFailed`."""
        commits = {MAIN: build.commit, **build.modules}
        try:
            with self._lock:  # only for opening and fetching; slots check out their work trees concurrently
                repositories = {module: self._repository(module, sha) for module, sha in commits.items()}
            main = repositories.pop(MAIN)
            if change is not None and change.culprit is not None and not main.is_ancestor(change.culprit, build.commit):
                raise InvalidRepository(
                    f"{change.culprit} is not an ancestor of {build.commit}, so it is not reverted."
                )
            binary = BinaryInputs(self._config.directory, None, GoTarget("linux", "amd64", frozenset(), None))
            folder, overrides = _check_out(
                MultiRepositoryHistory(main, repositories, binary), self._config.directory, build, slot, change
            )
            folders = [folder, *(Path(one["dir"]) for one in overrides.values() if "dir" in one)]
            self._config.allow.check_required(build.versions, [folder / "go.mod" for folder in folders])
        except FetchFailed as error:
            raise DeploymentFailed(str(error), is_transient=True) from error
        except (SlowpathError, OSError, subprocess.TimeoutExpired) as error:
            raise DeploymentFailed(f"The build cannot be checked out: {error}") from error
        return folder, overrides

    def _repository(self, module: str, sha: str) -> LocalRepository:
        source = self._config.repositories.get(module)
        if source is None:
            raise InvalidRepository(f'[repositories] has no repository for {module}. Add "{module}" = "folder or URL".')
        home = self._config.work / "repositories" / hashlib.sha256(f"{module}\n{source}".encode()).hexdigest()[:16]
        is_address = not Path(source).is_absolute()
        if is_address:
            _fetch(source, home / "mirror", sha)
        if module not in self._opened:
            folder = home / "mirror" if is_address else Path(source)
            self._opened[module] = LocalRepository(
                module or "the repository", folder, home / "trees", self._read_objects
            )
        opened = self._opened[module]
        opened.resolve(sha)
        refs = self._config.allow.refs
        if refs is not None and not opened.reachable(sha, refs):
            raise InvalidRepository(
                f"{sha} is not on a branch or tag that [allow] refs of the runner's configuration permits."
            )
        return opened


def _check_out(
    history: MultiRepositoryHistory[LocalRepository],
    directory: str,
    build: BuildInputs,
    slot: int,
    change: BuildChange | None,
) -> tuple[Path, dict[str, dict[str, str]]]:
    """Check out a build whose commits exist; one that git cannot write is not buildable. Raises `BuildFailed`."""
    try:
        return prepare_work_tree(history, directory, build, slot, change)
    except InvalidRepository as error:
        raise BuildFailed(f"The build cannot be checked out: {error}") from error


def _fetch(url: str, mirror: Path, sha: str) -> None:
    """Mirror the repository at an address; fetches only if the commit is missing. Raises `FetchFailed`."""
    if url.startswith("-") or "::" in url:
        raise InvalidRepository(f"{url!r} is not a valid repository address.")
    if not (mirror / "HEAD").exists():
        mirror.mkdir(parents=True, mode=0o700)
        _git(mirror, "init", "--quiet", "--bare", "--template=", ".")
    if _git(mirror, "cat-file", "-e", f"{sha}^{{commit}}", check=False) == 0:
        return
    _git(mirror, "fetch", "--quiet", "--force", "--no-write-fetch-head", "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")  # fmt: skip
    if (
        _git(mirror, "cat-file", "-e", f"{sha}^{{commit}}", check=False) != 0
    ):  # not on a branch: many servers allow fetching it by SHA
        _git(mirror, "fetch", "--quiet", "--no-write-fetch-head", "--", url, sha)


def _git(mirror: Path, *words: str, check: bool = True) -> int:
    allowed = [part for name in PROTOCOLS for part in ("-c", f"protocol.{name}.allow=always")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [*DIES_WITH_US, "git", "-c", "protocol.allow=never", *allowed, "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", *words],
        cwd=mirror, stdin=subprocess.DEVNULL, capture_output=True, timeout=FETCH_SECONDS, check=False,
        env={**environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
    )  # fmt: skip
    if check and done.returncode != 0:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise FetchFailed(f"git cannot {words[0]} {mirror.parent.name}: {errors[-1] if errors else done.returncode}")
    return done.returncode
