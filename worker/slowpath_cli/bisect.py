"""`slowpath bisect`: what `git bisect run` is, for noisy numbers, pruned to what changes the binary, and down into dependencies.

Exit codes: 0 found, 3 not decided, 2 bad input (a script that fails is one).
"""

import argparse
import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slowpath.analysis.bisect.state import Settings
from slowpath.analysis.closure.constraints import Target
from slowpath.bisects.service.history import Binary, History
from slowpath.core.errors import Refused
from slowpath_cli.bisecting.driving import BadEnd, Driver, Session, kept, new_session, taken_up
from slowpath_cli.bisecting.evidence import KINDS
from slowpath_cli.bisecting.measuring import BadScript, Script
from slowpath_cli.bisecting.repositories import BadRepository, Repository
from slowpath_cli.bisecting.telling import document, told
from slowpath_cli.reading import resolved

BAD_INPUT = 2
NOT_DECIDED = 3
SCRIPT = """the script runs in a work tree of ours; it knows SLOWPATH_COMMIT, SLOWPATH_DIR, SLOWPATH_OVERRIDES (JSON), SLOWPATH_OUT and
SLOWPATH_SLOT, and answers with the last number it prints (larger is worse), by profiles, traces, growth logs or benchmarks that it leaves
in SLOWPATH_OUT (--signature), or by its exit code: 0 good, 1 bad, 125 does not build, 75 try again"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What may stand after `slowpath bisect`."""
    parser.usage = "slowpath bisect --repo DIR --good A --bad B [options] -- SCRIPT [WORD...]"
    parser.epilog = SCRIPT
    parser.add_argument("--repo", default=".", metavar="DIR", help="the repository (default: this folder)")
    parser.add_argument("--good", required=True, metavar="A", help="commit, branch or tag that is not slower")
    parser.add_argument("--bad", required=True, metavar="B", help="commit, branch or tag that is slower")
    parser.add_argument("--module-repo", action="append", default=[], metavar="MODULE=DIR",
                        help="a dependency's repository, to search in when its version is guilty; may be repeated")  # fmt: skip
    parser.add_argument(
        "--directory", default="", metavar="DIR", help="where go.mod lies in the repository (default: at its top)"
    )
    parser.add_argument(
        "--main", metavar="PACKAGE", help="main package, as ./cmd/x: commits that do not change its binary are left out"
    )
    parser.add_argument("--goos", default="linux")
    parser.add_argument("--goarch", default="amd64")
    parser.add_argument("--tags", default="", help="build tags, with commas between")
    parser.add_argument("--cgo", choices=("on", "off"), help="whether cgo is used (default: not known, both count)")
    parser.add_argument("--better", choices=("smaller", "larger"), default="smaller", help="which numbers are better")
    parser.add_argument("--signature", metavar="KIND:SUBJECT",
                        help="what to read from the files in SLOWPATH_OUT, as profile.category:stack-growth, growth.count:total or profile.function:NAME")  # fmt: skip
    parser.add_argument("--belief", type=float, default=0.95, metavar="P", help="how sure to be (default: 0.95)")
    parser.add_argument("--slots", type=int, default=1, metavar="N", help="scripts at the same time")
    parser.add_argument("--control", action="store_true", help="run the good end beside every round, to see drift")
    parser.add_argument("--max-probes", "--max-deploys", dest="max_probes", type=int, metavar="N",
                        help="end undecided after N probes, with the remaining suspects; run again with a higher N to continue (default: four times the usual number)")  # fmt: skip
    parser.add_argument("--timeout", type=float, default=3600.0, metavar="S", help="seconds a run may take")
    parser.add_argument("--work", metavar="DIR", help="where work trees and what was measured are kept")
    parser.add_argument("--fresh", action="store_true", help="begin anew, even if an unfinished search is there")
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    parser.add_argument("script", nargs="+", metavar="SCRIPT", help="the command that measures, after --")


def run(options: argparse.Namespace) -> int:
    """Search and tell; returns the exit code."""
    try:
        return _searched(options)
    except (Refused, BadScript, BadEnd) as error:
        remedy = f" {error.remedy}" if isinstance(error, Refused) and error.remedy else ""
        print(f"slowpath: {error}{remedy}", file=sys.stderr)
        return BAD_INPUT


def _searched(options: argparse.Namespace) -> int:
    settings = _settings(options)
    folder = _folder(options)
    with _taken(folder):
        return _searched_in(folder, settings, options)


