"""Configuration of the runner: a TOML file, or a few flags. Validated completely before anything runs."""

import os
import re
import shutil
import socket
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from slowpath_cli.runner.core.placeholders import UnknownPlaceholder, validate_placeholders
from slowpath_cli.runner.core.server_allowlist import KEYS as ALLOW
from slowpath_cli.runner.core.server_allowlist import VARIANTS, Allow

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PASSED_VARIABLES: Final = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CC", "CXX", "CGO_ENABLED", "GOCACHE", "GOFLAGS", "GOMODCACHE", "GONOSUMDB", "GOPATH", "GOPRIVATE", "GOPROXY",
    "GOROOT", "GOSUMDB", "GOTOOLCHAIN",
)  # fmt: skip
"""Variables passed to every command. The runner's token is not among them."""
FORBIDDEN_VARIABLES: Final = ("SLOWPATH_TOKEN", "SLOWPATH_URL", "SLOWPATH_SERVER")
MOST_SLOTS: Final = 64
SECTIONS: Final = {"runner", "repositories", "allow", "deploy", "measure"}
RUNNER: Final = {
    "name",
    "slots",
    "labels",
    "work",
    "checkout",
    "directory",
    "environment",
    "lease_timeout_seconds",
    "compile",
    "upload_executables",
}
MEASURE: Final = {"command", "collect", "within", "takes", "executable"}
COLLECT: Final = {"board", "pprof", "seconds", "trace", "trace_seconds", "snapshots", "metrics", "requests_metric"}
HEALTH: Final = {"url", "command", "within"}
VARIANT_DRIVERS: Final = ("command", "external", "none")
"""Drivers whose builds come from the work tree of the runner and get its variables."""
COMMON: Final = {"driver", "health", "ports", "attempts"}
"""Keys of `[deploy]` that the runner reads; the driver reads the others."""


class InvalidRunnerConfig(Exception):
    """The configuration is invalid; the message gives place and reason."""


@dataclass(frozen=True)
class HealthCheckConfig:
    """Health check: a URL that responds with 2xx, or a command that exits with 0."""

    url: str | None
    command: tuple[str, ...]
    within_seconds: float


@dataclass(frozen=True)
class CollectConfig:
    """Artifacts collected in a measurement window, as by `slowpath collect`.

    Without `pprof` none are collected: the dashboard measures the latency pushed in the window.
    """

    pprof: str | None
    seconds: float | None = None
    """Length of one CPU profile; None: the whole window."""
    traces: int = 0
    trace_seconds: float = 1.0
    snapshots: tuple[str, ...] = ("heap", "allocs", "goroutine")
    metrics: str | None = None
    requests_metric: str | None = None


@dataclass(frozen=True)
class MeasureConfig:
    """Configuration of measurements: a command, or artifacts to collect."""

    command: tuple[str, ...] = ()
    collect: CollectConfig | None = None
    within_seconds: float = 600.0
    """A command may take this many seconds longer than its measurement window."""
    takes_seconds: float | None = None
    """How long the command takes, as stated by the configuration: estimates of the server use it until probes show it."""
    executable: str = ""
    """Path of the Go program that is uploaded once per probe; relative to the work tree."""


@dataclass(frozen=True)
class RunnerConfig:
    """The whole configuration."""

    name: str
    work: Path
    measure: MeasureConfig
    slots: int = 1
    labels: Mapping[str, str] = field(default_factory=dict)
    checkout: bool = True
    directory: str = ""
    """Folder of go.mod in the main repository."""
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Folder or URL by module; "" is the main repository."""
    allow: Allow = field(default_factory=Allow)
    environment: Mapping[str, str] = field(default_factory=dict)
    driver: str = "external"
    deploy: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the driver."""
    health: HealthCheckConfig | None = None
    ports: tuple[int, ...] = ()
    attempts: int = 3
    lease_timeout_seconds: float = 600.0
    """Deployments are removed when the server has not responded for this long."""
    compile: bool = False
    """Whether it compiles culprits, to report what the compiler decided differently: in work trees, also without `checkout`."""
    upload_executables: bool = True
    """Whether it uploads the executables of a culprit and of the build before it, which it compiles."""


