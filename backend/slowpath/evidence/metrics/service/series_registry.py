"""Register new series: find them by fingerprint, or create, group and classify them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, update

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import NAME, IngestBatch, Labels, NewSeries
from slowpath.analysis.kinds.metrics.samples.series_classification import (
    DEFAULT_ENVIRONMENT,
    ClassificationRule,
    Role,
    SeriesClassification,
    classify_series,
    family_of,
)
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.db_sessions import WriteSession
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.rules import MOST_SERVICES, SERIES_PER_BLOCK
from slowpath.evidence.metrics.service.series_cache import NEVER, UNKNOWN, TeamSeriesCache
from slowpath.evidence.metrics.tables import MetricRule, MetricSeries, MetricSettings
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.errors import InvalidSlug

SEPARATOR: Final = b"\xff"  # never occurs in UTF-8
REFUSED: Final = -1
AT_ONCE: Final = 500
"""Number of rows in one INSERT."""

Found = dict[bytes, tuple[int, int]]
"""ID and series group of a series by its fingerprint."""


@dataclass(frozen=True)
class IngestRequest:
    """One push during its ingest."""

    session: WriteSession
    team: TeamSeriesCache
    protocol: str
    incoming: IngestBatch
    most_series: int


def resolve_series_slots(intake: IngestRequest) -> NDArray[np.int64]:
    """Return the slot of each new series of a request, or REFUSED above the team's limit of series."""
    new = intake.incoming.new
    if not new:
        return np.zeros(0, np.int64)
    marks = [fingerprint(one.labels) for one in new]
    found = queries.series_by_fingerprint(intake.session, marks)
    missing = {mark: one for mark, one in zip(marks, new, strict=True) if mark not in found}
    made: Found = {}
    if missing:
        found, made = _make(intake, missing, found)
    rows = [
        (*found[mark], UNKNOWN) if mark in found else (*made[mark], NEVER)
        for mark in marks
        if mark in found or mark in made
    ]
    slots = np.full(len(marks), REFUSED, np.int64)
    slots[np.array([mark in found or mark in made for mark in marks])] = intake.team.add(rows)
    learned = ((one.key, slot) for one, slot in zip(new, slots.tolist(), strict=True) if slot != REFUSED)
    intake.team.learn(intake.protocol, learned)
    return slots


def fingerprint(labels: Labels) -> bytes:
    """Return the 16 bytes that identify a series in its team."""
    spelled = SEPARATOR.join(part.encode() for pair in labels for part in pair)
    return hashlib.blake2b(spelled, digest_size=16).digest()


def _make(intake: IngestRequest, missing: Mapping[bytes, NewSeries], found: Found) -> tuple[Found, Found]:
    """Create series up to the team's limit; concurrent creations of the team are serialized."""
    session = intake.session
    have = reserve_series_ids(session, 0, series=0).series
    found = {**found, **queries.series_by_fingerprint(session, list(missing))}
    left = [(mark, one) for mark, one in missing.items() if mark not in found]
    room = max(intake.most_series - have, 0)
    if len(left) > room:
        detail = f"The team has {have} of at most {intake.most_series} series; this request adds {len(left)}."
        intake.incoming.faults.add("too-many-series", detail, len(left) - room)
        left = left[:room]
    if not left:
        return found, {}
    places = SeriesClassifier(session).recognise([one for _, one in left])
    blocks = _blocks(
        session,
        [series_group_key(_name(one.labels), placement) for (_, one), placement in zip(left, places, strict=True)],
    )
    first_id = reserve_series_ids(session, len(left), series=len(left)).next_id - len(left)
    rows = [
        _row(intake, mark, one, placement)
        | {"id": first_id + position, "group_key": bundle, "series_group_id": block_id}
        for position, ((mark, one), placement, (bundle, block_id)) in enumerate(zip(left, places, blocks, strict=True))
    ]
    for at in range(0, len(rows), AT_ONCE):
        session.execute(insert(MetricSeries), rows[at : at + AT_ONCE])
    return found, {row["fingerprint"]: (row["id"], row["series_group_id"]) for row in rows}


def reserve_series_ids(session: WriteSession, count: int, *, series: int) -> Any:  # noqa: ANN401 - a row of two columns
    """Reserve series IDs of the team; return the next ID and the number of series. Locks the team's settings."""
    return session.execute(
        update(MetricSettings)
        .where(MetricSettings.team_id == session.team_id)
        .values(next_id=MetricSettings.next_id + count, series=MetricSettings.series + series)
        .returning(MetricSettings.next_id, MetricSettings.series)
        .execution_options(synchronize_session=False)
    ).one()


def _row(intake: IngestRequest, mark: bytes, one: NewSeries, placement: "SeriesPlacement") -> dict[str, Any]:
    name = _name(one.labels)
    kind, unit = one.kind, one.unit
    if kind == "unknown":
        kind, unit = intake.team.families.get(name, (kind, unit))
    return {
        "team_id": intake.session.team_id,
        "fingerprint": mark,
        "name": sanitize_text(name),
        "labels": {sanitize_text(label): sanitize_text(value) for label, value in one.labels if label != NAME},
        "kind": kind,
        "unit": sanitize_text(unit),
        "last_ms": 0,
        "role": placement.recognised.role,
        "classification_reason": placement.recognised.why,
        "service_id": placement.service_id,
        "environment_id": placement.environment_id,
    }


