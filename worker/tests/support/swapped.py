"""Compare files of one kind with each other, both ways: nothing raises, and swapped sides give the opposite answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from slowpath.analysis.comparison.compare_sides import SideComparison, compare
from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings.findings import Direction, Finding, Verdict
from slowpath.analysis.formats.document_json import dump_document
from slowpath_cli.commands.compare_text import format_comparison
from slowpath_cli.commands.verdict_gates import exit_code
from slowpath_cli.core.input_files import InvalidInput, LoadedSide, compare_columns, read_side

OPPOSITE_VERDICT: dict[Verdict, Verdict] = {"regressed": "improved", "improved": "regressed"}
OPPOSITE: dict[Direction, Direction] = {"worse": "better", "better": "worse"}
SEED = 1


@dataclass(frozen=True)
class ReadFile:
    """A decoded file as a side of its own, and what kind it is compared as."""

    path: Path
    kind: str
    side: LoadedSide


def readable(paths: Sequence[Path], folder: Path, helper: Path) -> list[ReadFile]:
    """Decode what can be read; `folder` keeps what is read later."""
    found = []
    for number, path in enumerate(paths):
        try:
            side = read_side([str(path)], None, folder / str(number), helper)
        except InvalidInput:
            continue
        kind = _kind(side)
        if kind:
            found.append(ReadFile(path, kind, side))
    return found


def _kind(read: LoadedSide) -> str:
    side = read.side
    if side.profiles:
        return f"{side.profiles[0].table.kind} profile"
    return next((kind_id for kind_id, artifacts in side.others.items() if artifacts), "")


def assert_opposite(one: ReadFile, other: ReadFile, helper: Path) -> None:
    """Compare both ways: verdicts and the direction of every finding that both have are opposite."""
    there, back = _compared(one, other, helper), _compared(other, one, helper)
    pair = f"{one.path.name} and {other.path.name}"
    assert back.verdict == OPPOSITE_VERDICT.get(there.verdict, there.verdict), pair
    directions, opposite = (_directions(each.findings) for each in (there, back))
    for subject in directions.keys() & opposite.keys():
        assert opposite[subject] == {OPPOSITE[each] for each in directions[subject]}, f"{pair}: {subject}"
    if one is other:
        assert there.verdict in {"unchanged", "inconclusive"}, pair


def _directions(findings: Sequence[Finding]) -> dict[tuple[str, str, float | None], set[Direction]]:
    found: dict[tuple[str, str, float | None], set[Direction]] = {}
    for each in findings:
        found.setdefault((each.kind, each.subject, each.quantile), set()).add(each.direction)
    return found


def _compared(base: ReadFile, candidate: ReadFile, helper: Path) -> SideComparison:
    """Everything that `slowpath compare` does with two files, and the documents of the page."""
    rows = compare_columns(base.side, candidate.side, helper)
    comparison = compare(base.side.side, candidate.side.side, rows, np.random.default_rng(SEED), _unwatched)
    document = make_comparison_document(comparison)
    assert dump_document(document)
    assert format_comparison(document, color=False)
    assert exit_code(comparison.kind_verdicts, None) in {0, 1, 3}
    assert dump_document(comparison.documents("base", "candidate"))
    return comparison


def _unwatched(_step: str, _fraction: float) -> None:
    """Progress goes nowhere."""
