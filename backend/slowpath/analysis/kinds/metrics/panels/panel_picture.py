"""Draw one panel as an SVG picture, for pages of others and chats: lines over a time axis in UTC, without a script.

Every text from outside is escaped. Colors follow the theme of the reader unless one is requested.
"""

import html
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

import numpy as np

from slowpath.analysis.kinds.metrics.panels.time_grid import TimeGrid
from slowpath.analysis.kinds.metrics.samples.series_data import Values

Theme = Literal["auto", "light", "dark"]

WIDTH: Final = 720
HEIGHT: Final = 260
LEFT: Final = 64
RIGHT: Final = 16
TOP: Final = 58
BOTTOM: Final = 30
MOST_LINES: Final = 4
TICKS: Final = 4
TIME_TICKS: Final = 6
TIME_STEPS_MS: Final = tuple(
    60_000 * each for each in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 7_200, 14_400, 43_200)
)
DAY_MS: Final = 86_400_000
NAME_LENGTH: Final = 40
LIGHT: Final = (
    "--ground:#fff;--text:#1c2024;--quiet:#60646c;--rule:#e0e1e6;--a:#0d74ce;--b:#ab6400;--c:#208368;--d:#8145b5"
)
DARK: Final = (
    "--ground:#18191b;--text:#edeef0;--quiet:#b0b4ba;--rule:#363a3f;--a:#70b8ff;--b:#ffca16;--c:#1fd8a4;--d:#d19dff"
)
COLORS: Final = ("var(--a)", "var(--b)", "var(--c)", "var(--d)")


@dataclass(frozen=True)
class PictureLine:
    """One line with its name; [P] values, NaN where there is none."""

    name: str
    values: Values


@dataclass(frozen=True)
class PanelPicture:
    """What is drawn: `format_value` writes a value with its unit, `empty` says why there are no lines."""

    title: str
    subtitle: str
    grid: TimeGrid
    lines: Sequence[PictureLine]
    format_value: Callable[[float], str]
    empty: str


def draw_panel(picture: PanelPicture, theme: Theme = "auto") -> str:
    """Return the picture as SVG, at most four lines."""
    label = html.escape(f"{picture.title}: {picture.subtitle}")
    lines = [each for each in picture.lines[:MOST_LINES] if np.isfinite(each.values).any()]
    body = [*_head(picture), *(_plot(picture, lines) if lines else _nothing(picture.empty))]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f"<style>{_style(theme)}</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="var(--ground)"/>{"".join(body)}</svg>'
    )


def _style(theme: Theme) -> str:
    colors = {
        "light": f":root{{{LIGHT}}}",
        "dark": f":root{{{DARK}}}",
        "auto": f":root{{{LIGHT}}}@media (prefers-color-scheme:dark){{:root{{{DARK}}}}}",
    }
    return f"{colors[theme]}text{{font:12px system-ui,sans-serif;fill:var(--quiet)}}.t{{font-size:14px;font-weight:600;fill:var(--text)}}"


def _head(picture: PanelPicture) -> Iterator[str]:
    yield _text(LEFT, 22, picture.title, "t")
    yield _text(WIDTH - RIGHT, 22, picture.subtitle, "", "end")


def _nothing(why: str) -> Iterator[str]:
    yield _text(WIDTH / 2, HEIGHT / 2, why, "", "middle")


def _plot(picture: PanelPicture, lines: Sequence[PictureLine]) -> Iterator[str]:
    grid = picture.grid
    largest = max(float(np.nanmax(each.values[np.isfinite(each.values)])) for each in lines)
    top = _round_up(largest)
    for tick in range(TICKS + 1):
        value = top * tick / TICKS
        y = _y(value, top)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="var(--rule)"/>'
        yield _text(LEFT - 8, y + 4, picture.format_value(value) if value else "0", "", "end")
    for at_ms, text in _time_ticks(grid):
        yield _text(_x(at_ms, grid), HEIGHT - 10, text, "", "middle")
    x = float(LEFT)
    for number, line in enumerate(lines):
        last = line.values[np.isfinite(line.values)][-1]
        words = f"{_cut(line.name)} {picture.format_value(float(last))}"
        yield f'<path d="M{x:.0f} 42h14" stroke="{COLORS[number]}" stroke-width="3"/>' + _text(x + 20, 46, words)
        x += 44 + 7 * len(words)
        path = _path(line.values, grid, top)
        yield f'<path d="{path}" fill="none" stroke="{COLORS[number]}" stroke-width="1.5" stroke-linejoin="round"/>'


def _path(values: Values, grid: TimeGrid, top: float) -> str:
    """Return the path of a line, which is interrupted where values are missing."""
    parts, is_down = [], False
    for at_ms, value in zip(grid.times(), values, strict=True):
        if not math.isfinite(value):
            is_down = False
            continue
        parts.append(f"{'L' if is_down else 'M'}{_x(int(at_ms), grid):.1f} {_y(float(value), top):.1f}")
        if not is_down:
            parts.append("h.1")  # a single value is a dot
        is_down = True
    return "".join(parts)


def _x(at_ms: int, grid: TimeGrid) -> float:
    return LEFT + (at_ms - grid.from_ms) / max(1, grid.to_ms - grid.from_ms) * (WIDTH - LEFT - RIGHT)


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 4, 6, 8 x 10^n, all of which four ticks divide."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((each * power for each in (1, 2, 4, 6, 8, 10) if each * power >= value), 10 * power)


def _time_ticks(grid: TimeGrid) -> Iterator[tuple[int, str]]:
    span_ms = grid.to_ms - grid.from_ms
    step_ms = next((each for each in TIME_STEPS_MS if span_ms / each <= TIME_TICKS), TIME_STEPS_MS[-1])
    for at_ms in range(-(-grid.from_ms // step_ms) * step_ms, grid.to_ms + 1, step_ms):
        at = datetime.fromtimestamp(at_ms / 1000, UTC)
        yield at_ms, f"{at.day} {at:%b}" if step_ms >= DAY_MS or at_ms % DAY_MS == 0 else f"{at:%H:%M}"


def _cut(name: str) -> str:
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"


def _text(x: float, y: float, text: str, name: str = "", anchor: str = "start") -> str:
    style = f' class="{name}"' if name else ""
    clean = "".join(char for char in text if char.isprintable())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{html.escape(clean)}</text>'
