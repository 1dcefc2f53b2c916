"""What the services of an environment say of themselves: requests, latency, gauges, each with how to select it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from slowpath.analysis.kinds.metrics.series_classification import (
    ENVIRONMENT_LABELS,
    INSTANCE_LABELS,
    SERVICE_LABELS,
    ClassificationRule,
    family_of,
    rule_for,
    scale_of,
    status_label_of,
)
from slowpath.analysis.kinds.metrics.series_data import SeriesKind
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.service.series_reader import SeriesSelector
from slowpath.evidence.metrics.service.series_registry import rule_of

Shape = Literal["counter", "classic", "native", "sum-count", "gauge"]


@dataclass(frozen=True)
class Signal:
    """One metric of one service: a counter of requests, a histogram of latencies, or a gauge."""

    family: str
    """Its name without _bucket, _sum, _count."""
    shape: Shape
    names: tuple[str, ...]
    """The names of its series that are there, such as the family's name with _bucket, _sum and _count."""
    equal: Mapping[str, str]
    """Which of the series of these names are meant."""
    kind: SeriesKind
    unit: str
    scale: float
    """A latency times this is seconds."""
    status_label: str | None
    """The label that says how requests ended, if there is one."""
    instance_label: str | None
    title: str | None = None

    def selector(self, name: str) -> SeriesSelector:
        """Return how to select the series of one of its names."""
        return SeriesSelector(name, self.equal)

    @property
    def selectors(self) -> tuple[SeriesSelector, ...]:
        """How to select all its series."""
        return tuple(self.selector(name) for name in self.names)


@dataclass(frozen=True)
class ServiceSignals:
    """What one service says in one environment. Several of a sort are several sources, all of which count."""

    service_id: ServiceId
    requests: tuple[Signal, ...]
    latency: tuple[Signal, ...]
    gauges: tuple[Signal, ...]
    why_no_requests: str | None
    why_no_latency: str | None


WHO_LABELS: Final = (*SERVICE_LABELS, *ENVIRONMENT_LABELS)


@dataclass(frozen=True)
class ClassifiedSeries:
    """One recognised series: its labels, and those of them that say whose it is."""

    role: str
    name: str
    kind: SeriesKind
    unit: str
    who: Mapping[str, str]
    example: Mapping[str, str]


def of_rows(
    service_id: ServiceId, rows: Sequence[ClassifiedSeries], rules: Sequence[ClassificationRule]
) -> ServiceSignals:
    """Return the signals of a service from its recognised series."""
    return _service(service_id, rows, rules)


def of_environment(session: ReadSession, environment_id: EnvironmentId) -> list[ServiceSignals]:
    """Return the signals of each service that was recognised in an environment."""
    rules = [rule_of(row) for row in queries.all_rules(session)]
    rows = queries.select_classified_series(session, environment_id, WHO_LABELS)
    by_service: dict[ServiceId, list[Any]] = {}
    for row in rows:
        by_service.setdefault(ServiceId(row.service_id), []).append(row)
    return [_service(service_id, mine, rules) for service_id, mine in by_service.items()]


def environments_measured(session: ReadSession) -> set[EnvironmentId]:
    """Return the environments of which something was recognised."""
    return {EnvironmentId(each) for each in queries.environments_measured(session)}


def newest_ms(session: ReadSession, environment_id: EnvironmentId) -> int | None:
    """Return the time of the newest sample, of the tail as a whole where it is newer; None if there is none."""
    return newest_known(newest_folded_ms(session, environment_id), session)


def newest_folded_ms(session: ReadSession, environment_id: EnvironmentId) -> int | None:
    """Return the time of the newest sample of the environment that is folded; None if there is none."""
    return queries.newest_folded_ms(session, environment_id) or None


def newest_known(folded_ms: int | None, session: ReadSession) -> int | None:
    """Return the newer one of it and the newest sample of the tail, which may be one of another environment."""
    return max((at for at in (folded_ms, queries.newest_in_tail_ms(session)) if at), default=None)


def series_known(session: ReadSession) -> int:
    """Return how many series the team has pushed."""
    return queries.count_of_series(session)


def _service(service_id: ServiceId, rows: Sequence[Any], rules: Sequence[ClassificationRule]) -> ServiceSignals:
    families: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        family = row.name if row.role != "latency" else family_of(row.name)
        families.setdefault((row.role, family, tuple(sorted(row.who.items()))), []).append(row)
    told: dict[str, list[Signal]] = {"requests": [], "latency": [], "gauge": []}
    for (role, family, who), mine in families.items():
        told[role].append(_signal(role, family, dict(who), mine, rules))
    latency = tuple(one for one in told["latency"] if one.shape != "gauge")
    return ServiceSignals(
        service_id,
        tuple(told["requests"]),
        latency,
        tuple(told["gauge"]),
        None if told["requests"] or latency else _why("http_requests_total or grpc_server_handled_total"),
        None if latency else _why("http_request_duration_seconds or http.server.request.duration"),
    )


def _signal(
    role: str, family: str, who: Mapping[str, str], rows: Sequence[Any], rules: Sequence[ClassificationRule]
) -> Signal:
    names = tuple(sorted({row.name for row in rows}))
    example = rows[0].example
    rule = rule_for(names[0], example, rules)
    kind: SeriesKind = rows[0].kind
    return Signal(
        family,
        _shape(role, family, rows),
        names,
        _equal(who, rule),
        kind,
        rows[0].unit,
        scale_of(family, rows[0].unit, rule),
        rule.status_label if rule is not None and rule.status_label else status_label_of(example),
        next((label for label in INSTANCE_LABELS if example.get(label)), None),
        rule.title if rule is not None else None,
    )


def _equal(who: Mapping[str, str], rule: ClassificationRule | None) -> dict[str, str]:
    """Return which labels select these series: those that name service and environment; "" where others have one."""
    told = {label: who.get(label, "") for label in WHO_LABELS}
    return {**told, **(rule.equal if rule is not None else {})}


def _shape(role: str, family: str, rows: Sequence[Any]) -> Shape:
    if role == "gauge":
        return "gauge"
    if role == "requests":
        return "counter"
    names = {row.name for row in rows}
    if any(row.name == family and row.kind in {"histogram", "gauge-histogram"} for row in rows):
        return "native"
    return "classic" if f"{family}_bucket" in names else "sum-count"


def _why(usual: str) -> str:
    return f"no series of this service has a name that is usual for it, as {usual}. A rule can say which one it is."