def _searched_in(folder: Path, settings: Settings, options: argparse.Namespace) -> int:
    history = _history(options, folder)
    good, bad = (history.repositories[""].resolve(one) for one in (options.good, options.bad))
    question = _question(options, good, bad)
    session = None if options.fresh else taken_up(folder, question, options.max_probes)
    if session is not None:
        print(
            f"slowpath: going on with what was measured before ({session.runs} runs); --fresh begins anew",
            file=sys.stderr,
        )
    else:
        level = history.top(good, bad)
        if not level.nodes:
            raise BadRepository("No commit between good and bad changes what the binary is built from.")
        session = new_session(question, good, level, settings)
        print(f"slowpath: {level.commits} commits, {len(level.nodes)} candidates", file=sys.stderr)
    script = Script(
        _absolute(options.script), options.timeout, options.directory.strip("/"), _signature(options.signature)
    )
    finished = Driver(session, history, script, folder, _tell).drive()
    kept(session, folder)
    if options.json:
        print(json.dumps(document(session, history, finished)))
    else:
        print(told(session, history, finished, options.words))
    return 0 if finished.outcome == "found" else NOT_DECIDED


def _signature(told: str | None) -> tuple[str, str] | None:
    if told is None:
        return None
    kind, colon, subject = told.partition(":")
    if kind not in KINDS or not colon or not subject:
        raise BadRepository(f"--signature is KIND:SUBJECT, with a kind of {', '.join(KINDS)}; not {told!r}.")
    return kind, subject


def _tell(session: Session, words: str) -> None:
    print(
        f"slowpath: [{session.runs + 1}] {''.join(one if one.isprintable() else ' ' for one in words)[:160]}",
        file=sys.stderr,
        flush=True,
    )


def _settings(options: argparse.Namespace) -> Settings:
    if (
        not 0.5 < options.belief < 1
        or not 1 <= options.slots <= 64
        or (options.max_probes is not None and options.max_probes < 1)
    ):
        raise BadRepository("--belief lies between 0.5 and 1, --slots between 1 and 64, --max-probes is at least 1.")
    return Settings(
        belief=options.belief, slots=options.slots, most_windows=1, most_deploys=options.max_probes, control=options.control,
        larger_is_worse=options.better == "smaller",
    )  # fmt: skip


def _history(options: argparse.Namespace, folder: Path) -> History[Repository]:
    target = Target(
        options.goos, options.goarch, frozenset(filter(None, options.tags.split(","))), None if options.cgo is None else options.cgo == "on"
    )  # fmt: skip
    main = Repository(str(resolved(options.repo).resolve()), resolved(options.repo), folder / "repositories" / "main")
    modules = {}
    for number, one in enumerate(options.module_repo):
        module, equals, place = one.partition("=")
        if not module or not equals:
            raise BadRepository(f"--module-repo is MODULE=DIR, not {one!r}.")
        modules[module] = Repository(module, resolved(place), folder / "repositories" / f"module-{number}")
    package = None if options.main is None else os.path.normpath(options.main).strip("/").replace("..", "")
    return History(main, modules, Binary(options.directory.strip("/"), "" if package == "." else package, target))


def _question(options: argparse.Namespace, good: str, bad: str) -> dict[str, Any]:
    told = {
        name: value
        for name, value in vars(options).items()
        if name not in {"run", "fresh", "json", "work", "timeout", "max_probes", "words"}
    }
    return {**told, "good": good, "bad": bad, "repo": str(resolved(options.repo).resolve())}


def _folder(options: argparse.Namespace) -> Path:
    if options.work:
        folder = resolved(options.work).resolve()
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        about = json.dumps(
            [str(resolved(options.repo).resolve()), options.good, options.bad, options.main, options.script]
        )
        folder = cache / "slowpath" / "bisect" / hashlib.sha256(about.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _absolute(words: list[str]) -> list[str]:
    """Return the command such that it is found from another folder too."""
    return [str(resolved(words[0]).absolute()), *words[1:]] if "/" in words[0] else words


@contextmanager
def _taken(folder: Path) -> Iterator[None]:
    """Have the folder for this process alone: two searches in it would check out over each other. Raises `BadRepository`."""
    with (folder / "lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise BadRepository(
                f"This search is under way already (process {lock.read(20).strip() or 'unknown'}, in {folder}). "
                "Wait for it, or give this one a folder of its own with --work."
            ) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield
