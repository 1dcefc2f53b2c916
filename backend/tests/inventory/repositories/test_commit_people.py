"""Reviewers of trailers, and the member that a person is: never a guess."""

from uuid import UUID

import pytest

from slowpath.inventory.repositories.rules.commit_people import (
    Person,
    TeamMember,
    find_member,
    find_owner,
    parse_reviewers,
)

ANN, SAME_NAME, BEN = (
    TeamMember(UUID(int=at), name, email)
    for at, (name, email) in enumerate(
        [("Ann Berg", "ann@example.org"), ("Ann Berg", "berg@example.org"), ("Ben", "ben@example.org")]
    )
)


def test_reviewers_are_read_from_trailers() -> None:
    message = (
        "Body\n\nReviewed-by: Lea Brandt <lea@example.org>\nreviewed-by: Lea Brandt <lea@example.org>\n"
        "Acked-by: Jo\nReviewed-by:\nSigned-off-by: X <x@example.org>\nnot Reviewed-by: Y <y@example.org>\n"
    )
    assert parse_reviewers(message) == [Person("Lea Brandt", "lea@example.org"), Person("Jo", "")]
    assert len(parse_reviewers("\n".join(f"Reviewed-by: R{n}" for n in range(100)))) == 20


@pytest.mark.parametrize(
    ("person", "member"),
    [
        (Person("someone", "ANN@example.org"), ANN),
        (Person("ben", "ben@home.example"), BEN),
        (Person("Ann Berg", "unknown@example.org"), None),
        (Person("", ""), None),
        (Person("Cid", "cid@example.org"), None),
    ],
)
def test_a_person_is_the_only_member_with_the_address_or_name(person: Person, member: TeamMember | None) -> None:
    assert find_member(person, [ANN, SAME_NAME, BEN]) == member


def test_a_login_names_the_only_member_who_states_it() -> None:
    octo = TeamMember(UUID(int=7), "Octo", "octo@example.org", ("OctoCat", "octo.work"))
    members = [ANN, BEN, octo]
    assert find_owner("@octocat", members) == octo
    assert find_owner("OCTO@example.org", members) == octo
    assert find_owner("@octocat", [*members, TeamMember(UUID(int=8), "Copy", "copy@example.org", ("octocat",))]) is None
    assert find_owner("@northwind/octocat", members) is None
    assert find_owner("@octo", members) is None
    assert find_member(Person("", "583231+octocat@users.noreply.github.com"), members) == octo
    assert find_member(Person("", "42-octo.work@users.noreply.gitlab.com"), members) == octo
    assert find_member(Person("", "octocat@users.noreply.example.org"), members) is None
    assert find_member(Person("Octo Work", "", "octo.work"), members) == octo
    assert find_member(Person("unknown", "", "nobody-states-it"), members) is None
