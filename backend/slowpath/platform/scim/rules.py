"""Limits of SCIM, and what identifies a member."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from slowpath.platform.accounts.rules.account_names import is_unambiguous_email, normalize_email

MAX_MEMBERS: Final = 10_000
"""Members of a team that SCIM provisions."""
MAX_RESULTS: Final = 200
"""Members on one page."""
MAX_START_INDEX: Final = 1_000_000
MAX_TEXT: Final = 255
MAX_EMAILS: Final = 20
MAX_OPERATIONS: Final = 100
MAX_OPERATIONS_AND_MEMBERS: Final = 50_000
"""Operations times members of a group: each operation may compare all members, 35 microseconds each."""
MAX_FILTER: Final = 500
INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that texts cannot contain: controls, direction marks, unpaired surrogates."""


class FilterAttribute(StrEnum):
    """The attributes of a user that a filter may compare, with `eq`."""

    ID = "id"
    USER_NAME = "userName"
    EXTERNAL_ID = "externalId"
    EMAIL = "emails.value"


@dataclass(frozen=True)
class UserFilter:
    """`attribute eq "value"`."""

    attribute: FilterAttribute
    value: str


@dataclass(frozen=True)
class EmailAddress:
    """An email of a user, as the identity provider sent it."""

    value: str
    kind: str | None
    is_primary: bool | None = None


@dataclass(frozen=True)
class UserAttributes:
    """What an identity provider states of a user; `is_active` is None if it states nothing."""

    user_name: str
    external_id: str | None = None
    display_name: str | None = None
    formatted_name: str | None = None
    given_name: str | None = None
    family_name: str | None = None
    emails: tuple[EmailAddress, ...] = ()
    is_active: bool | None = None

    @property
    def texts(self) -> Iterable[tuple[str, str]]:
        """The texts by the names of their attributes."""
        named = {
            "userName": self.user_name,
            "externalId": self.external_id,
            "displayName": self.display_name,
            "name.formatted": self.formatted_name,
            "name.givenName": self.given_name,
            "name.familyName": self.family_name,
        }
        yield from ((name, text) for name, text in named.items() if text is not None)
        for email in self.emails:
            yield "emails.value", email.value
            if email.kind is not None:
                yield "emails.type", email.kind


def count_allowed_operations(members: int) -> int:
    """Return how many operations a PATCH of a group of this size may have."""
    return min(MAX_OPERATIONS, max(1, MAX_OPERATIONS_AND_MEMBERS // max(1, members)))


def find_invalid_text(attributes: UserAttributes) -> str | None:
    """Return why a text cannot be stored, or None."""
    for name, text in attributes.texts:
        if len(text) > MAX_TEXT:
            return f"{name} has {len(text):,} characters; the limit is {MAX_TEXT}."
        if any(unicodedata.category(letter) in INVISIBLE for letter in text):
            return f"{name} contains invisible characters."
    if not attributes.user_name.strip():
        return "userName is empty."
    if len(attributes.emails) > MAX_EMAILS:
        return f"The user has {len(attributes.emails)} emails; the limit is {MAX_EMAILS}."
    return None


def find_address(attributes: UserAttributes) -> str | None:
    """Return the key of the address that a sign-in must prove: the primary email, the first one, or else the user name.

    None without one that identifies a user: case folding beyond ASCII would merge two addresses.
    """
    emails = sorted(attributes.emails, key=lambda email: not email.is_primary)
    address = emails[0].value if emails else attributes.user_name
    return normalize_email(address) if "@" in address and is_unambiguous_email(address) else None
