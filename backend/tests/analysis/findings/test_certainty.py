"""Words of certainty: their limits, and that the pages have the same."""

import re
from pathlib import Path

import pytest

from slowpath.analysis.findings import certainty

PAGES = Path(__file__).parents[4] / "frontend" / "src" / "lib" / "certainty.ts"


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "virtually certain (99.9%)"),
        (0.995, "virtually certain (99.5%)"),
        (0.973, "very likely (97%)"),
        (0.66, "likely (66%)"),
        (0.5, "about as likely as not (50%)"),
        (0.1, "unlikely (10%)"),
        (0.05, "very unlikely (5%)"),
        (0.004, "exceptionally unlikely (0.4%)"),
        (1e-6, "exceptionally unlikely (< 0.1%)"),
        (0.0, "excluded (0%)"),
    ],
)
def test_a_probability_is_a_word_with_its_number(probability: float, words: str) -> None:
    assert certainty.describe_probability(probability) == words


@pytest.mark.parametrize(
    ("low", "high", "unchanged", "word"),
    [
        (1.01, 1.2, 1.0, "significant"),
        (0.8, 0.99, 1.0, "significant"),
        (1.0, 1.2, 1.0, "inconclusive"),
        (-0.1, 0.1, 0.0, "inconclusive"),
        (0.1, 0.2, 0.0, "significant"),
    ],
)
def test_an_interval_is_significant_if_it_excludes_no_change(
    low: float, high: float, unchanged: float, word: str
) -> None:
    assert certainty.name_certainty(low, high, unchanged) == word


def test_intervals_follow_their_word() -> None:
    assert certainty.format_share_interval(0.43, 0.36, 0.51) == "43% (95% CI 36 to 51%)"


def test_pages_have_the_same_limits_and_words() -> None:
    text = PAGES.read_text()
    rows = re.findall(r"\[([\d.]+), '([a-z ]+)'\]", text)
    assert tuple((float(least), word) for least, word in rows) == certainty.LIKELIHOODS
    assert re.findall(r"(IMPOSSIBLE|SIGNIFICANT|INCONCLUSIVE) = '([a-z]+)'", text) == [
        ("IMPOSSIBLE", certainty.IMPOSSIBLE),
        ("SIGNIFICANT", certainty.SIGNIFICANT),
        ("INCONCLUSIVE", certainty.INCONCLUSIVE),
    ]
