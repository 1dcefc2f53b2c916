"""Sessions that know whose rows they may see.

Two types: a `WriteSession` may serve whoever asks for a `ReadSession`, never the reverse. Both
carry a `TeamScope`. It acts twice: PostgreSQL is told the team for this transaction (row-level security;
unset means no rows), and every ORM statement gets `team_id = ...` added in code. Either of the two
alone keeps teams apart; the tests switch the second off to prove the first.

Nobody below the edge commits: the edge (an endpoint's dependency, a handler's context) owns the
transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.orm import ORMExecuteState, Session, SessionTransaction, sessionmaker, with_loader_criteria

from slowpath.core.ids import TeamId, UserId
from slowpath.core.table_base import TeamScoped

SET_SCOPE = text("SELECT set_config('slowpath.team_id', :team, true), set_config('slowpath.user_id', :user, true)")


@dataclass
class TeamScope:
    """Whose rows: filled in by whoever found out who is asking, read when a transaction begins."""

    team_id: TeamId | None = None
    user_id: UserId | None = None
    program_id: UUID | None = None
    """The token or service account that asks, if it is no person."""


class ReadSession(Session):
    """A session that reads. Its transaction is read-only in PostgreSQL too."""

    @property
    def scope(self) -> TeamScope:
        """Whose rows this session sees."""
        scope = self.info["scope"]
        assert isinstance(scope, TeamScope)
        return scope

    @property
    def team_id(self) -> TeamId:
        """The team of this session; asking for it before it is known is a fault of ours."""
        if self.scope.team_id is None:
            raise LookupError("the session has no team yet")
        return self.scope.team_id


class WriteSession(ReadSession):
    """A session that may also write."""


class Database:
    """The engine and the ways in."""

    def __init__(self, engine: Engine, *, team_filter: bool = True) -> None:
        """`team_filter=False` leaves separation to PostgreSQL alone; only a test asks for that."""
        self.engine = engine
        self._read = sessionmaker(engine, class_=ReadSession, expire_on_commit=False, autoflush=False)
        self._write = sessionmaker(engine, class_=WriteSession, expire_on_commit=False)
        for factory in (self._read, self._write):
            event.listen(factory, "after_begin", _tell_postgres)
            if team_filter:
                event.listen(factory, "do_orm_execute", _filter_by_team)

    @contextmanager
    def reading(self, scope: TeamScope) -> Iterator[ReadSession]:
        """Give a session whose transaction is read-only; it ends without a commit."""
        with self._read(info={"scope": scope}) as session:
            yield session

    @contextmanager
    def writing(self, scope: TeamScope) -> Iterator[WriteSession]:
        """Give a session that commits when the block ends well and rolls back when it does not."""
        with self._write(info={"scope": scope}) as session:
            yield session
            session.commit()

    @contextmanager
    def cross_team(self) -> Iterator[Connection]:
        """Give a connection that may only call the functions of the role `slowpath_cross_team`.

        They find a session, token, invitation or due job before a team is known. Commits at the end.
        """
        with self.engine.begin() as connection:
            connection.execute(text("SET LOCAL ROLE slowpath_cross_team"))
            yield connection


def _tell_postgres(session: Session, _transaction: SessionTransaction, connection: Connection) -> None:
    if not isinstance(session, WriteSession):
        connection.execute(text("SET TRANSACTION READ ONLY"))
    scope: TeamScope = session.info["scope"]
    connection.execute(SET_SCOPE, {"team": str(scope.team_id or ""), "user": str(scope.user_id or "")})


def _filter_by_team(state: ORMExecuteState) -> None:
    if not (state.is_select or state.is_update or state.is_delete) or state.is_column_load:
        return
    team_id = state.session.info["scope"].team_id

    def of_team(table: type[TeamScoped]) -> Any:  # noqa: ANN401 - the criteria of SQLAlchemy have no narrower type
        return table.team_id == team_id

    state.statement = state.statement.options(with_loader_criteria(TeamScoped, of_team, include_aliases=True))
