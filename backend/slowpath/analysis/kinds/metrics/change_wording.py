"""How a change and a check of a deploy are told: values in, sentences out."""

from datetime import UTC, datetime
from typing import Any

from slowpath.analysis.kinds.metrics.change_attribution import Cause
from slowpath.analysis.kinds.metrics.deployment_check import DeploymentCheck, DeployVerdict, QuantileChange
from slowpath.analysis.kinds.metrics.latency_change_points import LatencyChangePoint

SAID: dict[DeployVerdict, str] = {"slower": "slower", "not-slower": "not slower", "inconclusive": "cannot tell yet"}


def times(ratio: float) -> str:
    """Say as much of a ratio as an eye takes in: 3.1, 0.45, 12."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2f}"


def seconds(value: float) -> str:
    """Say a duration in the unit that suits it: 84 ms, 2.1 s, 310 µs."""
    if value >= 0.9995:
        return f"{value:.2g} s" if value < 9.95 else f"{value:.0f} s"
    return f"{value * 1e3:.3g} ms" if value >= 0.0009995 else f"{value * 1e6:.3g} µs"


def deploy_name(commit: str, label: str | None) -> str:
    """Seven letters of a commit; else how people call it."""
    return commit[:7] if commit else (label or "unnamed")


def change_sentence(change: LatencyChangePoint, cause: Cause, deploy: str | None, followed: str | None) -> str:
    """Say what changed by how much and why: p99 ×3.1 (2.8 to 3.4), deploy 5f3c1e8."""
    signal = "QPS" if change.signal == "qps" else change.signal
    size = f"{signal} ×{times(change.ratio)} ({times(change.ratio_low)} to {times(change.ratio_high)})"
    why = {
        "deployment": f"deploy {deploy}" if deploy else "a deploy that was deleted",
        "load": "load explains it" if change.signal != "qps" else "load changed",
        "dependency": f"follows {followed}" if followed else "follows another service",
        "unexplained": "no deploy or load explains it",
    }
    return f"{size}, {why[cause]}"


def headline(
    service: str, change: LatencyChangePoint, cause: Cause, deploy: str | None, *, shown_until_ms: int
) -> tuple[str, str]:
    """The sentence above the board and its detail: what takes longer since when, and what explains it.

    The day is said where it is not the one on which the board ends.
    """
    at, until = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (change.at_ms, shown_until_ms))
    since = f"{at:%H:%M}" if at.date() == until.date() else f"{at:%a} {at.day} {at:%b %H:%M}"
    why = {
        "deployment": f"{f'deploy {deploy}' if deploy else 'a deploy that was deleted'} explains it, load does not",
        "load": "load explains it",
        "dependency": "it follows another service",
        "unexplained": "neither a deploy nor load explains it",
    }
    sentence = f"{service} {change.signal} takes {times(change.ratio)} times longer since {since}; {why[cause]}"
    detail = (
        f"{seconds(change.before)} before, {seconds(change.after)} after; "
        f"{times(change.ratio_low)} to {times(change.ratio_high)} times with 95 % confidence"
    )
    return sentence, detail


def check_sentence(check: DeploymentCheck) -> str:
    """What a check says, with its numbers."""
    beside = "the old build beside it" if check.basis == "concurrent" else "the time before"
    worst = check.worst
    word = SAID[check.verdict].capitalize()
    if worst is None:
        return f"{word}: {check.doubts[0].sentence if check.doubts else 'nothing could be compared.'}"
    what = "the tail (p90 to p99)" if worst.quantile is None else f"p{worst.quantile * 100:.0f}"
    size = f"{what} takes {times(worst.ratio)} times as long ({times(worst.low)} to {times(worst.high)})"
    if check.verdict == "not-slower":
        most = max(change.most for change in check.changes)
        return (
            f"{word} after {check.minutes} min than {beside}: no quantile takes more than {times(most)} times as long."
        )
    return f"{word} after {check.minutes} min: {size} as with {beside}."


def check_said(check: DeploymentCheck) -> dict[str, Any]:
    """A check as it is kept and sent."""
    worst = check.worst
    return {
        "verdict": check.verdict,
        "said": SAID[check.verdict],
        "sentence": check_sentence(check),
        "basis": check.basis,
        "minutes": check.minutes,
        "signal": None if worst is None else _signal(worst),
        "ratio": None if worst is None else worst.ratio,
        "low": None if worst is None else worst.low,
        "high": None if worst is None else worst.high,
        "changes": [
            {
                "signal": _signal(change),
                "base_s": change.base_s,
                "candidate_s": change.candidate_s,
                "ratio": change.ratio,
                "low": change.low,
                "high": change.high,
            }
            for change in check.changes
        ],
        "doubts": [{"id": doubt.id, "sentence": doubt.sentence} for doubt in check.doubts],
    }


def _signal(change: QuantileChange) -> str:
    return "tail" if change.quantile is None else f"p{change.quantile * 100:.0f}"
