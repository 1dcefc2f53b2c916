"""The prior before the first probe.

Two models share it: one trusts the evidence on candidates (files, dependency updates), the other treats all alike. The one
that predicts the measurements better wins over all levels together, so misplaced trust costs at most one bit: about one
probe.
"""

from typing import Final

import numpy as np

from slowpath.analysis.bisect.candidate_sequence import F64, CandidateSequence

TRUST: Final = 0.5
GOOD_END_BAD: Final = 0.02
BAD_END_GOOD: Final = 0.1


def log_prior(line: CandidateSequence, *, trust: float = TRUST) -> F64:
    """Return [N + 2] log prior probabilities of the hypotheses 0..N + 1."""
    with np.errstate(divide="ignore"):
        inside = np.logaddexp(np.log(trust) + np.array(line.evidence), np.log1p(-trust) + np.array(line.even))
    here = np.log1p(-GOOD_END_BAD - BAD_END_GOOD)
    return np.concatenate([[np.log(GOOD_END_BAD)], here + inside, [np.log(BAD_END_GOOD)]])
