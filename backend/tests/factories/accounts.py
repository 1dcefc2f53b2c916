"""Users, teams and their secrets, created by the functions of the app."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from itertools import count
from uuid import UUID

from slowpath.core.db_sessions import TeamScope, WriteSession
from slowpath.core.ids import TeamId, UserId
from slowpath.platform.accounts import service
from slowpath.platform.accounts.rules.roles import Caller, Role, TokenScope
from slowpath.platform.accounts.tables import ApiToken, Membership
from tests.support.app_under_test import AppUnderTest

PASSWORD = "correct horse battery"
NUMBERS = count(1)


@cache
def password_hash() -> str:
    """Hash once: it is slow on purpose."""
    return service.hash_password(PASSWORD)


@dataclass(frozen=True)
class SomeTeam:
    id: TeamId
    slug: str
    name: str
    owner: "SomePerson"


@dataclass(frozen=True)
class SomePerson:
    user_id: UserId
    email: str
    name: str
    cookie: str = field(repr=False)
    """The secret of a session of theirs."""


@dataclass(frozen=True)
class SomeToken:
    id: UUID
    secret: str = field(repr=False)


@dataclass(frozen=True)
class AccountsFactory:
    """Makes users and teams in an app."""

    app: AppUnderTest

    def team(self, name: str = "Ingesters") -> SomeTeam:
        """Make a team with an owner who has just signed up."""
        number, scope = next(NUMBERS), TeamScope()
        email, person = f"owner{number}@example.com", f"Owner {number}"
        with self.app.database.writing(scope) as session:
            made = service.sign_up(session, email=email, name=person, password_hash=password_hash(), team_name=name)
            cookie = self._session(session)
            assert scope.user_id is not None
            owner = SomePerson(scope.user_id, email, person, cookie)
            return SomeTeam(made.id, made.slug, made.name, owner)

    def member(self, team: SomeTeam, role: Role = Role.MEMBER) -> SomePerson:
        """Make a person who has joined a team by an invitation."""
        number = next(NUMBERS)
        now, owner = self.app.clock.now(), self.caller(team)
        with self.app.database.writing(TeamScope(team.id, owner.user_id)) as session:
            secret = service.create_invitation(session, owner, role=role, email=None, days=1, now=now)[2]
        invitation = service.preview_invitation(self.app.database, secret, now=now)
        email, name, scope = f"{role}{number}@example.com", f"{role.title()} {number}", TeamScope()
        with self.app.database.writing(scope) as session:
            service.sign_up_invited(session, invitation, email=email, name=name, password_hash=password_hash(), now=now)
            cookie = self._session(session)
            assert scope.user_id is not None
            return SomePerson(scope.user_id, email, name, cookie)

    def joins(self, person: SomePerson, team: SomeTeam, role: Role = Role.MEMBER) -> None:
        """Put a person into one more team."""
        with self.app.database.writing(TeamScope(team.id, person.user_id)) as session:
            session.add(Membership(team_id=team.id, user_id=person.user_id, role=role.value))

    def token(
        self, team: SomeTeam, *scopes: TokenScope, days: int | None = 30, revoked: bool = False, expired: bool = False
    ) -> SomeToken:
        """Make a token of a team, by default one that may read."""
        now, owner = self.app.clock.now(), self.caller(team)
        with self.app.database.writing(TeamScope(team.id, owner.user_id)) as session:
            made, _, secret = service.create_token(
                session, owner, name="ci", scopes=scopes or (TokenScope.READ,), expires_in_days=days, now=now
            )
            if revoked:
                service.revoke_token(session, owner, made.id, now=now)
            if expired:
                session.get_one(ApiToken, (team.id, made.id)).expires_at = now - timedelta(seconds=1)
            return SomeToken(made.id, secret)

    def invitation(self, team: SomeTeam, role: Role = Role.MEMBER, *, days: int = 7) -> str:
        """Make an invitation and return its secret."""
        owner = self.caller(team)
        with self.app.database.writing(TeamScope(team.id, owner.user_id)) as session:
            return service.create_invitation(
                session, owner, role=role, email=None, days=days, now=self.app.clock.now()
            )[2]

    @staticmethod
    def caller(team: SomeTeam, role: Role = Role.OWNER) -> Caller:
        """Return the team's owner as a caller, for verbs that ask for one."""
        return Caller(team.id, team.owner.user_id, None, role, frozenset())

    def _session(self, session: WriteSession) -> str:
        return service.begin_session(
            session, now=self.app.clock.now(), browser="Tests/1.0", address="127.0.0.1", is_multi_factor=False
        )
