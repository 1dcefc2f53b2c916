"""A command that prints numbers for other builds and then only exits has failed."""

from slowpath.verdicts.bisects.rules.probe_observations import (
    MIXED_ANSWERS,
    ProbeMeasurementValue,
    ProbeObservation,
    discard_verdicts,
)

NUMBER = ProbeObservation(1, "good", "boundary", 1, "done", windows=(ProbeMeasurementValue(0, 1, 5.0),))
EXITED = ProbeObservation(2, "c4", "probe", 2, "idle", windows=(ProbeMeasurementValue(0, 2, None, "slower"),), bad=1)


def test_a_verdict_beside_numbers_is_a_failed_build() -> None:
    unchanged, corrected = discard_verdicts([NUMBER, EXITED])
    assert unchanged == NUMBER
    assert corrected.state == "unbuildable"
    assert (corrected.bad, corrected.count_without_value, corrected.windows[0].problem) == (0, 1, MIXED_ANSWERS)


def test_verdicts_alone_and_overrides_remain() -> None:
    override = ProbeObservation(3, "c5", "override", 2, "done", windows=(), bad=1)
    assert discard_verdicts([EXITED]) == [EXITED]
    assert discard_verdicts([NUMBER, override]) == [NUMBER, override]
