"""Field types shared by the shapes of accounts. A secret is only in the response that creates it."""

import unicodedata
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, EmailStr, StringConstraints

from slowpath.platform.accounts.rules.account_limits import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from slowpath.platform.accounts.rules.credentials import SECRET_LETTERS
from slowpath.platform.accounts.tables import ApiToken, AuditEvent, Invitation, Membership, ServiceAccount

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that names cannot contain: controls, direction marks, unpaired surrogates."""


def _visible(text: str) -> str:
    if any(unicodedata.category(letter) in INVISIBLE for letter in text):
        raise ValueError("contains invisible characters")
    return text


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_visible)]

Email = Annotated[EmailStr, StringConstraints(max_length=254)]

NewPassword = Annotated[str, StringConstraints(min_length=MIN_PASSWORD_LENGTH, max_length=MAX_PASSWORD_LENGTH)]

AnyPassword = Annotated[str, StringConstraints(min_length=1, max_length=MAX_PASSWORD_LENGTH)]

Secret = Annotated[str, StringConstraints(min_length=SECRET_LETTERS, max_length=SECRET_LETTERS)]


class StrictRequest(BaseModel):
    """Base of request shapes: unknown members are rejected."""

    model_config = ConfigDict(extra="forbid")


def moment_of(row: Membership | Invitation | ApiToken | ServiceAccount | AuditEvent) -> tuple[datetime, UUID]:
    """Return the sort key of a list."""
    return row.created_at, row.id