def sanitize_text(text: str) -> str:
    """Return a text that PostgreSQL can store."""
    return text.replace("\0", "␀")


def _name(labels: Labels) -> str:
    return next(value for name, value in labels if name == NAME)


@dataclass(frozen=True)
class SeriesPlacement:
    """Classification of a series, with the IDs of its service and environment."""

    recognised: SeriesClassification
    service_id: Any = None
    environment_id: Any = None


class SeriesClassifier:
    """Classifier of series by the team's rules; creates missing services and environments in the catalog."""

    def __init__(self, session: WriteSession) -> None:
        """Load the team's rules."""
        self.session = session
        self.rules = [rule_of(row) for row in queries.all_rules(session)]
        self._services: dict[str, Any] = {}
        self._environments: dict[str | None, Any] = {}
        self._room: int | None = None

    def recognise(self, series: Iterable[NewSeries]) -> list[SeriesPlacement]:
        """Classify series."""
        return [self.place(_name(one.labels), dict(one.labels), one.kind) for one in series]

    def place(self, name: str, labels: Mapping[str, str], kind: SeriesKind) -> SeriesPlacement:
        """Classify one series and find its service and environment."""
        found = classify_series(name, labels, kind, self.rules)
        if found.role is None or found.service is None:
            return SeriesPlacement(found)
        service_id, why = self._service(sanitize_text(found.service))
        if service_id is None:
            return SeriesPlacement(SeriesClassification(None, why, found.service, found.environment))
        return SeriesPlacement(found, service_id, self._environment(found.environment))

    def _service(self, name: str) -> tuple[Any, str]:
        if name not in self._services:
            self._services[name] = self._find_service(name)
        found: tuple[Any, str] = self._services[name]
        return found

    def _find_service(self, name: str) -> tuple[Any, str]:
        if self._room is None:
            self._room = MOST_SERVICES - queries.count_of_services(self.session)
        if self._room <= 0 and not queries.has_service(self.session, name):
            return None, "too-many-services"
        try:
            self._room -= 1
            return catalog.ensure_service(self.session, name).id, ""
        except InvalidSlug:
            return None, "name-unusable"

    def _environment(self, name: str | None) -> Any:  # noqa: ANN401 - an environment's id
        if name not in self._environments:
            self._environments[name] = self._find_environment(name)
        return self._environments[name]

    def _find_environment(self, name: str | None) -> Any:  # noqa: ANN401 - an environment's id
        if name is None:
            first = queries.first_environment(self.session)
            if first is not None:
                return first
        try:
            return catalog.ensure_environment(self.session, sanitize_text(name or DEFAULT_ENVIRONMENT)).id
        except InvalidSlug:
            return catalog.ensure_environment(self.session, DEFAULT_ENVIRONMENT).id


def rule_of(row: MetricRule) -> ClassificationRule:
    """Return a rule in the form of the analysis."""
    return ClassificationRule(
        row.metric,
        cast("Role", row.role),
        row.label_matchers,
        row.service,
        row.service_label,
        row.environment_label,
        row.status_label,
        row.seconds_per_unit,
        row.title,
    )


def series_group_key(name: str, placement: SeriesPlacement) -> bytes:
    """Return the group key of a series: equal for all series of one metric family of one service."""
    service = placement.recognised.service or ""
    spelled = SEPARATOR.join((family_of(name).encode(), service.encode()))
    return hashlib.blake2b(spelled, digest_size=8).digest()


def _blocks(session: WriteSession, bundles: Sequence[bytes]) -> list[tuple[bytes, int]]:
    """Return group key and series group of each new series: the key's newest group until it is full, then a new one."""
    newest = queries.newest_blocks(session, list(set(bundles)))
    filled = {bundle: filled for bundle, (_, filled) in newest.items()}
    ordinals = []  # position of each series in its group key, including the series of the newest group
    for bundle in bundles:
        ordinals.append(filled.get(bundle, 0))
        filled[bundle] = ordinals[-1] + 1
    fresh = list(
        dict.fromkeys(
            (bundle, ordinal // SERIES_PER_BLOCK)
            for bundle, ordinal in zip(bundles, ordinals, strict=True)
            if bundle not in newest or ordinal >= SERIES_PER_BLOCK
        )
    )
    first_id = reserve_series_ids(session, len(fresh), series=0).next_id - len(fresh) if fresh else 0
    block_of = {place: first_id + position for position, place in enumerate(fresh)}
    return [
        (bundle, block_of.get((bundle, ordinal // SERIES_PER_BLOCK)) or newest[bundle][0])
        for bundle, ordinal in zip(bundles, ordinals, strict=True)
    ]


def record_metric_types(intake: IngestRequest) -> None:
    """Record the types of metric families (remote write 1) once, and again after a change."""
    session, team, incoming = intake.session, intake.team, intake.incoming
    changed = {family: kind for family, kind in incoming.families.items() if team.families.get(family) != kind}
    if not changed:
        return
    team.dirty = True
    for family, (kind, unit) in changed.items():
        names = [family, f"{family}_total"] if kind == "counter" else [family]
        session.execute(
            update(MetricSeries)
            .where(MetricSeries.name.in_([sanitize_text(name) for name in names]), MetricSeries.kind != kind)
            .values(kind=kind, unit=sanitize_text(unit))
        )
        team.families[family] = (kind, unit)
