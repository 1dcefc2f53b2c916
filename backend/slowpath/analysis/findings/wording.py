"""Format numbers and findings.

A function "takes more time", it is never "slower"; the base value comes last.
"""

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from slowpath.analysis.findings.certainty import name_certainty
from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.formats.go_function_names import short

_BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))
_NANOSECONDS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_PER = {"/request": " per request", "/op": " per operation", "/s": " per second"}
_IN_NANOSECONDS = {"us": 1e3, "s": 1e9, "seconds": 1e9, "nanoseconds": 1.0}

_QUANTILES = {0.5: "median", 0.9: "p90", 0.99: "p99", 0.999: "p99.9"}

UNBOUNDED = 1_000.0
"""A bound beyond this carries no information: the data do not bound the ratio."""
SMALL_RATIO = 0.1
"""A smaller ratio is written with three significant digits."""
NO_BOUND = 1e-6
"""A lower bound below this carries no information: the data do not bound the ratio."""

# Verbs for more and for less of each profile kind.
VERBS = {
    "cpu": ("takes more time", "takes less time"),
    "allocs": ("allocates more", "allocates less"),
    "heap": ("holds more memory", "holds less memory"),
    "mutex": ("makes others wait longer", "makes others wait less"),
    "block": ("waits longer", "waits less"),
    "goroutine": ("has more goroutines", "has fewer goroutines"),
}
OTHER_VERBS = ("counts more", "counts less")


def format_number(value: float) -> str:
    """Format three significant digits, thousands with a comma, a true minus."""
    size = abs(value)
    if size >= 99.95:
        text = f"{size:,.0f}"
    elif size >= 9.995:
        text = f"{size:.1f}"
    elif size >= 0.9995:
        text = f"{size:.2f}"
    elif size == 0:
        return "0"
    else:
        text = f"{size:.3g}" if size >= 1e-4 else f"{size:.1e}"
    return f"−{text}" if value < 0 else text


def format_quantity(value: float, unit: str) -> tuple[str, str]:
    """Return a value as (number, words of its unit), scaled for reading: ("1.32", "ms per request")."""
    if unit == "share":
        return f"{format_number(100 * value)}%", "of the total"
    step, word = _step_for(value, unit)
    return format_number(value * step), word


def format_with_error(value: float, error: float, unit: str) -> str:
    """Format a value and its standard error or deviation in one unit: `1.99 ± 0.79 µs per request`."""
    if unit == "share":
        return f"{format_number(100 * value)} ± {format_number(100 * error)}% of the total"
    step, word = _step_for(max(abs(value), abs(error)), unit)
    return f"{format_number(value * step)} ± {format_number(error * step)} {word}".strip()


def format_pair(candidate: float, base: float, unit: str) -> str:
    """Format both values in the unit that suits the larger: `726 µs per request instead of 62`."""
    larger = max(abs(candidate), abs(base))
    if unit == "share":
        new = f"{format_number(100 * candidate)}% of the total"
        return (
            f"{new} instead of {format_number(100 * base)}%"
            if candidate
            else f"nothing instead of {format_number(100 * base)}% of the total"
        )
    step, word = _step_for(larger, unit)
    if base == 0:
        return f"{format_number(candidate * step)} {word} instead of none"
    if candidate == 0:
        return f"nothing instead of {format_number(base * step)} {word}"
    return f"{format_number(candidate * step)} {word} instead of {format_number(base * step)}"


def _step_for(value: float, unit: str) -> tuple[float, str]:
    """Return (factor, words) that make a value of that size readable."""
    if unit == "s/s":
        return (1.0, "CPU s per second") if abs(value) >= 0.1 else (1e3, "CPU ms per second")
    suffix = next((each for each in _PER if unit.endswith(each)), "")
    per, unit = _PER.get(suffix, ""), unit.removesuffix(suffix)
    if unit in _IN_NANOSECONDS:
        scale = _IN_NANOSECONDS[unit]
        for step, word in _NANOSECONDS:
            if abs(value) * scale >= step:
                return scale / step, f"{word}{per}"
        return scale, f"ns{per}"
    if unit == "bytes":
        for step, word in _BYTES:
            if abs(value) >= step:
                return 1 / step, f"{word}{per}"
    return 1.0, f"{unit if unit != 'count' else 'times'}{per}"


SMALLEST_RATIO: Final = 0.0005
"""A smaller ratio is 0 with three decimals."""


