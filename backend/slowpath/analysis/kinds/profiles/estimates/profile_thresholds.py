"""The thresholds for profiles: a p-value is meaningless without them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ProfileThresholds:
    """Error rates, floors and priors of the tests.

    `alpha_*` are error rates of one comparison of two equal sets: together the chance of any false finding in an A/A comparison
    is below one in a hundred (`npm run bench -- --only verdicts` measures it).
    """

    alpha_total: float = 0.003
    alpha_categories: float = 0.001
    alpha_functions: float = 0.003
    # Over all labels and values together, and beside the three above: only profiles with labels have these tests.
    alpha_labels: float = 0.01
    # Level for compensation by another cost: looser, since declaring a cost shift needs less evidence than a
    # regression.
    alpha_moves: float = 0.05
    confidence: float = 0.95
    power: float = 0.8
    least_relative: float = 0.02
    least_of_total: float = 0.002
    unchanged_within: float = 1.10
    most_findings: int = 12
    # Prior of the variation between profiles (see `rate_estimates.DispersionPrior`).
    prior_dispersion: float = 1.05
    prior_cv: float = 0.025
    prior_cv_other_kinds: float = 0.1
    prior_df_few: float = 30.0
    prior_df_many: float = 5.0
    # With one profile on a side the variation is unknown: the worse half of the values measured between profiles of one
    # binary is assumed (median 1.05 to 1.4, p90 2.2).
    single_dispersion: float = 2.2
    single_df: float = 16.0
    other_kinds_df: float = 4.0
    fewest_replicates: int = 2
    # Kinds other than CPU have no known sampling noise: their variation is estimated from at least this many
    # replicates.
    fewest_for_other_kinds: int = 4
    least_relative_other_kinds: float = 0.1
    least_of_total_other_kinds: float = 0.01
    least_coverage: float = 0.85
    saturated_at: float = 0.95
    loud_dispersion: float = 4.0
    few_profiles: int = 4
    # Serial dependence (see `serial_dependence`), learned on the A/A captures that the bench marks as tuning ones.
    serial_exponent: float = 0.5
    serial_reach: float = 600.0
    # Prior of CPU time per request: relative variation between captures, and its weight.
    total_cv: float = 0.015
    total_df: float = 4.0
    # Relative variation between processes (a new memory layout), which one process cannot show.
    process_cv: float = 0.01
    # Minimum relative variation of one function against the others between two blocks of captures (load, state, warm
    # caches); `block_variance` estimates more.
    block_cv: float = 0.04


DEFAULT_THRESHOLDS = ProfileThresholds()
