"""`slowpath runner`: deploys and measures what bisects of a server ask for, near the services it deploys; outgoing HTTPS only.

SLOWPATH_URL says where the server is, SLOWPATH_TOKEN holds a token with the scope `runner`. Ended by SIGINT or SIGTERM it
takes down what it deployed. Exit codes: 0 ended, 2 bad configuration, a token that is refused, or a name that another runner has.
"""

import argparse
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath_cli.collecting.errors import CollectError
from slowpath_cli.collecting.fetch import printable
from slowpath_cli.collecting.server import Server
from slowpath_cli.runner import config as configs
from slowpath_cli.runner.config import BadConfig, Config
from slowpath_cli.runner.control import Control, Forbidden, Gone, Identity, NotTaken
from slowpath_cli.runner.driver import DriverError, Place
from slowpath_cli.runner.drivers import driver_named
from slowpath_cli.runner.files import Busy, Files
from slowpath_cli.runner.layout import Layout
from slowpath_cli.runner.running import Runner
from slowpath_cli.runner.scene import House

ENDED, BAD_INPUT = 0, 2


class _Stopped(Exception):
    """A signal came while the runner waited for the server."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What may stand after `slowpath runner`."""
    parser.usage = "slowpath runner --config FILE | slowpath runner --repo DIR [options] [-- DEPLOY [WORD...]]"
    parser.epilog = "SLOWPATH_URL is the server's address, SLOWPATH_TOKEN a token with the scope runner."
    parser.add_argument("--config", metavar="FILE", help="a TOML file; flags stand above what it says")
    parser.add_argument("--url", metavar="URL", help="the server (default $SLOWPATH_URL)")
    parser.add_argument("--name", metavar="NAME", help="the runner's name (default: the machine's)")
    parser.add_argument("--slots", type=int, metavar="N", help="deploys at the same time")
    parser.add_argument("--label", action="append", default=[], metavar="NAME=VALUE", help="bisects may ask for runners with it; may be repeated")  # fmt: skip
    parser.add_argument("--work", metavar="DIR", help="where work trees and what is known of runs are kept")
    parser.add_argument("--repo", metavar="DIR", help="the service's repository: a folder or an address")
    parser.add_argument("--module-repo", action="append", default=[], metavar="MODULE=DIR", help="a dependency's repository; may be repeated")  # fmt: skip
    parser.add_argument("--directory", metavar="DIR", help="where go.mod lies in the repository")
    parser.add_argument("--measure", metavar="COMMAND", help="measures one window; its last number counts")
    parser.add_argument("--pprof", metavar="URL", help="collect profiles of the process at this address instead")
    parser.add_argument("--health", metavar="URL", help="answers 2xx when what was deployed is healthy")
    parser.add_argument("deploy", nargs="*", metavar="DEPLOY", help="the command that deploys and stays, after --")


def run(options: argparse.Namespace) -> int:
    """Work until it is told to stop; returns the exit code."""
    try:
        return _run(_config(options), _address(options), os.environ.pop("SLOWPATH_TOKEN", ""))
    except (BadConfig, Busy, DriverError, CollectError, Forbidden, Gone, NotTaken) as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT


def _address(options: argparse.Namespace) -> str:
    address: str | None = options.url or os.environ.get("SLOWPATH_URL") or os.environ.get("SLOWPATH_SERVER")
    if not address:
        raise BadConfig("Which server? Set SLOWPATH_URL, or give --url.")
    return address


def _run(config: Config, address: str, token: str) -> int:
    files, stopping = Files(config.work), Event()
    files.take()
    identity = Identity(config.name, files.instance(), socket.gethostname())
    place = Place(config.name, config.work / "driver", config.environment)
    place.work.mkdir(parents=True, exist_ok=True, mode=0o700)
    driver = driver_named(config.driver, config.deploy, place)
    driver.prepare()
    house = House(
        config, driver, files, Layout(config), lambda: Control(Server(address, token), identity), SystemClock().now, _tell, stopping
    )  # fmt: skip
    runner = Runner(house, _version())
    _on_signals(stopping)
    _tell(
        f"{config.name}: {config.slots} {'slot' if config.slots == 1 else 'slots'}, driver {config.driver}, {address}"
    )
    try:
        _on_signals(stopping)
        runner.run()
    except _Stopped:
        _tell("stopped")
    finally:
        stopping.set()
        runner.wait()
    runner.leave()
    return ENDED


def _on_signals(stopping: Event) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        if not stopping.is_set():
            stopping.set()
            raise _Stopped

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, stop)


def _config(options: argparse.Namespace) -> Config:
    environment: Mapping[str, str] = os.environ
    base = Path(os.environ.get("INIT_CWD") or ".").resolve()
    flags = _flags(options)
    if options.config:
        path = base / options.config
        return configs.of(_laid_over(configs.told(path), flags), environment, path.resolve().parent)
    if not flags:
        raise BadConfig("Give --config FILE, or at least --repo and --measure.")
    return configs.of(flags, environment, base)


def _flags(options: argparse.Namespace) -> dict[str, Any]:
    runner = {
        name: value for name in ("name", "slots", "work", "directory") if (value := getattr(options, name)) is not None
    }
    if options.label:
        runner["labels"] = _pairs("--label is NAME=VALUE", options.label)
    repositories = {} if options.repo is None else {"": options.repo}
    repositories |= _pairs("--module-repo is MODULE=DIR", options.module_repo)
    measure: dict[str, Any] = {}
    if options.measure is not None:
        measure["command"] = shlex.split(options.measure)
    if options.pprof is not None:
        measure["collect"] = {"pprof": options.pprof}
    deploy: dict[str, Any] = {"command": options.deploy} if options.deploy else {}
    if options.health is not None:
        deploy["health"] = {"url": options.health}
    told = {"runner": runner, "repositories": repositories, "measure": measure, "deploy": deploy}
    return {name: table for name, table in told.items() if table}


def _pairs(meant: str, given: Sequence[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    bad = next((one for one, (name, equals, _) in zip(given, pairs, strict=True) if not name or not equals), None)
    if bad is not None:
        raise BadConfig(f"{meant}, not {bad!r}.")
    return {name: value for name, _, value in pairs}


def _laid_over(told: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    return {**told, **{name: {**told.get(name, {}), **table} for name, table in flags.items()}}


def _tell(words: str) -> None:
    print(f"slowpath: {time.strftime('%H:%M:%S')} {printable(words, 400)}", file=sys.stderr, flush=True)


def _version() -> str:
    try:
        return version("slowpath")
    except PackageNotFoundError:
        return ""
