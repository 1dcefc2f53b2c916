"""Sentences about bisects."""

import pytest

from slowpath.verdicts.bisects import wording
from slowpath.verdicts.bisects.rules.bisect_states import BisectState

CULPRIT = {"repository": "libx", "sha": 40 * "c", "title": "Grow frames"}
SEEN = {"deploys": 14, "belief": 0.6, "culprit": CULPRIT}


@pytest.mark.parametrize("state", list(BisectState))
def test_every_state_has_a_sentence(state: BisectState) -> None:
    for summary in (None, SEEN):
        for reason in ("", "the good boundary cannot be built."):
            sentence = wording.describe_state(state, summary, {"belief": 0.973, "suspects": ["a", "b"]}, reason)
            assert sentence[0].isupper() or sentence.startswith(("cccccccccc", "2 "))
            assert sentence.endswith(".")
            assert "{" not in sentence


def test_the_culprit_is_named() -> None:
    sentence = wording.describe_state("found", SEEN, {"belief": 0.973, "suspects": ["a"]}, "")
    assert sentence == "cccccccccc in libx (Grow frames) caused the regression: very likely (97%) after 14 deployments."


def test_a_go_release_and_a_setting_are_named() -> None:
    release = {"repository": "Go releases", "sha": "go1.23.0", "title": "Go 1.22.12 → 1.23.0"}
    assert wording.describe_commit(release) == "Go 1.22.12 → 1.23.0"
    setting = {**release, "repository": "Go settings", "sha": "GODEBUG=asynctimerchan=1"}
    assert (
        wording.describe_commit(setting) == "Go 1.22.12 → 1.23.0 (the default that GODEBUG=asynctimerchan=1 restores)"
    )


def test_a_search_without_a_suspect_shows_its_depth() -> None:
    sentence = wording.describe_state("searching", {"deploys": 18, "levels": 3}, None, "")
    assert sentence == "Searching 3 levels deep: no suspect yet after 18 deployments."


def test_missing_details_are_left_out() -> None:
    assert wording.describe_event("paused", {"reason": "lunch"}) == "Paused: lunch"
    assert wording.describe_event("paused", {"reason": ""}) == "Paused"
    assert wording.describe_event("queued", {}) == "Queued probe"
    assert wording.describe_event("measured", {"number": 3, "value": 1.5, "verdict": None}) == "Probe #3 measured"
    assert wording.describe_event("measured", {"number": 3, "value": None, "verdict": "slower"}) == "Probe #3 measured"
    assert (
        wording.describe_event("measured", {"number": 3, "value": None, "verdict": None})
        == "Probe #3: measurement received"
    )
    assert wording.describe_event("of tomorrow", {}) == "of tomorrow"


def test_explain_waiting() -> None:
    assert wording.explain_waiting(0, hours=False, runner=False) is None
    assert wording.explain_waiting(2, hours=True, runner=True) is None
    assert "hours" in (wording.explain_waiting(2, hours=False, runner=True) or "")
    assert "runner" in (wording.explain_waiting(1, hours=True, runner=False) or "")
    sentence = wording.explain_waiting(1, hours=True, runner=False, labels={"zone": "eu"})
    assert sentence == "1 deployment waits for a runner with zone: eu: none has connected recently."
