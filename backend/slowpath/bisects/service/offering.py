"""What a bisect of a regression, of a comparison or of a service would begin with."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.suspicion import Regressed
from slowpath.bisects.rules.board_windows import LATENCY
from slowpath.bisects.rules.offers import End, Offer, Offered, Signature
from slowpath.bisects.service import latency_offers
from slowpath.bisects.service.latency_offers import CLEAR, Places
from slowpath.bisects.tables import Bisect
from slowpath.catalog import service as catalog
from slowpath.catalog.tables import Build
from slowpath.commits.errors import CommitNotFound, NoRepository
from slowpath.commits.service import history, keeping, suspecting
from slowpath.comparisons.errors import ComparisonNotFound
from slowpath.comparisons.service import asking
from slowpath.comparisons.tables import Comparison
from slowpath.core.ids import BuildId, ComparisonId, RegressionId, RepositoryId, ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.regressions import wording
from slowpath.regressions.errors import RegressionNotFound
from slowpath.regressions.service import looking
from slowpath.regressions.service.measuring import MEASURED
from slowpath.regressions.tables import Regression

CUSTOM: Final = Signature("custom", "", "The number that the runner's command prints", "")
OF_FILES: Final = frozenset(kind for kinds in MEASURED.values() for kind in kinds)
"""What can be read of the artifacts of one window."""
MEASURABLE: Final = OF_FILES | {LATENCY}
"""And what the board tells of it."""
MOST_OFFERED: Final = 12
MOST_FUNCTIONS: Final = 200
STEADY: Final[Mapping[str, float]] = {"growth.count": 3.0, "profile.allocs": 2.0, "bench": 1.5, "profile.category": 1.5,
    LATENCY: 0.5}  # fmt: skip
"""How much steadier than others a kind measures from run to run: counts most, waits least."""
_LABELS: Final[Mapping[str, str]] = {
    "profile.category": "CPU in {}", "profile.function": "CPU in {}", "profile.heap": "Memory held by {}",
    "profile.allocs": "Memory allocated by {}", "profile.mutex": "Waiting for locks in {}", "profile.block": "Blocked in {}",
    "trace.sched_delay": "Waiting for a processor: {}", "growth.count": "Stack growths of {}",
}  # fmt: skip


def offer(
    session: ReadSession,
    *,
    regression_id: RegressionId | None = None,
    comparison_id: ComparisonId | None = None,
    service_id: UUID | None = None,
) -> Offer:
    """Return what is known for a bisect, and say what is missing. Raises `NotFound`."""
    if regression_id is not None:
        return _of_regression(session, looking.find(session, regression_id))
    if comparison_id is not None:
        return _of_comparison(session, asking.find(session, comparison_id))
    if service_id is not None:
        return _offer(session, ServiceId(service_id), (None, None), (), "")
    return Offer(None, None, None, None, (_custom(),), ("Choose the service, its good and its bad commit.",))


def regressed(session: ReadSession, row: Bisect) -> Regressed:
    """Return which functions got slower, as far as the regression or comparison says it."""
    functions: list[str] = []
    found = None if row.regression_id is None else _regression(session, row.regression_id)
    if found is not None:
        functions += [one["subject"] for one in found.members if str(one["kind"]).endswith(("function", "count"))]
    comparison = compared(session, row)
    if comparison is not None:
        for one in _worse(comparison):
            if one["kind"] in {"profile.function", "growth.count"}:
                functions.append(one["subject"])
            for payer in one.get("payers") or ():
                functions += [name for name in (payer.get("function"), *(payer.get("path") or ())) if name]
    if row.signature.get("kind") in {"profile.function", "growth.count"}:
        functions.append(str(row.signature.get("subject") or ""))
    named = [one for one in dict.fromkeys(functions) if "." in one]
    return Regressed(named[:MOST_FUNCTIONS])


def compared(session: ReadSession, row: Bisect) -> Comparison | None:
    """Return the comparison that a bisect began with, or that of its regression."""
    found = None if row.regression_id is None else _regression(session, row.regression_id)
    return _comparison(session, row.comparison_id or (found.comparison_id if found is not None else None))


def _of_regression(session: ReadSession, row: Regression) -> Offer:
    found = _comparison(session, row.comparison_id)
    findings = {(one["kind"], one["subject"]): one for one in _worse(found)} if found else {}
    own = {"kind": row.kind, "subject": row.subject, "ratio": row.ratio}
    members: dict[tuple[str, str], Mapping[str, Any]] = {
        (str(one["kind"]), str(one["subject"])): one for one in (*row.members, own)
    }
    offered = [
        _offered(kind, subject, one, findings.get((kind, subject)), row)
        for (kind, subject), one in members.items()
        if kind != LATENCY
    ]
    offered += [_found(one) for key, one in findings.items() if key not in members]
    offered += _latencies(session, row, members)
    return _offer(
        session, ServiceId(row.service_id), (row.good_commit, row.last_commit or row.since_commit), offered,
        row.title,
    )  # fmt: skip


def _latencies(
    session: ReadSession, row: Regression, members: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[Offered]:
    """Latency of both builds as production measured it, and what else of it changed with a regression."""
    places = Places(session, ServiceId(row.service_id))
    found = latency_offers.of_builds(session, places, row.good_build_id, row.since_build_id)
    told = {one.signature.subject for one in found}
    for kind, subject in members:
        if kind != LATENCY or subject in told:
            continue
        own = (kind, subject) == (row.kind, row.subject)
        values = (row.before, row.after, row.ratio_low) if own else (None, None, None)
        member = latency_offers.of_member(subject, *values, places)
        found += [member] if member is not None else []
    return found


def _of_comparison(session: ReadSession, row: Comparison) -> Offer:
    good, bad = (_build_of(session, row, side) for side in ("base", "candidate"))
    service = bad or good
    if service is None:
        missing = "The artifacts of the comparison are not of one build a side: choose the service and both commits."
        return Offer(None, None, None, None, (*_best([_found(one) for one in _worse(row)]), _custom()), (missing,))
    return _offer(
        session, ServiceId(service.service_id), (good.commit if good else None, bad.commit if bad else None),
        [*(_found(one) for one in _worse(row)), *_pair(session, service, good, bad)], row.name,
    )  # fmt: skip


def _pair(session: ReadSession, service: Build, good: Build | None, bad: Build | None) -> list[Offered]:
    places = Places(session, ServiceId(service.service_id))
    return latency_offers.of_builds(session, places, good.id if good else None, bad.id if bad else None)


def _offer(
    session: ReadSession,
    service_id: ServiceId,
    spelled: tuple[str | None, str | None],
    offered: Sequence[Offered],
    title: str,
) -> Offer:
    service = catalog.service(session, service_id)
    missing: list[str] = []
    repository: tuple[UUID, str, str | None] | None = None
    ends: list[End | None] = [None, None]
    try:
        row = keeping.find(session, RepositoryId(history.built_from(session, service_id).repository_id))
    except NoRepository:
        missing.append(f"Nobody said from which repository {service.name} is built: say it in the settings.")
    else:
        repository = (row.id, row.label, row.url)
        if row.url is None:
            missing.append(
                f"{row.label} has no address, so its commits cannot be read. Add the address in Settings, Integrations."
            )
        ends = [_end(session, RepositoryId(row.id), one) for one in spelled]
        for word, one, end in zip(("good", "bad"), spelled, ends, strict=True):
            if one is None:
                missing.append(f"Choose the {word} commit.")
            elif end is None:
                missing.append(f"The {word} commit {one[:12]} is not known in {row.label}: have it fetched.")
    best, places = _best(offered), Places(session, service_id)
    known = any(one.signature.kind == LATENCY for one in best)
    also = [] if known else latency_offers.somewhere(places)
    return Offer(
        (service.id, service.name), repository, ends[0], ends[1], (*best, _custom(), *also), tuple(missing), title, places.named(),
    )  # fmt: skip


def _end(session: ReadSession, repository_id: RepositoryId, spelled: str | None) -> End | None:
    if spelled is None:
        return None
    whole = history.resolve(session, repository_id, [spelled]).get(spelled)
    if whole is None:
        return None
    try:
        row = suspecting.find(session, repository_id, whole)
    except CommitNotFound:
        return End(whole)
    return End(whole, row.title, row.committed_at)


def _best(offered: Iterable[Offered]) -> list[Offered]:
    measurable = [one for one in offered if one.signature.kind in MEASURABLE]
    return sorted(measurable, key=lambda one: (not one.separates, -_clearness(one)))[:MOST_OFFERED]


def _clearness(one: Offered) -> float:
    return STEADY.get(one.signature.kind, 1.0) * abs(math.log(_ratio(one.before, one.after) or 1.0))


def _offered(
    kind: str, subject: str, member: Mapping[str, Any], finding: Mapping[str, Any] | None, row: Regression
) -> Offered:
    """A series that changed with a regression."""
    if (kind, subject) == (row.kind, row.subject):
        before, after, unit = row.before, row.after, row.unit
    elif finding is not None:
        return _found(finding)
    else:  # only the ratio is kept of it
        before, after, unit = 1.0, member.get("ratio"), "times"
    ratio = _ratio(before, after)
    why = f"Changed with the regression{_times(ratio)}."
    return Offered(signature_of(kind, subject, unit, before, after), before, after, _separates(ratio), why)


def _found(finding: Mapping[str, Any]) -> Offered:
    """A finding of a comparison."""
    before, after = finding.get("base"), finding.get("candidate")
    ratio = _ratio(before, after)
    why = f"The comparison found it{_times(ratio)}."
    signature = signature_of(finding["kind"], finding["subject"], finding["unit"], before, after)
    return Offered(signature, before, after, _separates(ratio), why)


def signature_of(kind: str, subject: str, unit: str, before: float | None, after: float | None) -> Signature:
    """Return a signature of something that got worse: by which way it went it is known which way is worse."""
    named = wording.named(kind, subject)
    if kind != "profile.function" and named[:1].isupper() and named[1:2].islower():
        named = named[0].lower() + named[1:]
    label = _LABELS.get(kind, "{}").format(named)
    larger = before is None or after is None or after >= before
    return Signature(kind, subject, label, unit, larger)


def _separates(ratio: float | None) -> bool:
    return ratio is None or not 1 / CLEAR < ratio < CLEAR


def _ratio(before: float | None, after: float | None) -> float | None:
    """Return how many times; of something new a lot, nothing where that is not known."""
    if before is None or after is None or before < 0 or after <= 0:
        return None
    return after / before if before > 0 else 100.0


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f", {wording.percent(ratio)}"


def _custom() -> Offered:
    return Offered(
        CUSTOM, None, None, False, "For what no file shows: the command that measures a deploy prints a number."
    )


def _worse(row: Comparison) -> list[dict[str, Any]]:
    return [one for one in (row.result or {}).get("findings", []) if one["direction"] == "worse"]


def _comparison(session: ReadSession, comparison_id: UUID | None) -> Comparison | None:
    if comparison_id is None:
        return None
    try:
        return asking.find(session, ComparisonId(comparison_id))
    except ComparisonNotFound:
        return None


def _regression(session: ReadSession, regression_id: UUID) -> Regression | None:
    try:
        return looking.find(session, RegressionId(regression_id))
    except RegressionNotFound:
        return None


def _build_of(session: ReadSession, row: Comparison, side: str) -> Build | None:
    ids = {one.artifact.build_id for one in asking.compared(session, ComparisonId(row.id)) if one.side == side}
    if len(ids) != 1 or (build_id := ids.pop()) is None:
        return None
    return catalog.build(session, BuildId(build_id))
