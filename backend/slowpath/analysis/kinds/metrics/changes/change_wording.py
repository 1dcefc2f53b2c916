"""Format metric change points and deployment checks as sentences."""

from slowpath.analysis.findings.certainty import name_certainty
from slowpath.analysis.findings.wording import format_factor, format_interval, format_ratio
from slowpath.analysis.kinds.metrics.changes.change_attribution import Cause
from slowpath.analysis.kinds.metrics.changes.deployment_check import (
    DeploymentCheck,
    DeploymentCheckDocument,
    DeployVerdict,
    QuantileChange,
)
from slowpath.analysis.kinds.metrics.changes.latency_change_points import LatencyChangePoint
from slowpath.commit_names import short_commit

VERDICT_WORDS: dict[DeployVerdict, str] = {
    "slower": "slower",
    "not-slower": "not slower",
    "inconclusive": "inconclusive",
}


def amount(value: float) -> str:
    """Format a rate or the value of a gauge with three digits: 0, 2.4, 12,300."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"


def deploy_name(commit: str, label: str | None) -> str:
    """Return the short form of a commit, or else the label of the deployment."""
    return short_commit(commit) if commit else (label or "unnamed")


def change_sentence(change: LatencyChangePoint, cause: Cause, deploy: str | None, followed: str | None) -> str:
    """Return the signal, ratio and cause of a change point: p99 ×3.12, significant (2.80 to 3.41), caused by deployment 5f3c1e8d07."""
    signal = "QPS" if change.signal == "qps" else change.gauge or change.signal
    certainty = name_certainty(change.ratio_low, change.ratio_high)
    size = (
        f"{signal} {format_ratio(change.ratio)}, {certainty} ({format_interval(change.ratio_low, change.ratio_high)})"
    )
    why = {
        "deployment": f"caused by deployment {deploy}" if deploy else "caused by a deleted deployment",
        "load": "caused by load" if change.signal != "qps" else "load changed",
        "dependency": f"follows {followed}" if followed else "follows another service",
        "unexplained": "not explained by a deployment or by load",
    }
    return f"{size}, {why[cause]}"


def check_sentence(check: DeploymentCheck) -> str:
    """Return the verdict of a check with its numbers."""
    beside = "the old build beside it" if check.basis == "concurrent" else "the time before"
    worst = check.worst
    word = VERDICT_WORDS[check.verdict].capitalize()
    if worst is None:
        return f"{word}: {check.caveats[0].sentence if check.caveats else 'no quantile could be compared.'}"
    what = "the tail (p90 to p99)" if worst.quantile is None else f"p{worst.quantile * 100:.0f}"
    size = f"{what} takes {format_factor(worst.ratio)} times as long ({format_interval(worst.low, worst.high)})"
    if check.verdict == "not-slower":
        most = max(change.most for change in check.changes)
        return f"{word} after {check.minutes} min than {beside}: no quantile takes more than {format_factor(most)} times as long."
    return f"{word} after {check.minutes} min: {size} as with {beside}."


def check_to_json(check: DeploymentCheck) -> DeploymentCheckDocument:
    """Return a check as stored and sent."""
    worst = check.worst
    return {
        "verdict": check.verdict,
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
        "caveats": [{"id": caveat.id, "sentence": caveat.sentence} for caveat in check.caveats],
    }


def _signal(change: QuantileChange) -> str:
    return "tail" if change.quantile is None else f"p{change.quantile * 100:.0f}"
