"""The numbers that growth logs are judged by, in one value."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GrowthThresholds:
    """How sure is sure, and how small is too small.

    `alpha_*` are error rates of one comparison of two equal sets: together they leave less than one chance in a
    hundred to show any finding (the tests simulate it).

    Counts of one binary under one load are nearly the same in every run (three runs of each variant of the example:
    within 0.3 % a request), but loads differ more than ours did: `prior_cv` is what is believed of the spread between
    runs before looking, and for how many degrees of freedom. With one log on a side nothing is known of it:
    `single_cv` is what CPU per request was seen to move between runs of one binary.
    """

    alpha_total: float = 0.003
    alpha_classes: float = 0.01
    alpha_payers: float = 0.004
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
