"""`slowpath bisect --check` measures both ends of a real repository, and the search after it uses what was measured."""

from pathlib import Path

import pytest

from tests.cli.test_bisect import SEED, asked, bisect, history, script

pytestmark = pytest.mark.processes

NOISY = f"{SEED}\nawk -v s=$S -v l=LEVEL 'BEGIN {{ srand(s); print l * (1 + 0.02 * (rand() - 0.5)) }}'"


def test_ends_that_differ_are_measured_and_nothing_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 9, 5)
    measure = script(tmp_path, NOISY.replace("LEVEL", "$(test -e slow && echo 13 || echo 10)"))
    words = ("--good", shas[0], "--bad", shas[-1], "--", measure)
    checked = bisect(capsys, tmp_path, repository, "--check", *words)
    assert (checked["format"], checked["relation"]) == ("slowpath.bisect-check/1", "differ")
    assert 0.25 < checked["low"] < checked["change"] < checked["high"] < 0.35
    assert checked["sentence"].startswith("The ends differ: +3")
    assert sorted(asked(tmp_path)) == sorted([shas[0], shas[0], shas[-1], shas[-1]])
    assert bisect(capsys, tmp_path, repository, "--check", *words) == checked, "it is known already"
    found = bisect(capsys, tmp_path, repository, *words)
    assert found["levels"][0]["culprit"] == shas[5]
    assert found["deployments"] == len(asked(tmp_path))


def test_ends_that_do_not_differ_have_their_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 5, 99)
    words = ("--check", "--good", shas[0], "--bad", shas[-1], "--")
    checked = bisect(capsys, tmp_path, repository, *words, script(tmp_path, NOISY.replace("LEVEL", "10")), code=3)
    assert checked["relation"] == "equal"
    assert "do not differ beyond the noise" in checked["sentence"]


def test_an_end_that_does_not_build_is_named_with_its_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = history(tmp_path / "r", 5, 3)
    words = ("--check", "--good", shas[0], "--bad", shas[-1], "--")
    measure = script(tmp_path, "test -e slow && { echo 'no such package' >&2; exit 125; }\necho 10")
    failed = bisect(capsys, tmp_path, repository, *words, measure, code=2)
    assert "The bad boundary does not build: no such package" in failed["error"]
