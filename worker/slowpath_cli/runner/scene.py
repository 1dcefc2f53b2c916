"""A run as its driver and its commands see it: what is built, where it lies, what placeholders and variables say."""

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

from slowpath.bisects.rules.nodes import Build
from slowpath_cli.runner.config import Config
from slowpath_cli.runner.control import Control
from slowpath_cli.runner.driver import Callback, Driver, KeepsLog, Override, Target
from slowpath_cli.runner.drivers.command import environment_of, values_of
from slowpath_cli.runner.files import Files, Run
from slowpath_cli.runner.layout import Layout
from slowpath_cli.runner.windows import Ground


@dataclass(frozen=True)
class House:
    """What all probes of a runner share."""

    config: Config
    driver: Driver
    files: Files
    layout: Layout
    controls: Callable[[], Control]
    """Gives a way to the server, one for each thread."""
    now: Callable[[], datetime]
    tell: Callable[[str], None]
    stopping: Event


@dataclass(frozen=True)
class Scene:
    """One run in its house."""

    house: House
    run: Run

    def lay_out(self) -> None:
        """Check out what is built, as far as the runner does, and give it a folder and a port. Raises `DriverError`."""
        run, config = self.run, self.house.config
        told = run.lease["build"]
        if config.checkout:
            place, run.overrides = self.house.layout.of(
                Build(told["commit"], told["modules"], told["versions"]), run.slot
            )
            run.dir = str(place)
        else:
            run.overrides = {name: {"commit": sha} for name, sha in told["modules"].items()}
            run.overrides |= {name: {"version": version} for name, version in told["versions"].items()}
        run.port = config.ports[run.slot] if run.slot < len(config.ports) else _free_port()
        self.out().mkdir(parents=True, exist_ok=True, mode=0o700)

    def target(self) -> Target:
        """Return what a driver is told."""
        run = self.run
        callback: dict[str, Any] | None = run.lease.get("callback")
        return Target(
            run_id=run.run_id, slot=run.slot, service=str(run.lease["service"]["name"]), commit=str(run.lease["build"]["commit"]),
            dir=None if run.dir is None else Path(run.dir), out=self.out(),
            overrides={name: _override(one) for name, one in run.overrides.items()},
            callback=Callback(callback["url"], callback["token"]) if callback else None, port=run.port,
            seconds=float(run.lease["deploy_seconds"]), attempt=run.attempt,
        )  # fmt: skip

    def values(self, out: Path) -> dict[str, str]:
        """Return what placeholders become, once it is deployed; `out` is where commands leave files."""
        assert self.run.handle is not None
        seconds = f"{float(self.run.lease['window_seconds']):g}"
        own = values_of(self.target()) | {"out": str(out), "seconds": seconds}
        return own | dict(self.house.driver.endpoints(self.run.handle))

    def environment(self, out: Path) -> dict[str, str]:
        """Return the variables of commands."""
        return environment_of(self.house.config.environment, self.target(), self.values(out))

    def cwd(self) -> Path:
        """Return where commands are run."""
        return self.out() if self.run.dir is None else Path(self.run.dir)

    def out(self) -> Path:
        """Return the run's own folder."""
        return self.house.files.folder(self.run.run_id) / "out"

    def ground(self, index: int, torn: Callable[[], bool]) -> Ground:
        """Return what a window is measured on; `torn` tells when it is of no use any more."""
        run, out = self.run, self.out() / f"{index:03}"
        return Ground(
            run_id=run.run_id, number=int(run.lease["number"]), index=index, commit=str(run.lease["build"]["commit"]), cwd=self.cwd(),
            out=out, values=self.values(out), environment=self.environment(out), signature=str(run.lease["signature"]["kind"]),
            window_seconds=float(run.lease["window_seconds"]), torn=torn,
        )  # fmt: skip

    def log(self, note: str) -> str:
        """Return what is told of it: the driver's log, a note of how it stands, and why it ends."""
        driver = self.house.driver
        log = driver.log(self.run.run_id) if isinstance(driver, KeepsLog) else ""
        return "\n".join(dict.fromkeys(part for part in (log, note, self.run.words) if part))


def _override(told: Mapping[str, str]) -> Override:
    return Override(told.get("commit"), told.get("version"), Path(told["dir"]) if "dir" in told else None)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
