"""What is believed of every hypothesis after what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.bisect.evidence import F64, Explained, Measured, Noise, explain, logsumexp
from slowpath.analysis.bisect.line import Line
from slowpath.analysis.bisect.prior import log_prior


@dataclass(frozen=True)
class Belief:
    """[N + 2] how much each hypothesis is believed."""

    mass: F64
    noise: Noise | None
    explained: Explained

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


def believe(line: Line, measured: Sequence[Measured], between: float | None = None) -> Belief:
    """Join what was believed before with what was measured; `between` as in `explain`."""
    explained: Explained = explain(measured, between)
    joined = log_prior(line) + explained.spread(len(line) + 2)
    return Belief(np.exp(joined - logsumexp(joined)), explained.noise, explained)
