"""The numbers that a comparison is judged by, in one value: a p-value cannot be read without them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """How sure is sure, and how small is too small.

    `alpha_*` are error rates of one whole comparison of two equal sets: together they leave an A/A comparison less
    than one chance in a hundred to show any finding (`npm run bench -- --only verdicts` measures it).
    """

    alpha_total: float = 0.002
    alpha_categories: float = 0.003
    alpha_functions: float = 0.003
    confidence: float = 0.95
    power: float = 0.8
    least_relative: float = 0.02
    least_of_total: float = 0.002
    unchanged_within: float = 1.10
    most_findings: int = 12
    # How the spread between profiles is shrunk: see `estimate.Prior`.
    prior_dispersion: float = 1.3
    prior_df: float = 4.0
    prior_cv: float = 0.02
    # 1 x 1: nothing is known of the spread, so the worse half of what was measured between profiles of one binary
    # is assumed (median 1.05 to 1.4, p90 2.2).
    single_dispersion: float = 2.2
    fewest_replicates: int = 2
    view_confidence: float = 0.9999
    least_coverage: float = 0.85
    saturated_at: float = 0.95


DEFAULT_THRESHOLDS = Thresholds()
