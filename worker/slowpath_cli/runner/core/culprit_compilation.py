"""Compile a culprit and the build before it on a runner, one after the other in the work tree of a slot."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from slowpath.analysis.builds.compile_report import CompilerReason
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN
from slowpath_cli.local_bisect.compiler_decisions import (
    Compilation,
    CompilationStopped,
    PackagePlace,
    compare_builds,
)
from slowpath_cli.local_bisect.go_toolchain import go_environment, toolchain_override
from slowpath_cli.local_bisect.local_repositories import InvalidRepository
from slowpath_cli.runner.core.driver_interface import BuildFailed, DeploymentFailed
from slowpath_cli.runner.core.measurement import ProbeAborted
from slowpath_cli.runner.core.run_context import RunnerContext, make_build_inputs
from slowpath_cli.runner.core.run_processes import RUN_VARIABLE
from slowpath_cli.runner.core.run_store import RunRecord


def compare_culprit(context: RunnerContext, run: RunRecord, is_aborted: Callable[[], bool]) -> Sequence[CompilerReason]:
    """Return what the compiler decided differently in the two builds of a lease.

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
    try:
        return compare_builds(
            check_out, (make_build_inputs(compiled["base"]), candidate), place, Compilation(environment, is_aborted)
        )
    except CompilationStopped as error:
        raise ProbeAborted from error
    except InvalidRepository as error:
        raise BuildFailed(str(error)) from error
