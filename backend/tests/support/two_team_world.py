"""Two teams, callers of every kind, and one of every object in the first."""

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from fastapi.testclient import TestClient

from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.trace_index import TraceIndex
from slowpath.core.ids import BlobKey
from slowpath.evidence.spans.service.span_sets import traces_key
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from tests.factories.accounts import AccountsFactory, SomePerson, SomeTeam
from tests.factories.shapes import EXECUTABLE, GROWTH_LOG, PACKED, SPANS
from tests.support.app_under_test import AppUnderTest
from tests.support.fakes import MemoryBlobStore
from tests.support.sample_rows import SampleRow, fill

CANARY = "canary"
GOLDEN = Path(__file__).resolve().parents[3] / "worker" / "decode" / "testdata" / "golden"
DECODED = {
    EXECUTABLE: GOLDEN / "executable-small.slowcol",
    GROWTH_LOG: GOLDEN / "growth-helper.slowcol",
    SPANS: GOLDEN / "spans-yelp.slowcol",
}
NAMED_OTHERWISE = {
    "set_id": "profile_set", "token_id": "api_token", "view_id": "diff_view", "excerpt_id": "trace_excerpt", "rule_id": "metric_rule",
    "source_id": "metric_source", "share_link_id": "share_link", "webhook_id": "webhook", "channel_id": "notification_channel",
    "deployment_id": "deployment", "explanation_id": "gap_explanation", "export_id": "comparison_export",
    "notification_id": "notification", "upload_id": "multipart_upload", "federated_service_id": "federated_service", "identity_id": "user_identity",
    "event_id": "production_event", "item_id": "production_event", "preflight_id": "bisect_preflight", "trust_id": "ci_trust", "incident_id": "production_event",
}  # fmt: skip
"""Names of ids in the API that are not their table's name."""


class FullBlobStore(MemoryBlobStore):
    """Holds something under every key."""

    def read(self, key: BlobKey) -> bytes:
        if key == PACKED:
            return gzip.compress(CANARY.encode())
        if key == traces_key(BlobKey(SPANS)):
            return TraceIndex.of(SpanTable.parse(DECODED[SPANS].read_bytes())).columns()
        return DECODED[key].read_bytes() if key in DECODED else self.stored.get(key, CANARY.encode())

    def exists(self, key: BlobKey) -> bool:
        return True

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Keep nothing: what is uploaded here is never read."""


@dataclass(frozen=True)
class TwoTeamWorld:
    """The team that is asked about, another one, and the ids of what is in both."""

    app: AppUnderTest
    team: SomeTeam
    members: Mapping[Role, SomePerson]
    other: SomeTeam
    ids: Mapping[str, UUID]
    """Of the first team: `artifact_id` is one of its artifacts."""
    other_ids: Mapping[str, UUID]
    outsiders: Mapping[str, Mapping[str, Any]]
    """Unknown or revoked: each must get 401."""
    tokens: Mapping[TokenScope, str]
    other_token: str
    secrets: frozenset[str]
    """Every secret that was ever shown."""
    stored: SampleRow
    """All rows as they are now."""

    def browser(self, role: Role) -> TestClient:
        """Return the browser of a member of the first team."""
        return self.app.asked(cookie=self.members[role].cookie, team=self.team.id)

    def program(self, scope: TokenScope) -> TestClient:
        """Return a program with a token of the first team."""
        return self.app.asked(token=self.tokens[scope])

    def other_program(self) -> TestClient:
        """Return a program with a token of the other team that may all that tokens may."""
        return self.app.asked(token=self.other_token)

    def outsider(self, who: str) -> TestClient:
        """Return a fresh client: one that was answered before may hold a cookie since."""
        return self.app.asked(**self.outsiders[who])

    def other_browser(self, team_id: UUID) -> TestClient:
        """Return the browser of the other team's owner, asking for a team."""
        return self.app.asked(cookie=self.other.owner.cookie, team=team_id)


