"""`slowpath admin audit verify`: verify the audit logs of all teams, or of one."""

import argparse
import re

from slowpath.core.db_sessions import Database
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import TeamId
from slowpath.platform.accounts.rules.audit_chain import MAX_VERIFIED, ChainPosition
from slowpath.platform.accounts.service.audit_chain import list_team_slugs, verify_audit_chain
from slowpath_cli.commands.user_admin import InvalidUserInput, connect_database, run_command

POSITION = re.compile(r"(?P<sequence>\d{1,18}):(?P<hash>[0-9a-f]{64})")


class BrokenChain(SlowpathError):
    """At least one audit log is not as it was written."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    audit = commands.add_parser("audit", help="verify the audit logs (DATABASE_URL)")
    verify = audit.add_subparsers(title="commands", metavar="COMMAND", required=True).add_parser(
        "verify", help="verify that no entry was changed or deleted since it was written"
    )
    verify.add_argument("--team", metavar="SLUG", help="only this team")
    verify.add_argument(
        "--after", metavar="SEQUENCE:HASH", help="an entry written down before, of --team: verify what follows it"
    )
    verify.set_defaults(admin=lambda options: run_command(_verify, options))


def _verify(options: argparse.Namespace) -> str:
    after = _parse_position(options.after)
    if after is not None and options.team is None:
        raise InvalidUserInput("--after needs --team: every team has its own sequence.")
    database = connect_database()
    teams = [(team_id, slug) for team_id, slug in list_team_slugs(database) if options.team in {None, slug}]
    if options.team is not None and not teams:
        raise InvalidUserInput(f"--team: no team has the slug {options.team}.")
    results = [_verify_team(database, team_id, slug, after) for team_id, slug in teams]
    lines = "\n".join(line for line, _ in results)
    if broken := sum(not is_intact for _, is_intact in results):
        raise BrokenChain(f"{broken} of {len(results)} audit logs are broken.\n{lines}")
    return lines or "There is no team."


def _verify_team(database: Database, team_id: TeamId, slug: str, after: ChainPosition | None) -> tuple[str, bool]:
    count = 0
    while True:
        found = verify_audit_chain(database, team_id, after=after, limit=MAX_VERIFIED)
        count, after = count + found.verified_count, found.position
        if found.broken is not None:
            entry = f"entry {found.broken.sequence}" + (f" ({found.broken.id})" if found.broken.id else "")
            return f"{slug}: {entry}: {found.broken.problem} {count} entries before it are intact.", False
        if found.is_complete:
            return f"{slug}: {count} entries are intact, up to {after.sequence}:{after.hash.hex()}", True


def _parse_position(given: str | None) -> ChainPosition | None:
    if given is None:
        return None
    parts = POSITION.fullmatch(given)
    if parts is None:
        raise InvalidUserInput("--after: write SEQUENCE:HASH, as this command prints it.")
    return ChainPosition(int(parts["sequence"]), bytes.fromhex(parts["hash"]))
