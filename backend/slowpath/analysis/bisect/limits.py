"""Limit the probes of a search without an explicit limit to a multiple of the usual number."""

from typing import Final

import numpy as np

from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.probe_selection import numeric_information
from slowpath.analysis.bisect.search_state import SearchState

LIMIT_FACTOR: Final = 4
"""Searches with one wrong measurement in ten take at most twice the usual number; more probes than this do not help."""
USUAL_APART: Final = 4.0
"""Standard deviations between good and bad builds in a probe's mean, before any measurement."""
GOT: Final = 0.95
"""Share of the information of the best probe that a search gets."""


def probe_limit(state: SearchState) -> int:
    """Return the probe limit of the search, controls included.

    The requested number, or four times the usual number.
    """
    requested = state.settings.most_deploys
    return LIMIT_FACTOR * usual_probes(state) if requested is None else requested


def usual_probes(state: SearchState) -> int:
    """Return how many probes a search through this sequence usually takes, without levels that are not expanded yet."""
    known = any(one.purpose == "baseline" and one.is_measured for one in state.deploys)
    ends = 0 if known else 2 * state.settings.end_deploys
    information = float(numeric_information(np.array([0.5]), USUAL_APART)[0])
    return int(np.ceil(ends + deepest(state.line) / (GOT * information))) + int(state.settings.control) + 1


def deepest(line: CandidateSequence) -> float:
    """Return the nats that identify one candidate of the deepest expanded level, all being equal."""
    return -min(mass for id_, mass in zip(line.ids, line.even, strict=True) if id_ not in line.pruned)
