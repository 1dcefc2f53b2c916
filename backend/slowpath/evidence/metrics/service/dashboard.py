"""Build the dashboard of an environment: its signals on one time grid, with markers.

Query shape: the environment, its services in service order (with edges), its classified series, the samples of all rows at
once (twice with a time shift), deployments in the range and running at its end, annotations, change points and checks. No
query per row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from slowpath.analysis.formats.column_file import Array, write_columns
from slowpath.analysis.kinds.metrics.dashboard.dashboard_file import against_columns, describe_gauges, row_columns
from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import (
    DashboardBuild,
    DashboardEdge,
    DashboardEnvironment,
    DashboardHeader,
    DashboardLatency,
    DashboardRequests,
    DashboardRow,
    DashboardService,
    DashboardSplitPart,
    DashboardTimeShift,
    EmptyDashboard,
)
from slowpath.analysis.kinds.metrics.panels.service_panels import ServicePanels, ServiceSamples, service_panels
from slowpath.analysis.kinds.metrics.panels.time_grid import (
    TimeGrid,
    finest_step_ms,
    grid_between,
    grid_of,
    rate_window_ms,
    scrape_interval_ms,
)
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.rules import SAMPLES_READ_MAX
from slowpath.evidence.metrics.service import dashboard_markers, dashboard_samples, service_signals
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.remote_samples import NOTHING, RemoteSamples, RemoteServiceSamples
from slowpath.evidence.metrics.service.series_reader import ReadReach
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.errors import ServiceNotFound
from slowpath.inventory.catalog.tables import Deployment, Environment, Service

Against = Literal["none", "week", "before-deploy"]

BOARD_ROWS_MAX: Final = 50
WEEK_MS: Final = 7 * 86_400_000
NOT_NOW: Final = "no samples in this time range."
"""Reason for a service with known series."""
ENVIRONMENTS_MAX: Final = 200
BEFORE_MS: Final = 900_000
"""Samples read before the left edge: four scrapes of up to 225 s. A longer step needs its whole length."""
CLOCKS_APART_MS: Final = 10_000
"""Tolerance between the clocks of the database, which times samples, and of this process."""
USUAL_ENVIRONMENT: Final = "production"
SCRAPE_MS: Final = 15_000
"""Scrape interval while none is known."""
NO_METRICS: Final = EmptyDashboard("no-metrics", "No metrics received yet.")


@dataclass(frozen=True)
class LabelSplit:
    """The service whose latency is split, and the label."""

    service_id: ServiceId
    label: str


@dataclass(frozen=True)
class DashboardRequest:
    """A dashboard request. Defaults: the default environment, and the first `rows` services in service order.

    A client that shows a dashboard requests only the cells after `since_ms`, and sends the server's time of its state.
    Pages of one dashboard share a grid if they request its step.
    """

    from_ms: int
    to_ms: int
    environment_id: EnvironmentId | None = None
    against: Against = "none"
    by_instance: bool = False
    split: LabelSplit | None = None
    service_ids: Sequence[ServiceId] = ()
    rows: int = BOARD_ROWS_MAX
    step_ms: int | None = None
    since_ms: int | None = None
    seen_ms: int | None = None

    @property
    def cells(self) -> "DashboardRequest":
        """The request limited to the newest cells, if only these are requested."""
        return self if self.since_ms is None else replace(self, from_ms=self.since_ms)

    @property
    def reach(self) -> ReadReach:
        """What is read: a sample per step; half as many samples if those of another time are read as well."""
        step_ms = self.step_ms or grid_between(self.from_ms, self.to_ms, 1).step_ms
        samples_max = SAMPLES_READ_MAX if self.against == "none" else SAMPLES_READ_MAX // 2
        return ReadReach(step_ms, self.step_ms is not None, samples_max)


def choose_environment(
    session: ReadSession, wish: DashboardRequest, also: frozenset[EnvironmentId]
) -> EnvironmentId | None:
    """Return the environment to show; `also` are those with federated services. Raises `EnvironmentNotFound`."""
    found = _environment(session, wish.environment_id, catalog.environments(session, None, ENVIRONMENTS_MAX), also)
    return EnvironmentId(found.id) if found else None


def read_between(wish: DashboardRequest) -> tuple[tuple[int, int], int]:
    """Return the time range of the samples to read, and the finest step of the dashboard."""
    step_ms = grid_between(wish.from_ms, wish.to_ms, 1).step_ms
    return (wish.from_ms - window_before_ms(step_ms), wish.to_ms), step_ms


def window_before_ms(step_ms: int) -> int:
    """Return how long before the first cell samples are read: that its rate window is complete."""
    return max(BEFORE_MS, step_ms)


def build_dashboard(
    session: ReadSession, wish: DashboardRequest, now: datetime, elsewhere: RemoteSamples = NOTHING
) -> bytes:
    """Return the dashboard as a "slowpath.board" file. Raises `EnvironmentNotFound`, `ServiceNotFound`."""
    environments = catalog.environments(session, None, ENVIRONMENTS_MAX)
    environment = _environment(session, wish.environment_id, environments, elsewhere.environments)
    grid = grid_between(wish.from_ms, wish.to_ms, SCRAPE_MS)
    header = DashboardHeader(
        from_ms=grid.from_ms,
        step_ms=grid.step_ms,
        points=grid.points,
        environment=_describe_environment(environment) if environment else None,
        environments=[_describe_environment(each) for each in sorted(environments, key=lambda each: each.slug)],
        now_ms=to_ms(now),
        empty=NO_METRICS,
    )
    if environment is None:
        return write_columns(header, {})
    if wish.since_ms is not None and queries.has_late_samples(
        session, wish.since_ms, max(0, (wish.seen_ms or 0) - CLOCKS_APART_MS)
    ):
        wish = replace(wish, since_ms=None)  # earlier cells have changed
    return _of_environment(session, wish, EnvironmentId(environment.id), header, elsewhere.services)


def _of_environment(
    session: ReadSession,
    wish: DashboardRequest,
    environment_id: EnvironmentId,
    header: DashboardHeader,
    through: Mapping[ServiceId, RemoteServiceSamples],
) -> bytes:
    order = catalog.get_service_order(session, environment_id)
    recognised = dashboard_samples.load_environment_signals(session, environment_id)
    start, end = at_time(wish.from_ms), at_time(wish.to_ms)
    deploys = catalog.deploys_between(session, environment_id, start, end)
    on_board = {*recognised.services, *through, *(ServiceId(each.service_id) for each in deploys)}
    for edge in order.edges:
        on_board |= {edge.caller, edge.callee}
    listed = [each for each in order.services if each.id in on_board]
    rows = _page(listed, order.services, wish)
    cells = wish.cells
    ids = [ServiceId(row.id) for row in rows]
    stored = [one for one in ids if one not in through]
    samples = recognised.samples(
        session, stored, cells.from_ms - window_before_ms(wish.reach.step_ms), wish.to_ms, wish.reach
    )
    samples |= {one: through[one].samples for one in ids if one in through}
    grid = _grid(cells, samples)
    running = catalog.list_active_deployments(session, environment_id, end)
    panels = {
        one: _panels(samples[one], grid, by_instance=wish.by_instance, split_by=_split_label(wish, one)) for one in ids
    }
    columns: dict[str, Array] = {}
    for number, one in enumerate(ids):
        columns |= row_columns(number, panels[one])
    against, why_not = _against(wish, grid, deploys)
    if against is not None:
        columns |= _beneath(session, recognised, ids, grid, (against.shift_ms, wish.reach))
    shown = {ServiceId(each.id) for each in listed} | set(ids)
    marks = dashboard_markers.list_markers(session, environment_id, list(shown), wish.from_ms, wish.to_ms)
    header = replace(
        header,
        from_ms=grid.from_ms,
        step_ms=grid.step_ms,
        points=grid.points,
        newest_ms=_newest(wish, recognised, through, samples),
        order_source=order.source,
        rows=[_describe_row(row, running, panels, samples, (recognised, through)) for row in rows],
        services_total=len(listed),
        services=[_describe_service(each) for each in listed],
        edges=[
            DashboardEdge(str(edge.caller), str(edge.callee), edge.ratio)
            for edge in order.edges
            if edge.ratio is not None and edge.caller in shown and edge.callee in shown
        ],
        deployments=[
            dashboard_markers.describe_deployment(each, marks) for each in deploys if each.service_id in shown
        ],
        annotations=[
            dashboard_markers.describe_annotation(each)
            for each in catalog.annotations_between(session, environment_id, start, end)
        ],
        changes=marks.changes,
        headline=marks.headline,
        time_shift=against,
        time_shift_reason=why_not,
        empty=None if through or wish.since_ms is not None else _empty(wish, recognised, panels, samples),
    )
    return write_columns(header, columns)


def _environment(
    session: ReadSession,
    asked: EnvironmentId | None,
    environments: Sequence[Environment],
    also: frozenset[EnvironmentId],
) -> Environment | None:
    """Return the requested environment, or else the default or the oldest of those with services to show."""
    if asked is not None:
        return catalog.environment(session, asked)
    measured = service_signals.environments_measured(session) | also
    standing = [each for each in environments if each.id in measured] or environments
    usual = [each for each in standing if each.slug == USUAL_ENVIRONMENT]
    return usual[0] if usual else (standing[-1] if standing else None)


def _page(listed: Sequence[Service], known: Sequence[Service], wish: DashboardRequest) -> list[Service]:
    """Return the requested services in order, or else the first page."""
    asked = wish.service_ids
    if not asked:
        return list(listed[: wish.rows])
    by_id = {each.id: each for each in known}
    missing = [one for one in asked if one not in by_id]
    if missing:
        raise ServiceNotFound("There is no such service in this team.")
    selected = set(asked)
    return [each for each in known if each.id in selected]


def _grid(wish: DashboardRequest, samples: Mapping[ServiceId, ServiceSamples]) -> TimeGrid:
    """Return one grid for all rows, with a step of at least the shortest scrape interval, or of that of the roll-ups."""
    if wish.step_ms is not None:
        return grid_of(wish.from_ms, wish.to_ms, wish.step_ms)
    steps = [finest_step_ms(one.counters()) for one in samples.values() if one.counters()]
    return grid_between(wish.from_ms, wish.to_ms, min(steps, default=SCRAPE_MS))


def _split_label(wish: DashboardRequest, service_id: ServiceId) -> str | None:
    return wish.split.label if wish.split is not None and wish.split.service_id == service_id else None


def _panels(
    samples: ServiceSamples, grid: TimeGrid, *, by_instance: bool = False, split_by: str | None = None
) -> ServicePanels:
    window_ms = rate_window_ms(grid.step_ms, scrape_interval_ms(samples.counters()))
    return service_panels(samples, grid, window_ms, by_instance=by_instance, split_by=split_by)


def _against(
    wish: DashboardRequest, grid: TimeGrid, deploys: Sequence[Deployment]
) -> tuple[DashboardTimeShift | None, str | None]:
    """Return the time shift and its label, or the reason why there is none.

    The shift before a deployment equals the time since it, so that the last column ends at the deployment.
    """
    if wish.against == "none":
        return None, None
    if wish.against == "week":
        return DashboardTimeShift(WEEK_MS, "one week earlier"), None
    if not deploys:
        return None, "No deployment in this time range."
    newest = deploys[-1]
    behind = wish.to_ms - to_ms(newest.started_at)
    shift = max(grid.step_ms, -(-behind // grid.step_ms) * grid.step_ms)
    return DashboardTimeShift(
        shift, f"before deployment {newest.label or short_commit(newest.commit) or 'unnamed'}"
    ), None


def _newest(
    wish: DashboardRequest,
    recognised: EnvironmentSignals,
    through: Mapping[ServiceId, RemoteServiceSamples],
    samples: Mapping[ServiceId, ServiceSamples],
) -> int | None:
    """Return the time of the newest shown sample; if none is in the range, of the newest known sample."""
    read = [int(each.times_ms[-1]) for one in samples.values() for each in one.counters() if len(each.times_ms)]
    known = [max(read, default=_newest_elsewhen(wish, recognised)), *(one.newest_ms for one in through.values())]
    return max((at for at in known if at is not None), default=None)


def _newest_elsewhen(wish: DashboardRequest, recognised: EnvironmentSignals) -> int | None:
    """Return the time of the newest sample outside the range; one inside belongs to another environment."""
    newest = recognised.newest_ms
    return recognised.folded_ms if newest is not None and wish.from_ms <= newest <= wish.to_ms else newest


def _beneath(
    session: ReadSession,
    recognised: EnvironmentSignals,
    ids: Sequence[ServiceId],
    grid: TimeGrid,
    shift: tuple[int, ReadReach],
) -> dict[str, Array]:
    shift_ms, reach = shift
    then = grid.shifted(-shift_ms)
    reach = replace(reach, step_ms=grid.step_ms, needs_step=True)
    samples = recognised.samples(session, ids, then.from_ms - grid.step_ms - BEFORE_MS, then.to_ms, reach)
    columns: dict[str, Array] = {}
    for number, one in enumerate(ids):
        columns |= against_columns(number, _panels(samples[one], then), grid.points)
    return columns


def _describe_row(
    row: Service,
    running: Mapping[ServiceId, Deployment],
    panels: Mapping[ServiceId, ServicePanels],
    samples: Mapping[ServiceId, ServiceSamples],
    found: tuple[EnvironmentSignals, Mapping[ServiceId, RemoteServiceSamples]],
) -> DashboardRow:
    one = ServiceId(row.id)
    deploy = running.get(one)
    recognised, through = found
    why = through[one].why if one in through else recognised.why(one)
    shown = panels[one]
    return DashboardRow(
        service=_describe_service(row),
        build=None
        if deploy is None
        else DashboardBuild(
            id=str(deploy.build_id) if deploy.build_id else None,
            commit=deploy.commit,
            label=deploy.label,
            since_ms=to_ms(deploy.started_at),
        ),
        latency=DashboardLatency(shown.histogram, _latency_reason(shown, why)),
        requests=DashboardRequests(bool(shown.qps), None if shown.qps else why.requests or NOT_NOW),
        source=through[one].source if one in through else None,
        instances=shown.instance_count,
        gaps=shown.gaps,
        resets=shown.resets,
        late=shown.late,
        gauges=describe_gauges(shown, samples[one].gauges),
        instance_names=[name for name, _ in shown.instances],
        split_labels=shown.split_labels,
        split=[DashboardSplitPart(part.value, part.values) for part in shown.split],
    )


def _describe_service(row: Service) -> DashboardService:
    return DashboardService(str(row.id), row.slug, row.name)


def _latency_reason(panels: ServicePanels, why: dashboard_samples.NotDrawnReason) -> str | None:
    if panels.histogram == "mean":
        return "Only a sum and a count are received, so quantiles are unknown and the mean is shown."
    return (why.latency or NOT_NOW) if panels.histogram == "none" else None


def _empty(
    wish: DashboardRequest,
    recognised: EnvironmentSignals,
    panels: Mapping[ServiceId, ServicePanels],
    samples: Mapping[ServiceId, ServiceSamples],
) -> EmptyDashboard | None:
    """Return the reason if the dashboard is empty, or else None."""
    if any(samples[one].counters() or any(g.series for g in samples[one].gauges) for one in panels):
        return None
    if not recognised.series_known:
        return NO_METRICS
    if not recognised.services:
        return EmptyDashboard(
            "not-recognised",
            f"{recognised.series_known:,} series received, but none in this environment is recognized as "
            "requests or latency of a service. See Settings > Metrics for the reasons.",
        )
    return EmptyDashboard("nothing-in-range", "No samples in this time range.", _newest_elsewhen(wish, recognised))


def _describe_environment(environment: Environment) -> DashboardEnvironment:
    return DashboardEnvironment(str(environment.id), environment.name)
