"""`slowpath compare-commits`: whether a commit is slower than another, measured alternately on this machine."""

import argparse
import json
import secrets
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.bisect.pair_settings import MOST_PAIRS, PairSettings
from slowpath.analysis.bisect.pair_wording import EQUAL_BUILDS, describe_decisions
from slowpath.analysis.bisect.paired_measurements import combine_decisions
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.commit_names import short_commit
from slowpath.core.errors import InvalidRequest
from slowpath.verdicts.bisects.service.candidate_discovery import BinaryInputs, MultiRepositoryHistory
from slowpath_cli.core.input_files import resolved
from slowpath_cli.local_bisect.local_repositories import InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.paired_runs import PairedResult, PairedRuns, SideNotMeasured, run_pairs
from slowpath_cli.local_bisect.script_runner import MeasureScript, ScriptProtocolError

BAD_INPUT: Final = 2
CODES: Final = {"not-slower": 0, "slower": 1, "inconclusive": 3}


def run(options: argparse.Namespace) -> int:
    """Measure both commits, print the result, and return the exit code."""
    try:
        script = _script(options)
        settings = _settings(options)
        with tempfile.TemporaryDirectory(prefix="slowpath-pairs-", ignore_cleanup_errors=True) as folder:
            return _compare(options, script, settings, Path(folder))
    except (InvalidRequest, ScriptProtocolError, SideNotMeasured) as error:
        remedy = f" {error.remedy}" if isinstance(error, InvalidRequest) and error.remedy else ""
        print(f"slowpath: {error}{remedy}", file=sys.stderr)
        return BAD_INPUT


def _compare(options: argparse.Namespace, script: MeasureScript, settings: PairSettings, folder: Path) -> int:
    repository = LocalRepository(
        str(resolved(options.repo).resolve()), resolved(options.repo), folder / "repository", CatFileReader
    )
    package = (options.package if options.bench else options.main) or None
    binary = BinaryInputs(
        options.directory.strip("/"), _main_package(package), BuildTarget("linux", "amd64", frozenset(), None)
    )
    history = MultiRepositoryHistory(repository, {}, binary)
    base, candidate = repository.resolve(options.base), repository.resolve(options.candidate)
    if not options.exact_base:
        merge_base = repository.merge_base(base, candidate)
        if merge_base is None:
            raise InvalidRepository("The commits have no common history; --exact-base measures them nevertheless.")
        base = merge_base
    if base == candidate or history.has_equal_builds(base, candidate):
        _print(options, base, candidate, EQUAL_BUILDS, "not-slower", PairedResult({}))
        return CODES["not-slower"]
    minutes = None if options.minutes is None else 60 * options.minutes
    runs = PairedRuns(base, candidate, settings, minutes, secrets.token_hex(16), is_benchmark=bool(options.bench))
    print(
        f"slowpath: {short_commit(base)} and {short_commit(candidate)}, at most {settings.pairs} pairs", file=sys.stderr
    )
    result = run_pairs(
        history, script, runs, folder, lambda line: print(f"slowpath: {line}", file=sys.stderr, flush=True)
    )
    verdict = combine_decisions(result.decisions) or "inconclusive"
    _print(options, base, candidate, describe_decisions(result.decisions, settings), verdict, result)
    return CODES[verdict]


def _print(  # noqa: PLR0917 - the commits, the answer and its evidence
    options: argparse.Namespace, base: str, candidate: str, sentence: str, verdict: str, result: PairedResult
) -> None:
    if not options.json:
        print(f"{short_commit(candidate)} against {short_commit(base)}: {sentence}")
        return
    decisions = {
        name: {key: value if value != float("inf") else None for key, value in asdict(one).items()}
        for name, one in result.decisions.items()
    }
    document: dict[str, Any] = {
        "format": "slowpath.compare-commits/1", "base": base, "candidate": candidate, "verdict": verdict,
        "sentence": sentence, "subjects": decisions, "pairs": result.values, "stopped_early": result.stopped_early,
    }  # fmt: skip
    print(json.dumps(document))


def _script(options: argparse.Namespace) -> MeasureScript:
    if bool(options.bench) == bool(options.script):
        raise InvalidRepository("Give either --bench or a script after --.")
    if options.bench:
        words = ["go", "test", "-trimpath", "-run=^$", f"-bench={options.bench}", f"-benchtime={options.benchtime}",
                 "-count=1", options.package]  # fmt: skip
        if options.package.startswith("-"):
            raise InvalidRepository(f"--package is a package such as ./money, not {options.package!r}.")
    else:
        first = options.script[0]
        words = [str(resolved(first).absolute()), *options.script[1:]] if "/" in first else options.script
    return MeasureScript(words, options.script_timeout, options.directory.strip("/"))


def _settings(options: argparse.Namespace) -> PairSettings:
    if not 1 <= options.pairs <= MOST_PAIRS or not 0.1 <= options.smallest_change <= 1000:
        raise InvalidRepository(
            f"--pairs must be between 1 and {MOST_PAIRS}, --smallest-change between 0.1 and 1000 percent."
        )
    return PairSettings(options.smallest_change / 100, options.pairs, larger_is_worse=options.better == "smaller")


def _main_package(package: str | None) -> str | None:
    """Return the folder of a package below go.mod, without the leading ./; None for patterns, whose inputs are unknown."""
    if package is None or "..." in package or ".." in package.split("/"):
        return None
    return package.strip("/").removeprefix("./").removeprefix(".") or ""
