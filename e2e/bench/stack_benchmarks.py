"""Benchmarks that need a running Slowpath: start it, measure from a child process, and stop it."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from bench.benchmark_results import BenchmarkResult
from bench.captures import ROOT


def beside_stack(module: str, parts: str = "stack") -> Iterator[BenchmarkResult]:
    """Yield the results of `module.inside()`, run with a separate temporary stack, as they arrive.

    With the parts "services", only PostgreSQL and Valkey run.
    """
    command = ["python3", str(ROOT / "backend" / "bootstrap.py"), parts, "--", sys.executable]
    yield from results_of([*command, "-m", "bench.stack_benchmarks", module])


def results_of(command: list[str]) -> Iterator[BenchmarkResult]:
    """Yield the results that a command prints, one JSON line each, as they arrive."""
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            command,
            cwd=ROOT / "e2e",
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'backend'}:{ROOT / 'worker'}:{ROOT / 'e2e'}"},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("{"):
                yield BenchmarkResult(**json.loads(line))
        if child.wait() != 0:
            errors.seek(0)
            raise RuntimeError(f"{command[-1]} ended with {child.returncode}: {errors.read().strip()[-2000:]}")


def main() -> int:
    """Run `inside()` of the named module; print one JSON line per result."""
    results: Iterator[BenchmarkResult] = importlib.import_module(sys.argv[1]).inside()
    for result in results:
        print(json.dumps(result.to_json()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