def make_world(app: AppUnderTest, connection: psycopg.Connection) -> TwoTeamWorld:
    """Make both teams by the app's own verbs, and fill what is left of their tables."""
    people = AccountsFactory(app)
    team, other = people.team(f"{CANARY} Ingesters"), people.team("Others")
    connection.execute(
        "UPDATE app_user SET name = %s || name, email = %s || email WHERE id = %s", (CANARY, CANARY, team.owner.user_id)
    )
    connection.execute(
        "INSERT INTO user_identity (id, user_id, issuer, subject, email, last_used_at) "
        "VALUES (gen_random_uuid(), %s, 'https://issuer.example', '7', %s, now())",
        (team.owner.user_id, CANARY),
    )
    connection.execute(
        "INSERT INTO second_factor (id, user_id, kind, name, secret, counter) "
        "VALUES (gen_random_uuid(), %s, 'totp', %s, 'sealed', 0)",
        (team.owner.user_id, CANARY),
    )
    connection.execute("UPDATE user_session SET is_multi_factor = true WHERE user_id = %s", (team.owner.user_id,))
    connection.execute(
        "INSERT INTO password_reset (id, user_id, secret_hash, expires_at) "
        "VALUES (gen_random_uuid(), %s, sha256('asked'), '2126-11-21')",
        (team.owner.user_id,),
    )
    members = {role: people.member(team, role) for role in (Role.VIEWER, Role.MEMBER, Role.ADMIN)}
    tokens = {scope: people.token(team, scope) for scope in TokenScope}
    revoked, expired = people.token(team, TokenScope.WRITE, revoked=True), people.token(team, expired=True)
    other_token, invitation = people.token(other, TokenScope.WRITE), people.invitation(team)
    ids = _named(fill(connection, team.id, team.owner.user_id, CANARY))
    other_ids = _named(fill(connection, other.id, other.owner.user_id, "theirs"))
    removed = people.member(team)  # no request is made as them, so a request to remove them comes from another user
    chosen = connection.execute(
        "SELECT user_session.id, invitation.id FROM user_session, invitation "
        "WHERE user_session.user_id = %s AND invitation.team_id = %s AND accepted_at IS NULL",
        (removed.user_id, team.id),
    ).fetchone()
    assert chosen is not None
    ids |= {"team_id": team.id, "user_id": removed.user_id, "session_id": chosen[0], "invitation_id": chosen[1]}
    ids["token_id"] = tokens[TokenScope.READ].id
    linked = connection.execute("SELECT id FROM user_identity WHERE user_id = %s", (team.owner.user_id,)).fetchone()
    assert linked is not None
    ids["identity_id"] = linked[0]
    factor = connection.execute("SELECT id FROM second_factor WHERE user_id = %s", (team.owner.user_id,)).fetchone()
    assert factor is not None
    ids["factor_id"] = factor[0]
    run = connection.execute("SELECT run_id FROM probe WHERE team_id = %s", (team.id,)).fetchone()
    assert run is not None
    ids["run_id"] = run[0]
    other_ids |= {"team_id": other.id, "user_id": other.owner.user_id}
    ended = people.member(team, Role.OWNER)
    connection.execute("DELETE FROM app_user WHERE id = %s", (ended.user_id,))
    for secret in (*(token.secret for token in tokens.values()), other_token.secret):
        app.asked(token=secret).get("/api/v1/services")  # from now on looking at them changes nothing
    return TwoTeamWorld(
        app,
        team,
        {**members, Role.OWNER: team.owner},
        other,
        ids,
        other_ids,
        {
            "anonymous": {},
            "anonymous naming the team": {"team": team.id},
            "ended session": {"cookie": ended.cookie, "team": team.id},
            "revoked token": {"token": revoked.secret},
            "expired token": {"token": expired.secret},
            "broken token": {"token": tokens[TokenScope.WRITE].secret[:-1] + "!"},
        },
        {scope: token.secret for scope, token in tokens.items()},
        other_token.secret,
        frozenset(
            {invitation, *(token.secret for token in (*tokens.values(), revoked, expired, other_token))}
            | {person.cookie for person in (*members.values(), team.owner, other.owner)}
        ),
        SampleRow(connection),
    )


def _named(ids: Mapping[str, UUID]) -> dict[str, UUID]:
    """Return the ids by their names in the API."""
    named = {f"{table}_id": row_id for table, row_id in ids.items()}
    return named | {name: ids[table] for name, table in NAMED_OTHERWISE.items() if table in ids}
