"""Build a package twice, and find what the compiler decided differently."""

import hashlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from slowpath.analysis.bisect.search_state import SearchResult
from slowpath.analysis.builds.compile_report import (
    MOST_REASONS,
    PGO_PROFILE,
    CompilerReason,
    FunctionDecisions,
    compare_pgo_profiles,
    describe_reason,
    find_differences,
    parse_decisions,
)
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS
from slowpath.verdicts.bisects.service.candidate_discovery import MultiRepositoryHistory
from slowpath_cli.local_bisect.local_repositories import DIES_WITH_US, InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.script_runner import prepare_work_tree
from slowpath_cli.local_bisect.search_driver import SearchSession

BUILD_SECONDS: Final = 1800.0
POLL_SECONDS: Final = 0.25
MOST_OUTPUT_BYTES: Final = 256 << 20
LAST_CHARACTERS: Final = 2000
MOST_SENTENCES: Final = 10
GO_WITHOUT_AUTO: Final = re.compile(r"go1\.(1?\d|20)(?!\d)")
"""Versions of Go that build without a PGO profile unless `-pgo` asks for one."""
CheckOut = Callable[[BuildInputs], tuple[Path, Mapping[str, Mapping[str, str]]]]
"""Return the folder of a build's module, and the modules that are replaced in it."""


class CompilationStopped(Exception):
    """The caller asked to stop."""


@dataclass(frozen=True)
class PackagePlace:
    """A package: the folder of go.mod in the repository, build tags separated by commas, and its path for `go build`."""

    directory: str
    tags: str
    package: str


@dataclass(frozen=True)
class Compilation:
    """How commands run: their environment, and whether they have to stop."""

    environment: Mapping[str, str]
    is_aborted: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class BuiltExecutable:
    """An executable, and the digest of the PGO profile that its build read, if any."""

    path: Path
    pgo_sha256: str | None


@dataclass(frozen=True)
class ComparedBuilds:
    """What the compiler decided differently, and the executables of base and candidate if they were stored."""

    reasons: Sequence[CompilerReason]
    executables: tuple[BuiltExecutable, BuiltExecutable] | None


def local_compilation() -> Compilation:
    """Return a compilation with the variables of this process."""
    return Compilation({name: value for name, value in os.environ.items() if not name.startswith("GIT_")})


def compare_decisions(
    repository: LocalRepository, commits: tuple[str, str], place: PackagePlace
) -> Sequence[CompilerReason]:
    """Return what the compiler decided differently in the package at two commits. Raises `InvalidRepository`."""
    base, candidate = map(BuildInputs, commits)
    folder = place.directory.strip("/")
    return compare_builds(
        lambda build: (repository.tree(0, build.commit) / folder, {}), (base, candidate), place, local_compilation()
    )


def compare_builds(
    check_out: CheckOut, builds: tuple[BuildInputs, BuildInputs], place: PackagePlace, how: Compilation
) -> Sequence[CompilerReason]:
    """Return what the compiler decided differently in the package in two builds, one checked out after the other.

    In the package's module and in the modules that are replaced by a commit.
    Raises `InvalidRepository`, `CompilationStopped`.
    """
    return compare_executables(check_out, builds, place, how, None).reasons


def compare_executables(
    check_out: CheckOut,
    builds: tuple[BuildInputs, BuildInputs],
    place: PackagePlace,
    how: Compilation,
    folder: Path | None,
) -> ComparedBuilds:
    """Return what the compiler decided differently as `compare_builds` does; leave both executables in `folder`, if given.

    The executables are built again without -m=2, so that their build information has no flag that a deployment lacks.
    Raises `InvalidRepository`, `CompilationStopped`.
    """
    names = ("base", "candidate")
    paths = [None if folder is None else folder / name for name in names]
    base, candidate = (_compile(*check_out(build), place, how, path) for build, path in zip(builds, paths, strict=True))
    profiles = compare_pgo_profiles(base.pgo_sha256, candidate.pgo_sha256)
    reasons = [*profiles, *find_differences(base.decisions, candidate.decisions)][:MOST_REASONS]
    if base.executable is None or candidate.executable is None:
        return ComparedBuilds(reasons, None)
    return ComparedBuilds(reasons, (base.executable, candidate.executable))


def explain_culprit(
    session: SearchSession, finished: SearchResult, history: MultiRepositoryHistory[LocalRepository]
) -> list[str]:
    """Return what the compiler decided differently in the culprit and the build before it, as sentences.

    Empty without a culprit or a main package, and for a release of Go.
    """
    question = session.question
    if finished.outcome != "found" or not question.get("main"):
        return []
    culprit = session.nodes[finished.suspects[0]]
    if culprit.repository in GO_LEVELS:
        return []
    directory = str(question.get("directory") or "")
    place = PackagePlace(directory, str(question.get("tags") or ""), f"./{question['main']}")
    try:
        reasons = compare_builds(
            lambda build: prepare_work_tree(history, directory.strip("/"), build, 0),
            (culprit.before, culprit.build), place, local_compilation(),
        )  # fmt: skip
    except InvalidRepository as error:
        return [f"What the compiler decided is not known: {error}"]
    more = len(reasons) - MOST_SENTENCES
    return [
        *map(describe_reason, reasons[:MOST_SENTENCES]),
        *([f"{more} further decisions differ: see slowpath compile-report."] if more > 0 else []),
    ]


