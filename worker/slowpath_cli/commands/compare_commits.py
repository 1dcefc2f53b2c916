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
from slowpath.analysis.bisect.pair_wording import EQUAL_BUILDS, describe_decisions
from slowpath.analysis.bisect.paired_measurements import (
    DEFAULT_PAIRS,
    DEFAULT_SMALLEST_CHANGE,
    MOST_PAIRS,
    PairSettings,
    combine_decisions,
)
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.core.errors import InvalidRequest
from slowpath.verdicts.bisects.service.candidate_discovery import BinaryInputs, MultiRepositoryHistory
from slowpath_cli.core.input_files import resolved
from slowpath_cli.local_bisect.local_repositories import InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.paired_runs import PairedResult, PairedRuns, SideNotMeasured, run_pairs
from slowpath_cli.local_bisect.script_runner import MeasureScript, ScriptProtocolError

BAD_INPUT: Final = 2
CODES: Final = {"not-slower": 0, "slower": 1, "inconclusive": 3}
EPILOG: Final = """the sides are measured in pairs, in random order within each pair, so that drift favors neither. After each pair it stops if
the candidate is slower, or not slower by more than --smallest-change. An equal candidate is called slower in at most 1 of
4,000 runs, however noisy the machine is; at least 13 pairs are needed to call it slower.

the script runs in a work tree of each commit and prints a number; SLOWPATH_COMMIT, SLOWPATH_DIR and SLOWPATH_OUT are as for
slowpath bisect. Exit code 125 means that the commit does not build.

exit codes: 0 not slower, 1 slower, 3 inconclusive, 2 bad input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath compare-commits`."""
    parser.usage = (
        "slowpath compare-commits --base main [--candidate HEAD] [options] (--bench REGEX [--package P] | -- SCRIPT)"
    )
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repo", default=".", metavar="DIR", help="the repository (default: this folder)")
    parser.add_argument("--base", required=True, metavar="A", help="commit, branch or tag to compare with")
    parser.add_argument("--candidate", default="HEAD", metavar="B", help="commit, branch or tag (default: HEAD)")
    parser.add_argument("--exact-base", action="store_true",
                        help="measure A, not the merge base of A and B")  # fmt: skip
    parser.add_argument("--bench", metavar="REGEX", help="measure these Go benchmarks instead of a script")
    parser.add_argument("--package", default=".", metavar="P", help="package of the benchmarks, such as ./money (default: .)")  # fmt: skip
    parser.add_argument("--benchtime", default="1s", metavar="T", help="as of go test (default: 1s)")
    parser.add_argument("--directory", default="", metavar="DIR", help="folder of go.mod in the repository")
    parser.add_argument("--main", metavar="PACKAGE",
                        help="the package that SCRIPT builds: nothing is measured if its inputs are equal")  # fmt: skip
    parser.add_argument("--better", choices=("smaller", "larger"), default="smaller", help="which numbers are better")
    parser.add_argument("--smallest-change", type=float, default=100 * DEFAULT_SMALLEST_CHANGE, metavar="PERCENT",
                        help="increase that matters, in percent (default: 5)")  # fmt: skip
    parser.add_argument("--pairs", type=int, default=DEFAULT_PAIRS, metavar="N", help=f"most pairs (default: {DEFAULT_PAIRS})")  # fmt: skip
    parser.add_argument("--minutes", type=float, metavar="M", help="no pair begins after this time")
    parser.add_argument("--script-timeout", type=float, default=3600.0, metavar="S", help="seconds a run may take")
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("script", nargs="*", metavar="SCRIPT", help="the command that measures, after --")


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
    print(f"slowpath: {base[:12]} and {candidate[:12]}, at most {settings.pairs} pairs", file=sys.stderr)
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
        print(f"{candidate[:12]} against {base[:12]}: {sentence}")
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
