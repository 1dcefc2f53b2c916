"""The numbers that a comparison is judged by, in one value: a p-value cannot be read without them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ProfileThresholds:
    """How sure is sure, and how small is too small.

    `alpha_*` are error rates of one whole comparison of two equal sets: together they leave an A/A comparison less
    than one chance in a hundred to show any finding (`npm run bench -- --only verdicts` measures it).
    """

    alpha_total: float = 0.003
    alpha_categories: float = 0.001
    alpha_functions: float = 0.003
    # A cost counts as compensated by another at a looser level: declaring a move needs less proof than an accusation.
    alpha_moves: float = 0.05
    confidence: float = 0.95
    power: float = 0.8
    least_relative: float = 0.02
    least_of_total: float = 0.002
    unchanged_within: float = 1.10
    most_findings: int = 12
    # How the spread between profiles is believed before looking (see `estimate.Prior`).
    prior_dispersion: float = 1.05
    prior_cv: float = 0.025
    prior_cv_other_kinds: float = 0.1
    prior_df_few: float = 30.0
    prior_df_many: float = 5.0
    # With one profile on a side nothing is known of the spread: the worse half of what was measured between profiles
    # of one binary is assumed (median 1.05 to 1.4, p90 2.2).
    single_dispersion: float = 2.2
    single_df: float = 16.0
    other_kinds_df: float = 4.0
    fewest_replicates: int = 2
    # Kinds other than CPU have no known sampling noise: their spread must be seen, in at least this many replicates.
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
    # What is believed of CPU time per request before looking: relative spread between captures, and how strongly.
    total_cv: float = 0.015
    total_df: float = 4.0
    # A new process lays out its memory anew: relative spread between processes that one process cannot show.
    process_cv: float = 0.01
    # What one function costs against the others differs between two blocks of captures (load, state, warm caches) by
    # at least this much; `block_variance` estimates what it is beyond that.
    block_cv: float = 0.04


DEFAULT_THRESHOLDS = ProfileThresholds()
