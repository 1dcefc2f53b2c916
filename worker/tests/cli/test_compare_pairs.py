"""Any file is compared with any other of its kind, both ways; through the command, with itself and with an empty one."""

import os
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from slowpath_cli.core.input_files import DECODE_BINARY
from slowpath_cli.main import main
from tests.support.swapped import ReadFile, assert_opposite, readable

SMALL_FILES = DECODE_BINARY.parents[1] / "testdata"
KINDS = ("profiles", "traces", "spans", "growth", "bench")
EMPTY = {
    "profiles": b"",
    "traces": b"go 1.22 trace\x00\x00\x00",
    "spans": b'{"resourceSpans":[]}',
    "growth": b"\n",
    "bench": b"goos: linux\n",
}
MOST_SMALL, MOST_PAIRS = 60_000, 400


def of_kind(files: list[ReadFile]) -> dict[str, list[ReadFile]]:
    found: dict[str, list[ReadFile]] = {}
    for each in files:
        found.setdefault(each.kind, []).append(each)
    return found


def small(folder: str) -> list[Path]:
    return sorted(path for path in (SMALL_FILES / folder).iterdir() if path.stat().st_size <= MOST_SMALL)


@pytest.mark.processes
def test_small_files_of_every_kind_are_compared_both_ways(tmp_path: Path) -> None:
    files = readable([path for folder in KINDS for path in small(folder)], tmp_path, DECODE_BINARY)
    kinds = of_kind(files)
    assert {"cpu profile", "heap profile", "trace", "spans", "growth", "bench"} <= kinds.keys()
    for mine in kinds.values():
        for one, other in combinations_with_replacement(mine, 2):
            assert_opposite(one, other, DECODE_BINARY)


@pytest.mark.parametrize("folder", KINDS)
def test_the_command_never_fails_for_a_file_that_is_empty_or_the_same(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(EMPTY[folder])
    for path in [*small(folder), empty]:
        for base, candidate in ((path, path), (path, empty), (empty, path)):
            code = main(["compare", "--base", str(base), "--candidate", str(candidate)])
            assert code in {0, 1, 2, 3}, capsys.readouterr().err


@pytest.mark.corpus
def test_files_of_a_corpus_are_compared_both_ways(tmp_path: Path) -> None:
    """All pairs of a kind, or as many as fit, spread over all of them (set SLOWPATH_PAIRS to compare more)."""
    given = os.environ.get("SLOWPATH_CORPUS")
    if not given:
        pytest.skip("SLOWPATH_CORPUS is not set")
    paths = sorted(path for path in Path(given).rglob("*") if path.is_file() and not path.name.endswith(".facts.json"))
    for mine in of_kind(readable(paths, tmp_path, DECODE_BINARY)).values():
        pairs = list(combinations_with_replacement(mine, 2))
        step = -(-len(pairs) // int(os.environ.get("SLOWPATH_PAIRS", MOST_PAIRS)))
        for one, other in pairs[::step]:
            assert_opposite(one, other, DECODE_BINARY)
