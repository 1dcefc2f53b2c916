"""Build an image on the runner's machine before another driver deploys it: `build = ["./image.sh", "{image}"]`.

The command driver runs the command in the build's folder, with `{image}` and the placeholders of the run. Exit codes: 0
built (or exists already), 125 does not build, 75 retry. The command survives a restart of the runner and is started once
per attempt.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from slowpath_cli.runner.core.config_section import ConfigSection
from slowpath_cli.runner.core.driver_interface import (
    DeploymentCallback,
    DeploymentDriver,
    DeploymentStatus,
    DeploymentTarget,
    DriverEnvironment,
    Handle,
    InvalidDriverConfig,
    ModuleOverride,
)
from slowpath_cli.runner.core.driver_state import DriverStateStore
from slowpath_cli.runner.core.placeholders import KNOWN, PLACEHOLDER, fill_placeholder
from slowpath_cli.runner.drivers.command_driver import CommandDriver
from slowpath_cli.runner.kube.kube_pods import image_of

NO_ENDPOINTS: "Mapping[str, Any]" = {}


@dataclass(frozen=True)
class BuildThenDeployDriver:
    """Builds an image, then deploys it with another driver; implements `DeploymentDriver`."""

    builder: CommandDriver
    image: str
    driver: DeploymentDriver
    notes: DriverStateStore

    @property
    def poll_seconds(self) -> float:
        """Return the interval of the other driver."""
        return self.driver.poll_seconds

    def prepare(self) -> None:
        """Prepare both drivers. Raises `DriverError`."""
        self.builder.prepare()
        self.driver.prepare()

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Start the build. Raises `DeploymentFailed`."""
        image = fill_placeholder(self.image, image_of(target, self.image))
        words = tuple(word.replace("{image}", image) for word in self.builder.command)
        built = replace(self.builder, command=words).deploy(target)
        return {"run_id": str(target.run_id), "built": dict(built), "target": dump_target(target)}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of the build, then that of the deployment. Raises the errors of both drivers."""
        inner = self._inner(handle)
        if inner is None:
            built = self.builder.status(handle["built"], called_back)
            if built.state != "ready":
                return built
            inner = self.driver.deploy(load_target(handle["target"]))
            self.notes.write(handle["run_id"], {"attempt": handle["target"]["attempt"], "handle": dict(inner)})
        return self.driver.status(inner, called_back)

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the endpoints of the other driver; empty before its deployment."""
        inner = self._inner(handle)
        return NO_ENDPOINTS if inner is None else self.driver.endpoints(inner)

    def restore(self, run_id: UUID) -> None:
        """Stop the build and remove the deployment. Raises `DeploymentFailed`."""
        self.builder.restore(run_id)
        self.driver.restore(run_id)
        self.notes.forget(run_id)

    def log(self, run_id: UUID) -> str:
        """Return the end of the build's log."""
        return self.builder.log(run_id)

    def _inner(self, handle: Handle) -> Handle | None:
        note = self.notes.read(handle["run_id"])
        if note is None or note.get("attempt") != handle["target"]["attempt"]:
            return None
        found: Handle = note["handle"]
        return found


def wrap_with_build(
    section: ConfigSection, place: DriverEnvironment, image: str, driver: DeploymentDriver
) -> DeploymentDriver:
    """Return the driver, wrapped with an image build if `build` is set. Raises `InvalidDriverConfig`."""
    words = section.get_strings("build")
    if not words:
        return driver
    for word in words:
        for name in PLACEHOLDER.findall(word):
            if name not in {*KNOWN, "image"}:
                raise InvalidDriverConfig(
                    f"[deploy] build has an unknown placeholder {{{name}}}; known are {', '.join((*KNOWN, 'image'))}."
                )
    builder = CommandDriver(replace(place, work=place.work / "building"), tuple(words), stays=False)
    return BuildThenDeployDriver(builder, image, driver, DriverStateStore(place.work / "built"))


def dump_target(target: DeploymentTarget) -> dict[str, Any]:
    """Return a target as JSON."""
    return {
        "run_id": str(target.run_id), "slot": target.slot, "service": target.service, "commit": target.commit,
        "dir": None if target.dir is None else str(target.dir), "out": str(target.out),
        "overrides": {module: override.to_json() for module, override in target.overrides.items()},
        "callback": None if target.callback is None else [target.callback.url, target.callback.token],
        "port": target.port, "seconds": target.seconds, "attempt": target.attempt,
    }  # fmt: skip


def load_target(document: Mapping[str, Any]) -> DeploymentTarget:
    """Parse a target from JSON."""
    overrides = {module: ModuleOverride.from_json(one) for module, one in document["overrides"].items()}
    return DeploymentTarget(
        run_id=UUID(document["run_id"]), slot=document["slot"], service=document["service"], commit=document["commit"],
        dir=None if document["dir"] is None else Path(document["dir"]), out=Path(document["out"]), overrides=overrides,
        callback=None if document["callback"] is None else DeploymentCallback(*document["callback"]), port=document["port"],
        seconds=document["seconds"], attempt=document["attempt"],
    )  # fmt: skip
