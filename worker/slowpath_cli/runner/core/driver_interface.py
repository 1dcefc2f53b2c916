"""Interface of deployment drivers. Every call is idempotent by the id of the run.

The runner has a probe acknowledged by the server before it calls `deploy`, writes the target to its disk before, and the
handle after it. Killed between the two it calls `deploy` again with the same target (`attempt` unchanged): a driver looks
for what it started under this `run_id` before it starts anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable
from uuid import UUID

State = Literal["building", "rolling", "ready", "unbuildable", "failed"]
Handle = Mapping[str, Any]
"""Data of a deployment that the driver needs later: plain JSON, at most some KiB, no secrets (it is written to disk)."""


class DriverError(Exception):
    """A deployment failed; the message is for people, and is sent to the server with the probe's end."""


class BuildFailed(DriverError):
    """The build does not compile: another deployment of it would fail too."""


class DeploymentUnhealthy(DriverError):
    """The deployment does not stay up because of the build: another deployment of it would fail too."""


class DeploymentFailed(DriverError):
    """The deployment failed, independently of the build; `is_transient`: a retry may succeed (a full queue, a 503)."""

    def __init__(self, message: str, *, is_transient: bool = False) -> None:
        super().__init__(message)
        self.is_transient = is_transient


class InvalidDriverConfig(DriverError):
    """The driver's configuration is invalid. Raised by `read`, before anything runs."""


@dataclass(frozen=True)
class ModuleOverride:
    """Replacement of a module: a commit of its repository, or a version if the repository is not given."""

    commit: str | None = None
    version: str | None = None
    dir: Path | None = None
    """Work tree of the commit; None without a checkout."""

    def to_json(self) -> dict[str, str]:
        """Return it as JSON for commands and jobs: `{commit, dir}` or `{version}`, without missing values."""
        fields = {"commit": self.commit, "version": self.version, "dir": None if self.dir is None else str(self.dir)}
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class DeploymentCallback:
    """Callback address for the status of a deployment: POST `{"state": State, "detail": text}` to `url`; the token is part of the url."""

    url: str
    token: str


@dataclass(frozen=True)
class DeploymentTarget:
    """What to deploy, and where. All attempts of a run differ in `attempt` only."""

    run_id: UUID
    slot: int
    service: str
    commit: str
    dir: Path | None
    """Work tree of the service's module, with its replacements; None without a checkout."""
    out: Path
    """Folder of this run."""
    overrides: Mapping[str, ModuleOverride] = field(default_factory=dict)
    callback: DeploymentCallback | None = None
    port: int | None = None
    """A port of this slot."""
    seconds: float = 1800.0
    """Limit of the deployment's duration."""
    attempt: int = 1
    """Counts deployments that are retried after a transient failure and `restore`."""


@dataclass(frozen=True)
class DeploymentStatus:
    """Status of a deployment. `detail` is for people: the last line of a log, a condition's message."""

    state: State
    detail: str = ""


class DeploymentDriver(Protocol):
    """Deploys, watches and removes builds."""

    @property
    def poll_seconds(self) -> float:
        """Return the pause between status requests of a deployment that is not ready."""

    def prepare(self) -> None:
        """Check for errors that affect every deployment: a rejected token, an unreachable cluster. Raises `DriverError`."""

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Start a deployment, or find the one of this run; does not wait for it. Raises `BuildFailed`, `DeploymentFailed`."""

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of a deployment; `called_back` is the last status sent to its callback, if any.

        Called until it is ready, and repeatedly after that: "failed" then means that the deployment is gone.
        Raises `DeploymentFailed`: if transient, it is removed and retried with a new `attempt`; also `BuildFailed`
        and `DeploymentUnhealthy`. While the status cannot be read, it returns the last known one.
        """

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return placeholder values for health check and measurement: `url`, `host`, `port`, and others of the driver."""

    def restore(self, run_id: UUID) -> None:
        """Remove the deployment of a run, and wait until it is gone. Works for unknown and removed runs too.

        Raises `DeploymentFailed`; the runner retries until it succeeds.
        """


@runtime_checkable
class ProvidesLog(Protocol):
    """A driver with a log of its runs."""

    def log(self, run_id: UUID) -> str:
        """Return the end of a deployment's log, at most 8 KiB."""


@runtime_checkable
class SelfCleaning(Protocol):
    """A driver whose deployments end when the runner stops renewing them."""

    def keep_alive(self, run_id: UUID) -> None:
        """Renew a deployment; called with every heartbeat."""


@dataclass(frozen=True)
class DriverEnvironment:
    """Environment of a driver, beside its configuration."""

    runner: str
    """The runner's name."""
    work: Path
    """Folder of the driver, permanent over restarts."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the configuration passes on; drivers read their secrets from the real environment by name."""


Json = dict[str, Any]
