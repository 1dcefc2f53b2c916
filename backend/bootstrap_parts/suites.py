"""The parts of `npm test`: commands, required services, cores, and how their tests are counted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.install_steps import find_go, go_environment
from bootstrap_parts.project_paths import (
    API_CLIENT,
    BACKEND,
    DECODE,
    E2E,
    FRONTEND,
    FRONTEND_DIST,
    MADE,
    NODE_MODULES,
    ROOT,
    VENV,
    VENV_PYTHON,
    WORKER,
)
from bootstrap_parts.suite_counts import SuiteCount, count_go, count_junit, count_playwright, count_vitest

RESULTS = MADE / "logs" / "test"
ALL = 10_000
"""All cores."""
_PYTHON, _GO, _CLIENT = frozenset({"python"}), frozenset({"go"}), frozenset({"node", "api"})
_BOOTSTRAP = [sys.executable, str(BACKEND / "bootstrap.py")]
_NPM = ["npm", "run", "--silent", "--workspace", "frontend"]
GO_MODULES = (
    DECODE,
    WORKER / "example" / "ingester",
    WORKER / "example" / "timestamps",
    WORKER / "example" / "pipeline",
    E2E / "compose-check",
)


@dataclass(frozen=True)
class Suite:
    """One part. Its commands run one after the other, even after a failure.

    A `patient` part does not depend on timing: it runs with low priority on unused cores.
    The output of a part is printed when it fails, or always if it `prints_output`.
    """

    name: str
    groups: frozenset[str]
    commands: Callable[[], list[list[str]]]
    cores: int = 1
    patient: bool = False
    weight: int = 1
    """Of the parts that wait, the heaviest begin first, so that none of them runs alone in the end."""
    needs: frozenset[str] | None = None
    """Steps of the set-up after which it may run beside the others; None if it needs all of them."""
    folder: Path = ROOT
    count: Callable[[str], SuiteCount | None] | None = None
    environment: dict[str, str] = field(default_factory=dict)
    takes_arguments: bool = False
    prints_output: bool = False


def all_parts() -> list[Suite]:
    """Return every part whose subject exists, in the order of their start.

    The browser journeys come first, because they leave cores to the patient parts; then the long parts.
    """
    return [*_browser_parts(), *_python_parts(), *_frontend_parts(), *_go_parts(), *_whole_parts()]


def _python_parts() -> list[Suite]:
    tool = VENV / "bin"
    tests = [str(folder) for folder in (BACKEND / "tests", WORKER / "tests", E2E / "tests") if folder.exists()]
    typed = [
        folder
        for folder in (
            BACKEND,
            WORKER / "slowpath_worker",
            WORKER / "slowpath_cli",
            WORKER / "example",
            E2E / "bench",
            E2E / "demos",
            E2E / "proofs",
            E2E / "support",
        )
        if any(folder.rglob("*.py"))
    ]

    def pytest(marks: str, file: str) -> Callable[[], list[list[str]]]:
        options = [
            "-q",
            "-m",
            marks,
            "-n",
            str(os.cpu_count() or 2),
            "--dist",
            "worksteal",
            f"--junitxml={RESULTS / file}",
        ]
        return lambda: [[*_BOOTSTRAP, "services", "--", str(VENV_PYTHON), "-m", "pytest", *options, *tests]]

    packages = [
        name
        for folder, name in ((BACKEND, "slowpath"), (WORKER, "slowpath_worker"), (WORKER, "slowpath_cli"))
        if (folder / name / "__init__.py").exists()
    ]
    return [
        Suite(
            "pytest",
            frozenset({"py", "unit"}),
            pytest("not corpus and not long and not processes", "pytest.xml"),
            cores=2,
            count=lambda _: count_junit(RESULTS / "pytest.xml"),
            environment=go_environment(),  # shares Go's build cache with the other parts
            takes_arguments=True,
        ),
        Suite(
            "process tests",
            frozenset({"processes"}),
            pytest("processes and not corpus and not long", "processes.xml"),
            cores=2,
            count=lambda _: count_junit(RESULTS / "processes.xml"),
            environment=go_environment(),
            takes_arguments=True,
        ),
        Suite(
            "corpus",
            frozenset({"corpus"}),
            pytest("corpus", "corpus.xml"),
            cores=2,
            count=lambda _: count_junit(RESULTS / "corpus.xml"),
            environment=_corpus(),
            takes_arguments=True,
        ),
        Suite(
            "mypy",
            frozenset({"check", "py"}),
            lambda: [
                [str(tool / "mypy"), *map(str, typed)],
                *([str(tool / "mypy"), str(folder)] for folder in (WORKER / "tests", E2E / "tests") if folder.exists()),
            ],
            patient=True,
            weight=3,
            needs=_PYTHON,
        ),
        Suite(
            "ruff",
            frozenset({"check", "py"}),
            lambda: [[str(tool / "ruff"), "check", "."], [str(tool / "ruff"), "format", "--check", "."]],
            patient=True,
            needs=_PYTHON,
        ),
        *(
            [
                Suite(
                    "import rules",
                    frozenset({"check", "py"}),
                    lambda: [[str(tool / "lint-imports"), "--cache-dir", str(MADE / "cache" / "imports")]],
                    patient=True,
                    needs=_PYTHON,
                )
            ]
            if len(packages) == 3
            else []
        ),
    ]


def _browser_parts() -> list[Suite]:
    """Return the browser journeys; only patient parts run concurrently, to not disturb their measurements."""
    playwright = [
        "node",
        str(NODE_MODULES / "@playwright" / "test" / "cli.js"),
        "test",
        "--config",
        str(E2E / "playwright.config.ts"),
    ]

    def journeys(name: str, groups: frozenset[str], *options: str) -> Suite:
        results = RESULTS / f"{name}.json"
        return Suite(
            name,
            groups,
            lambda: [[*_BOOTSTRAP, "stack", "--", *playwright, *options]],
            cores=ALL,
            count=lambda _: count_playwright(results),
            environment={
                "PLAYWRIGHT_JSON_OUTPUT_FILE": str(results),
                "SLOWPATH_LOCAL_REPOSITORIES": str(RESULTS / "repositories"),
            },
            takes_arguments=True,
        )

    return (
        [
            journeys("core-journeys", frozenset(), "--grep", "@core"),
            journeys("journeys", frozenset({"e2e", "processes"})),
        ]
        if (E2E / "playwright.config.ts").exists() and (FRONTEND / "index.html").exists()
        else []
    )


def _corpus() -> dict[str, str]:
    """Return SLOWPATH_CORPUS if it is unset and the corpus is next to the project."""
    default = ROOT.parent / "shared" / "corpus"
    return {} if "SLOWPATH_CORPUS" in os.environ or not default.is_dir() else {"SLOWPATH_CORPUS": str(default)}


def _go_parts() -> list[Suite]:
    parts: list[Suite] = []
    for module in GO_MODULES:
        if not (module / "go.mod").exists():
            continue
        go = str(find_go() or "go")
        groups = {"go"} if module != DECODE else {"go", "unit"}
        gofmt = str(Path(go).resolve().parent / "gofmt")
        clean = f'files=$({gofmt} -l .); test -z "$files" || {{ echo "gofmt would change: $files"; exit 1; }}'
        parts.append(
            Suite(
                f"go test {module.name}",
                frozenset(groups),
                # vet is a separate part
                lambda go=go: [[go, "test", "-vet=off", "-json", "./..."]],  # type: ignore[misc] # a default binds the loop's value
                folder=module,
                count=count_go,
                environment=go_environment(),
                needs=_GO,
            )
        )
        parts.append(
            Suite(
                f"go vet {module.name}",
                frozenset({"go", "check"}),
                lambda go=go, clean=clean: [[go, "vet", "-tags=processes", "./..."], ["sh", "-c", clean]],  # type: ignore[misc] # as above
                folder=module,
                patient=True,
                environment=go_environment(),
                needs=_GO,
            )
        )
    return [*parts, _go_process_tests()]


def _go_process_tests() -> Suite:
    """Return the packages of the decoder with files that are compiled with the tag `processes` only."""
    files = [file for file in DECODE.rglob("*_test.go") if file.read_text().startswith("//go:build processes\n")]
    packages = sorted({f"./{file.parent.relative_to(DECODE)}" for file in files})
    return Suite(
        "go test decode, processes",
        frozenset({"processes"}),
        lambda: [[str(find_go() or "go"), "test", "-vet=off", "-json", "-tags=processes", *packages]],
        folder=DECODE,
        count=count_go,
        environment=go_environment(),
    )


def _frontend_parts() -> list[Suite]:
    if not (FRONTEND / "src").exists():
        return []
    # The native compiler takes a fifth of the time; the name check and the generator of the API client need the API of the other.
    tsc = [str(NODE_MODULES / "typescript-native" / "bin" / "tsc"), "--noEmit", "-p"]
    oxfmt = [
        str(NODE_MODULES / ".bin" / "oxfmt"),
        "--config",
        str(FRONTEND / ".oxfmtrc.json"),
        "--check",
        E2E.name,
        f"!{E2E.name}/bench/testdata/**",
    ]
    results = RESULTS / "vitest.json"
    vitest = [*_NPM, "test", "--", "--reporter=default", "--reporter=json", f"--outputFile.json={results}"]
    return [
        Suite(
            "vitest",
            frozenset({"web", "unit"}),
            lambda: [vitest],
            count=lambda _: count_vitest(results),
            takes_arguments=True,
        ),
        Suite(
            "oxlint, oxfmt",
            frozenset({"web", "check"}),
            lambda: [[*_NPM, "lint"], oxfmt],
            patient=True,
            weight=2,
            needs=_CLIENT,
        ),
        Suite(
            "tsc",
            frozenset({"web", "check"}),
            lambda: [[*tsc, str(FRONTEND)], [*tsc, str(E2E)]],
            patient=True,
            needs=_CLIENT,
        ),
        Suite("dependency rules", frozenset({"web", "check"}), lambda: [[*_NPM, "deps"]], patient=True, needs=_CLIENT),
        Suite(
            "api changes",
            frozenset({"web", "check"}),
            lambda: [[*_NPM, "api:diff", "--", "--from", str(API_CLIENT / "openapi.json")]],  # the set-up wrote it
            patient=True,
            prints_output=True,
            needs=_CLIENT,
        ),
        *(
            [Suite("bundle size", frozenset({"web", "check"}), lambda: [[*_NPM, "size"]], patient=True)]
            if (FRONTEND / "scripts" / "check-size.mjs").exists() and FRONTEND_DIST.exists()
            else []
        ),
    ]


def _whole_parts() -> list[Suite]:
    compose = str(ROOT / "docker-compose.yml")
    return [
        Suite(
            "compose file",
            frozenset({"check"}),
            lambda: [[str(VENV / "bin" / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec", compose]],
            patient=True,
            needs=_PYTHON,
        ),
        Suite(
            "spelling",
            frozenset({"check"}),
            lambda: [[str(VENV / "bin" / "codespell")]],
            patient=True,
            needs=_PYTHON,
        ),
        Suite(
            "lock files",
            frozenset({"check"}),
            lambda: [[str(VENV_PYTHON), "-m", "bootstrap_parts.check_locks"]],
            patient=True,
            needs=_PYTHON,
        ),
    ]
