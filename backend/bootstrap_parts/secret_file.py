"""Secrets of a data folder: generated once and stored in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from bootstrap_parts.console import StartupError


@dataclass(frozen=True)
class Secrets:
    """Passwords of the embedded services and Slowpath's secret key; each has 192 random bits."""

    superuser_password: str
    owner_password: str
    app_password: str
    broker_password: str
    secret_key: str

    @classmethod
    def of(cls, folder: Path) -> Secrets:
        """Read the secrets of a data folder, or generate them. Raises `StartupError`."""
        path = folder / "secrets.json"
        if path.exists():
            try:
                return cls(**json.loads(path.read_text()))
            except (OSError, ValueError, TypeError) as error:
                raise StartupError(
                    f"The secrets in {path} cannot be read ({error}). Repair the file, or delete the data folder."
                ) from error
        generated = cls(*(secrets.token_hex(24) for _ in range(5)))
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(generated), file, indent=1)
        return generated
