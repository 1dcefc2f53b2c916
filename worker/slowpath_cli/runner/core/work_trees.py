"""Laying out a build for a slot: work trees of ours, with the modules that stand in for others."""

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
from slowpath_cli.local_bisect.local_repositories import (
    DIES_WITH_US,
    InvalidRepository,
    LocalRepository,
    ObjectReaderFactory,
)
from slowpath_cli.local_bisect.script_runner import prepare_work_tree
from slowpath_cli.runner.core.driver_interface import DeploymentFailed
from slowpath_cli.runner.core.runner_config import RunnerConfig

FETCH_SECONDS: Final = 1800.0
PROTOCOLS: Final = ("https", "http", "ssh", "git", "file")


class FetchFailed(Exception):
    """What lies at an address could not be fetched just now."""


class WorkTrees:
    """The repositories of a runner, and one work tree of each for a slot."""

    def __init__(self, config: RunnerConfig, read_objects: ObjectReaderFactory) -> None:
        self._read_objects = read_objects
        self._config = config
        self._opened: dict[str, LocalRepository] = {}
        self._lock = Lock()

    def of(self, build: BuildInputs, slot: int) -> tuple[Path, dict[str, dict[str, str]]]:
        """Return the folder of a build, and what stands in for its modules. Raises `DeploymentFailed`."""
        wanted = {MAIN: build.commit, **build.modules}
        try:
            with self._lock:  # opening and fetching; work trees of slots are laid out at the same time
                repositories = {module: self._repository(module, sha) for module, sha in wanted.items()}
            main = repositories.pop(MAIN)
            binary = BinaryInputs(self._config.directory, None, GoTarget("linux", "amd64", frozenset(), None))
            place, overrides = prepare_work_tree(
                MultiRepositoryHistory(main, repositories, binary), self._config.directory, build, slot
            )
            folders = [place, *(Path(one["dir"]) for one in overrides.values() if "dir" in one)]
            self._config.allow.check_required(build.versions, [folder / "go.mod" for folder in folders])
        except FetchFailed as error:
            raise DeploymentFailed(str(error), is_transient=True) from error
        except (SlowpathError, OSError, subprocess.TimeoutExpired) as error:
            raise DeploymentFailed(f"The build cannot be laid out: {error}") from error
        return place, overrides

    def _repository(self, module: str, sha: str) -> LocalRepository:
        source = self._config.repositories.get(module)
        if source is None:
            raise InvalidRepository(
                f'The runner knows no repository for {module}: name it in [repositories], as "{module}" = "…".'
            )
        home = self._config.work / "repositories" / hashlib.sha256(f"{module}\n{source}".encode()).hexdigest()[:16]
        is_address = not Path(source).is_absolute()
        if is_address:
            _fetched(source, home / "mirror", sha)
        if module not in self._opened:
            folder = home / "mirror" if is_address else Path(source)
            self._opened[module] = LocalRepository(
                module or "the repository", folder, home / "trees", self._read_objects
            )
        opened = self._opened[module]
        opened.resolve(sha)
        refs = self._config.allow.refs
        if refs is not None and not opened.reachable(sha, refs):
            raise InvalidRepository(f"{sha} is on no branch or tag that [allow] refs of the runner's file names.")
        return opened


def _fetched(url: str, mirror: Path, sha: str) -> None:
    """Keep a copy of what lies at an address; it is asked for what is new only when a commit is missing."""
    if url.startswith("-") or "::" in url:
        raise InvalidRepository(f"{url!r} is not the address of a repository.")
    if not (mirror / "HEAD").exists():
        mirror.mkdir(parents=True, mode=0o700)
        _git(mirror, "init", "--quiet", "--bare", "--template=", ".")
    if _git(mirror, "cat-file", "-e", f"{sha}^{{commit}}", check=False) == 0:
        return
    _git(mirror, "fetch", "--quiet", "--force", "--no-write-fetch-head", "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")  # fmt: skip
    if (
        _git(mirror, "cat-file", "-e", f"{sha}^{{commit}}", check=False) != 0
    ):  # reached from no branch: many servers give it by its id
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
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise FetchFailed(f"git cannot {words[0]} {mirror.parent.name}: {said[-1] if said else done.returncode}")
    return done.returncode
