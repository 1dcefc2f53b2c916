"""The exit code of `slowpath compare` over the kinds that are gated on."""

import argparse

import pytest

from slowpath.analysis.findings.combined_verdict import KindVerdict
from slowpath.analysis.findings.findings import Verdict
from slowpath_cli.commands.verdict_gates import exit_code, gate_kinds


def kind(name: str, verdict: Verdict, *, enough: bool = True) -> KindVerdict:
    return KindVerdict(name, verdict, measures_cost=name in {"cpu", "traces"}, has_enough_data=enough)


GREEN = [kind("cpu", "improved"), kind("heap", "inconclusive", enough=False)]
TRADED = [kind("cpu", "improved"), kind("allocs", "regressed"), kind("traces", "inconclusive", enough=False)]


@pytest.mark.parametrize(
    ("verdicts", "gate", "code"),
    [
        (GREEN, None, 0),
        (GREEN, ("cpu",), 0),
        (GREEN, ("cpu", "heap"), 3),
        (GREEN, ("cpu", "traces"), 3),  # not compared
        (TRADED, None, 0),
        (TRADED, ("allocs",), 1),
        (TRADED, ("cpu", "traces"), 3),
        (TRADED, ("allocs", "traces"), 1),
        ([kind("cpu", "mixed")], None, 1),
        ([kind("cpu", "mixed")], ("cpu",), 1),
        ([kind("cpu", "regressed")], None, 1),
        ([kind("cpu", "unchanged"), kind("heap", "inconclusive", enough=False)], None, 0),
        ([kind("cpu", "unchanged"), kind("traces", "inconclusive", enough=False)], None, 0),
        ([kind("cpu", "unchanged"), kind("traces", "inconclusive")], None, 3),
        ([kind("cpu", "inconclusive", enough=False)], None, 3),
        ([], None, 3),
    ],
)
def test_the_exit_code_follows_what_is_gated(
    verdicts: list[KindVerdict], gate: tuple[str, ...] | None, code: int
) -> None:
    assert exit_code(verdicts, gate) == code


def test_kinds_are_parsed_and_unknown_ones_refused() -> None:
    assert gate_kinds("cpu, latency,cpu") == ("cpu", "latency")
    for text in ("cpu,cqu", "", ","):
        with pytest.raises(argparse.ArgumentTypeError, match="choose from cpu, allocs"):
            gate_kinds(text)
