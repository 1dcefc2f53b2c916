"""`slowpath runner`: deploy and measure the probes of a server's bisects; needs only outgoing HTTPS.

SLOWPATH_URL is the server's address, SLOWPATH_TOKEN a token with the scope `runner`. SIGINT and SIGTERM remove its
deployments. Exit codes: 0 stopped; 2 invalid configuration, rejected token, or a name that another runner uses.
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

from slowpath.adapters.git_objects import CatFileReader
from slowpath.adapters.system_clock import SystemClock
from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.core.collect_errors import CollectError
from slowpath_cli.runner.core import runner_config as configs
from slowpath_cli.runner.core.driver_interface import DriverEnvironment, DriverError
from slowpath_cli.runner.core.run_context import RunnerContext
from slowpath_cli.runner.core.run_store import RunStore, WorkDirectoryLocked
from slowpath_cli.runner.core.runner import Runner
from slowpath_cli.runner.core.runner_config import InvalidRunnerConfig, RunnerConfig
from slowpath_cli.runner.core.server_client import (
    ReportRejected,
    RunnerIdentity,
    ServerClient,
    TokenForbidden,
    UnknownToServer,
)
from slowpath_cli.runner.core.work_trees import WorkTrees
from slowpath_cli.runner.drivers import read_driver

STOPPED, BAD_INPUT = 0, 2


class _ShutdownRequested(Exception):
    """A signal arrived while the runner waited for the server."""


def run(options: argparse.Namespace) -> int:
    """Run until a signal arrives; return the exit code."""
    try:
        return _run(_config(options), _address(options), os.environ.pop("SLOWPATH_TOKEN", ""))
    except (
        InvalidRunnerConfig,
        WorkDirectoryLocked,
        DriverError,
        CollectError,
        TokenForbidden,
        UnknownToServer,
        ReportRejected,
    ) as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT


def _address(options: argparse.Namespace) -> str:
    address: str | None = options.server or os.environ.get("SLOWPATH_URL") or os.environ.get("SLOWPATH_SERVER")
    if not address:
        raise InvalidRunnerConfig("No server given. Set SLOWPATH_URL, or use --server.")
    return address


def _run(config: RunnerConfig, address: str, token: str) -> int:
    store, stopping = RunStore(config.work), Event()
    store.take()
    identity = RunnerIdentity(config.name, store.instance(), socket.gethostname())
    driver_environment = DriverEnvironment(config.name, config.work / "driver", config.environment)
    driver_environment.work.mkdir(parents=True, exist_ok=True, mode=0o700)
    driver = read_driver(config.driver, config.deploy, driver_environment)
    driver.prepare()
    context = RunnerContext(
        config, driver, store, WorkTrees(config, CatFileReader), lambda: ServerClient(UploadClient(address, token), identity), SystemClock().now, _log, stopping
    )  # fmt: skip
    runner = Runner(context, _version())
    _on_signals(stopping)
    _log(f"{config.name}: {config.slots} {'slot' if config.slots == 1 else 'slots'}, driver {config.driver}, {address}")
    try:
        _on_signals(stopping)
        runner.run()
    except _ShutdownRequested:
        _log("stopped")
    finally:
        stopping.set()
        runner.wait()
    runner.leave()
    return STOPPED


def _on_signals(stopping: Event) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        if not stopping.is_set():
            stopping.set()
            raise _ShutdownRequested

    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, stop)


def _config(options: argparse.Namespace) -> RunnerConfig:
    environment: Mapping[str, str] = os.environ
    base = Path(os.environ.get("INIT_CWD") or ".").resolve()
    flags = _flags(options)
    if options.config:
        path = base / options.config
        return configs.parse_config(_merge_tables(configs.load_config(path), flags), environment, path.resolve().parent)
    if not flags:
        raise InvalidRunnerConfig("Give --config FILE, or at least --repo and --measure.")
    return configs.parse_config(flags, environment, base)


def _flags(options: argparse.Namespace) -> dict[str, Any]:
    runner: dict[str, Any] = {
        name: value
        for name, value in (
            ("name", options.name),
            ("slots", options.slots),
            ("work", options.work_dir),
            ("directory", options.directory),
        )
        if value is not None
    }
    if options.label:
        runner["labels"] = _pairs("--label is NAME=VALUE", options.label)
    repositories = {} if options.repo is None else {"": options.repo}
    repositories |= _pairs("--module-repo is MODULE=DIR", options.module_repo)
    measure: dict[str, Any] = {}
    if options.measure is not None:
        measure["command"] = shlex.split(options.measure)
    if options.pprof_url is not None:
        measure["collect"] = {"pprof": options.pprof_url}
    deploy: dict[str, Any] = {"command": options.deploy} if options.deploy else {}
    if options.health_check is not None:
        deploy["health"] = {"url": options.health_check}
    tables = {"runner": runner, "repositories": repositories, "measure": measure, "deploy": deploy}
    return {name: table for name, table in tables.items() if table}


def _pairs(expected: str, given: Sequence[str]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given]
    bad = next((pair for pair, (name, equals, _) in zip(given, pairs, strict=True) if not name or not equals), None)
    if bad is not None:
        raise InvalidRunnerConfig(f"{expected}, not {bad!r}.")
    return {name: value for name, _, value in pairs}


def _merge_tables(tables: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    return {**tables, **{name: {**tables.get(name, {}), **table} for name, table in flags.items()}}


def _log(message: str) -> None:
    print(f"slowpath: {time.strftime('%H:%M:%S')} {printable(message, 400)}", file=sys.stderr, flush=True)


def _version() -> str:
    try:
        return version("slowpath")
    except PackageNotFoundError:
        return ""
