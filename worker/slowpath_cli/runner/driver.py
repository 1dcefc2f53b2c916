"""What the runner wants of whatever deploys. Every call is idempotent by the id of the run.

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
"""What a driver wants to know of a deploy later: plain JSON, at most some KiB, no secrets (it is written to disk)."""


class DriverError(Exception):
    """A deploy could not be done; the text is for a person, and is sent to the server with the probe's end."""


class Unbuildable(DriverError):
    """This build can not be built: another deploy of it would end the same way."""


class Unhealthy(DriverError):
    """What was deployed does not stay up, and it is the build's doing: another deploy of it would end the same way."""


class DeployFailed(DriverError):
    """The deploy failed, whatever the build; `passing`: the same again may well succeed (a full queue, a 503)."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class BadSection(DriverError):
    """The driver's part of the configuration is not as it must be. Raised by `read`, before anything runs."""


@dataclass(frozen=True)
class Override:
    """What stands in for a module: a commit of its repository, or a version where the repository is not given."""

    commit: str | None = None
    version: str | None = None
    dir: Path | None = None
    """Where the commit is laid out; None where nothing is checked out."""

    def to_json(self) -> dict[str, str]:
        """Return it as commands and jobs are told it: `{commit, dir}` or `{version}`, without what is not there."""
        told = {"commit": self.commit, "version": self.version, "dir": None if self.dir is None else str(self.dir)}
        return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class Callback:
    """Where a deploy may say how it goes: POST `{"state": State, "detail": text}` to `url`; the token is part of the url."""

    url: str
    token: str


@dataclass(frozen=True)
class Target:
    """What to deploy, and where. One run has one target, but for `attempt`."""

    run_id: UUID
    slot: int
    service: str
    commit: str
    dir: Path | None
    """Where the service's module is laid out, with its replacements; None where nothing is checked out."""
    out: Path
    """A folder of this run alone."""
    overrides: Mapping[str, Override] = field(default_factory=dict)
    callback: Callback | None = None
    port: int | None = None
    """A port of this slot."""
    seconds: float = 1800.0
    """How long the deploy may take before the runner gives it up."""
    attempt: int = 1
    """Grows when a deploy that failed `passing` is tried again, after `restore`."""


@dataclass(frozen=True)
class Status:
    """How a deploy stands. `detail` is for a person: the last line of a log, a condition's message."""

    state: State
    detail: str = ""


class Driver(Protocol):
    """Deploys."""

    @property
    def poll_seconds(self) -> float:
        """How long to wait between two questions for the status of a deploy that is not ready."""

    def prepare(self) -> None:
        """Find out now what would stop every deploy: a token that is refused, a cluster that does not answer. Raises `DriverError`."""

    def deploy(self, target: Target) -> Handle:
        """Begin a deploy, or find the one begun under this run; does not wait for it. Raises `Unbuildable`, `DeployFailed`."""

    def status(self, handle: Handle, called_back: Status | None) -> Status:
        """Return how a deploy stands; `called_back` is what it said last at its callback, if it did.

        Asked until it is ready, and now and then after that: "failed" then means that what was ready has gone.
        Raises `DeployFailed` where it failed: with `passing` it is torn down and tried again, `attempt` grown; also `Unbuildable`
        and `Unhealthy`. Where it can just now not be known, it stands as it stood.
        """

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return what the placeholders of health and measuring become: `url`, `host`, `port`, and others of its own."""

    def restore(self, run_id: UUID) -> None:
        """Take down what runs under this run, and wait until it is gone. Also for runs never begun, unknown, or gone.

        Raises `DeployFailed`; the runner tries again until it succeeds.
        """


@runtime_checkable
class KeepsLog(Protocol):
    """A driver that has more to tell of a run than how it stands."""

    def log(self, run_id: UUID) -> str:
        """Return the end of what the deploy wrote, at most 8 KiB."""


@runtime_checkable
class TakesItselfDown(Protocol):
    """A driver whose deploys end by themselves when nobody looks after them."""

    def looked_after(self, run_id: UUID) -> None:
        """Say that somebody does; called with every beat."""


@dataclass(frozen=True)
class Place:
    """What a driver is given beside its part of the configuration."""

    runner: str
    """The runner's name."""
    work: Path
    """A folder of the driver's own, kept over restarts."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The variables that the configuration lets through; secrets of drivers are read from the real environment by name."""