def load_config(path: Path) -> dict[str, Any]:
    """Read a file. Raises `InvalidRunnerConfig`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRunnerConfig(f"{path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRunnerConfig(f"{path} is not valid TOML: {error}.") from error


def parse_config(document: Mapping[str, Any], environment: Mapping[str, str], base: Path) -> RunnerConfig:
    """Validate a document; relative folders are resolved from `base`. Raises `InvalidRunnerConfig`."""
    _only(document, SECTIONS, "the file")
    runner, deploy, measure = (_table(document, name) for name in ("runner", "deploy", "measure"))
    _only(runner, RUNNER, "[runner]")
    repositories = {
        name: _place(str(value), base) for name, value in _table(document, "repositories").items() if name != "checkout"
    }
    name = _text(runner, "name", socket.gethostname())
    if not NAME.fullmatch(name):
        raise InvalidRunnerConfig(f"[runner] name: {name!r} must have at most 100 letters, digits, dots, - and _.")
    driver = _text(deploy, "driver", "command" if "command" in deploy else "external")
    checkout = bool(_table(document, "repositories").get("checkout", runner.get("checkout", True)))
    if checkout and "" not in repositories:
        raise InvalidRunnerConfig(
            '[repositories] has no main repository: set "" = "folder or URL", or checkout = false.'
        )
    return RunnerConfig(
        name=name,
        work=_folder(runner.get("work"), name, base, environment),
        measure=_measure(measure, base),
        slots=int(_number(runner, "slots", 1, 1, MOST_SLOTS)),
        labels={str(key): str(value) for key, value in _table(runner, "labels").items()},
        checkout=checkout,
        directory=_text(runner, "directory", "").strip("/"),
        repositories=repositories,
        allow=_allow(_table(document, "allow"), driver, checkout=checkout),
        environment=_pass_variables(runner.get("environment", []), environment),
        driver=driver,
        deploy={key: _resolve_program(value, base) for key, value in deploy.items() if key not in COMMON},
        health=_health(deploy, base),
        ports=_ports(deploy.get("ports", ())),
        attempts=int(_number(deploy, "attempts", 3, 1, 10)),
        lease_timeout_seconds=_number(runner, "lease_timeout_seconds", 600, 1, 86_400),
        compile=_compile(runner, repositories, environment),
        upload_executables=_flag(runner, "upload_executables", default=True),
    )


def _compile(runner: Mapping[str, Any], repositories: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    """Return whether the runner compiles culprits: by default with every driver, if it has the main repository and Go."""
    has_repository = "" in repositories
    has_go = shutil.which("go", path=environment.get("PATH")) is not None
    found = _flag(runner, "compile", default=has_repository and has_go)
    if found and not has_repository:
        raise InvalidRunnerConfig(
            '[runner] compile needs the main repository: set "" = "folder or URL" in [repositories].'
        )
    return found


def _flag(runner: Mapping[str, Any], name: str, *, default: bool) -> bool:
    found = runner.get(name, default)
    if not isinstance(found, bool):
        raise InvalidRunnerConfig(f"[runner] {name} must be true or false.")
    return found


def _resolve_program(value: Any, base: Path) -> Any:  # noqa: ANN401 - a command; other values are returned unchanged
    """Return a command with its program resolved from `base`, if it exists there; else unchanged."""
    if (
        isinstance(value, list | tuple)
        and value
        and isinstance(value[0], str)
        and "/" in value[0]
        and (base / value[0]).is_file()
    ):
        return [
            os.path.normpath(base / value[0]),
            *value[1:],
        ]  # symbolic links are not resolved: Python finds its packages by the link
    return value


def _allow(section: Mapping[str, Any], driver: str, *, checkout: bool) -> Allow:
    _only(section, ALLOW, "[allow]")
    patterns = {key: parse_command(section[key], f"[allow] {key}") for key in section}
    variants = patterns.get("variants", ())
    unknown = sorted({*variants} - VARIANTS)
    if unknown:
        raise InvalidRunnerConfig(
            f"[allow] variants has an unknown kind {unknown[0]!r}; known kinds are {', '.join(sorted(VARIANTS))}."
        )
    if variants and (driver not in VARIANT_DRIVERS or not checkout):
        raise InvalidRunnerConfig(
            "[allow] variants needs a checkout and the driver command or external: others do not pass variables on."
        )
    return Allow(
        patterns.get("services"), patterns.get("modules"), patterns.get("refs"), patterns.get("toolchains"), variants
    )


def _measure(section: Mapping[str, Any], base: Path) -> MeasureConfig:
    _only(section, MEASURE, "[measure]")
    command = parse_command(_resolve_program(section.get("command", []), base), "[measure] command")
    collect = section.get("collect")
    if bool(command) == (collect is not None):
        raise InvalidRunnerConfig('[measure] needs either command = ["…"] or collect = { pprof = "…" }.')
    within = _number(section, "within", 600, 1, 86_400)
    collected = None if collect is None else _collect(_table(section, "collect"))
    takes = _number(section, "takes", 1, 0.1, 86_400) if "takes" in section else None
    if takes is not None and not command:
        raise InvalidRunnerConfig(
            "[measure] takes is for a command: what is collected takes as long as the bisect says."
        )
    return MeasureConfig(command, collected, within, takes, _text(section, "executable", ""))


def _collect(section: Mapping[str, Any]) -> CollectConfig:
    _only(section, COLLECT, "[measure] collect")
    board, pprof = section.get("board", False), section.get("pprof")
    if not isinstance(board, bool):
        raise InvalidRunnerConfig("[measure] collect: board must be true or false.")
    if not pprof and not board:
        raise InvalidRunnerConfig(
            "[measure] collect: set pprof to the address of the process or of its /debug/pprof, or board = true "
            "for latency that the process pushes."
        )
    return CollectConfig(
        pprof=str(pprof) if pprof else None,
        seconds=_number(section, "seconds", 5, 1, 600) if "seconds" in section else None,
        traces=int(_number(section, "trace", 0, 0, 10)),
        trace_seconds=_number(section, "trace_seconds", 1, 0.1, 600),
        snapshots=parse_command(section.get("snapshots", ["heap", "allocs", "goroutine"]), "[measure] snapshots"),
        metrics=None if section.get("metrics") is None else str(section["metrics"]),
        requests_metric=None if section.get("requests_metric") is None else str(section["requests_metric"]),
    )


def _health(deploy: Mapping[str, Any], base: Path) -> HealthCheckConfig | None:
    if "health" not in deploy:
        return None
    section = _table(deploy, "health")
    _only(section, HEALTH, "[deploy] health")
    url, command = (
        section.get("url"),
        parse_command(_resolve_program(section.get("command", []), base), "[deploy] health command"),
    )
    if (url is None) == (not command):
        raise InvalidRunnerConfig('[deploy] health needs either url = "…" or command = ["…"].')
    return HealthCheckConfig(None if url is None else str(url), command, _number(section, "within", 120, 1, 86_400))


def parse_command(value: object, where: str, *, checked: bool = False) -> tuple[str, ...]:
    """Return a command's words; `checked` allows only the placeholders of every run. Raises `InvalidRunnerConfig`."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(word, str) and "\0" not in word for word in value):
        raise InvalidRunnerConfig(
            f'{where} must be a list of words, such as ["./deploy.sh", "{{commit}}"]; no shell is used.'
        )
    if checked:
        try:
            validate_placeholders(value)
        except UnknownPlaceholder as error:
            raise InvalidRunnerConfig(f"{where}: {error}") from error
    return tuple(value)


