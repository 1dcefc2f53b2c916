"""`slowpath compare`: the whole comparison without a server. Exit codes: see `slowpath_cli.gates`."""

import argparse
import gc
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from slowpath.analysis.compare import compare
from slowpath.analysis.document import to_json
from slowpath.analysis.findings import Doubt
from slowpath_cli.compare_text import told
from slowpath_cli.gates import EXIT_CODES, GATE_KINDS, exit_code, gate_kinds
from slowpath_cli.reading import (
    BAD_INPUT,
    DECODE_BINARY,
    OTHERS,
    BadInput,
    ReadSide,
    Unread,
    compared_benchmarks,
    read_facts,
    read_side,
    resolved,
)

DICE_SEED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What may stand after `slowpath compare`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXIT_CODES
    for side in ("base", "candidate"):
        parser.add_argument(
            f"--{side}",
            nargs="+",
            action="extend",
            required=True,
            metavar="F",
            help=f"files or folders of the {side}; kinds may be mixed, each is compared with its own",
        )
        parser.add_argument(f"--facts-{side}", metavar="FILE", help=f"facts of {side} files that have no F.facts.json")
    parser.add_argument(
        "--gate",
        type=gate_kinds,
        metavar="KINDS",
        help=f"kinds the exit code depends on, separated by commas: {', '.join(GATE_KINDS)} "
        "(default: every kind with enough data)",
    )
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.add_argument("--no-color", action="store_true", help="plain text even on a terminal")


def run(options: argparse.Namespace) -> int:
    """Compare and print; returns the exit code."""
    gc.disable()  # a comparison makes a million objects and hardly a cycle: looking for cycles took a tenth of its time
    try:
        base, candidate, benchmark_rows = _read_both(options)
    except BadInput as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT
    comparison = compare(base.side, candidate.side, benchmark_rows, np.random.default_rng(DICE_SEED), _silent)
    document = to_json(comparison, unread_doubts(base.unread, candidate.unread))
    if options.json:
        print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        colour = not options.no_color and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print(told(document, colour=colour))
    return exit_code(comparison.kind_verdicts, options.gate)


def _silent(_step: str, _fraction: float) -> None:
    """Nobody watches: a comparison on the command line takes about a second."""


def _read_both(options: argparse.Namespace) -> tuple[ReadSide, ReadSide, dict[str, Any] | None]:
    helper = Path(os.environ.get("SLOWPATH_DECODE_BIN") or DECODE_BINARY)
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        base, candidate = (_read_one(options, side, Path(folder, side), helper) for side in ("base", "candidate"))
        return base, candidate, compared_benchmarks(base, candidate, helper)


def _read_one(options: argparse.Namespace, side: str, folder: Path, helper: Path) -> ReadSide:
    facts_file = getattr(options, f"facts_{side}")
    facts = read_facts(resolved(facts_file)) if facts_file else None
    read = read_side(getattr(options, side), facts, folder, helper)
    if not read.side.artifacts():
        raise BadInput(f"--{side} holds nothing that can be read{_why_not(read.unread)}")
    return read


def _why_not(unread: Sequence[Unread]) -> str:
    if not unread:
        return ""
    first = unread[0]
    more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
    return f": {first.name}: {first.reason}{more}"


_WORDS = {
    "metrics-text": "metrics",
    "zip": "zip archives",
    "unknown": "other files",
}


def unread_doubts(base: Sequence[Unread], candidate: Sequence[Unread]) -> list[Doubt]:
    """What was given and not compared: kinds that this command does not read, and profiles that are damaged."""
    unread = [*base, *candidate]
    doubts = []
    damaged = [each for each in unread if each.kind == "pprof" or each.kind in OTHERS]
    if damaged:
        names = ", ".join(f"{each.name} ({each.reason})" for each in damaged[:3])
        doubts.append(Doubt("unread-files", f"Left out as unreadable: {names}{_and_more(len(damaged) - 3)}."))
    counts = Counter(_WORDS.get(each.kind, "other files") for each in unread if each not in damaged)
    if counts:
        listed = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
        doubts.append(Doubt("kinds-not-read", f"Not compared, because this command does not read them: {listed}."))
    return doubts


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
