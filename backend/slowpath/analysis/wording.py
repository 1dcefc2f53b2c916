"""Numbers and findings in words. "Takes more time", never "slower" of a function; the old value stands last."""

from slowpath.analysis.names import short

UNIT_WORDS = {
    "share": "of all samples",
    "s/s": "CPU s per second",
    "us/request": "µs per request",
}


def number(value: float) -> str:
    """Three significant digits, thousands with a comma, a true minus."""
    size = abs(value)
    if size >= 100:
        text = f"{size:,.0f}"
    elif size >= 10:
        text = f"{size:.1f}"
    elif size >= 1:
        text = f"{size:.2f}"
    elif size == 0:
        return "0"
    else:
        text = f"{size:.3g}" if size >= 1e-3 else f"{size:.2g}"
    return f"−{text}" if value < 0 else text


_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_NANOSECONDS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))


def quantity(value: float, unit: str) -> tuple[str, str]:
    """A value as (number, words of its unit), scaled to read well: ("1.32", "ms per request")."""
    if unit == "share":
        return f"{number(100 * value)} %", "of all samples"
    per = ""
    if unit.endswith("/request"):
        per, unit = " per request", unit.removesuffix("/request")
    elif unit.endswith("/s"):
        per, unit = " per second", unit.removesuffix("/s")
    if unit in {"us", "s", "nanoseconds"}:
        return _scaled(value * {"us": 1e3, "s": 1e9, "nanoseconds": 1.0}[unit], _NANOSECONDS, "ns", per)
    if unit == "bytes":
        return _scaled(value, _BYTES, "bytes", per)
    return number(value), f"{unit}{per}"


def _scaled(value: float, steps: tuple[tuple[float, str], ...], smallest: str, per: str) -> tuple[str, str]:
    for step, word in steps:
        if abs(value) >= step:
            return number(value / step), f"{word}{per}"
    return number(value), f"{smallest}{per}"


def both(candidate: float, base: float, unit: str) -> str:
    """`726 µs per request instead of 62`, or with both units when they differ."""
    new, new_unit = quantity(candidate, unit)
    old, old_unit = quantity(base, unit)
    if base == 0:
        return f"{new} {new_unit} instead of none"
    if candidate == 0:
        return f"nothing instead of {old} {old_unit}"
    if new_unit == old_unit:
        return f"{new} {new_unit} instead of {old}"
    return f"{new} {new_unit} instead of {old} {old_unit.split(' ')[0]}"


def ratio(value: float) -> str:
    """`×1.32`, with as many digits as tell something."""
    return f"×{value:.0f}" if value >= 100 else f"×{value:.1f}" if value >= 10 else f"×{value:.2f}"


def interval(low: float, high: float) -> str:
    """`1.28 to 1.36`, for a sentence."""
    digits = 0 if low >= 100 else 1 if low >= 10 else 2
    return f"{low:.{digits}f} to {high:.{digits}f}"


def function(name: str) -> str:
    """A function's name for a sentence: without the directories of its package."""
    return short(name)


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 profile`, `3 profiles`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
