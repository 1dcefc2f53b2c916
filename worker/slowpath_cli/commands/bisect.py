"""`slowpath bisect`: `git bisect run` for noisy measurements; skips commits that keep the binary and searches dependencies.

Exit codes: 0 found, 3 not decided, 2 bad input (including a script that fails). With `--check`: 0 good and bad differ, 3 not.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.bisect.search_state import SearchResult, SearchSettings
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.findings.wording import pluralize
from slowpath.core.errors import InvalidRequest
from slowpath.verdicts.bisects.service.candidate_discovery import BinaryInputs, MultiRepositoryHistory
from slowpath_cli.core.input_files import resolved
from slowpath_cli.local_bisect.boundary_report import print_boundary_check
from slowpath_cli.local_bisect.compiler_decisions import explain_culprit
from slowpath_cli.local_bisect.go_toolchain import list_releases
from slowpath_cli.local_bisect.local_repositories import InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.output_values import parse_signature
from slowpath_cli.local_bisect.probe_results import UnbuildableBoundary
from slowpath_cli.local_bisect.progress_lines import describe_budget, format_si
from slowpath_cli.local_bisect.script_runner import MeasureScript, ScriptProtocolError, absolute_command
from slowpath_cli.local_bisect.search_answers import explained, indent
from slowpath_cli.local_bisect.search_driver import (
    SearchDriver,
    SearchSession,
    new_session,
    rest_of,
    resume_session,
    save_session,
)
from slowpath_cli.local_bisect.search_report import format_search_report, make_search_document
from slowpath_cli.local_bisect.work_folders import MAX_SEARCHES, cache_folder, locked, remove_searches

BAD_INPUT = 2
NOT_DECIDED = 3
WITHOUT_MAIN: Final = (
    "slowpath: --main with the measured package leaves out commits that do not change what it is built from"
)


def run(options: argparse.Namespace) -> int:
    """Run the search, print the result, and return the exit code."""
    if options.clean:
        removed, size = remove_searches(cache_folder(), 0)
        print(f"{pluralize(removed, 'search', 'searches')} removed, {format_si(float(size))}B")
        return 0
    missing = [name for name in ("good", "bad", "script") if not getattr(options, name)]
    if missing:
        names = " and ".join("the script, after --" if one == "script" else f"--{one}" for one in missing)
        print(f"slowpath: {names} missing. See slowpath bisect --help.", file=sys.stderr)
        return BAD_INPUT
    try:
        return _search(options)
    except (InvalidRequest, ScriptProtocolError, UnbuildableBoundary) as error:
        remedy = f" {error.remedy}" if isinstance(error, InvalidRequest) and error.remedy else ""
        print(f"slowpath: {error}{remedy}", file=sys.stderr)
        return BAD_INPUT


def _search(options: argparse.Namespace) -> int:
    settings = _settings(options)
    folder = _folder(options)
    with locked(folder):
        return _search_in(folder, settings, options)


def _search_in(folder: Path, settings: SearchSettings, options: argparse.Namespace) -> int:
    history = _history(options, folder)
    good, bad = (history.repositories[""].resolve(one) for one in (options.good, options.bad))
    question = _question(options, good, bad)
    session = None if options.restart else resume_session(folder, question, options.max_deployments, rest=options.rest)
    if session is not None:
        print(
            f"slowpath: continuing with earlier measurements ({session.runs} runs); --restart starts over",
            file=sys.stderr,
        )
    else:
        _require_order(history.repositories[""], options, good, bad)
        level = history.top(good, bad)
        if not level.nodes:
            raise InvalidRepository("No commit between good and bad changes the sources of the binary.")
        session = new_session(question, good, level, settings)
        print(
            f"slowpath: {level.commits} commits, {level.classes} candidates; {describe_budget(session.state)}",
            file=sys.stderr,
        )
        if options.main is None and level.classes > 1:
            print(WITHOUT_MAIN, file=sys.stderr)
    script = MeasureScript(
        absolute_command(options.script),
        options.script_timeout,
        options.directory.strip("/"),
        parse_signature(options.signature),
    )
    print(f"slowpath: logs and measurements are in {folder}", file=sys.stderr)
    if options.check:
        SearchDriver(session, history, script, folder, _report).measure_boundaries()
        return print_boundary_check(session, as_json=options.json)
    parts = list(_drive_all(session, history, script, folder, rest=options.rest))
    if options.json:
        documents = [make_search_document(one, history, done) | {"compiler": lines} for one, done, _, lines in parts]
        print(json.dumps({**documents[0], "rest": documents[1:]}))
    else:
        texts = [
            "\n".join([format_search_report(one, history, done, options.words, place), *_compiler_lines(lines)])
            for one, done, place, lines in parts
        ]
        print("\n\n".join(texts))
    return 0 if parts[0][1].outcome == "found" else NOT_DECIDED


def _require_order(repository: LocalRepository, options: argparse.Namespace, good: str, bad: str) -> None:
    """Raise `InvalidRepository` if the bad commit is older than the good one."""
    if good != bad and repository.is_ancestor(bad, good):
        better = "smaller" if options.better == "larger" else "larger"
        raise InvalidRepository(
            f"--bad {options.bad} is older than --good {options.good}. Swap them. To find the commit that made it better instead "
            f"of worse, swap them and add --better {better}."
        )


def _compiler_lines(sentences: Sequence[str]) -> list[str]:
    return ["What the compiler decided differently in the culprit:", *indent(sentences)] if sentences else []


def _drive_all(
    session: SearchSession,
    history: MultiRepositoryHistory[LocalRepository],
    script: MeasureScript,
    folder: Path,
    *,
    rest: bool,
) -> Iterator[tuple[SearchSession, SearchResult, Path, list[str]]]:
    """Yield the finished search and, with `rest`, searches for what each culprit leaves unexplained.

    With the folder of each, and what the compiler decided differently in its culprit.
    """
    while True:
        finished = SearchDriver(session, history, script, folder, _report).drive()
        save_session(session, folder)
        compiler = explain_culprit(session, finished, history)
        document = make_search_document(session, history, finished) | {"compiler": compiler}
        (folder / "report.json").write_text(json.dumps(document, indent=2), encoding="utf-8")
        yield session, finished, folder, compiler
        found = explained(session, finished) if rest else None
        if found is None or not found.has_later_rest:
            return
        _report(session, "searching for what explains the rest")
        following, folder = rest_of(session, finished.suspects[0]), folder / "rest"
        folder.mkdir(exist_ok=True, mode=0o700)
        session = resume_session(folder, following.question, None, rest=True) or following


def _report(session: SearchSession, words: str) -> None:
    print(
        f"slowpath: [{session.runs + 1}] {''.join(one if one.isprintable() else ' ' for one in words)[:600]}",
        file=sys.stderr,
        flush=True,
    )


def _settings(options: argparse.Namespace) -> SearchSettings:
    if (
        not 0.5 < options.stop_probability < 1
        or not 1 <= options.slots <= 64
        or (options.max_deployments is not None and options.max_deployments < 1)
    ):
        raise InvalidRepository(
            "--stop-probability must be between 0.5 and 1, --slots between 1 and 64, --max-deployments at least 1."
        )
    return SearchSettings(
        belief=options.stop_probability, slots=options.slots, most_windows=1, most_deploys=options.max_deployments, control=options.control,
        larger_is_worse=options.better == "smaller",
    )  # fmt: skip


def _history(options: argparse.Namespace, folder: Path) -> MultiRepositoryHistory[LocalRepository]:
    target = BuildTarget(
        options.goos, options.goarch, frozenset(filter(None, options.tags.split(","))), None if options.cgo is None else options.cgo == "on"
    )  # fmt: skip
    main = LocalRepository(
        str(resolved(options.repo).resolve()), resolved(options.repo), folder / "repositories" / "main", CatFileReader
    )
    modules = {}
    for number, one in enumerate(options.module_repo):
        module, equals, place = one.partition("=")
        if not module or not equals:
            raise InvalidRepository(f"--module-repo is MODULE=DIR, not {one!r}.")
        modules[module] = LocalRepository(
            module, resolved(place), folder / "repositories" / f"module-{number}", CatFileReader
        )
    package = None if options.main is None else os.path.normpath(options.main).strip("/").replace("..", "")
    return MultiRepositoryHistory(
        main,
        modules,
        BinaryInputs(options.directory.strip("/"), "" if package == "." else package, target),
        known_releases=cache(lambda: list_releases(folder)),
    )


def _question(options: argparse.Namespace, good: str, bad: str) -> dict[str, Any]:
    unrelated = {
        "run",
        "check",
        "restart",
        "rest",
        "clean",
        "json",
        "work_dir",
        "script_timeout",
        "max_deployments",
        "words",
        "stop_probability",
    }
    relevant = {name: value for name, value in vars(options).items() if name not in unrelated}
    return {
        **relevant,
        "belief": options.stop_probability,
        "good": good,
        "bad": bad,
        "repo": str(resolved(options.repo).resolve()),
    }


def _folder(options: argparse.Namespace) -> Path:
    if options.work_dir:
        folder = resolved(options.work_dir).resolve()
    else:
        search_key = json.dumps(
            [str(resolved(options.repo).resolve()), options.good, options.bad, options.main, options.script]
        )
        folder = cache_folder() / hashlib.sha256(search_key.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.parent == cache_folder() and not (folder / "lock").exists():
        remove_searches(cache_folder(), MAX_SEARCHES - 1)
    return folder
