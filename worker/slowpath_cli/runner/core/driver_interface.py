"""Interface of deployment drivers. Every call is idempotent by the ID of the run.

Before `deploy`, the runner waits for the server's acknowledgment and writes the target to disk; after it, the handle. If
the runner is killed in between, it calls `deploy` again with the same target (`attempt` unchanged). A driver must
therefore look for an existing deployment of this `run_id` before it starts one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable
from uuid import UUID

from slowpath.analysis.experiments.variants import Variant
from slowpath.verdicts.bisects.rules.go_releases import GO_LINE, GODEBUG, GOEXPERIMENT

State = Literal["building", "rolling", "ready", "unbuildable", "failed"]
Handle = Mapping[str, Any]
"""Data of a deployment that the driver needs later: JSON, at most a few KiB, without secrets (it is written to disk)."""


class DriverError(Exception):
    """A deployment failed; the message is shown to users and sent to the server with the probe's end."""


class BuildFailed(DriverError):
    """The build does not compile; a retry does not help."""


class DeploymentUnhealthy(DriverError):
    """The deployment fails because of the build; a retry does not help."""


class DeploymentFailed(DriverError):
    """The deployment failed for another reason than the build; `is_transient`: a retry may succeed (full queue, 503)."""

    def __init__(self, message: str, *, is_transient: bool = False) -> None:
        super().__init__(message)
        self.is_transient = is_transient


class InvalidDriverConfig(DriverError):
    """The driver's configuration is invalid. Raised by `read`, before anything runs."""


@dataclass(frozen=True)
class ModuleOverride:
    """Replacement of a module: a commit of its repository, or a version if the repository is not given.

    The Go toolchain (golang.org/toolchain) is one, too.
    """

    commit: str | None = None
    version: str | None = None
    dir: Path | None = None
    """Work tree of the commit; None without a checkout."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the toolchain: `go` (the version of the `go` line), `GODEBUG` and `GOEXPERIMENT`."""

    def to_json(self) -> dict[str, str]:
        """Return the override as JSON for commands and jobs: `{commit, dir}` or `{version}`, without missing values.

        That of the toolchain has its settings, too.
        """
        fields = {"commit": self.commit, "version": self.version, "dir": None if self.dir is None else str(self.dir)}
        return {**self.settings, **{name: value for name, value in fields.items() if value is not None}}

    @staticmethod
    def from_json(fields: Mapping[str, str]) -> "ModuleOverride":
        """Return the override of such JSON."""
        settings = {name: value for name, value in fields.items() if name in {GO_LINE, GODEBUG, GOEXPERIMENT}}
        place = Path(fields["dir"]) if "dir" in fields else None
        return ModuleOverride(fields.get("commit"), fields.get("version"), place, settings)


@dataclass(frozen=True)
class DeploymentCallback:
    """Callback address of a deployment: POST `{"state": State, "detail": text}` to `url`, which contains the token."""

    url: str
    token: str


@dataclass(frozen=True)
class DeploymentTarget:
    """The build to deploy and its folders. The attempts of a run differ only in `attempt`."""

    run_id: UUID
    slot: int
    service: str
    commit: str
    dir: Path | None
    """Work tree of the service's module, with its replacements; None without a checkout."""
    out: Path
    """Folder of this run."""
    overrides: Mapping[str, ModuleOverride] = field(default_factory=dict)
    variant: Variant | None = None
    """Of an experiment: sets environment variables of all commands."""
    callback: DeploymentCallback | None = None
    port: int | None = None
    """The port of this slot."""
    seconds: float = 1800.0
    """Limit of the deployment's duration."""
    attempt: int = 1
    """Number of the attempt; increased after a transient failure and `restore`."""


@dataclass(frozen=True)
class DeploymentStatus:
    """Status of a deployment. `detail` is shown to users: the last line of a log, a condition's message."""

    state: State
    detail: str = ""


class DeploymentDriver(Protocol):
    """Deploys builds, reports their status and removes them."""

    @property
    def poll_seconds(self) -> float:
        """Return the pause between status requests of a deployment that is not ready."""

    def prepare(self) -> None:
        """Check for errors that affect every deployment: a rejected token, an unreachable cluster. Raises `DriverError`."""

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Start a deployment, or find that of this run, without waiting. Raises `BuildFailed`, `DeploymentFailed`."""

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of a deployment; `called_back` is the last status sent to its callback, if any.

        Called repeatedly, also after "ready": "failed" then means that the deployment is gone. Returns the last known
        status while the status cannot be read. Raises `BuildFailed`, `DeploymentUnhealthy`, and `DeploymentFailed`: if
        transient, the runner removes the deployment and retries with a new `attempt`.
        """

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return placeholder values for health check and measurement: `url`, `host`, `port` and those of the driver."""

    def restore(self, run_id: UUID) -> None:
        """Remove the deployment of a run, and wait until it is gone. Accepts unknown and removed runs.

        Raises `DeploymentFailed`; the runner retries until it succeeds.
        """


@runtime_checkable
class ProvidesLog(Protocol):
    """A driver with a log of its runs."""

    def log(self, run_id: UUID) -> str:
        """Return the end of a deployment's log, at most 8 KiB."""


@runtime_checkable
class SelfCleaning(Protocol):
    """A driver whose deployments end unless the runner renews them."""

    def keep_alive(self, run_id: UUID) -> None:
        """Renew a deployment; called with every heartbeat."""


@dataclass(frozen=True)
class DriverEnvironment:
    """Environment of a driver, in addition to its configuration."""

    runner: str
    """The runner's name."""
    work: Path
    """Folder of the driver; it persists over restarts."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the configuration passes on. Drivers read their secrets by name from the process environment."""


Json = dict[str, Any]
