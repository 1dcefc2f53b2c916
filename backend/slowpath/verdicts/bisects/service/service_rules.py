"""Read and set what a service allows."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ServiceId, new_id
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules.service_rules import AutomaticBisectRules, MeasurementRules, ServiceRules
from slowpath.verdicts.bisects.tables import AutomaticBisect, PullRequestRules

Rules = TypeVar("Rules", bound=ServiceRules)
TABLES: Final[Mapping[type[ServiceRules], type[AutomaticBisect | PullRequestRules]]] = {
    AutomaticBisectRules: AutomaticBisect,
    MeasurementRules: PullRequestRules,
}


def get_rules(session: ReadSession, service_id: ServiceId, kind: type[Rules]) -> Rules:
    """Return the rules of a service; off unless they were set. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    return find_rules(session, service_id, kind)


def find_rules(session: ReadSession, service_id: ServiceId, kind: type[Rules]) -> Rules:
    """Return the rules of a service that exists; off unless they were set."""
    row = queries.select_service_rules(session, TABLES[kind], service_id)
    return kind() if row is None else kind(**{one.name: getattr(row, one.name) for one in fields(kind)})


def set_rules(session: WriteSession, service_id: ServiceId, rules: ServiceRules) -> None:
    """Set the rules of a service. What is open already starts nothing. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    queries.lock_team(session)
    table = TABLES[type(rules)]
    row = queries.select_service_rules(session, table, service_id)
    if row is None:
        row = table(team_id=session.team_id, id=new_id(), service_id=service_id)
        session.add(row)
    values: dict[str, Any] = asdict(rules)
    for name, value in values.items():
        setattr(row, name, value)
    session.flush()
