"""Authors and reviewers of commits, and the team members that they are. Pure; names and addresses are untrusted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

MOST_REVIEWERS: Final = 20
_TRAILER = re.compile(
    r"(?:reviewed-by|acked-by):\s*(?P<name>[^<]{0,200})(?:<(?P<email>[^<>\s]{1,200})>)?\s*", re.IGNORECASE
)

_PRIVATE_ADDRESS = re.compile(r"(?:\d+[+-])?(?P<login>[a-z0-9][a-z0-9._-]*)@users\.noreply\.(?:github|gitlab)\.com")
"""The address in commits of users who hide theirs, case folded."""


@dataclass(frozen=True)
class Person:
    """A person as git or a code host names them."""

    name: str
    email: str
    login: str = ""
    """At the code host, if that names them."""


@dataclass(frozen=True)
class TeamMember:
    """A member of the team."""

    user_id: UUID
    name: str
    email: str
    logins: tuple[str, ...] = ()
    """Logins at code hosts, as the member states them."""


def parse_reviewers(message: str) -> list[Person]:
    """Return the reviewers that the trailers of a message name: `Reviewed-by: Name <address>`, each once."""
    found: list[Person] = []
    for line in message.splitlines():
        match = _TRAILER.fullmatch(line.strip())
        if match is None:
            continue
        person = Person(match["name"].strip(), match["email"] or "")
        if (person.name or person.email) and person not in found:
            found.append(person)
    return found[:MOST_REVIEWERS]


def find_member(person: Person, members: Sequence[TeamMember]) -> TeamMember | None:
    """Return the member with a person's address, else with their login or the one in it, else with their name.

    None if none or several match.
    """
    email, name = _fold(person.email), _fold(person.name)
    private = _PRIVATE_ADDRESS.fullmatch(email)
    for matching in (
        [member for member in members if email and _fold(member.email) == email],
        [member for member in members if person.login and _has_login(member, person.login)],
        [member for member in members if private and _has_login(member, private["login"])],
        [member for member in members if name and _fold(member.name) == name],
    ):
        if matching:
            return matching[0] if len(matching) == 1 else None
    return None


def find_owner(owner: str, members: Sequence[TeamMember]) -> TeamMember | None:
    """Return the member that an owner in CODEOWNERS is: an address, or `@` and a login. None of a team, or of several."""
    login = owner.removeprefix("@")
    matching = [
        member
        for member in members
        if (_has_login(member, login) if owner.startswith("@") else _fold(member.email) == _fold(owner))
    ]
    return matching[0] if len(matching) == 1 else None


def _has_login(member: TeamMember, login: str) -> bool:
    return _fold(login) in {_fold(one) for one in member.logins}


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
