"""Derive the sender of build metadata from the caller."""

from slowpath.inventory.catalog.service.metadata_senders import MetadataSender
from slowpath.platform.accounts.rules.roles import Caller


def make_metadata_sender(caller: Caller) -> MetadataSender:
    """Return the sender of build metadata: an upload-only token cannot overwrite metadata of others."""
    return MetadataSender(caller.program_id, changes_any=not caller.sees_only_own)
