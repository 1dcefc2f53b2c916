"""How the parts of `npm test` are chosen and counted, how long proofs share their time, how steps are done."""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bootstrap_parts import install_steps, long_proofs, suite_runner
from bootstrap_parts import setup_steps as stepping
from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.long_proofs import LongProof, in_order, shares, time_limit
from bootstrap_parts.setup_steps import SetupContext, SetupStep, run_steps
from bootstrap_parts.suite_counts import SuiteCount, count_go, count_junit, count_playwright, count_vitest, go_words
from bootstrap_parts.suite_report import SuiteResult, print_report
from bootstrap_parts.suite_runner import choose, running_parts, startable
from bootstrap_parts.suites import ALL, Suite

NONE = frozenset[str]()
PARTS = [
    Suite("pytest", frozenset({"py", "unit"}), lambda: [["pytest"]], takes_arguments=True),
    Suite("mypy", frozenset({"check", "py"}), lambda: [["mypy"]]),
    Suite("corpus", frozenset({"corpus"}), lambda: [["pytest", "-m", "corpus"]], takes_arguments=True),
    Suite("journeys", frozenset({"e2e", "processes"}), lambda: [["playwright"]], takes_arguments=True),
]


@pytest.mark.parametrize(
    ("words", "names", "arguments"),
    [
        ([], ["pytest", "mypy"], []),
        (["py"], ["pytest", "mypy"], []),
        (["mypy"], ["mypy"], []),
        (["corpus"], ["corpus"], []),
        (["processes"], ["journeys"], []),
        (["e2e"], ["journeys"], []),
        (["py", "-k", "name"], ["pytest"], ["-k", "name"]),
        (["py", "--", "tests/accounts"], ["pytest"], ["tests/accounts"]),
    ],
)
def test_choosing(words: list[str], names: list[str], arguments: list[str]) -> None:
    chosen, passed_on = choose(words, PARTS)
    assert [part.name for part in chosen] == names
    assert passed_on == arguments


def test_waiting_jobs_run_beside_computing_ones() -> None:
    long, narrow, alone = (
        Suite("long", NONE, list, cores=2),
        Suite("narrow", NONE, list),
        Suite("alone", NONE, list, cores=ALL),
    )
    slow, quick = Suite("slow", NONE, list, patient=True), Suite("quick", NONE, list, patient=True)
    heavy = Suite("heavy", NONE, list, patient=True, weight=3)

    assert startable([slow, long, alone, narrow, quick], [], 2) == [long, narrow, slow]
    assert startable([alone, quick], [long, narrow, slow], 2) == []
    assert startable([alone, quick], [narrow], 2) == [quick]
    assert startable([alone, quick], [slow], 2) == [alone]
    assert startable([alone, long, slow, quick], [], 2) == [alone, slow]
    assert startable([alone, long], [narrow], 2) == []
    assert startable([slow, quick], [], 2) == [slow, quick]
    assert startable([slow, quick, heavy], [], 2) == [heavy, slow]


def test_choosing_what_is_not_there() -> None:
    with pytest.raises(StartupError, match="Unknown part pyt"):
        choose(["pyt"], PARTS)


