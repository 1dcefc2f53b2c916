"""Passwords that attackers try first.

`common-passwords.txt.gz` is the unchanged file of Django 5.2.19 (`django/contrib/auth`, BSD 3-Clause, copyright Django
Software Foundation): the 20,000 most common passwords of published breaches, collected by Royce Williams.
"""

import gzip
import re
from functools import cache
from importlib.resources import files

AROUND = re.compile(r"^[\W\d_]+|[\W\d_]+$")
REPEATED = re.compile(r"(.+?)\1+")
FEW_LETTERS = 4


@cache
def _common_passwords() -> frozenset[str]:
    packed = files(__package__).joinpath("common-passwords.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split())


def is_common_password(password: str, email: str = "") -> bool:
    """Return whether a password is common, or a common word or the email with digits and signs around it, or repeated."""
    whole = password.casefold()
    name = email.casefold().partition("@")[0]
    common = _common_passwords() | {email.casefold(), name, "slowpath"}
    repeated = REPEATED.fullmatch(whole)
    unit = repeated.group(1) if repeated else whole
    return len(unit) < FEW_LETTERS or not common.isdisjoint({whole, unit, AROUND.sub("", whole), AROUND.sub("", unit)})
