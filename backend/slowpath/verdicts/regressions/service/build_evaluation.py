"""Evaluate the history of a build: create, confirm and close regressions from its change points.

An unconfirmed regression has no number and enqueues no notification. A regression is notified once, when confirmed.
Change points whose build ranges overlap form one regression, however many series changed: one commit caused them.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from slowpath.analysis.builds.change_detection import ScanResult, scan_history
from slowpath.analysis.builds.regression_groups import ChangedSeries, RegressionGroup
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ServiceId, new_id
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.read_models import SeriesAnswer
from slowpath.verdicts.regressions.rules import NO_BRANCH, OPEN, REFUTING_BUILDS, SPARK, RegressionState
from slowpath.verdicts.regressions.service import evidence_comparisons, merged_regressions, regression_resolution
from slowpath.verdicts.regressions.service.build_verdicts import get_series_answer, record_series_answer
from slowpath.verdicts.regressions.service.evaluation_inputs import EvaluationInputs, load_evaluation_inputs
from slowpath.verdicts.regressions.service.triage import add_evidence, record_event
from slowpath.verdicts.regressions.tables import BuildChangePoint, BuildVerdict, Regression

NEXT = 1
NEAR = 3
SMALLER = 0.5


@dataclass
class _BuildVerdicts:
    """Regressions found by this evaluation, by build."""

    changed: dict[UUID, Regression] = field(default_factory=dict)
    unconfirmed: dict[UUID, ChangedSeries] = field(default_factory=dict)


def evaluate_build(session: WriteSession, build: Build, now: datetime) -> None:
    """Evaluate a build and the history it belongs to; serialized per service."""
    service_id = ServiceId(build.service_id)
    queries.lock_history(session, service_id)
    inputs = load_evaluation_inputs(session, service_id, build.branch or NO_BRANCH)
    scan = scan_history(list(inputs.lines.values()), inputs.conditions, inputs.known, inputs.muted)
    regressions = _load_regressions(session, inputs)
    verdicts, backed = _BuildVerdicts(), set[UUID]()
    for group in sorted(
        scan.groups, key=lambda each: (not each.is_reported, -each.lead.part)
    ):  # the largest determines the title
        if not inputs.places[group.lead.change.index].is_own:
            continue  # a change on the parent branch, reported there
        row = _regression(session, inputs, group, regressions, backed) if group.is_reported or group.is_likely else None
        _record_change_points(session, inputs, group, row)
        if row is not None:
            backed.add(row.id)
            at = inputs.places[group.lead.change.index].build.id
            if row.confirmed:
                verdicts.changed[row.since_build_id or at] = row
            else:
                verdicts.unconfirmed.setdefault(at, group.lead)
    for row in regressions:
        if not row.confirmed and row.id not in backed:
            session.delete(row)  # not confirmed, and no notification was sent
    for row in regressions:
        if row.confirmed and row.state in OPEN and row.branch == inputs.branch:
            regression_resolution.resolve_if_fixed(session, inputs, row, now)
            _set_sparkline(inputs, row)
    _record_verdicts(session, inputs, build, _EvaluationResult(scan, verdicts), now)


def _load_regressions(session: WriteSession, inputs: EvaluationInputs) -> list[Regression]:
    """Return all regressions of a branch, and those that began on it and were merged to another branch."""
    rows = list(queries.select_regressions_of_branch(session, inputs.service_id, inputs.branch))
    cited = {each.regression_id for each in inputs.known} - {row.id for row in rows} - {None}
    return rows + list(queries.select_regressions_by_id(session, [each for each in cited if each is not None]))


def _regression(
    session: WriteSession,
    inputs: EvaluationInputs,
    group: RegressionGroup,
    regressions: list[Regression],
    backed: set[UUID],
) -> Regression:
    """Return the regression of a change group; create or confirm it if required.

    `backed`: regressions that a larger group of this evaluation already matched.
    """
    row = _find_matching(inputs, group, regressions)
    if row is None:
        row = Regression(
            team_id=session.team_id,
            id=new_id(),
            number=None,
            service_id=inputs.service_id,
            branch=inputs.branch,
            state=RegressionState.NEW,
            confirmed=False,
        )
        regressions.append(row)
        _set_fields(inputs, row, group)
        session.add(row)
        session.flush()  # its history and change points refer to it
    elif not row.confirmed and row.id not in backed:
        _set_fields(inputs, row, group)
    if row.confirmed:
        _add_related_series(row, group)
    elif group.is_reported and (came := merged_regressions.find_merged_regression(session, inputs, group)) is not None:
        regressions[regressions.index(row)] = came
        session.delete(row)
        _move_to_branch(session, inputs, came, group)
        return came
    elif group.is_reported:
        _confirm(session, inputs, row, group)
    return row


def _move_to_branch(session: WriteSession, inputs: EvaluationInputs, row: Regression, group: RegressionGroup) -> None:
    """Move a regression to the branch it was merged to.

    Number, state and events stay, without a notification.
    """
    came_from = row.branch
    row.branch = inputs.branch
    _set_fields(inputs, row, group)
    facts = {"from": came_from, "to": row.branch, "build_id": str(row.since_build_id), "commit": row.since_commit}
    record_event(session, row, "merged-to-branch", facts, by_person=False)


def _find_matching(
    inputs: EvaluationInputs, group: RegressionGroup, regressions: list[Regression]
) -> Regression | None:
    """Return the regression with a change point of the group, else one since the same builds."""
    cited = {member.regression_id for member in group.members}
    for row in regressions:
        if row.id in cited:
            return row
    for row in sorted(regressions, key=lambda each: not each.confirmed):
        since = inputs.index_of(row.since_build_id)
        if since is None or row.branch != inputs.branch:
            continue
        first, last = inputs.index_of_commit(row.first_commit), inputs.index_of_commit(row.last_commit)
        low, high = (since if first is None else first), (since if last is None else last)
        near = _tolerance(row, group)
        if max(low, group.low_index) <= min(high, group.high_index) + near:
            return row
    return None


def _tolerance(row: Regression, group: RegressionGroup) -> int:
    """Return how many builds a group may be away from a regression and still match.

    Smaller changes are located less exactly.
    """
    if row.before is None or row.after is None or row.unit != group.lead.unit:
        return NEXT
    return NEAR if abs(group.lead.difference) <= SMALLER * abs(row.after - row.before) else NEXT


def _set_fields(inputs: EvaluationInputs, row: Regression, group: RegressionGroup) -> None:
    """Set the fields of a regression from its change group."""
    lead, change = group.lead, group.lead.change
    since, good = inputs.places[change.index].build, inputs.places[max(change.low_index - 1, 0)].build
    range_of = (inputs.commit(change.low_index), inputs.commit(change.high_index))
    row.title = wording.format_title(lead.kind, lead.subject, lead.unit, change.ratio)
    row.sentence = wording.describe_change(lead, since.commit, range_of)
    row.kind, row.subject, row.unit = lead.kind, lead.subject, lead.unit
    row.direction = "worse" if lead.worse else "better"
    row.before, row.after, row.ratio = change.before, change.after, change.ratio
    row.ratio_low, row.ratio_high = change.ratio_low, change.ratio_high
    row.since_build_id, row.since_commit = since.id, since.commit
    row.since_at = inputs.places[change.index].verdict.ordered_at
    row.good_build_id, row.good_commit = good.id, good.commit
    row.first_commit, row.last_commit = range_of
    row.related_series = [_member(each, group) for each in group.members]
    row.required_evidence = (
        None if group.is_reported else {"builds": lead.needs_builds, "profiles": lead.needs_profiles}
    )
    _set_sparkline(inputs, row)


def _member(found: ChangedSeries, group: RegressionGroup) -> dict[str, object]:
    return {"kind": found.kind, "subject": found.subject, "ratio": found.change.ratio, "is_move": group.is_move}


def _add_related_series(row: Regression, group: RegressionGroup) -> None:
    """Add newly confirmed series of the group to those related to the regression."""
    have = {(member["kind"], member["subject"]) for member in row.related_series}
    more = [_member(each, group) for each in group.members if each.confirmed and each.key not in have]
    if more:
        row.related_series = [*row.related_series, *more]


def _confirm(session: WriteSession, inputs: EvaluationInputs, row: Regression, group: RegressionGroup) -> None:
    """Confirm a regression: assign its number, enqueue its comparison and record the event."""
    row.number, row.confirmed = queries.next_number(session), True
    row.required_evidence = None
    lead, change = group.lead, group.lead.change
    good = [place.build for place in reversed(inputs.places[: change.low_index])]
    bad = [place.build for place in inputs.places[change.high_index :]]
    commits = (row.good_commit or "", row.since_commit or "")
    name = wording.format_comparison_name(lead.kind, lead.subject, lead.unit, change.ratio, commits)
    comparison_id = evidence_comparisons.enqueue_evidence_comparison(session, name[:200], good, bad)
    if comparison_id is not None:
        add_evidence(session, row, comparison_id)
    record_event(session, row, "opened", {"sentence": row.sentence}, by_person=False)


def _record_change_points(
    session: WriteSession, inputs: EvaluationInputs, group: RegressionGroup, row: Regression | None
) -> None:
    """Record confirmed change points with their regression, so that they are not detected again."""
    regression_id = row.id if row is not None and row.confirmed else None
    for member in group.members:
        if not member.confirmed or not member.is_new:
            continue
        change = member.change
        session.add(
            BuildChangePoint(
                team_id=session.team_id,
                id=new_id(),
                service_id=inputs.service_id,
                branch=inputs.branch,
                kind=member.kind,
                subject=member.subject,
                build_id=inputs.places[change.index].build.id,
                good_build_id=inputs.places[max(change.low_index - 1, 0)].build.id,
                confirmed=True,
                cause=change.cause,
                before=change.before,
                after=change.after,
                ratio=change.ratio,
                ratio_low=change.ratio_low,
                ratio_high=change.ratio_high,
                score=change.score,
                regression_id=regression_id,
            )
        )
    session.flush()


def _set_sparkline(inputs: EvaluationInputs, row: Regression) -> None:
    """Set the sparkline of a regression."""
    line = inputs.lines.get(row.kind)
    number = None if line is None else line.index(row.subject)
    if line is None or number is None or line.unit_of(row.subject) != row.unit:
        return
    values = line.values[number]
    since = inputs.index_of(row.since_build_id)
    first = max(0, len(values) - SPARK)
    if since is not None and since < first + 4:
        first = max(0, since - SPARK // 2)  # an old change point stays visible
    shown = values[first : first + SPARK]
    row.sparkline = {
        "values": [float(f"{value:.4g}") if value == value else None for value in shown.tolist()],  # noqa: PLR0124 - NaN is not itself
        "step_at": None if since is None else since - first,
        "levels": [level for level in (row.before, row.after) if level is not None],
    }


@dataclass(frozen=True)
class _EvaluationResult:
    """The answers about builds that follow from an evaluation."""

    scan: ScanResult
    verdicts: _BuildVerdicts

    def of(self, row: BuildVerdict, *, is_evaluated: bool) -> SeriesAnswer | None:
        """Return the new answer of the history about a build; None if the recorded one stays."""
        stored = get_series_answer(row)
        if row.build_id in self.verdicts.changed:
            return SeriesAnswer("changed", self.verdicts.changed[row.build_id].sentence)
        if stored is not None and stored.state == "changed":
            return None
        if row.build_id in self.verdicts.unconfirmed:
            here = self.verdicts.unconfirmed[row.build_id]
            sentence = wording.describe_unconfirmed_change(here, here.needs_builds, here.needs_profiles)
            return SeriesAnswer("inconclusive", sentence, here.needs_builds, here.needs_profiles)
        if is_evaluated:
            return self._of_evaluated()
        if stored is not None and stored.state == "inconclusive":
            return SeriesAnswer("passed", wording.describe_dismissed())
        return None

    def _of_evaluated(self) -> SeriesAnswer:
        """Return the answer about the evaluated build without a change."""
        if self.scan.too_few is not None:
            return SeriesAnswer("skipped", wording.describe_missing_builds(self.scan.too_few), self.scan.too_few)
        return SeriesAnswer("passed", wording.describe_passed(self.scan.series, self.scan.detectable))

    def excluded(self, index: int, builds: int) -> float | None:
        """Return the change of the total that the builds since this one exclude; None if they are too few, or show one.

        `detectable` is what a history finds within `REFUTING_BUILDS` builds, so that many must follow.
        """
        if self.scan.too_few is not None or self.scan.detectable is None or builds - index <= REFUTING_BUILDS:
            return None
        found = (each for each in self.scan.groups if each.is_reported or each.is_likely)
        return None if any(each.low_index <= index <= each.high_index for each in found) else self.scan.detectable

    def regression_ids(self, row: BuildVerdict) -> tuple[str, ...]:
        """Return the regressions since a build whose answer is new."""
        found = self.verdicts.changed.get(row.build_id)
        return () if found is None else tuple(sorted({*row.regression_ids, str(found.id)}))


def _record_verdicts(
    session: WriteSession, inputs: EvaluationInputs, build: Build, result: _EvaluationResult, now: datetime
) -> None:
    """Record the answer about each build of the branch, and decide its verdict."""
    for index, place in enumerate(inputs.places):
        if not place.is_own:
            continue
        row, stored = place.verdict, get_series_answer(place.verdict)
        answer = result.of(row, is_evaluated=place.build.id == build.id)
        ids = tuple(row.regression_ids) if answer is None else result.regression_ids(row)
        answer = answer or stored
        if answer is not None:
            answer = replace(answer, excluded=result.excluded(index, len(inputs.places)))
            if answer != stored or place.build.id == build.id:
                record_series_answer(session, row, answer, ids, now)
