"""Signatures are ranked by their separation, and those without one are left out."""

import pytest

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId, new_id
from slowpath.verdicts.bisects.rules.bisect_proposals import Signature, SignatureProposal
from slowpath.verdicts.bisects.service.signature_ranking import rank_signatures, separation_of_ratio


def proposal(subject: str, after: float, separation: float | None, *, confirmed: bool = False) -> SignatureProposal:
    signature = Signature("profile.category", subject, f"CPU in {subject}", "share")
    return SignatureProposal(
        signature, 1.0, after, separates=True, why="", separation=separation, is_confirmed=confirmed
    )


def test_the_clearest_comes_first_and_useless_ones_say_why() -> None:
    given = [
        proposal("gc", 1.5, 3.1),
        proposal("heap", 1.01, 0.4),
        proposal("noisy", 7.9, 1.4),
        proposal("unknown", 2.0, None),
        proposal("growth", 5.0, 41.0),
        proposal("confirmed", 1.2, 1.0, confirmed=True),
    ]
    session: ReadSession = ReadSession.__new__(ReadSession)  # nothing is read without both commits
    ranked = rank_signatures(session, ServiceId(new_id()), None, None, given)
    assert [one.signature.subject for one in ranked.offered] == ["growth", "gc", "confirmed", "unknown"]
    assert [(one.signature.subject, one.why) for one in ranked.left_out] == [
        ("heap", "good and bad do not differ (+1.0%)"),
        ("noisy", "good and bad alone do not differ clearly (×7.90, 1.4 standard errors of 2)"),
    ]


def test_a_ratio_is_as_far_from_one_as_its_interval_says() -> None:
    assert separation_of_ratio(2.0, 1.0, 4.0) == pytest.approx(1.96, rel=0.01)
    assert separation_of_ratio(2.0, None, 4.0) is None
    assert separation_of_ratio(2.0, 2.0, 2.0) is None