def _ports(value: object) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, int) and 0 < one < 65_536 for one in value):
        raise InvalidRunnerConfig("[deploy] ports must be a list of ports, one per slot.")
    return tuple(value)


def _pass_variables(value: object, environment: Mapping[str, str]) -> dict[str, str]:
    names = parse_command(value, "[runner] environment")
    for name in names:
        if not VARIABLE.fullmatch(name) or name in FORBIDDEN_VARIABLES:
            raise InvalidRunnerConfig(f"[runner] environment: {name!r} cannot be passed on.")
    return {name: environment[name] for name in (*PASSED_VARIABLES, *names) if name in environment}


def _folder(value: object, name: str, base: Path, environment: Mapping[str, str]) -> Path:
    if value is not None:
        return (base / Path(str(value)).expanduser()).resolve()
    cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "slowpath" / "runner" / name


def _place(value: str, base: Path) -> str:
    """Return a URL unchanged, and a folder as an absolute path."""
    if "://" in value or re.match(r"[^/]+@[^/]+:", value):
        return value
    return os.path.normpath(base / Path(value).expanduser())


def _table(section: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = section.get(name, {})
    if not isinstance(found, Mapping):
        raise InvalidRunnerConfig(f"{name} must be a table, such as [{name}].")
    return found


def _text(section: Mapping[str, Any], name: str, default: str) -> str:
    found = section.get(name, default)
    if not isinstance(found, str):
        raise InvalidRunnerConfig(f"{name} must be a string, not {found!r}.")
    return found


def _number(section: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    found = section.get(name, default)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not low <= found <= high:
        raise InvalidRunnerConfig(f"{name} must be between {low:g} and {high:g}, not {found!r}.")
    return float(found)


def _only(section: Mapping[str, Any], known: "set[str]", where: str) -> None:
    unknown: Sequence[str] = sorted(set(section) - known)
    if unknown:
        raise InvalidRunnerConfig(
            f"{where} has an unknown key {unknown[0]!r}; known keys are {', '.join(sorted(known))}."
        )
