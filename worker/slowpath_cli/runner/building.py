"""Building an image on the runner's machine before another driver deploys it: `build = ["./image.sh", "{image}"]`.

The command is run as the driver of commands runs one that ends when it is done: in the build's folder, with `{image}` and
all that a run is told; 0 built (or there already), 125 does not build, 75 try again. It outlives the runner and is begun
once for an attempt.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from slowpath_cli.runner.driver import BadSection, Callback, Driver, Handle, Override, Place, Status, Target
from slowpath_cli.runner.drivers.command import CommandDriver
from slowpath_cli.runner.notes import Notes
from slowpath_cli.runner.pods import image_of
from slowpath_cli.runner.section import Section
from slowpath_cli.runner.words import KNOWN, PLACEHOLDER, fill

ENDED: "Mapping[str, Any]" = {}


@dataclass(frozen=True)
class BuiltFirst:
    """A driver that keeps `Driver`: builds, then has another one deploy."""

    builder: CommandDriver
    image: str
    driver: Driver
    notes: Notes

    @property
    def poll_seconds(self) -> float:
        """As the other's."""
        return self.driver.poll_seconds

    def prepare(self) -> None:
        """As the other does. Raises `DriverError`."""
        self.builder.prepare()
        self.driver.prepare()

    def deploy(self, target: Target) -> Handle:
        """Begin to build. Raises `DeployFailed`."""
        image = fill(self.image, image_of(target, self.image))
        words = tuple(word.replace("{image}", image) for word in self.builder.command)
        built = replace(self.builder, command=words).deploy(target)
        return {"run_id": str(target.run_id), "built": dict(built), "target": told(target)}

    def status(self, handle: Handle, called_back: Status | None) -> Status:
        """Return how the image fares, and once it is there how the deploy does. Raises what both do."""
        inner = self._inner(handle)
        if inner is None:
            built = self.builder.status(handle["built"], called_back)
            if built.state != "ready":
                return built
            inner = self.driver.deploy(heard(handle["target"]))
            self.notes.write(handle["run_id"], {"attempt": handle["target"]["attempt"], "handle": dict(inner)})
        return self.driver.status(inner, called_back)

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """As the other's, once it deployed."""
        inner = self._inner(handle)
        return ENDED if inner is None else self.driver.endpoints(inner)

    def restore(self, run_id: UUID) -> None:
        """End the building, and have the other take down what it deployed. Raises `DeployFailed`."""
        self.builder.restore(run_id)
        self.driver.restore(run_id)
        self.notes.forget(run_id)

    def log(self, run_id: UUID) -> str:
        """Return the end of what the building wrote."""
        return self.builder.log(run_id)

    def _inner(self, handle: Handle) -> Handle | None:
        note = self.notes.read(handle["run_id"])
        if note is None or note.get("attempt") != handle["target"]["attempt"]:
            return None
        found: Handle = note["handle"]
        return found


def built_first(section: Section, place: Place, image: str, driver: Driver) -> Driver:
    """Return the driver, or one that builds before it where `build` is there. Raises `BadSection`."""
    words = section.words("build")
    if not words:
        return driver
    for word in words:
        for name in PLACEHOLDER.findall(word):
            if name not in {*KNOWN, "image"}:
                raise BadSection(f"[deploy] build has {{{name}}}; known are {', '.join((*KNOWN, 'image'))}.")
    builder = CommandDriver(replace(place, work=place.work / "building"), tuple(words), stays=False)
    return BuiltFirst(builder, image, driver, Notes(place.work / "built"))


def told(target: Target) -> dict[str, Any]:
    """Return a target as JSON."""
    return {
        "run_id": str(target.run_id), "slot": target.slot, "service": target.service, "commit": target.commit,
        "dir": None if target.dir is None else str(target.dir), "out": str(target.out),
        "overrides": {module: override.to_json() for module, override in target.overrides.items()},
        "callback": None if target.callback is None else [target.callback.url, target.callback.token],
        "port": target.port, "seconds": target.seconds, "attempt": target.attempt,
    }  # fmt: skip


def heard(told_of: Mapping[str, Any]) -> Target:
    """Read a target."""
    overrides = {
        module: Override(one.get("commit"), one.get("version"), Path(one["dir"]) if "dir" in one else None)
        for module, one in told_of["overrides"].items()
    }
    return Target(
        run_id=UUID(told_of["run_id"]), slot=told_of["slot"], service=told_of["service"], commit=told_of["commit"],
        dir=None if told_of["dir"] is None else Path(told_of["dir"]), out=Path(told_of["out"]), overrides=overrides,
        callback=None if told_of["callback"] is None else Callback(*told_of["callback"]), port=told_of["port"],
        seconds=told_of["seconds"], attempt=told_of["attempt"],
    )  # fmt: skip