def format_ratio(value: float) -> str:
    """Format a ratio, `×1.32` or `×0.017`, with at most three decimals: a smaller one is `×< 0.001`, as on pages."""
    return f"×{format_factor(value)}"


def format_factor(value: float) -> str:
    """Format a ratio without its sign, for words: `1.32` times.

    Limits and rounding are those of `frontend/src/engine/format/format.ts`, so pages and sentences have the same digits:
    a 5 after the last digit is rounded away from zero.
    """
    if 0 < value < SMALLEST_RATIO:
        return "< 0.001"
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2 if value >= 0.0995 else 3
    if not math.isfinite(value):
        return f"{value:.0f}"
    exact = Decimal(repr(float(value)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,.{digits}f}"


def describe_interval(low: float, high: float) -> str:
    """Return the certainty of a ratio with its interval: `significant (95% CI 1.28 to 1.36)`."""
    return f"{name_certainty(low, high)} (95% CI {format_interval(low, high)})"


def format_interval(low: float, high: float) -> str:
    """Format a ratio's confidence interval for a sentence: `1.28 to 1.36`.

    A bound beyond `UNBOUNDED` (or its inverse) carries no information, so only the other one is named. Each bound is
    rounded as any ratio, as on pages: one interval has one spelling.
    """
    if not low > 1 / UNBOUNDED:
        return f"at most {format_ratio(high)}" if high < UNBOUNDED else "not bounded"
    if not high < UNBOUNDED:
        return f"at least {format_ratio(low)}"
    return f"{format_factor(low)} to {format_factor(high)}"


def function(name: str) -> str:
    """Return a function's name without the directories of its package, with type arguments as `[...]`."""
    return _without_type_arguments(short(name))


def _without_type_arguments(name: str) -> str:
    """Replace the outermost brackets after a name; names in brackets, such as `[unknown]`, stay, as do unbalanced ones."""
    if "[" not in name or name.startswith("["):
        return name
    texts, depth = [], 0
    for character in name:
        depth -= character == "]"
        if depth < 0:
            return name
        if depth == 0:
            texts.append("...]" if character == "]" else character)
        depth += character == "["
    return "".join(texts) if depth == 0 else name


def pluralize(count: int, one: str, many: str | None = None) -> str:
    """Format a count with its noun: `1 profile`, `3 profiles`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def join_list(words: list[str]) -> str:
    """Join words: `a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def change_sentence(title: str, profile: str, *, base: float, candidate: float, unit: str, change: Effect) -> str:
    """Write what changed and by how much, without a full stop."""
    more, less = VERBS.get(profile, OTHER_VERBS)
    words = f"{title} {more if change.difference > 0 else less}: {format_pair(candidate, base, unit)}"
    if change.ratio is not None and change.ci_of == "ratio":
        words += f" ({format_ratio(change.ratio)}, {format_interval(change.ci_low, change.ci_high)})"
    return words


def format_quantile_name(quantile: float) -> str:
    """Format a quantile's name: `p99`, `p99.9`, `median`."""
    return _QUANTILES.get(quantile, f"p{100 * quantile:g}")


def format_duration(value_ns: float) -> str:
    """Format a duration given in nanoseconds: `8.40 ms`."""
    number, word = format_quantity(value_ns, "nanoseconds")
    return f"{number} {word}"


def format_seconds(value: float) -> str:
    """Format a duration given in seconds: `8.40 ms`."""
    return format_duration(value * 1e9)


def format_shift(base_ns: float, candidate_ns: float, ratio: float, low: float, high: float) -> str:
    """Format a change of a duration (ns): `8.40 ms → 54.0 ms (×6.43, 4.10 to 9.00)`."""
    return (
        f"{format_duration(base_ns)} → {format_duration(candidate_ns)} ({format_ratio_with_interval(ratio, low, high)})"
    )


def format_ratio_with_interval(ratio: float, low: float, high: float) -> str:
    """Format a ratio with its interval: `×6.43, 4.10 to 9.00`.

    A very small one with three significant digits.
    """
    if ratio >= SMALL_RATIO:
        return f"{format_ratio(ratio)}, {format_interval(low, high)}"
    if low < NO_BOUND:
        return f"×{format_number(ratio)}, at most ×{format_number(high)}"
    return f"×{format_number(ratio)}, {format_number(low)} to {format_number(high)}"
