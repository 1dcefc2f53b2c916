"""Create, update and delete metric sources. Credentials are stored encrypted and sent only to their source."""

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
    """Credentials as entered by the user."""

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
                raise InvalidSourceCredentials("A token is required: visible ASCII characters without spaces.")
            return f"Bearer {self.token}"
        if not self.username or ":" in self.username:
            raise InvalidSourceCredentials("A user name without a colon is required.")
        try:
            pair = f"{self.username}:{self.password}".encode()
        except UnicodeEncodeError as error:
            raise InvalidSourceCredentials("The user name or the password contains an invalid character.") from error
        return "Basic " + base64.b64encode(pair).decode()


@dataclass(frozen=True)
class SourceConnection:
    """URL and headers of a source."""

    url: str
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        """Return the URL only: logs must not contain credentials."""
        return f"SourceConnection({self.url!r})"


def list_metric_sources(session: ReadSession, after: After, limit: int) -> Sequence[MetricSource]:
    """Return sources, newest first."""
    return queries.sources(session, after, limit)


def get_metric_source(session: ReadSession, source_id: MetricSourceId) -> MetricSource:
    """Return one source. Raises `MetricSourceNotFound`."""
    return _require_source(queries.source(session, source_id))


def create_metric_source(
    session: WriteSession,
    sealer: SecretEncryptor,
    outside: EgressClient,
    *,
    label: str,
    url: str,
    sign_in: SourceCredentials,
) -> MetricSource:
    """Create a source. Raises `AddressNotAllowed`, `InvalidSourceCredentials`, `TooManyMetricSources`."""
    outside.check(url)
    there = queries.count(session)
    if there >= MOST_SOURCES:
        raise TooManyMetricSources(
            "The team has reached the limit of metric sources.",
            limit=MOST_SOURCES,
            actual=there,
            unit="sources",
            remedy="Delete a source that is not used.",
        )
    row = MetricSource(team_id=session.team_id, id=new_id(), label=label, url=url)
    _store_credentials(row, sealer, sign_in)
    session.add(row)
    session.flush()  # the database sets created_at
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
    """Update label, url or credentials. Raises like `create_metric_source`.

    Stored credentials are never sent to another host: a URL on another host requires them again.
    """
    row = _require_source(queries.lock_source(session, source_id))
    url = values.get("url")
    if url is not None:
        outside.check(url)
        if sign_in is None and row.credentials != "none" and _origin(url) != _origin(row.url):
            raise InvalidSourceCredentials(
                "The URL is on another host. The stored credentials belong to the former host.",
                slug="credentials-needed-again",
                remedy="Enter the credentials together with the URL.",
            )
    for name, value in values.items():
        setattr(row, name, value)
    if url is not None or sign_in is not None:
        row.last_check = None  # another server may respond now
    if sign_in is not None:
        _store_credentials(row, sealer, sign_in)
    return row


def delete_metric_source(session: WriteSession, source_id: MetricSourceId) -> MetricSource:
    """Delete a source; imported samples remain. Raises `MetricSourceNotFound`."""
    row = get_metric_source(session, source_id)
    session.delete(row)
    return row


def get_connection(row: MetricSource, sealer: SecretEncryptor) -> SourceConnection:
    """Return the connection of a source. Raises `InvalidSourceCredentials` if its credentials cannot be decrypted."""
    if row.encrypted_credentials is None:
        return SourceConnection(row.url, {})
    try:
        return SourceConnection(
            row.url, {"Authorization": sealer.unseal(row.encrypted_credentials, row.team_id, row.id)}
        )
    except DecryptionError as error:
        raise InvalidSourceCredentials(
            "The credentials of this source cannot be decrypted: SLOWPATH_SECRET_KEY has changed.",
            slug="credentials-unreadable",
            remedy="Enter the credentials again.",
        ) from error


def enqueue_import(
    session: WriteSession, source_id: MetricSourceId, from_ms: int, to_ms: int, *, now_ms: int
) -> tuple[JobId, int, int]:
    """Enqueue an import; return the job and the time range within the retention.

    Raises `InvalidRequest`, `ImportInProgress`, `MetricSourceNotFound`.
    """
    _require_source(queries.lock_source(session, source_id))
    if queries.is_import_running(session, source_id):
        raise ImportInProgress("An import from this source is in progress.", remedy="Wait for it, or cancel it.")
    days, _ = metric_rules.settings(session)
    first_ms = max(from_ms, now_ms - days * DAY_MS)
    last_ms = min(to_ms, now_ms)
    if first_ms >= last_ms:
        raise InvalidRequest(
            f"The time range is older than the retention of {days} days, which starts at {iso(now_ms - days * DAY_MS)}.",
            slug="import-interval",
            limit=days,
            unit="days",
            remedy="Choose a later time range, or extend the retention of samples.",
        )
    return enqueue(session, ImportHistory(source_id, first_ms, last_ms)), first_ms, last_ms


def record_import_result(session: WriteSession, source_id: MetricSourceId, result: dict[str, Any]) -> None:
    """Record the result of an import. Raises `MetricSourceNotFound`."""
    get_metric_source(session, source_id).last_import = result


def record_check_result(session: WriteSession, source_id: MetricSourceId, result: dict[str, Any]) -> None:
    """Record the result of a check, unless the source was deleted meanwhile."""
    row = queries.source(session, source_id)
    if row is not None:
        row.last_check = result


def _store_credentials(row: MetricSource, sealer: SecretEncryptor, sign_in: SourceCredentials) -> None:
    header = sign_in.header()
    row.credentials = sign_in.kind
    row.encrypted_credentials = None if header is None else sealer.seal(header, row.team_id, row.id)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _require_source(row: MetricSource | None) -> MetricSource:
    if row is None:
        raise MetricSourceNotFound("There is no such metric source in this team.")
    return row
