"""What an identity provider may decide of a membership by SCIM."""

import unicodedata
from collections.abc import Collection

from slowpath.platform.accounts.rules.roles import Role


def normalize_user_name(user_name: str) -> str:
    """Return the key of a user name: names that differ only in case or in the form of their letters are the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", user_name).casefold())


def decide_role(groups: Collection[Role], *, held: Role, is_claimed: bool) -> Role:
    """Return the role of a member of these groups, by the highest; without a group it is the lowest.

    Only an account that proved its address at the identity provider gets a higher role than it holds: an account that was
    added by hand may have any address, also that of someone else.
    """
    decided = max(groups, key=lambda role: role.rank, default=Role.VIEWER)
    return decided if is_claimed or held.reaches(decided) else held
