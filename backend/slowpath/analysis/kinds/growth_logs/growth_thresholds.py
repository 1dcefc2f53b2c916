"""The thresholds for growth logs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GrowthThresholds:
    """Error rates, floors and priors of the tests.

    `alpha_*` are error rates of one comparison of two equal sets: together the chance of any false finding is below one in a
    hundred (the tests simulate it).

    Counts of one binary under one load are nearly equal in every run (three runs of each variant of the example: within 0.3%
    per request), but real loads vary more: `prior_cv` is the prior of the variation between runs, with its degrees of
    freedom. With one log per side it cannot be estimated: `single_cv` is how much CPU per request varies between runs of one
    binary.
    """

    alpha_total: float = 0.003
    alpha_classes: float = 0.01
    alpha_callers: float = 0.004
    confidence: float = 0.95
    power: float = 0.8
    least_relative: float = 0.05
    least_of_total: float = 0.01
    unchanged_within: float = 1.10
    fewest_replicates: int = 2
    fewest_counts: int = 8
    few_growths: int = 30
    few_logs: int = 4
    prior_dispersion: float = 1.0
    prior_cv: float = 0.025
    prior_df_few: float = 20.0
    prior_df_many: float = 5.0
    single_cv: float = 0.05
    single_df: float = 6.0
    most_findings: int = 8
    most_rows: int = 500


DEFAULT_GROWTH_THRESHOLDS = GrowthThresholds()
