"""`slowpath compare`: compare two sides without a server. Exit codes: see `slowpath_cli.commands.verdict_gates`."""

import argparse
import gc
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from slowpath.analysis.comparison.compare_sides import compare
from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.comparison.side_labels import NoMatchingSample, select_side
from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.formats.document_json import dump_document
from slowpath_cli.commands.compare_assembly import disassemble_both, format_assembly
from slowpath_cli.commands.compare_binaries import compare_binaries, read_reasons, select_reasons
from slowpath_cli.commands.compare_text import format_comparison
from slowpath_cli.commands.verdict_gates import exit_code
from slowpath_cli.core.input_files import (
    BAD_INPUT,
    DECODE_BINARY,
    InvalidInput,
    LoadedSide,
    SkippedFile,
    compare_columns,
    find_compared_kind,
    read_facts,
    read_side,
    resolved,
)

RNG_SEED = 1


def run(options: argparse.Namespace) -> int:
    """Compare both sides, print the result, and return the exit code."""
    gc.disable()  # a comparison creates a million objects and few cycles: garbage collection took 10% of its time
    try:
        base, candidate, helper_outputs = _read_both(options)
    except InvalidInput as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT
    comparison = compare(base.side, candidate.side, helper_outputs, np.random.default_rng(RNG_SEED), _ignore_progress)
    document = make_comparison_document(comparison, unread_caveats(base.unread, candidate.unread))
    try:
        document = replace(document, compiler=compare_binaries(options, document, _helper()))
        reasons = select_reasons(read_reasons(options), document.compiler)
        assembly = disassemble_both(options, _helper(), document.cost_shifts)
    except InvalidInput as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return BAD_INPUT
    if options.json:
        dumped = dump_document(document, indent=2)
        added: dict[str, object] = {"assembly": assembly} if assembly else {}
        added |= {"compiler_reasons": [asdict(each) for each in reasons]} if options.compile_report else {}
        print(json.dumps(json.loads(dumped) | added, indent=2) if added else dumped)
    else:
        color = not options.no_color and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print(format_comparison(document, color=color, reasons=reasons))
        if assembly:
            print("\n" + format_assembly(assembly))
    return exit_code(comparison.kind_verdicts, options.gate)


def _ignore_progress(_step: str, _fraction: float) -> None:
    """Ignore progress: a comparison on the command line takes about a second."""


def _helper() -> Path:
    return Path(os.environ.get("SLOWPATH_DECODE_BIN") or DECODE_BINARY)


def _read_both(options: argparse.Namespace) -> tuple[LoadedSide, LoadedSide, Mapping[str, Mapping[str, Any]]]:
    helper = _helper()
    with tempfile.TemporaryDirectory(prefix="slowpath-") as folder:
        base, candidate = (_read_one(options, side, Path(folder, side), helper) for side in ("base", "candidate"))
        return base, candidate, compare_columns(base, candidate, helper)


def _read_one(options: argparse.Namespace, side: str, folder: Path, helper: Path) -> LoadedSide:
    facts_file = getattr(options, f"metadata_{side}")
    facts = read_facts(resolved(facts_file)) if facts_file else None
    labels = getattr(options, f"{side}_label")
    read = read_side(getattr(options, side), facts, folder, helper, brief=not labels)
    if not read.side.artifacts():
        raise InvalidInput(f"--{side} has no readable artifact{_format_reason(read.unread)}")
    try:
        return replace(read, side=select_side(read.side, side, labels), columns={} if labels else read.columns)
    except NoMatchingSample as error:
        raise InvalidInput(str(error)) from error


def _format_reason(unread: Sequence[SkippedFile]) -> str:
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


def unread_caveats(base: Sequence[SkippedFile], candidate: Sequence[SkippedFile]) -> list[Caveat]:
    """Return caveats for files that were not compared: damaged files, and kinds that this command does not support."""
    unread = [*base, *candidate]
    caveats = []
    damaged = [each for each in unread if each.kind == "pprof" or find_compared_kind(each.kind) is not None]
    if damaged:
        names = ", ".join(f"{each.name} ({each.reason})" for each in damaged[:3])
        caveats.append(Caveat("unread-files", f"Unreadable files were skipped: {names}{_and_more(len(damaged) - 3)}."))
    counts = Counter(_WORDS.get(each.kind, "other files") for each in unread if each not in damaged)
    if counts:
        listed = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
        caveats.append(Caveat("kinds-not-read", f"Not compared, because this command does not support them: {listed}."))
    return caveats


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
