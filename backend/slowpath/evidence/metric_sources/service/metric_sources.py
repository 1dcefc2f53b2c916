"""Sources are added, changed and deleted; their credentials go in and are only ever sent where they belong."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import JobId, MetricSourceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.ports import EgressClient
from slowpath.evidence.metric_sources import queries
from slowpath.evidence.metric_sources.errors import (
    ImportInProgress,
    InvalidSourceCredentials,
    MetricSourceNotFound,
    TooManyMetricSources,
)
from slowpath.evidence.metric_sources.jobs import ImportHistory
from slowpath.evidence.metric_sources.queries import After
from slowpath.evidence.metric_sources.rules import MOST_SOURCES, Credentials
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.evidence.metrics.rules import DAY_MS, iso
from slowpath.evidence.metrics.service import metric_rules

TOKEN: Final = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class SourceCredentials:
    """Credentials as they were given."""

    kind: Credentials
    token: str = ""
    username: str = ""
    password: str = ""

    def header(self) -> str | None:
        """Return the value of the header Authorization. Raises `InvalidSourceCredentials`."""
        if self.kind == "none":
            return None
        if self.kind == "bearer":
            if not TOKEN.fullmatch(self.token):
                raise InvalidSourceCredentials("A token is needed: visible characters of ASCII, without spaces.")
            return f"Bearer {self.token}"
        if not self.username or ":" in self.username:
            raise InvalidSourceCredentials("A user name is needed, without a colon.")
        try:
            pair = f"{self.username}:{self.password}".encode()
        except UnicodeEncodeError as error:
            raise InvalidSourceCredentials("The user name or the password holds what is no character.") from error
        return "Basic " + base64.b64encode(pair).decode()


@dataclass(frozen=True)
class SourceConnection:
    """Where a source is asked, and with what."""

    url: str
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        """Return the address alone: what is printed somewhere shows no credentials."""
        return f"Reached({self.url!r})"


def sources(session: ReadSession, after: After, limit: int) -> Sequence[MetricSource]:
    """Return sources, newest first."""
    return queries.sources(session, after, limit)


def get_metric_source(session: ReadSession, source_id: MetricSourceId) -> MetricSource:
    """Return one source. Raises `MetricSourceNotFound`."""
    return _there(queries.source(session, source_id))


def create_metric_source(
    session: WriteSession,
    sealer: SecretEncryptor,
    outside: EgressClient,
    *,
    label: str,
    url: str,
    sign_in: SourceCredentials,
) -> MetricSource:
    """Add a source. Raises `AddressRefused`, `InvalidSourceCredentials`, `TooManyMetricSources`."""
    outside.check(url)
    there = queries.count(session)
    if there >= MOST_SOURCES:
        raise TooManyMetricSources(
            "The team has as many sources as it may.", limit=MOST_SOURCES, actual=there, unit="sources"
        )
    row = MetricSource(team_id=session.team_id, id=new_id(), label=label, url=url)
    _keep(row, sealer, sign_in)
    session.add(row)
    session.flush()  # the database gives the time
    return row


def update_metric_source(
    session: WriteSession,
    sealer: SecretEncryptor,
    outside: EgressClient,
    source_id: MetricSourceId,
    *,
    values: Mapping[str, Any],
    sign_in: SourceCredentials | None,
) -> MetricSource:
    """Change label, url or credentials. Raises as `create_metric_source` does; credentials never go to another host unasked."""
    row = _there(queries.held(session, source_id))
    url = values.get("url")
    if url is not None:
        outside.check(url)
        if sign_in is None and row.credentials != "none" and _origin(url) != _origin(row.url):
            raise InvalidSourceCredentials(
                "The address names another host; the credentials there are were given for the old one.",
                slug="credentials-needed-again",
                remedy="Give the credentials together with the address.",
            )
    for name, value in values.items():
        setattr(row, name, value)
    if url is not None or sign_in is not None:
        row.last_check = None  # who answers may be another now
    if sign_in is not None:
        _keep(row, sealer, sign_in)
    return row


def delete_metric_source(session: WriteSession, source_id: MetricSourceId) -> MetricSource:
    """Delete a source; what was imported stays. Raises `MetricSourceNotFound`."""
    row = get_metric_source(session, source_id)
    session.delete(row)
    return row


def get_connection(row: MetricSource, sealer: SecretEncryptor) -> SourceConnection:
    """Return where a source is asked, and with what. Raises `InvalidSourceCredentials` if the key is no longer the same."""
    if row.encrypted_credentials is None:
        return SourceConnection(row.url, {})
    try:
        return SourceConnection(
            row.url, {"Authorization": sealer.unseal(row.encrypted_credentials, row.team_id, row.id)}
        )
    except DecryptionError as error:
        raise InvalidSourceCredentials(
            "The credentials of this source can not be read any more: SLOWPATH_SECRET_KEY is another one.",
            slug="credentials-unreadable",
            remedy="Give the credentials again.",
        ) from error


def enqueue_import(
    session: WriteSession, source_id: MetricSourceId, from_ms: int, to_ms: int, *, now_ms: int
) -> tuple[JobId, int, int]:
    """Have history imported; returns the job, and the interval that is kept of what was asked. Raises `InvalidRequest`, `ImportInProgress`."""
    _there(queries.held(session, source_id))
    if queries.is_import_running(session, source_id):
        raise ImportInProgress("An import from this source has not ended.", remedy="Wait for it, or cancel it.")
    days, _ = metric_rules.settings(session)
    first_ms = max(from_ms, now_ms - days * DAY_MS)
    last_ms = min(to_ms, now_ms)
    if first_ms >= last_ms:
        raise InvalidRequest(
            f"Nothing of this interval is kept: samples are kept for {days} days, from {iso(now_ms - days * DAY_MS)} on.",
            slug="import-interval",
            limit=days,
            unit="days",
            remedy="Ask for a later time, or keep samples for longer.",
        )
    return enqueue(session, ImportHistory(source_id, first_ms, last_ms)), first_ms, last_ms


def record_import_result(session: WriteSession, source_id: MetricSourceId, said: dict[str, Any]) -> None:
    """Write down how an import ended. Raises `MetricSourceNotFound`."""
    get_metric_source(session, source_id).last_import = said


def record_check_result(session: WriteSession, source_id: MetricSourceId, said: dict[str, Any]) -> None:
    """Write down what came of a check. A source that is gone meanwhile stays gone."""
    row = queries.source(session, source_id)
    if row is not None:
        row.last_check = said


def _keep(row: MetricSource, sealer: SecretEncryptor, sign_in: SourceCredentials) -> None:
    header = sign_in.header()
    row.credentials = sign_in.kind
    row.encrypted_credentials = None if header is None else sealer.seal(header, row.team_id, row.id)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _there(row: MetricSource | None) -> MetricSource:
    if row is None:
        raise MetricSourceNotFound("There is no such source in this team.")
    return row
