"""Context of a run for its driver and commands: build, folders, placeholders and environment variables."""

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.experiment_plan import VARIANT
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN
from slowpath_cli.local_bisect.go_toolchain import toolchain_override
from slowpath_cli.runner.core.driver_environment import make_environment, placeholder_values
from slowpath_cli.runner.core.driver_interface import (
    DeploymentCallback,
    DeploymentDriver,
    DeploymentTarget,
    ModuleOverride,
    ProvidesLog,
)
from slowpath_cli.runner.core.measurement import MeasurementContext
from slowpath_cli.runner.core.run_store import RunRecord, RunStore
from slowpath_cli.runner.core.runner_config import RunnerConfig
from slowpath_cli.runner.core.server_client import ServerClient
from slowpath_cli.runner.core.variant_changes import read_change, read_variant
from slowpath_cli.runner.core.work_trees import WorkTrees


@dataclass(frozen=True)
class RunnerContext:
    """Configuration and services shared by all probes of a runner."""

    config: RunnerConfig
    driver: DeploymentDriver
    files: RunStore
    work_trees: WorkTrees
    connect: Callable[[], ServerClient]
    """Opens a server connection; each thread needs a separate one."""
    now: Callable[[], datetime]
    log: Callable[[str], None]
    stopping: Event


@dataclass(frozen=True)
class RunContext:
    """One run of a runner."""

    runner: RunnerContext
    run: RunRecord

    def prepare_build(self) -> None:
        """Check out the build if the runner does so, and assign a folder and a port. Raises `DriverError`."""
        run, config = self.run, self.runner.config
        build = run.lease["build"]
        if config.checkout:
            change = read_change(
                run.lease.get("variant"), run.run_id, self.runner.files.folder(run.run_id), self.runner.connect
            )
            folder, run.overrides = self.runner.work_trees.of(make_build_inputs(build), run.slot, change)
            run.dir = str(folder)
        else:
            run.overrides = {name: {"commit": sha} for name, sha in build["modules"].items()}
            run.overrides |= {name: {"version": version} for name, version in build["versions"].items()}
            if toolchain := toolchain_override(make_build_inputs(build)):
                run.overrides[TOOLCHAIN] = toolchain
        run.port = config.ports[run.slot] if run.slot < len(config.ports) else _free_port()
        self.out().mkdir(parents=True, exist_ok=True, mode=0o700)

    def target(self) -> DeploymentTarget:
        """Return the target for the driver."""
        run = self.run
        callback: dict[str, Any] | None = run.lease.get("callback")
        return DeploymentTarget(
            run_id=run.run_id, slot=run.slot, service=str(run.lease["service"]["name"]), commit=str(run.lease["build"]["commit"]),
            dir=None if run.dir is None else Path(run.dir), out=self.out(),
            variant=read_variant(run.lease.get("variant")),
            overrides={name: ModuleOverride.from_json(one) for name, one in run.overrides.items()},
            callback=DeploymentCallback(callback["url"], callback["token"]) if callback else None, port=run.port,
            seconds=float(run.lease["deployment_seconds"]), attempt=run.attempt,
        )  # fmt: skip

    def values(self, out: Path) -> dict[str, str]:
        """Return the values of placeholders after deployment; commands write their files to `out`."""
        assert self.run.handle is not None
        seconds = f"{float(self.run.lease['measurement_seconds']):g}"
        run_values = placeholder_values(self.target()) | {"out": str(out), "seconds": seconds}
        return run_values | dict(self.runner.driver.endpoints(self.run.handle))

    def environment(self, out: Path) -> dict[str, str]:
        """Return the environment variables of commands."""
        return make_environment(self.runner.config.environment, self.target(), self.values(out))

    def cwd(self) -> Path:
        """Return the working directory of commands."""
        return self.out() if self.run.dir is None else Path(self.run.dir)

    def out(self) -> Path:
        """Return the run's output folder."""
        return self.runner.files.folder(self.run.run_id) / "out"

    def measurement_context(self, index: int, is_aborted: Callable[[], bool]) -> MeasurementContext:
        """Return the context of one measurement; `is_aborted` returns whether it must stop."""
        run, out = self.run, self.out() / f"{index:03}"
        return MeasurementContext(
            run_id=run.run_id, number=int(run.lease["number"]), index=index, commit=str(run.lease["build"]["commit"]), cwd=self.cwd(),
            out=out, values=self.values(out), environment=self.environment(out), signature=str(run.lease["signature"]["kind"]),
            window_seconds=float(run.lease["measurement_seconds"]), is_aborted=is_aborted,
            is_experiment=run.lease["purpose"] == VARIANT,
        )  # fmt: skip

    def log(self, note: str) -> str:
        """Return the log sent to the server: the driver's log, the current status, and the reason of the end."""
        driver = self.runner.driver
        log = driver.log(self.run.run_id) if isinstance(driver, ProvidesLog) else ""
        return "\n".join(dict.fromkeys(part for part in (log, note, self.run.words) if part))


def make_build_inputs(build: Mapping[str, Any]) -> BuildInputs:
    """Return the inputs of a lease's build; those of runners before Go releases have no settings."""
    return BuildInputs(build["commit"], build["modules"], build["versions"], build.get("settings", {}))


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
