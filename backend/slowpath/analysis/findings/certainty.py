"""Certainty as a word with its number behind it: one table of words for all sentences.

`frontend/src/lib/certainty.ts` has the same limits and words; a test compares both.
"""

from typing import Final

LIKELIHOODS: Final = (
    (0.99, "virtually certain"),
    (0.9, "very likely"),
    (0.66, "likely"),
    (0.33, "about as likely as not"),
    (0.1, "unlikely"),
    (0.01, "very unlikely"),
    (0.0, "exceptionally unlikely"),
)
"""The least probability of each word, as the IPCC's guidance on uncertainty gives them."""
IMPOSSIBLE: Final = "excluded"
"""A probability of zero."""
SIGNIFICANT, INCONCLUSIVE = "significant", "inconclusive"


def name_likelihood(probability: float) -> str:
    """Return the word for a probability; `excluded` for zero."""
    if probability <= 0:
        return IMPOSSIBLE
    return next((word for least, word in LIKELIHOODS if probability >= least), IMPOSSIBLE)


def describe_probability(probability: float) -> str:
    """Return a probability as a word with its number: `very likely (97%)`; never more than 99.9%."""
    return f"{name_likelihood(probability)} ({format_percent(probability)})"


def format_percent(share: float) -> str:
    """Format a probability or rate; at most 99.9%."""
    shown = min(max(100 * share, 0.0), 99.9)
    if 0 < shown < 0.1:
        return "< 0.1%"
    return f"{shown:.1f}%" if shown > 99 or 0 < shown < 1 else f"{shown:.0f}%"


def name_certainty(low: float, high: float, unchanged: float = 1.0) -> str:
    """Return whether an interval excludes the value of no change: 1 of a ratio, 0 of a difference."""
    return SIGNIFICANT if low > unchanged or high < unchanged else INCONCLUSIVE


def format_share_interval(share: float, low: float, high: float) -> str:
    """Return a share with its interval: `43% (95% CI 36 to 51%)`."""
    return f"{100 * share:.0f}% (95% CI {100 * low:.0f} to {100 * high:.0f}%)"
