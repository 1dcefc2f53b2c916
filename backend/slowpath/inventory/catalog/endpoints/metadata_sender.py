"""Who tells of a build, from who asks."""

from slowpath.inventory.catalog.service.metadata_senders import MetadataSender
from slowpath.platform.accounts.rules.roles import Caller


def make_metadata_sender(caller: Caller) -> MetadataSender:
    """Return who tells: a token that only uploads may replace nothing that others said."""
    return MetadataSender(caller.program_id, changes_any=not caller.sees_only_own)
