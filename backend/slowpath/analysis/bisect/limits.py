"""How many probes a search may take where none is asked for: a multiple of what such a search takes."""

from typing import Final

import numpy as np

from slowpath.analysis.bisect.candidate_sequence import CandidateSequence
from slowpath.analysis.bisect.probe_selection import numeric_information
from slowpath.analysis.bisect.search_state import SearchState

LIMIT_FACTOR: Final = 4
"""Searches whose measurements are wrong one time in ten take at most twice the usual number; beyond this factor more probes settle nothing."""
USUAL_APART: Final = 4.0
"""Standard deviations between good and bad builds in a probe's mean, before anything was measured."""
GOT: Final = 0.95
"""Share of the information of the best probe that a search gets."""


def probe_limit(state: SearchState) -> int:
    """Return how many probes the search may take, controls included: the number asked for, or four times the usual number."""
    asked = state.settings.most_deploys
    return LIMIT_FACTOR * usual_probes(state) if asked is None else asked


def usual_probes(state: SearchState) -> int:
    """Return how many probes a search through this line usually takes, levels that are not opened yet left out."""
    known = any(one.purpose == "baseline" and one.is_measured for one in state.deploys)
    ends = 0 if known else 2 * state.settings.end_deploys
    told = float(numeric_information(np.array([0.5]), USUAL_APART)[0])
    return int(np.ceil(ends + deepest(state.line) / (GOT * told))) + int(state.settings.control) + 1


def deepest(line: CandidateSequence) -> float:
    """Return the nats that name one candidate of the deepest opened level, all candidates of a level being alike."""
    return -min(line.even)
