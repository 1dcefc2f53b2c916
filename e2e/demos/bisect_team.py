"""The team of the bisect demo: three repositories, and a service that got slower during months without builds."""

import json
import os
import random
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from example.bisects.deploy_ingester import built
from example.bisects.generated_histories import Histories, Repository
from example.bisects.measure_ingester import window
from example.bisects.split_repositories import LIBDB, LIBX, MONO
from example.bisects.split_repositories import SERVICE as PACKAGE
from example.capture_processes import running, wait_for
from slowpath_cli.core.sidecars import SIDECAR
from support.demo_user import DemoFailed, DemoUser

SERVICE = "ingester"
NAMES = {MONO: "shop/mono", LIBDB: "db/libdb", LIBX: "x/libx"}
GOOD_BUILDS, BAD_BUILDS = 16, 8
"""Numbers of builds before and after the months without builds."""
CAPTURES, PROFILES = 6, 3
"""Numbers of recorded profiles per boundary, and of profiles per build."""
SECONDS = 3.0
JUDGED_SECONDS, POLL_SECONDS = 180.0, 0.5
CATEGORY = ("profile.category", "stack-growth")


@dataclass(frozen=True)
class Service:
    """The service, its user and its repositories."""

    person: DemoUser
    id: str
    repositories: Mapping[str, str]
    """Repository ID by module."""


def set_up(person: DemoUser, made: Histories) -> Service:
    """Create the service and its repositories."""
    service = person.call("POST", "/services", json={"name": SERVICE})
    ids = {}
    for each in made.repositories:
        services = [{"service_id": service["id"], "main_package": PACKAGE}] if each.module == MONO else []
        asked = {"name": NAMES[each.module], "url": f"file://{each.folder.resolve()}", "services": services}
        ids[each.module] = str(person.call("POST", "/repositories", json=asked)["id"])
    return Service(person, str(service["id"]), ids)


def captured(
    made: Histories, folder: Path, report: Callable[[str], None], *, count: int = CAPTURES, seconds: float = SECONDS
) -> dict[str, list[Path]]:
    """Build both boundaries, profile them in turns, and return `count` captures of each. Raises `DemoFailed`."""
    programs = {name: _program(made, name, sha, folder) for name, sha in (("good", made.good), ("bad", made.bad))}
    out: dict[str, list[Path]] = {name: [] for name in programs}
    for number in range(count):
        for name, program in programs.items():
            into = folder / "captures" / name / f"{number}"
            with socket.create_server(("127.0.0.1", 0)) as free:
                address = f"127.0.0.1:{free.getsockname()[1]}"
            with running([str(program), "-listen", address], {"GOMAXPROCS": "2"}, 0):
                wait_for(f"http://{address}/healthz")
                window(address, into, folder / "shared", seconds)
            out[name] += sorted(into.glob("*.pb.gz"))
        report(f"  {number + 1} of {count} profiles per boundary")
    return out


def read_metadata(capture: Path) -> dict[str, Any]:
    """Return the run metadata beside a capture."""
    metadata: dict[str, Any] = json.loads(capture.with_name(capture.name + SIDECAR).read_text(encoding="utf-8"))
    return metadata


def _program(made: Histories, name: str, sha: str, folder: Path) -> Path:
    tree, out = folder / "ends" / name, folder / "ends" / f"{name}-out"
    out.mkdir(parents=True)
    clone = ["git", "clone", "--quiet", "--shared", str(made.repositories[0].folder), str(tree)]
    subprocess.run(clone, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    subprocess.run(["git", "checkout", "--quiet", "--detach", sha], cwd=tree, check=True)
    program = built(out, tree)
    if program is None:
        raise DemoFailed(f"the {name} boundary does not build")
    return program


def line_of(repository: Repository) -> list[dict[str, Any]]:
    """Return the first-parent commits of a repository, oldest first."""
    command = ["git", "log", "--first-parent", "--reverse", "--format=%H%x09%P%x09%cI%x09%an%x09%s", "main"]
    done = subprocess.run(command, cwd=repository.folder, check=True, capture_output=True, encoding="utf-8")
    names = ("sha", "parents", "at", "author", "title")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]


def send_builds(service: Service, made: Histories, captures: Mapping[str, Sequence[Path]], seed: int) -> None:
    """Upload the builds of both boundaries in order, and wait for the last verdict. Raises `DemoFailed`."""
    rng = random.Random(seed)  # noqa: S311 - selects captures; no secret
    line = line_of(made.repositories[0])
    chosen = [(one, "good") for one in line[:GOOD_BUILDS]] + [(one, "bad") for one in line[-BAD_BUILDS:]]
    last = ""
    for number, (one, side) in enumerate(chosen):
        path = f"/builds/{SERVICE}/{one['sha']}"
        metadata = {"branch": "main", "title": one["title"], "author": one["author"], "committed_at": one["at"]}
        parent = {"parent": chosen[number - 1][0]["sha"]} if number else {}
        last = str(service.person.call("POST", path, json={**metadata, **parent})["build"]["id"])
        for index, capture in enumerate(rng.sample(list(captures[side]), PROFILES)):
            params = {
                "run_metadata": json.dumps({**read_metadata(capture), "run": f"{number}/{index}", "commit": one["sha"]})
            }
            service.person.call(
                "PUT", f"{path}/artifacts/cpu.{index}.pb.gz", params=params, content=capture.read_bytes()
            )
    wait_until(lambda: service.person.call("GET", f"/builds/{last}/verdict")["state"] not in {"pending", "evaluating"})


def regression(service: Service) -> dict[str, Any]:
    """Wait for exactly one regression of the service and return it. Raises `DemoFailed`."""
    found: list[dict[str, Any]] = []

    def is_found() -> bool:
        page = service.person.call("GET", "/regressions", params={"limit": 50})
        found[:] = [each for each in page["items"] if each["is_confirmed"]]
        return bool(found)

    wait_until(is_found)
    if len(found) != 1:
        raise DemoFailed(f"{len(found)} regressions, expected 1")
    return found[0]


def wait_until(is_so: Callable[[], bool], seconds: float = JUDGED_SECONDS) -> None:
    """Wait until a condition is true. Raises `DemoFailed` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise DemoFailed(f"the expected state was not reached within {seconds:.0f} s")
        time.sleep(POLL_SECONDS)
