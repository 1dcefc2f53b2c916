"""What a look at a line of builds stands on: its builds in order, their series, and what was found before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from slowpath.analysis.builds.lines import LineOfKind, lasting, lay_out
from slowpath.analysis.builds.loads import load_texts
from slowpath.analysis.builds.looking import I32, Known
from slowpath.analysis.builds.measures import Measure, unpack
from slowpath.analysis.builds.stories import Key
from slowpath.analysis.series.thresholds import DEFAULT_SERIES_THRESHOLDS
from slowpath.core.ids import ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.regressions import queries
from slowpath.regressions.rules import LATENCY, LEAST_SHARE, NEEDS_LOAD, NEVER_JUDGED
from slowpath.regressions.service.lining import Place, line_of
from slowpath.regressions.service.measuring import MEASURED
from slowpath.regressions.service.series import is_muted
from slowpath.regressions.service.steps import known_steps

LEAST_KNOWN = DEFAULT_SERIES_THRESHOLDS.least_builds
KINDS = (*(kind for kinds in MEASURED.values() for kind in kinds if kind not in NEVER_JUDGED), LATENCY)


@dataclass(frozen=True)
class Ground:
    """A line of builds: `places` in order, `number` of each build in it, its series by kind, and what is known of them."""

    service_id: ServiceId
    branch: str
    places: Sequence[Place]
    number: Mapping[UUID, int]
    lines: Mapping[str, LineOfKind]
    conditions: Mapping[str, I32]
    known: Sequence[Known]
    muted: frozenset[Key]

    def commit(self, index: int) -> str:
        """Return the commit of a build."""
        return self.places[index].build.commit

    def index_of(self, build_id: UUID | None) -> int | None:
        """Return the place of a build, or None if it is not in the line (any more)."""
        return None if build_id is None else self.number.get(build_id)

    def index_of_commit(self, commit: str | None) -> int | None:
        """Return the place of the newest build of a commit, or None."""
        places = enumerate(self.places)
        return max((number for number, place in places if place.build.commit == commit), default=None)


def lay(session: ReadSession, service_id: ServiceId, branch: str) -> Ground:
    """Gather a line: two hundred builds at most, four rows each, by uq_build_measure_kind."""
    places = line_of(session, service_id, branch)
    number = {place.build.id: index for index, place in enumerate(places)}
    rows = queries.measures(session, list(number), KINDS)
    held = {(row.build_id, row.kind): unpack(row.content) for row in rows}
    said = {(row.build_id, row.kind): row.conditions for row in rows}
    lines: dict[str, LineOfKind] = {}
    conditions: dict[str, I32] = {}
    for kind in KINDS:
        measures = [held.get((place.build.id, kind)) for place in places]
        line = lay_out(measures, least_share=LEAST_SHARE)
        if line is not None and kind == LATENCY:
            line = lay_out(measures, least_share=LEAST_SHARE, only=lasting(line, LEAST_KNOWN))
        if line is not None and line.subjects and not (kind in NEEDS_LOAD and line.basis == "share"):
            lines[kind] = line
            conditions[kind] = _numbered(under([said.get((place.build.id, kind)) for place in places], measures))
    rules = {(rule.kind, rule.subject): rule.muted for rule in queries.watched(session, service_id)}
    muted = frozenset(
        (kind, subject) for kind, line in lines.items() for subject in line.subjects if is_muted(rules, kind, subject)
    )
    known = known_steps(session, service_id, branch, number)
    return Ground(service_id, branch, places, number, lines, conditions, known, muted)


def under(said: Sequence[str | None], measures: Sequence[Measure | None]) -> list[str]:
    """[builds] Under what each was measured, its load too where that counts; of what was not measured as the one before."""
    known = next((each for each in said if each is not None), "")
    texts = []
    for each in said:
        known = known if each is None else each
        texts.append(known)
    loads = load_texts(measures)
    return [", ".join(part for part in each if part) for each in zip(texts, loads, strict=True)]


def _numbered(texts: Sequence[str]) -> I32:
    """Equal texts get equal numbers."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int32)
