"""Database sessions restricted to the rows of one team.

Two types: a `WriteSession` is also a `ReadSession`, never the reverse. Both have a `TeamScope`, which is applied twice: as
a PostgreSQL setting of the transaction (row-level security; no rows if unset), and as a `team_id = ...` condition added to
every ORM statement. Each suffices to separate teams; tests disable the second to prove the first.

Only the outermost code commits: an endpoint's dependency or a job handler's context owns the transaction.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import ORMExecuteState, Session, SessionTransaction, sessionmaker, with_loader_criteria

from slowpath.core.ids import TeamId, UserId
from slowpath.core.table_base import TeamScoped

SET_SCOPE = text("SELECT set_config('slowpath.team_id', :team, true), set_config('slowpath.user_id', :user, true)")

POSITION = text("SELECT pg_current_wal_insert_lsn()")
REPLAYED = text("SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= CAST(:position AS pg_lsn)")
PATIENCE_SECONDS = 0.05
POLL_SECONDS = 0.005
AVOIDED_SECONDS = 2.0


@dataclass
class TeamScope:
    """The team and user of a session: set by authentication, read when a transaction begins."""

    team_id: TeamId | None = None
    user_id: UserId | None = None
    program_id: UUID | None = None
    """The API token or service account, if the request is not from a person."""


class ReadSession(Session):
    """A session that reads one snapshot: its PostgreSQL transaction is read-only, with isolation level REPEATABLE READ.

    With READ COMMITTED a row found by one query could be deleted before the next query reads what belongs to it.
    """

    @property
    def scope(self) -> TeamScope:
        """Return the scope of this session."""
        scope = self.info["scope"]
        assert isinstance(scope, TeamScope)
        return scope

    @property
    def team_id(self) -> TeamId:
        """Return the team of this session. Raises `LookupError` before it is set, which is an internal error."""
        if self.scope.team_id is None:
            raise LookupError("the session has no team yet")
        return self.scope.team_id


class WriteSession(ReadSession):
    """A session that reads and writes."""

    @contextmanager
    def in_team(self, team_id: TeamId) -> Iterator[None]:
        """Use another team of the user for the block, in the same transaction."""
        with self._use_scope(team_id, self.scope.user_id):
            yield

    @contextmanager
    def as_user(self, user_id: UserId) -> Iterator[None]:
        """Use the rows of a member of the team for the block, in the same transaction."""
        with self._use_scope(self.scope.team_id, user_id):
            yield

    @contextmanager
    def _use_scope(self, team_id: TeamId | None, user_id: UserId | None) -> Iterator[None]:
        former = self.scope.team_id, self.scope.user_id
        self._set_scope(team_id, user_id)
        try:
            yield
            self.flush()
        except BaseException:
            self.scope.team_id, self.scope.user_id = former  # the transaction is rolled back
            raise
        self._set_scope(*former)

    def _set_scope(self, team_id: TeamId | None, user_id: UserId | None) -> None:
        self.scope.team_id, self.scope.user_id = team_id, user_id
        self.execute(SET_SCOPE, {"team": str(team_id or ""), "user": str(user_id or "")})


class ReadReplica:
    """A streaming replica that serves a read once it has replayed all that was committed before the read began.

    So every read sees every write before it, of any process. The replica is asked again for `PATIENCE_SECONDS`; a later
    one, or one that is unavailable, serves nothing for `AVOIDED_SECONDS`.
    """

    def __init__(self, engine: Engine) -> None:
        """Set the engine of the replica."""
        self.engine = engine
        self._avoided_until_s = 0.0

    def has_replayed(self, primary: Engine) -> bool:
        """Return whether the replica has all that the primary has now, waiting a moment for it."""
        if time.monotonic() < self._avoided_until_s:
            return False
        with primary.connect() as connection:
            position = connection.execute(POSITION).scalar_one()
        try:
            with self.engine.connect() as connection:
                deadline = time.monotonic() + PATIENCE_SECONDS
                while not connection.execute(REPLAYED, {"position": position}).scalar_one():
                    if time.monotonic() > deadline:
                        self._avoided_until_s = time.monotonic() + AVOIDED_SECONDS
                        return False
                    time.sleep(POLL_SECONDS)
        except SQLAlchemyError:
            self._avoided_until_s = time.monotonic() + AVOIDED_SECONDS
            return False
        return True


class Database:
    """The engine, and its sessions."""

    def __init__(self, engine: Engine, *, team_filter: bool = True, replica: ReadReplica | None = None) -> None:
        """Set the engine and a replica for reads; `team_filter=False` disables the condition in ORM statements, for tests."""
        self.engine = engine
        self.replica = replica
        self._read = sessionmaker(engine, class_=ReadSession, expire_on_commit=False, autoflush=False)
        self._write = sessionmaker(engine, class_=WriteSession, expire_on_commit=False)
        for factory in (self._read, self._write):
            event.listen(factory, "after_begin", _set_scope)
            if team_filter:
                event.listen(factory, "do_orm_execute", _filter_by_team)

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self.replica is not None:
            self.replica.engine.dispose()

    @contextmanager
    def reading(self, scope: TeamScope) -> Iterator[ReadSession]:
        """Open a session with a read-only transaction, which ends without a commit. It may read from the replica."""
        bind = self.replica.engine if self.replica and self.replica.has_replayed(self.engine) else self.engine
        with self._read(bind=bind, info={"scope": scope}) as session:
            yield session

    @contextmanager
    def writing(self, scope: TeamScope) -> Iterator[WriteSession]:
        """Open a session that commits at the end of the block, and rolls back after an error."""
        with self._write(info={"scope": scope}) as session:
            yield session
            session.commit()

    @contextmanager
    def cross_team(self) -> Iterator[Connection]:
        """Open a connection with the role `slowpath_cross_team`, which may only call its functions.

        These find a session, token, invitation or due job before a team is known. Commits at the end.
        """
        with self.engine.begin() as connection:
            connection.execute(text("SET LOCAL ROLE slowpath_cross_team"))
            yield connection


def _set_scope(session: Session, _transaction: SessionTransaction, connection: Connection) -> None:
    if not isinstance(session, WriteSession):
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
    scope: TeamScope = session.info["scope"]
    connection.execute(SET_SCOPE, {"team": str(scope.team_id or ""), "user": str(scope.user_id or "")})


def _filter_by_team(state: ORMExecuteState) -> None:
    if not (state.is_select or state.is_update or state.is_delete) or state.is_column_load:
        return
    team_id = state.session.info["scope"].team_id

    def of_team(table: type[TeamScoped]) -> Any:  # noqa: ANN401 - the criteria of SQLAlchemy have no narrower type
        return table.team_id == team_id

    state.statement = state.statement.options(with_loader_criteria(TeamScoped, of_team, include_aliases=True))
