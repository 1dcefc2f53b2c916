"""`slowpath admin list-blobs`: record the blobs of the store that have no row."""

import argparse
import os

from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.operations.retention.service.orphaned_blobs import list_blobs
from slowpath.platform.accounts.service.audit_chain import list_team_slugs
from slowpath_cli.commands.user_admin import InvalidUserInput, connect_database, run_command


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    listing = commands.add_parser(
        "list-blobs",
        help="list the blob store and record blobs without a row, for example after a restored backup (DATABASE_URL, BLOB_URL)",
    )
    listing.set_defaults(admin=lambda options: run_command(_list, options))


def _list(_options: argparse.Namespace) -> str:
    url = os.environ.get("BLOB_URL")
    if not url:
        raise InvalidUserInput("BLOB_URL is not set. Set the address of the blob store as the server has it.")
    database, blobs = connect_database(), ObstoreBlobs(url)
    recorded = sum(list_blobs(database, blobs, team_id) for team_id, _slug in list_team_slugs(database))
    return f"Recorded {recorded} blobs without a row. Those that nothing needs are deleted after six hours."
