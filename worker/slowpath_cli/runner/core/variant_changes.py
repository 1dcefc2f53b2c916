"""Make the change of a leased variant: its variables, and its patch, fetched by the hash that the lease names."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from slowpath.analysis.experiments.variants import Variant
from slowpath_cli.local_bisect.build_changes import BuildChange
from slowpath_cli.runner.core.driver_interface import DeploymentFailed
from slowpath_cli.runner.core.server_client import (
    ServerClient,
    ServerUnavailable,
    TokenForbidden,
    UnknownToServer,
)


def read_variant(fields: Mapping[str, Any] | None) -> Variant | None:
    """Return the variant of a validated lease; None for an unchanged commit."""
    if fields is None:
        return None
    return Variant("", dict(fields["environment"]), fields["pgo"], fields["reverts"] is not None, fields["patch"])


def read_change(
    fields: Mapping[str, Any] | None, run_id: UUID, folder: Path, connect: Callable[[], ServerClient]
) -> BuildChange | None:
    """Return how a run changes its work tree; its patch is stored in `folder`. Raises `DeploymentFailed`."""
    variant = read_variant(fields)
    if fields is None or variant is None:
        return None
    patch = None if variant.patch is None else _fetch(variant.patch, run_id, folder, connect)
    return BuildChange(variant, fields["reverts"], patch)


def _fetch(sha256: str, run_id: UUID, folder: Path, connect: Callable[[], ServerClient]) -> Path:
    """Fetch a patch and check that its content is the one of the lease; its text is checked when it is applied."""
    server = connect()
    try:
        content = server.patch(run_id)
    except ServerUnavailable as error:
        raise DeploymentFailed(f"The patch cannot be fetched: {error}", is_transient=True) from error
    except (UnknownToServer, TokenForbidden) as error:
        raise DeploymentFailed(f"The patch cannot be fetched: {error}") from error
    finally:
        server.close()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise DeploymentFailed("The patch of the server is not the one of the lease.")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / "variant.patch"
    path.write_bytes(content)
    return path
