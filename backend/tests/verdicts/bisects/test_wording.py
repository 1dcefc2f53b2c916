"""What is said of bisects."""

import pytest

from slowpath.verdicts.bisects import wording
from slowpath.verdicts.bisects.rules.bisect_states import BisectState

CULPRIT = {"repository": "libx", "sha": 40 * "c", "title": "Grow frames"}
SEEN = {"deploys": 14, "belief": 0.6, "culprit": CULPRIT}


@pytest.mark.parametrize("state", list(BisectState))
def test_every_state_is_told_in_a_sentence(state: BisectState) -> None:
    for seen in (None, SEEN):
        for why in ("", "the good end can not be built."):
            told = wording.sentence(state, seen, {"belief": 0.973, "suspects": ["a", "b"]}, why)
            assert told[0].isupper() or told.startswith(("ccccccc", "2 "))
            assert told.endswith(".")
            assert "{" not in told


def test_the_culprit_is_named() -> None:
    told = wording.sentence("found", SEEN, {"belief": 0.973, "suspects": ["a"]}, "")
    assert told == "ccccccc in libx (Grow frames) made it slower: 97 % sure after 14 deploys."


def test_how_deep_it_is_is_told_while_nobody_is_suspected() -> None:
    told = wording.sentence("searching", {"deploys": 18, "levels": 3}, None, "")
    assert told == "Searches 3 levels deep; nobody is suspected there yet after 18 deploys."


def test_nobody_is_ever_quite_sure() -> None:
    assert (wording.percent(1.0), wording.percent(0.995), wording.percent(0.5)) == ("99.9 %", "99.5 %", "50 %")


def test_what_the_facts_do_not_hold_is_left_out() -> None:
    assert wording.event("paused", {"reason": "lunch"}) == "Paused: lunch"
    assert wording.event("paused", {"reason": ""}) == "Paused"
    assert wording.event("asked", {}) == "Asks for deploy"
    assert wording.event("measured", {"number": 3, "value": 1.5, "verdict": None}) == "#3 measured"
    assert wording.event("measured", {"number": 3, "value": None, "verdict": "slower"}) == "#3 measured"
    assert wording.event("measured", {"number": 3, "value": None, "verdict": None}) == "#3: a window told nothing"
    assert wording.event("of tomorrow", {}) == "of tomorrow"


def test_why_nothing_moves() -> None:
    assert wording.explain_waiting(0, hours=False, runner=False) is None
    assert wording.explain_waiting(2, hours=True, runner=True) is None
    assert "hours" in (wording.explain_waiting(2, hours=False, runner=True) or "")
    assert "runner" in (wording.explain_waiting(1, hours=True, runner=False) or "")
    told = wording.explain_waiting(1, hours=True, runner=False, labels={"zone": "eu"})
    assert told == "1 deploy waits for a runner with zone: eu: none has been seen lately."
