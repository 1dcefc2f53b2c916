"""`slowpath admin renew-encryption`: encrypt all stored credentials with the newest key."""

import argparse
import os

from slowpath.core.encryption import SecretEncryptor, parse_keys
from slowpath.core.errors import SlowpathError
from slowpath.operations.retention.service.encryption_keys import renew_all
from slowpath_cli.commands.user_admin import InvalidUserInput, connect_database, run_command


class UnreadableValues(SlowpathError):
    """No key that is set decrypts some stored values."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    renew = commands.add_parser(
        "renew-encryption",
        help="encrypt all stored credentials with the first of SLOWPATH_ENCRYPTION_KEYS (DATABASE_URL)",
    )
    renew.set_defaults(admin=lambda options: run_command(_renew, options))


def _renew(_options: argparse.Namespace) -> str:
    secret = os.environ.get("SLOWPATH_SECRET_KEY")
    if not secret:
        raise InvalidUserInput("SLOWPATH_SECRET_KEY is not set. Set both keys as the server has them.")
    try:
        keys = parse_keys(os.environ.get("SLOWPATH_ENCRYPTION_KEYS", ""))
    except ValueError as error:
        raise InvalidUserInput(str(error)) from error
    renewed, unreadable = renew_all(connect_database(), SecretEncryptor(secret, keys))
    if unreadable:
        raise UnreadableValues(
            f"Encrypted {renewed} values again. {unreadable} values cannot be decrypted with the keys that are set.",
            remedy="Set the keys that were used before, too; the log names the rows.",
        )
    return f"Encrypted {renewed} values again. All stored values have the newest key, so former keys can be removed."
