"""What is believed of every hypothesis after what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.likelihood import (
    F64,
    LogLikelihoods,
    NoiseEstimate,
    ProbeReadings,
    log_likelihoods,
    logsumexp,
)
from slowpath.analysis.bisect.prior import log_prior


@dataclass(frozen=True)
class Posterior:
    """[N + 2] how much each hypothesis is believed."""

    mass: F64
    noise: NoiseEstimate | None
    explained: LogLikelihoods

    @property
    def bad(self) -> F64:
        """[N + 1] how much each position from 0 to N is believed to be bad."""
        out: F64 = np.minimum(np.cumsum(self.mass)[:-1], 1.0)
        return out

    @property
    def here(self) -> F64:
        """[N] how much each candidate is believed to be guilty."""
        out: F64 = self.mass[1:-1]
        return out

    @property
    def elsewhere(self) -> float:
        """How much it is believed that no candidate is."""
        return float(self.mass[0] + self.mass[-1])


def compute_posterior(
    line: CandidateSequence, measured: Sequence[ProbeReadings], between: float | None = None
) -> Posterior:
    """Join what was believed before with what was measured; `between` as in `log_likelihoods`."""
    explained: LogLikelihoods = log_likelihoods(measured, between)
    joined = log_prior(line) + explained.spread(len(line) + 2)
    return Posterior(np.exp(joined - logsumexp(joined)), explained.noise, explained)
