"""Sentences about the effects of variants."""

from collections.abc import Sequence

from slowpath.analysis.experiments.variant_effects import BestVariant, VariantEffect
from slowpath.analysis.findings.certainty import SIGNIFICANT, format_share_interval


def describe_best(best: BestVariant | None, effects: Sequence[VariantEffect], measure: str) -> str:
    """Describe the variant that improves a measure most, what it removes, and what it changes besides."""
    if best is None:
        return f"No variant certainly improves {measure}."
    found = next(one for one in effects if one.variant == best.variant and one.measure == measure)
    parts = [f"{best.variant} improves {measure} most: {describe_effect(found)}"]
    if found.removes is not None:
        parts.append(f"it removes {describe_share(found)} of the increase since the culprit's parent")
    parts += [
        f"{one.measure} is {one.verdict}: {describe_effect(one)}"
        for one in effects
        if one.variant == best.variant and one.measure != measure and one.verdict in {"better", "worse"}
    ]
    sentence = "; ".join(parts) + "."
    return f"{sentence} Not certainly less effective: {', '.join(best.alike)}." if best.alike else sentence


def describe_effect(effect: VariantEffect) -> str:
    """Describe an effect: its certainty with its interval; without one, the smallest that would have been seen."""
    if effect.verdict == "not measured" or effect.effect is None or effect.low is None or effect.high is None:
        return "not measured"
    interval = f"95% CI {_percent(effect.low)} to {_percent(effect.high)}%"
    size = f"{_percent(effect.effect)}%"
    if effect.verdict == "no effect":
        return f"no effect: {size} ({interval}; {100 * (effect.detectable or 0):.1f}% would have been seen)"
    return f"{size}, {SIGNIFICANT} ({interval})"


def describe_share(effect: VariantEffect) -> str:
    """Describe the removed share of the increase with its interval."""
    share = effect.removes
    if share is None:
        return ""
    return format_share_interval(share.share, share.low, share.high)


def _percent(share: float) -> str:
    size = 100 * share
    text = f"{size:+.0f}" if abs(size) >= 10 else f"{size:+.1f}"
    return text.replace("-", "\u2212")
