"""Compile a culprit and the build before it on a runner, one after the other in the work tree of a slot."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN
from slowpath_cli.collect.executable_file import EXECUTABLE_NAME, MAX_EXECUTABLE_BYTES
from slowpath_cli.core.collect_errors import InvalidArgument
from slowpath_cli.local_bisect.compiler_decisions import (
    BuiltExecutable,
    ComparedBuilds,
    Compilation,
    CompilationStopped,
    PackagePlace,
    compare_executables,
)
from slowpath_cli.local_bisect.go_toolchain import go_environment, toolchain_override
from slowpath_cli.local_bisect.local_repositories import InvalidRepository
from slowpath_cli.runner.core.driver_interface import BuildFailed, DeploymentFailed
from slowpath_cli.runner.core.measurement import ProbeAborted, upload_with_retry
from slowpath_cli.runner.core.run_context import RunnerContext, make_build_inputs
from slowpath_cli.runner.core.run_processes import RUN_VARIABLE
from slowpath_cli.runner.core.run_store import RunRecord
from slowpath_cli.runner.core.server_client import ServerClient

SIDES: Final = ("base", "candidate")


def compare_culprit(context: RunnerContext, run: RunRecord, is_aborted: Callable[[], bool]) -> ComparedBuilds:
    """Return what the compiler decided differently in the two builds of a lease, and the executables if they are uploaded.

    Nothing of the commits is run: only `go list` and `go build` are, without the token of the runner.
    Raises `BuildFailed`, `DeploymentFailed`, `ProbeAborted`.
    """
    if not context.config.compile:
        raise DeploymentFailed("The runner does not compile culprits: [runner] compile is false.")
    compiled, candidate = run.lease["compile"], make_build_inputs(run.lease["build"])
    place = PackagePlace(context.config.directory, ",".join(compiled["tags"]), f"./{compiled['package']}")

    def check_out(build: BuildInputs) -> tuple[Path, Mapping[str, Mapping[str, str]]]:
        folder, overrides = context.work_trees.of(build, run.slot)
        return folder, {module: to for module, to in overrides.items() if module != TOOLCHAIN}

    environment = {**context.config.environment, RUN_VARIABLE: str(run.run_id)}
    if override := toolchain_override(candidate):
        environment |= go_environment(override, environment)
    out = context.files.folder(run.run_id) / "executables" if context.config.upload_executables else None
    if out is not None:
        out.mkdir(parents=True, exist_ok=True, mode=0o700)
    builds = (make_build_inputs(compiled["base"]), candidate)
    try:
        return compare_executables(check_out, builds, place, Compilation(environment, is_aborted), out)
    except CompilationStopped as error:
        raise ProbeAborted from error
    except InvalidRepository as error:
        raise BuildFailed(str(error)) from error


def upload_executables(
    executables: tuple[BuiltExecutable, BuiltExecutable],
    run: RunRecord,
    control: ServerClient,
    is_aborted: Callable[[], bool],
) -> dict[str, str]:
    """Upload the executables of base and candidate as artifacts of the run; return their IDs by side.

    Their build read the PGO profile whose digest they get: it is known, wherever the file was.
    Raises `CollectError`, `ProbeAborted`.
    """
    commits = (run.lease["compile"]["base"]["commit"], run.lease["build"]["commit"])
    uploaded = {}
    for side, executable, commit in zip(SIDES, executables, commits, strict=True):
        if executable.path.stat().st_size > MAX_EXECUTABLE_BYTES:
            raise InvalidArgument(
                f"The executable has more than {MAX_EXECUTABLE_BYTES:,} bytes, the limit of an executable."
            )
        name = f"{int(run.lease['number']):03}-{side}-{EXECUTABLE_NAME}"
        facts = RunMetadata(commit=commit, pgo_sha256=executable.pgo_sha256)
        send = partial(control.put_file, run.run_id, executable.path, name, facts)
        uploaded[side] = upload_with_retry(is_aborted, send)
    return uploaded
