"""Draw an embedded panel as an image, and as a page for a frame. Neither contains a script."""

import html
from dataclasses import dataclass
from datetime import datetime

from slowpath.analysis.kinds.metrics.dashboard.dashboard_file import QUANTILE_NAMES
from slowpath.analysis.kinds.metrics.panels.panel_picture import PanelPicture, PictureLine, Theme, draw_panel
from slowpath.analysis.kinds.metrics.panels.service_panels import ServicePanels, SplitPart
from slowpath.analysis.kinds.metrics.panels.time_grid import TimeGrid
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service.service_panel_reader import read_service_panels
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.embedded_panels.rules import REFRESH_SECONDS, PanelKind
from slowpath.sharing.embedded_panels.tables import EmbeddedPanel


@dataclass(frozen=True)
class DrawnPanel:
    """A panel as SVG, with its title and the address of the same range on the dashboard."""

    title: str
    svg: str
    dashboard_path: str
    is_live: bool


def draw_embedded_panel(session: ReadSession, row: EmbeddedPanel, now: datetime, theme: Theme) -> DrawnPanel:
    """Draw the range of a panel; one without an end goes on to now."""
    service = catalog.service(session, ServiceId(row.service_id))
    environment = catalog.environment(session, EnvironmentId(row.environment_id))
    to = to_ms(now) if row.until_ms is None else row.until_ms
    between_ms = (to - row.length_ms, to)
    grid, panels = read_service_panels(
        session, EnvironmentId(environment.id), ServiceId(service.id), between_ms, row.split_label
    )
    is_latency = row.panel == PanelKind.LATENCY
    lines = _latency_lines(panels) if is_latency else _request_lines(panels, grid)
    title = f"{service.name}: {'latency' if is_latency else 'requests per second'}"
    picture = PanelPicture(
        title=f"{title} (p99 by {row.split_label})" if is_latency and row.split_label else title,
        subtitle=f"{environment.name}, {_range_text(*between_ms)}",
        grid=grid,
        lines=lines,
        format_value=_format_latency if is_latency else _format_rate,
        empty="No samples in this time range.",
    )
    path = f"/t/{get_team(session).slug}/dashboard?env={environment.id}&alone={service.id}"
    return DrawnPanel(
        title,
        draw_panel(picture, theme),
        f"{path}&from={between_ms[0]}&to={between_ms[1]}",
        row.until_ms is None,
    )


def make_page(drawn: DrawnPanel, public_url: str) -> str:
    """Return an HTML page without a script; a range that goes on is loaded again every minute."""
    refresh = f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">' if drawn.is_live else ""
    link = html.escape(public_url.rstrip("/") + drawn.dashboard_path)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">{refresh}<title>{html.escape(drawn.title)}</title>'
        "<style>body{margin:0;background:var(--ground)}svg{display:block;width:100%;height:100vh}a:focus-visible{outline:2px solid}</style></head>"
        f'<body><a href="{link}" target="_blank" rel="noopener noreferrer" title="Open in Slowpath">{drawn.svg}</a>'
        "</body></html>"
    )


def _request_lines(panels: ServicePanels, grid: TimeGrid) -> list[PictureLine]:
    lines = [PictureLine("all", panels.total_qps(grid.points))] if panels.qps else []
    return lines + [PictureLine(name, panels.qps[name]) for name in ("5xx", "4xx") if name in panels.qps]


def _latency_lines(panels: ServicePanels) -> list[PictureLine]:
    if panels.split:
        return [PictureLine(_part_name(part), part.p99) for part in panels.split]
    lines = [PictureLine(name, one.value) for name, one in zip(QUANTILE_NAMES, panels.quantiles, strict=False)]
    return lines or ([PictureLine("mean", panels.mean)] if panels.mean is not None else [])


def _part_name(part: SplitPart) -> str:
    return f"{part.values} others" if part.value is None else (part.value or "(empty)")


def _format_latency(seconds: float) -> str:
    """Format a value of an axis: 84 ms, 2.1 s, 310 µs."""
    if seconds >= 0.9995:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 0.0009995 else f"{seconds * 1e6:.3g} µs"


def _format_rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _range_text(from_ms: int, to_ms_: int) -> str:
    begin, end = at_time(from_ms), at_time(to_ms_)
    until = f"{end:%H:%M}" if begin.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    return f"{begin:%Y-%m-%d %H:%M} to {until} UTC"
