"""What the runner is told: a TOML file, or a few flags. Read whole and refused at once, before anything runs."""

import os
import re
import socket
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from slowpath_cli.runner.allowing import KEYS as ALLOW
from slowpath_cli.runner.allowing import Allow
from slowpath_cli.runner.words import UnknownPlaceholder, check

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LET_THROUGH: Final = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CC", "CXX", "CGO_ENABLED", "GOCACHE", "GOFLAGS", "GOMODCACHE", "GONOSUMDB", "GOPATH", "GOPRIVATE", "GOPROXY",
    "GOROOT", "GOSUMDB", "GOTOOLCHAIN",
)  # fmt: skip
"""Variables every command is given. The runner's token is never among them."""
OWN: Final = ("SLOWPATH_TOKEN", "SLOWPATH_URL", "SLOWPATH_SERVER")
MOST_SLOTS: Final = 64
SECTIONS: Final = {"runner", "repositories", "allow", "deploy", "measure"}
RUNNER: Final = {"name", "slots", "labels", "work", "checkout", "directory", "environment", "lost_after_seconds"}
MEASURE: Final = {"command", "collect", "within"}
COLLECT: Final = {"board", "pprof", "seconds", "trace", "trace_seconds", "snapshots", "metrics", "requests_metric"}
HEALTH: Final = {"url", "command", "within"}
COMMON: Final = {"driver", "health", "ports", "attempts"}
"""What of `[deploy]` is the runner's own; the rest is the driver's."""


class BadConfig(Exception):
    """The configuration is not as it must be; the text says where and why."""


@dataclass(frozen=True)
class Health:
    """How it is seen that what was deployed answers: an address that answers 2xx, or a command that ends in 0."""

    url: str | None
    command: tuple[str, ...]
    within_seconds: float


@dataclass(frozen=True)
class Collect:
    """What is asked of the process in a window, as `slowpath collect` would.

    Without `pprof` nothing is: the window is waited out, and the board tells what was pushed in it.
    """

    pprof: str | None
    seconds: float | None = None
    """Of one CPU profile; None: of the whole window."""
    traces: int = 0
    trace_seconds: float = 1.0
    snapshots: tuple[str, ...] = ("heap", "allocs", "goroutine")
    metrics: str | None = None
    requests_metric: str | None = None


@dataclass(frozen=True)
class Measure:
    """How a window is measured: by a command, or by collecting."""

    command: tuple[str, ...] = ()
    collect: Collect | None = None
    within_seconds: float = 600.0
    """A command may take this much longer than its window."""


@dataclass(frozen=True)
class Config:
    """All of it."""

    name: str
    work: Path
    measure: Measure
    slots: int = 1
    labels: Mapping[str, str] = field(default_factory=dict)
    checkout: bool = True
    directory: str = ""
    """Where go.mod lies in the main repository."""
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Module to a folder or an address; "" is the main one."""
    allow: Allow = field(default_factory=Allow)
    environment: Mapping[str, str] = field(default_factory=dict)
    driver: str = "none"
    deploy: Mapping[str, Any] = field(default_factory=dict)
    """What the driver is told."""
    health: Health | None = None
    ports: tuple[int, ...] = ()
    attempts: int = 3
    lost_after_seconds: float = 600.0
    """When the server was not heard of for so long, what runs is taken down."""


def told(path: Path) -> dict[str, Any]:
    """Read a file. Raises `BadConfig`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} is no TOML: {error}.") from error


def of(told: Mapping[str, Any], environment: Mapping[str, str], base: Path) -> Config:
    """Return what was told; folders in it are meant from `base`. Raises `BadConfig`."""
    _only(told, SECTIONS, "the file")
    runner, deploy, measure = (_table(told, name) for name in ("runner", "deploy", "measure"))
    _only(runner, RUNNER, "[runner]")
    repositories = {
        name: _place(str(value), base) for name, value in _table(told, "repositories").items() if name != "checkout"
    }
    name = _text(runner, "name", socket.gethostname())
    if not NAME.fullmatch(name):
        raise BadConfig(f"[runner] name: {name!r} is not made of at most 100 letters, digits, dots, - and _.")
    driver = _text(deploy, "driver", "command" if "command" in deploy else "none")
    checkout = bool(_table(told, "repositories").get("checkout", runner.get("checkout", True)))
    if checkout and "" not in repositories:
        raise BadConfig('[repositories] names no main repository: give "" = "folder or address", or checkout = false.')
    return Config(
        name=name,
        work=_folder(runner.get("work"), name, base, environment),
        measure=_measure(measure, base),
        slots=int(_number(runner, "slots", 1, 1, MOST_SLOTS)),
        labels={str(key): str(value) for key, value in _table(runner, "labels").items()},
        checkout=checkout,
        directory=_text(runner, "directory", "").strip("/"),
        repositories=repositories,
        allow=_allow(_table(told, "allow")),
        environment=_let_through(runner.get("environment", []), environment),
        driver=driver,
        deploy={key: _found(value, base) for key, value in deploy.items() if key not in COMMON},
        health=_health(deploy, base),
        ports=_ports(deploy.get("ports", ())),
        attempts=int(_number(deploy, "attempts", 3, 1, 10)),
        lost_after_seconds=_number(runner, "lost_after_seconds", 600, 1, 86_400),
    )


