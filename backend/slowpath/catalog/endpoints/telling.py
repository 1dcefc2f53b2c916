"""Who tells of a build, from who asks."""

from slowpath.accounts.rules.roles import Caller
from slowpath.catalog.service.tellers import Teller


def teller_of(caller: Caller) -> Teller:
    """Return who tells: a token that only uploads may replace nothing that others said."""
    return Teller(caller.program_id, changes_any=not caller.sees_only_own)
