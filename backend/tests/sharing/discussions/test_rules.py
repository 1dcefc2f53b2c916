"""The members that a text mentions."""

from dataclasses import replace
from uuid import UUID

import pytest

from slowpath.sharing.discussions.rules import MOST_LETTERS, mentioned, part_of
from slowpath.sharing.discussions.wording import mail
from tests.factories.findings import FINDING

ANN, BEN, ANNA, ANN_TWO = (UUID(int=number) for number in range(1, 5))
MEMBERS = {ANN: "Ann", BEN: "Ben de Vries", ANNA: "Ann Arbor"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@Ann look", {ANN}),
        ("(@ann), @BEN DE VRIES!", {ANN, BEN}),
        ("@Ann Arbor", {ANNA}),
        ("@Annette", set()),
        ("mail ann@ann.example, a@@Ann", set()),
        ("`@Ann` and\n```\n@Ben de Vries\n```", set()),
        ("```\nopen to the end @Ann", set()),
        ("@Ben", set()),
        ("", set()),
    ],
)
def test_members_are_named_by_their_whole_names(text: str, named: set[UUID]) -> None:
    assert mentioned(text, MEMBERS, ()) == named


def test_of_equal_names_the_picked_members_are_mentioned() -> None:
    members = {**MEMBERS, ANN_TWO: "Ann"}
    assert mentioned("@Ann", members, [ANN_TWO]) == {ANN_TWO}
    assert mentioned("@Ann", members, []) == {ANN, ANN_TWO}
    assert mentioned("nobody", members, [ANN_TWO]) == set()


def test_names_are_no_patterns_and_long_texts_take_no_time() -> None:
    assert mentioned("@A.* and @A.*", {ANN: "A.*", BEN: "Abc"}, ()) == {ANN}
    assert mentioned("@" * MOST_LETTERS, MEMBERS, ()) == set()
    assert mentioned("`" * MOST_LETTERS, MEMBERS, ()) == set()


def test_a_finding_is_recognized_at_any_position() -> None:
    finding = replace(FINDING, subject="a|b", normalization="share")
    assert part_of(finding) == "profile.function|cpu|a|b||share"
    assert part_of(replace(finding, quantile=0.99)) == "profile.function|cpu|a|b|0.99|share"


def test_a_mail_is_harmless_however_people_are_called() -> None:
    subject, text = mail("Clone\r\nBcc: x", "https://s.example/t/x", "T\u202eeam", [("Ann\nTo: y", "two\nlines\x07")])
    assert not {"\n", "\r"} & set(subject)
    assert "> two\n> lines" in text
    assert not {"\u202e", "\x07"} & set(text)