def _found(told: Any, base: Path) -> Any:  # noqa: ANN401 - of a command; everything else stays as it is
    """Return a command whose program is meant from `base`, if it lies there; else it is one of the build's own, or on PATH."""
    if (
        isinstance(told, list | tuple)
        and told
        and isinstance(told[0], str)
        and "/" in told[0]
        and (base / told[0]).is_file()
    ):
        return [
            os.path.normpath(base / told[0]),
            *told[1:],
        ]  # a link stays one: a Python is told by it where its packages lie
    return told


def _allow(told: Mapping[str, Any]) -> Allow:
    _only(told, ALLOW, "[allow]")
    patterns = {key: words(told[key], f"[allow] {key}") for key in told}
    return Allow(patterns.get("services"), patterns.get("modules"), patterns.get("refs"))


def _measure(told: Mapping[str, Any], base: Path) -> Measure:
    _only(told, MEASURE, "[measure]")
    command = words(_found(told.get("command", []), base), "[measure] command")
    collect = told.get("collect")
    if bool(command) == (collect is not None):
        raise BadConfig('[measure] needs either command = ["…"] or collect = { pprof = "…" }.')
    within = _number(told, "within", 600, 1, 86_400)
    return Measure(command, None if collect is None else _collect(_table(told, "collect")), within)


def _collect(told: Mapping[str, Any]) -> Collect:
    _only(told, COLLECT, "[measure] collect")
    board, pprof = told.get("board", False), told.get("pprof")
    if not isinstance(board, bool):
        raise BadConfig("[measure] collect: board is true or false.")
    if not pprof and not board:
        raise BadConfig(
            "[measure] collect: pprof is missing, the address of the process or of its /debug/pprof; or say board = true, "
            "for latency that the process pushes."
        )
    return Collect(
        pprof=str(pprof) if pprof else None,
        seconds=_number(told, "seconds", 5, 1, 600) if "seconds" in told else None,
        traces=int(_number(told, "trace", 0, 0, 10)),
        trace_seconds=_number(told, "trace_seconds", 1, 0.1, 600),
        snapshots=words(told.get("snapshots", ["heap", "allocs", "goroutine"]), "[measure] snapshots"),
        metrics=None if told.get("metrics") is None else str(told["metrics"]),
        requests_metric=None if told.get("requests_metric") is None else str(told["requests_metric"]),
    )


def _health(deploy: Mapping[str, Any], base: Path) -> Health | None:
    if "health" not in deploy:
        return None
    told = _table(deploy, "health")
    _only(told, HEALTH, "[deploy] health")
    url, command = told.get("url"), words(_found(told.get("command", []), base), "[deploy] health command")
    if (url is None) == (not command):
        raise BadConfig('[deploy] health needs either url = "…" or command = ["…"].')
    return Health(None if url is None else str(url), command, _number(told, "within", 120, 1, 86_400))


def words(told: object, where: str, *, checked: bool = False) -> tuple[str, ...]:
    """Return a command's words; with `checked` no placeholder but those every run has. Raises `BadConfig`."""
    if not isinstance(told, (list, tuple)) or not all(isinstance(word, str) and "\0" not in word for word in told):
        raise BadConfig(f'{where} is a list of words, as ["./deploy.sh", "{{commit}}"]; there is no shell in between.')
    if checked:
        try:
            check(told)
        except UnknownPlaceholder as error:
            raise BadConfig(f"{where}: {error}") from error
    return tuple(told)


def _ports(told: object) -> tuple[int, ...]:
    if not isinstance(told, (list, tuple)) or not all(isinstance(one, int) and 0 < one < 65_536 for one in told):
        raise BadConfig("[deploy] ports is a list of ports, one for each slot.")
    return tuple(told)


def _let_through(told: object, environment: Mapping[str, str]) -> dict[str, str]:
    names = words(told, "[runner] environment")
    for name in names:
        if not VARIABLE.fullmatch(name) or name in OWN:
            raise BadConfig(f"[runner] environment: {name!r} can not be let through.")
    return {name: environment[name] for name in (*LET_THROUGH, *names) if name in environment}


def _folder(told: object, name: str, base: Path, environment: Mapping[str, str]) -> Path:
    if told is not None:
        return (base / Path(str(told)).expanduser()).resolve()
    cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "slowpath" / "runner" / name


def _place(told: str, base: Path) -> str:
    """Return an address as it is, a folder as it is seen from anywhere."""
    if "://" in told or re.match(r"[^/]+@[^/]+:", told):
        return told
    return os.path.normpath(base / Path(told).expanduser())


def _table(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = told.get(name, {})
    if not isinstance(found, Mapping):
        raise BadConfig(f"{name} is a table, as [{name}].")
    return found


def _text(told: Mapping[str, Any], name: str, usual: str) -> str:
    found = told.get(name, usual)
    if not isinstance(found, str):
        raise BadConfig(f"{name} is a text, not {found!r}.")
    return found


def _number(told: Mapping[str, Any], name: str, usual: float, low: float, high: float) -> float:
    found = told.get(name, usual)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not low <= found <= high:
        raise BadConfig(f"{name} lies between {low:g} and {high:g}; it is {found!r}.")
    return float(found)


def _only(told: Mapping[str, Any], known: "set[str]", where: str) -> None:
    unknown: Sequence[str] = sorted(set(told) - known)
    if unknown:
        raise BadConfig(f"{where} has {unknown[0]!r}, which means nothing; known are {', '.join(sorted(known))}.")
