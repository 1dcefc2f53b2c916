"""`slowpath admin create-user`, `set-password` and `reset-second-factor`: for operators with access to the database.

They use the database role of the application (DATABASE_URL), so row-level security applies.
"""

import argparse
import getpass
import os
import sys
from collections.abc import Callable

from pydantic import TypeAdapter, ValidationError

from slowpath.adapters.postgres import create_postgres_engine
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import SlowpathError
from slowpath.core.settings import Settings
from slowpath.platform.accounts import service
from slowpath.platform.accounts.schemas.account_field_types import Email, Name, NewPassword
from slowpath.platform.accounts.service.second_factors import delete_second_factors

EMAIL: TypeAdapter[str] = TypeAdapter(Email)
NAME: TypeAdapter[str] = TypeAdapter(Name)
PASSWORD: TypeAdapter[str] = TypeAdapter(NewPassword)


class InvalidUserInput(Exception):
    """An argument is invalid; the message gives the reason."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands."""
    create = commands.add_parser("create-user", help="create a user who owns a new team (DATABASE_URL)")
    create.add_argument("--email", required=True)
    create.add_argument("--name", required=True)
    create.add_argument("--team", help="the team's name (default: the user's)")
    create.set_defaults(admin=lambda options: run_command(_create_user, options))
    change = commands.add_parser(
        "set-password", help="set a user's password and end the user's sessions (DATABASE_URL)"
    )
    change.add_argument("--email", required=True)
    change.set_defaults(admin=lambda options: run_command(_set_password, options))
    reset = commands.add_parser(
        "reset-second-factor", help="remove a user's second factors and end the user's sessions (DATABASE_URL)"
    )
    reset.add_argument("--email", required=True)
    reset.set_defaults(admin=lambda options: run_command(_reset_second_factor, options))


def run_command(command: Callable[[argparse.Namespace], str], options: argparse.Namespace) -> int:
    """Run a command, print its result or error, and return the exit code."""
    try:
        print(command(options))
    except InvalidUserInput as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return 2
    except SlowpathError as error:
        print(f"slowpath: {error.detail} {error.remedy or ''}".rstrip(), file=sys.stderr)
        return 1
    return 0


def _create_user(options: argparse.Namespace) -> str:
    email, name = _validate(EMAIL, options.email, "--email"), _validate(NAME, options.name, "--name")
    team_name = _validate(NAME, options.team, "--team") if options.team else f"{name}'s team"
    database, hashed = connect_database(), service.hash_new_password(_password(), email)
    with database.writing(TeamScope()) as session:
        team = service.sign_up(session, email=email, name=name, password_hash=hashed, team_name=team_name)
        slug = team.slug
    return f"{email} owns the team {slug}"


def _set_password(options: argparse.Namespace) -> str:
    database = connect_database()
    user_id = service.get_user_by_email(database, options.email)
    hashed = service.hash_new_password(_password(), options.email)
    with database.writing(TeamScope(user_id=user_id)) as session:
        service.set_password(session, user_id, password_hash=hashed, now=SystemClock().now())
        ended = service.end_all_sessions(session, user_id)
    return f"Set the password of {options.email} and ended {ended} sessions."


def _reset_second_factor(options: argparse.Namespace) -> str:
    database = connect_database()
    user_id = service.get_user_by_email(database, options.email)
    teams = [team.id for team in service.teams_of(database, user_id)]
    with database.writing(TeamScope(user_id=user_id)) as session:
        removed = delete_second_factors(session, user_id)
        facts = {"removed": removed}
        service.record_user_event(
            session, user_id, teams, "second-factors.reset", "user", user_id, facts, by_operator=True
        )
        ended = service.end_all_sessions(session, user_id)
    return f"Removed {removed} second factors of {options.email} and ended {ended} sessions."


def _validate(kind: TypeAdapter[str], given: str, what: str) -> str:
    try:
        return kind.validate_python(given)
    except ValidationError as error:
        raise InvalidUserInput(f"{what}: {error.errors()[0]['msg']}") from error


def _password() -> str:
    """Read the password without echo, or from a pipe; not from the arguments, which all processes can read."""
    given = getpass.getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    return _validate(PASSWORD, given, "password")


def connect_database() -> Database:
    """Return the database of DATABASE_URL. Raises `InvalidUserInput`."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        raise InvalidUserInput("DATABASE_URL is not set. Set it to the database's URL with the application's role.")
    unused = {"broker_url": "memory://", "blob_url": "memory://", "secret_key": "unused"}
    return Database(create_postgres_engine(Settings.model_validate({"database_url": url, **unused}), pool_size=1))
