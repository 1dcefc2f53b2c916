"""Sources are added, changed and deleted; their credentials go in and are only ever sent where they belong."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from slowpath.core.errors import Refused
from slowpath.core.ids import JobId, MetricSourceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.ports import Outside
from slowpath.core.sealing import Broken, Sealer
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.metrics.rules import DAY_MS, iso
from slowpath.metrics.service import ruling
from slowpath.sources import queries
from slowpath.sources.errors import CredentialsRefused, ImportGoesOn, SourceNotFound, TooManySources
from slowpath.sources.jobs import ImportHistory
from slowpath.sources.queries import After
from slowpath.sources.rules import MOST_SOURCES, Credentials
from slowpath.sources.tables import MetricSource

TOKEN: Final = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class SignIn:
    """Credentials as they were given."""

    kind: Credentials
    token: str = ""
    username: str = ""
    password: str = ""

    def header(self) -> str | None:
        """Return the value of the header Authorization. Raises `CredentialsRefused`."""
        if self.kind == "none":
            return None
        if self.kind == "bearer":
            if not TOKEN.fullmatch(self.token):
                raise CredentialsRefused("A token is needed: visible characters of ASCII, without spaces.")
            return f"Bearer {self.token}"
        if not self.username or ":" in self.username:
            raise CredentialsRefused("A user name is needed, without a colon.")
        try:
            pair = f"{self.username}:{self.password}".encode()
        except UnicodeEncodeError as error:
            raise CredentialsRefused("The user name or the password holds what is no character.") from error
        return "Basic " + base64.b64encode(pair).decode()


@dataclass(frozen=True)
class Reached:
    """Where a source is asked, and with what."""

    url: str
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        """Return the address alone: what is printed somewhere shows no credentials."""
        return f"Reached({self.url!r})"


def sources(session: ReadSession, after: After, limit: int) -> Sequence[MetricSource]:
    """Return sources, newest first."""
    return queries.sources(session, after, limit)


def find(session: ReadSession, source_id: MetricSourceId) -> MetricSource:
    """Return one source. Raises `SourceNotFound`."""
    return _there(queries.source(session, source_id))


def add(
    session: WriteSession, sealer: Sealer, outside: Outside, *, label: str, url: str, sign_in: SignIn
) -> MetricSource:
    """Add a source. Raises `AddressRefused`, `CredentialsRefused`, `TooManySources`."""
    outside.check(url)
    there = queries.count(session)
    if there >= MOST_SOURCES:
        raise TooManySources(
            "The team has as many sources as it may.", limit=MOST_SOURCES, actual=there, unit="sources"
        )
    row = MetricSource(team_id=session.team_id, id=new_id(), label=label, url=url)
    _keep(row, sealer, sign_in)
    session.add(row)
    session.flush()  # the database gives the time
    return row


def change(
    session: WriteSession,
    sealer: Sealer,
    outside: Outside,
    source_id: MetricSourceId,
    *,
    values: Mapping[str, Any],
    sign_in: SignIn | None,
) -> MetricSource:
    """Change label, url or credentials. Raises as `add` does; credentials never go to another host unasked."""
    row = _there(queries.held(session, source_id))
    url = values.get("url")
    if url is not None:
        outside.check(url)
        if sign_in is None and row.credentials != "none" and _origin(url) != _origin(row.url):
            raise CredentialsRefused(
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


def delete(session: WriteSession, source_id: MetricSourceId) -> MetricSource:
    """Delete a source; what was imported stays. Raises `SourceNotFound`."""
    row = find(session, source_id)
    session.delete(row)
    return row


def reach(row: MetricSource, sealer: Sealer) -> Reached:
    """Return where a source is asked, and with what. Raises `CredentialsRefused` if the key is no longer the same."""
    if row.sealed is None:
        return Reached(row.url, {})
    try:
        return Reached(row.url, {"Authorization": sealer.unseal(row.sealed, row.team_id, row.id)})
    except Broken as error:
        raise CredentialsRefused(
            "The credentials of this source can not be read any more: SLOWPATH_SECRET_KEY is another one.",
            slug="credentials-unreadable",
            remedy="Give the credentials again.",
        ) from error


def begin_import(
    session: WriteSession, source_id: MetricSourceId, from_ms: int, to_ms: int, *, now_ms: int
) -> tuple[JobId, int, int]:
    """Have history imported; returns the job, and the interval that is kept of what was asked. Raises `Refused`, `ImportGoesOn`."""
    _there(queries.held(session, source_id))
    if queries.goes_on(session, source_id):
        raise ImportGoesOn("An import from this source has not ended.", remedy="Wait for it, or cancel it.")
    days, _ = ruling.settings(session)
    first_ms = max(from_ms, now_ms - days * DAY_MS)
    last_ms = min(to_ms, now_ms)
    if first_ms >= last_ms:
        raise Refused(
            f"Nothing of this interval is kept: samples are kept for {days} days, from {iso(now_ms - days * DAY_MS)} on.",
            slug="import-interval",
            limit=days,
            unit="days",
            remedy="Ask for a later time, or keep samples for longer.",
        )
    return enqueue(session, ImportHistory(source_id, first_ms, last_ms)), first_ms, last_ms


def ended(session: WriteSession, source_id: MetricSourceId, said: dict[str, Any]) -> None:
    """Write down how an import ended. Raises `SourceNotFound`."""
    find(session, source_id).last_import = said


def checked(session: WriteSession, source_id: MetricSourceId, said: dict[str, Any]) -> None:
    """Write down what came of a check. A source that is gone meanwhile stays gone."""
    row = queries.source(session, source_id)
    if row is not None:
        row.last_check = said


def _keep(row: MetricSource, sealer: Sealer, sign_in: SignIn) -> None:
    header = sign_in.header()
    row.credentials = sign_in.kind
    row.sealed = None if header is None else sealer.seal(header, row.team_id, row.id)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _there(row: MetricSource | None) -> MetricSource:
    if row is None:
        raise SourceNotFound("There is no such source in this team.")
    return row