@dataclass(frozen=True)
class _CompiledPackage:
    """What the compiler decided on the functions of a module, and the digest of the PGO profile that it read, if any."""

    decisions: Mapping[str, FunctionDecisions]
    pgo_sha256: str | None
    executable: BuiltExecutable | None


def _compile(
    folder: Path,
    overrides: Mapping[str, Mapping[str, str]],
    place: PackagePlace,
    how: Compilation,
    out: Path | None,
) -> _CompiledPackage:
    """Build the package in a work tree; leave its executable at `out`, if given and if the package is a main package."""
    replaced = [module for module, to in overrides.items() if "dir" in to]
    if overrides:  # go.mod and go.sum may lack the requirements of a replaced module
        flags = f"{how.environment.get('GOFLAGS', '')} -mod=mod".strip()
        how = Compilation({**how.environment, "GOFLAGS": flags}, how.is_aborted)
    module = run_go(folder, how, "list", "-m", "-f", "{{.Path}}")[0].split("\n")[0].strip()
    tags = ["-tags", place.tags]
    listed = run_go(folder, how, "list", *tags, "-f", "{{.Name}} {{.ImportPath}} {{.Dir}}", "--", place.package)[
        0
    ].splitlines()
    if len(listed) != 1:
        raise InvalidRepository(f"{place.package!r} names {len(listed)} packages. Name one main package.")
    name, path, source = listed[0].split(" ", 2)
    asked = [f"-gcflags={each}/...=-m=2" for each in (module, *replaced)]
    printed = run_go(folder, how, "build", "-buildvcs=false", *tags, *asked, "-o", os.devnull, "--", place.package)[1]
    flags, version = run_go(folder, how, "env", "GOFLAGS", "GOVERSION")[0].splitlines()
    profile = _find_profile(folder, Path(source), flags, version, is_main=name == "main")
    pgo_sha256, executable = _digest(profile), None
    if out is not None and name == "main":
        run_go(folder, how, "build", "-buildvcs=false", *tags, "-o", str(out), "--", place.package)
        executable = BuiltExecutable(out, pgo_sha256)
    return _CompiledPackage(parse_decisions(printed, path if name == "main" else ""), pgo_sha256, executable)


def _find_profile(folder: Path, source: Path, go_flags: str, version: str, *, is_main: bool) -> Path | None:
    """Return the PGO profile of a build: that of `-pgo` in GOFLAGS, else the one in the folder of the main package.

    Go 1.20 reads the latter only with `-pgo=auto`.
    """
    named = [each.partition("=")[2] for each in go_flags.split() if each.startswith(("-pgo=", "--pgo="))]
    if named and named[-1] not in {"auto", ""}:
        return None if named[-1] == "off" else folder / named[-1]
    is_read = is_main and (bool(named) or not GO_WITHOUT_AUTO.match(version))
    return source / PGO_PROFILE if is_read else None


def _digest(profile: Path | None) -> str | None:
    if profile is None or not profile.is_file():
        return None
    with profile.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_go(folder: Path, how: Compilation, *words: str) -> tuple[str, str]:
    """Run the go command in a separate session, which ends with this process; return stdout and stderr.

    Raises `InvalidRepository`, `CompilationStopped`.
    """
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            child = subprocess.Popen(
                [*DIES_WITH_US, "go", *words], cwd=folder, env=dict(how.environment), stdin=subprocess.DEVNULL,
                stdout=stdout, stderr=stderr, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise InvalidRepository(f"go {words[0]} could not be run in {folder}: {error}") from error
        try:
            code = _wait(child, how.is_aborted)
        except subprocess.TimeoutExpired as error:
            raise InvalidRepository(f"go {words[0]} did not finish within {BUILD_SECONDS:g} s.") from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # the compilers that it started, too
            child.wait()
        texts = _read(stdout), _read(stderr)
    if code != 0:
        raise InvalidRepository(f"go {words[0]} failed in {folder}: {texts[1].strip()[-LAST_CHARACTERS:]}")
    return texts


def _wait(child: "subprocess.Popen[bytes]", is_aborted: Callable[[], bool]) -> int:
    waited = 0.0
    while True:
        try:
            return child.wait(timeout=POLL_SECONDS)
        except subprocess.TimeoutExpired:
            waited += POLL_SECONDS
            if is_aborted():
                raise CompilationStopped from None
            if waited >= BUILD_SECONDS:
                raise


def _read(written: IO[bytes]) -> str:
    written.seek(0)
    return written.read(MOST_OUTPUT_BYTES).decode("utf-8", "replace")