def test_counting_junit(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text('<testsuites><testsuite tests="9" failures="1" errors="2" skipped="3"/></testsuites>')
    assert count_junit(file) == SuiteCount(passed=3, failed=3, skipped=3)
    file.write_text("<testsuites>")
    assert count_junit(file) is None


def go_events(*events: tuple[str, str, str]) -> str:
    return "\n".join(
        json.dumps({"Action": action, "Package": "p", **({"Test": test} if test else {}), "Output": output})
        for action, test, output in events
    )


def test_counting_go_counts_outermost_tests() -> None:
    output = go_events(
        ("pass", "TestA", ""),
        ("pass", "TestA/case", ""),
        ("output", "TestB", "why\n"),
        ("fail", "TestB", ""),
        ("skip", "TestC", ""),
        ("fail", "", ""),
    )
    assert count_go(output) == SuiteCount(passed=1, failed=1, skipped=1)
    assert go_words("not json\n" + output) == ["not json", "why"]


def test_counting_browsers_and_components(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text('{"stats": {"expected": 5, "flaky": 1, "unexpected": 2, "skipped": 3}}')
    assert count_playwright(report) == SuiteCount(passed=6, failed=2, skipped=3)
    report.write_text('{"numPassedTests": 4, "numFailedTests": 1, "numPendingTests": 1, "numTodoTests": 1}')
    assert count_vitest(report) == SuiteCount(passed=4, failed=1, skipped=2)
    assert count_vitest(tmp_path / "none") is None


def test_the_last_line_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    results = [SuiteResult("a", SuiteCount(3, 0, 1), 1.0, ok=True), SuiteResult("b", SuiteCount(1, 1), 2.0, ok=False)]
    assert print_report(results, 3.0, ConsoleOutput()) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "4 passed, 1 failed, 1 skipped"
    assert print_report(results[:1], 3.0, ConsoleOutput()) == 0
    assert print_report([], 0.0, ConsoleOutput()) == 1


def test_a_run_over_its_budget_is_noted_and_passes(capsys: pytest.CaptureFixture[str]) -> None:
    results = [SuiteResult("a", SuiteCount(3), 700.0, ok=True)]
    assert print_report(results, 700.0, ConsoleOutput(), budget_seconds=600.0) == 0
    assert "700 s in total, 100 s over the budget of 600 s" in capsys.readouterr().out
    assert print_report(results, 600.0, ConsoleOutput(), budget_seconds=600.0) == 0
    assert "within the budget" in capsys.readouterr().out


def test_output_of_a_part_is_printed_if_it_fails_or_prints_always(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite_runner, "RESULTS", tmp_path)

    def prints(text: str, code: int = 0) -> Callable[[], list[list[str]]]:
        return lambda: [["sh", "-c", f"echo {text}; exit {code}"]]

    parts = [
        Suite("quiet", NONE, prints("nothing")),
        Suite("printing", NONE, prints("everything"), prints_output=True),
        Suite("failing", NONE, prints("reason", 1)),
    ]
    with marked() as mark, running_parts(ConsoleOutput(), mark) as run:
        run.complete(parts)
    printed = capsys.readouterr().out
    assert ["nothing" in printed, "everything" in printed, "reason" in printed] == [False, True, True]


def test_parts_begun_during_the_set_up_are_not_run_again(
    tmp_path: Path, stamps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite_runner, "RESULTS", tmp_path)
    begun = tmp_path / "begun"

    def writes(name: str) -> Callable[[], list[list[str]]]:
        return lambda: [["sh", "-c", f"echo {name} >> {begun}"]]

    parts = [
        Suite("late", NONE, writes("late")),
        Suite("early", NONE, writes("early"), patient=True, needs=frozenset({"python"})),
        Suite("premature", NONE, writes("premature"), needs=frozenset({"python", "node"})),
    ]

    def wait_for_early(_context: SetupContext) -> str:
        deadline = time.monotonic() + 20
        while not begun.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return begun.read_text()

    steps = [
        SetupStep("python:test", "Python", lambda _: "", lambda: False),
        SetupStep("node", "node", wait_for_early, lambda: False, after=("python:test",)),
    ]
    monkeypatch.setattr(suite_runner, "all_parts", lambda: parts)
    monkeypatch.setattr(install_steps, "_all_steps", lambda _purpose: steps)
    assert suite_runner.run_tests(argparse.Namespace(words=[]), ConsoleOutput(quiet=True)) == 0
    assert begun.read_text().splitlines()[0] == "early"
    assert sorted(begun.read_text().splitlines()) == ["early", "late", "premature"]


def test_shares_fill_the_minutes() -> None:
    proofs = [LongProof("narrow", "x"), LongProof("heavy", "x", weight=2), LongProof("wide", "x", cores=2)]
    given = shares(proofs, minutes=10, cores=2)
    assert sum(given[proof.name] * proof.cores for proof in proofs) == pytest.approx(10 * 60 * 2)
    assert given["heavy"] == pytest.approx(2 * given["narrow"])
    assert shares([LongProof("alone", "x")], minutes=10, cores=2) == {"alone": 600.0}


def test_large_proofs_start_first_and_others_in_an_order_of_the_seed() -> None:
    rest = [*(LongProof(f"short {number}", "x") for number in range(6)), LongProof("wide", "x", cores=2)]
    proofs = [*rest, LongProof("heavy", "x", weight=7), LongProof("heavier", "x", weight=8)]
    given = shares(proofs, minutes=10, cores=2)
    orders = [in_order(proofs, given, seed) for seed in range(8)]
    assert all([proof.name for proof in order[:2]] == ["heavier", "heavy"] for order in orders)
    assert all(sorted(order[2:], key=proofs.index) == rest for order in orders)
    assert len({order[-1].name for order in orders}) > 2
    assert in_order(proofs, given, 5) == orders[5]


def test_no_proof_starts_when_the_minutes_are_over(
    tmp_path: Path, stamps: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    proofs = [LongProof("first", "sleep 0.7", cores=2), LongProof("second", "true", cores=2)]
    monkeypatch.setattr(long_proofs, "registered", lambda: proofs)
    monkeypatch.setattr(long_proofs, "set_up", lambda *_: None)
    monkeypatch.setattr(long_proofs, "_RESULTS", tmp_path)
    options = argparse.Namespace(names=[], seed=1, minutes=0.005)
    assert long_proofs.run_long(options, ConsoleOutput()) == 0
    printed = capsys.readouterr().out
    assert "1 passed, 0 failed, 1 skipped" in printed
    assert "left out: the minutes are over" in printed
    options.minutes = 1.0
    assert long_proofs.run_long(options, ConsoleOutput()) == 0
    assert "2 passed, 0 failed" in capsys.readouterr().out


def test_a_proof_by_name_runs_only_if_it_is_named(
    tmp_path: Path, stamps: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    proofs = [LongProof("first", "true"), LongProof("expensive", "true", by_name=True)]
    monkeypatch.setattr(long_proofs, "registered", lambda: proofs)
    monkeypatch.setattr(long_proofs, "set_up", lambda *_: None)
    monkeypatch.setattr(long_proofs, "_RESULTS", tmp_path)
    for names, ran in (([], "first"), (["expensive"], "expensive")):
        options = argparse.Namespace(names=names, seed=1, minutes=1.0)
        assert long_proofs.run_long(options, ConsoleOutput()) == 0
        printed = capsys.readouterr().out
        assert "1 passed, 0 failed" in printed
        assert ran in printed


def test_a_fixed_amount_of_work_has_a_fixed_limit() -> None:
    assert time_limit(LongProof("timed", "x {seconds}"), 60.0) == 720.0
    assert time_limit(LongProof("fixed", "x"), 60.0) == time_limit(LongProof("fixed", "x"), 600.0) == 1_500.0


@pytest.fixture
def stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stepping, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(stepping, "STEP_LOGS", tmp_path / "logs")
    return tmp_path


def test_a_step_is_done_once_until_its_stamp_changes(stamps: Path) -> None:
    done, content = list[str](), ["one"]

    def work(_bench: SetupContext) -> str:
        done.append(content[0])
        return ""

    step = SetupStep("build", "build", work, is_there=lambda: bool(done), stamp=lambda: content[0])
    with marked() as mark:
        assert [run_steps([step], ConsoleOutput(quiet=True), mark) for _ in range(2)] == [1, 0]
        content[0] = "two"
        assert run_steps([step], ConsoleOutput(quiet=True), mark) == 1
    assert done == ["one", "two"]


def test_a_failing_step_reports_the_reason_and_ends_the_others(stamps: Path) -> None:
    def fail(bench: SetupContext) -> str:
        bench.run(["sh", "-c", "echo npm notice noise; echo the cause; exit 3"], log="fail")
        return ""

    def sleep(bench: SetupContext) -> str:
        bench.run(["sleep", "60"], log="sleep")
        return ""

    steps = [SetupStep("fail", "fail", fail, lambda: False), SetupStep("sleep", "sleep", sleep, lambda: False)]
    with marked() as mark, pytest.raises(StartupError, match=r"sh failed \(exit code 3\): the cause\."):
        run_steps(steps, ConsoleOutput(quiet=True), mark)
    assert not (stamps / "stamps" / "fail").exists()


def test_a_full_disk_is_named(stamps: Path) -> None:
    def fill(bench: SetupContext) -> str:
        bench.run(["sh", "-c", "echo 'cp: No space left on device'; exit 1"], log="fill")
        return ""

    with marked() as mark, pytest.raises(StartupError, match="The disk is full"):
        run_steps([SetupStep("fill", "fill", fill, lambda: False)], ConsoleOutput(quiet=True), mark)
