"""The posterior over all hypotheses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.level_fit import F64, logsumexp
from slowpath.analysis.bisect.likelihood import LogLikelihoods, NoiseEstimate, ProbeReadings, log_likelihoods
from slowpath.analysis.bisect.prior import log_prior


@dataclass(frozen=True)
class Posterior:
    """[N + 2] probability of each hypothesis."""

    mass: F64
    noise: NoiseEstimate | None
    explained: LogLikelihoods

    @property
    def bad(self) -> F64:
        """Return [N + 1] the probability that each position from 0 to N is bad."""
        out: F64 = np.minimum(np.cumsum(self.mass)[:-1], 1.0)
        return out

    @property
    def candidate_probabilities(self) -> F64:
        """Return [N] the probability that each candidate is the culprit."""
        out: F64 = self.mass[1:-1]
        return out

    @property
    def probability_of_none(self) -> float:
        """Return the probability that no candidate is the culprit."""
        return float(self.mass[0] + self.mass[-1])


def compute_posterior(
    line: CandidateSequence, measured: Sequence[ProbeReadings], between: float | None = None
) -> Posterior:
    """Combine the prior with the measurements; `between` as in `log_likelihoods`."""
    explained: LogLikelihoods = log_likelihoods(measured, between)
    log_posterior = log_prior(line) + explained.spread(len(line) + 2)
    return Posterior(np.exp(log_posterior - logsumexp(log_posterior)), explained.noise, explained)
