"""Judge the line in which a build stands: change points become candidates, candidates become regressions, and end.

Nobody is told of a candidate: it has no number, and no event job is written for it. Only what is confirmed is told of, once.
All regressions of a line whose builds overlap are one, however many series changed: they were built by the same commit.
"""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from slowpath.analysis.builds.change_detection import ScanResult, scan_history
from slowpath.analysis.builds.regression_groups import ChangedSeries, RegressionGroup
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BuildId, ServiceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.jobs import BuildEvaluated
from slowpath.verdicts.regressions.rules import NO_BRANCH, OPEN, SPARK, BuildVerdictState, RegressionState
from slowpath.verdicts.regressions.service import evidence_comparisons, merged_regressions, regression_resolution
from slowpath.verdicts.regressions.service.evaluation_inputs import EvaluationInputs, load_evaluation_inputs
from slowpath.verdicts.regressions.service.triage import add_evidence, record_event
from slowpath.verdicts.regressions.tables import BuildChangePoint, BuildVerdict, Regression

NEXT = 1
NEAR = 3
SMALLER = 0.5


@dataclass
class _BuildVerdicts:
    """What this look says of builds, by build."""

    changed: dict[UUID, Regression] = field(default_factory=dict)
    perhaps: dict[UUID, ChangedSeries] = field(default_factory=dict)


def evaluate_build(session: WriteSession, build: Build, now: datetime) -> None:
    """Judge a build and all that it makes sure or unsure in its line; one at a time in a service."""
    service_id = ServiceId(build.service_id)
    queries.lock_line(session, service_id)
    ground = load_evaluation_inputs(session, service_id, build.branch or NO_BRANCH)
    seen = scan_history(list(ground.lines.values()), ground.conditions, ground.known, ground.muted)
    kept = _kept(session, ground)
    verdicts, backed = _BuildVerdicts(), set[UUID]()
    for story in sorted(seen.stories, key=lambda each: (not each.is_told, -each.lead.part)):  # the largest names it
        if not ground.places[story.lead.change.index].is_own:
            continue  # it happened on the branch that this one came from, and is told there
        row = _regression(session, ground, story, kept, backed) if story.is_told or story.is_likely else None
        _keep_change_points(session, ground, story, row)
        if row is not None:
            backed.add(row.id)
            at = ground.places[story.lead.change.index].build.id
            if row.confirmed:
                verdicts.changed[row.since_build_id or at] = row
            else:
                verdicts.perhaps.setdefault(at, story.lead)
    for row in kept:
        if not row.confirmed and row.id not in backed:
            session.delete(row)  # it was none, and nobody had been told
    for row in kept:
        if row.confirmed and row.state in OPEN and row.branch == ground.branch:
            regression_resolution.resolve_if_fixed(session, ground, row, now)
            _draw(ground, row)
    _tell(session, ground, build, _AllowedStatements(seen, verdicts, now))


def _kept(session: WriteSession, ground: EvaluationInputs) -> list[Regression]:
    """Regressions and candidates of a line, and those that began on it and have come to another one since."""
    rows = list(queries.select_regressions_of_branch(session, ground.service_id, ground.branch))
    cited = {each.regression_id for each in ground.known} - {row.id for row in rows} - {None}
    return rows + list(queries.all_of(session, [each for each in cited if each is not None]))


def _regression(
    session: WriteSession, ground: EvaluationInputs, story: RegressionGroup, kept: list[Regression], backed: set[UUID]
) -> Regression:
    """Return the regression that a story belongs to, made or confirmed if it is time for that.

    `backed` are those that a larger story of this look has named already.
    """
    row = _matching(ground, story, kept)
    if row is None:
        row = Regression(
            team_id=session.team_id,
            id=new_id(),
            number=None,
            service_id=ground.service_id,
            branch=ground.branch,
            state=RegressionState.NEW,
            confirmed=False,
        )
        kept.append(row)
        _fill(ground, row, story)
        session.add(row)
        session.flush()  # its history and change points refer to it
    elif not row.confirmed and row.id not in backed:
        _fill(ground, row, story)
    if row.confirmed:
        _join(row, story)
    elif story.is_told and (came := merged_regressions.find_merged_regression(session, ground, story)) is not None:
        kept[kept.index(row)] = came
        session.delete(row)
        _reach(session, ground, came, story)
        return came
    elif story.is_told:
        _confirm(session, ground, row, story)
    return row


def _reach(session: WriteSession, ground: EvaluationInputs, row: Regression, story: RegressionGroup) -> None:
    """Let a regression go on where it has come to with a merge: number, state and history stay; nobody is told again."""
    came_from = row.branch
    row.branch = ground.branch
    _fill(ground, row, story)
    facts = {"from": came_from, "to": row.branch, "build_id": str(row.since_build_id), "commit": row.since_commit}
    record_event(session, row, "merged-to-branch", facts, by_person=False)


def _matching(ground: EvaluationInputs, story: RegressionGroup, kept: list[Regression]) -> Regression | None:
    """Return the regression that cites a member already, else one that began with the same builds."""
    cited = {member.regression_id for member in story.members}
    for row in kept:
        if row.id in cited:
            return row
    for row in sorted(kept, key=lambda each: not each.confirmed):
        since = ground.index_of(row.since_build_id)
        if since is None or row.branch != ground.branch:
            continue
        first, last = ground.index_of_commit(row.first_commit), ground.index_of_commit(row.last_commit)
        low, high = (since if first is None else first), (since if last is None else last)
        near = _near(row, story)
        if max(low, story.low_index) <= min(high, story.high_index) + near:
            return row
    return None


def _near(row: Regression, story: RegressionGroup) -> int:
    """By how many builds a story may lie beside a regression and still be of it: what is smaller is located less well."""
    if row.before is None or row.after is None or row.unit != story.lead.unit:
        return NEXT
    return NEAR if abs(story.lead.difference) <= SMALLER * abs(row.after - row.before) else NEXT


def _fill(ground: EvaluationInputs, row: Regression, story: RegressionGroup) -> None:
    """Write what a story says into its row."""
    lead, change = story.lead, story.lead.change
    since, good = ground.places[change.index].build, ground.places[max(change.low_index - 1, 0)].build
    range_of = (ground.commit(change.low_index), ground.commit(change.high_index))
    row.title = wording.format_title(lead.kind, lead.subject, lead.unit, change.ratio)
    row.sentence = wording.describe_change(lead, since.commit, range_of)
    row.kind, row.subject, row.unit = lead.kind, lead.subject, lead.unit
    row.direction = "worse" if lead.worse else "better"
    row.before, row.after, row.ratio = change.before, change.after, change.ratio
    row.ratio_low, row.ratio_high = change.ratio_low, change.ratio_high
    row.since_build_id, row.since_commit = since.id, since.commit
    row.since_at = ground.places[change.index].judgement.ordered_at
    row.good_build_id, row.good_commit = good.id, good.commit
    row.first_commit, row.last_commit = range_of
    row.related_series = [_member(each, story) for each in story.members]
    row.required_evidence = None if story.is_told else {"builds": lead.needs_builds, "profiles": lead.needs_profiles}
    _draw(ground, row)


def _member(found: ChangedSeries, story: RegressionGroup) -> dict[str, object]:
    return {"kind": found.kind, "subject": found.subject, "ratio": found.change.ratio, "is_move": story.is_move}


def _join(row: Regression, story: RegressionGroup) -> None:
    """Let a regression name what was found to have changed with it."""
    have = {(member["kind"], member["subject"]) for member in row.related_series}
    more = [_member(each, story) for each in story.members if each.confirmed and each.key not in have]
    if more:
        row.related_series = [*row.related_series, *more]


def _confirm(session: WriteSession, ground: EvaluationInputs, row: Regression, story: RegressionGroup) -> None:
    """Make a candidate a regression: from here on it is told of, with its comparison."""
    row.number, row.confirmed = queries.next_number(session), True
    row.required_evidence = None
    change = story.lead.change
    good = [place.build for place in reversed(ground.places[: change.low_index])]
    bad = [place.build for place in ground.places[change.high_index :]]
    name = f"{row.title} ({(row.good_commit or '')[:7]} → {(row.since_commit or '')[:7]})"[:200]
    comparison_id = evidence_comparisons.enqueue_evidence_comparison(session, name, good, bad)
    if comparison_id is not None:
        add_evidence(session, row, comparison_id)
    record_event(session, row, "opened", {"sentence": row.sentence}, by_person=False)


def _keep_change_points(
    session: WriteSession, ground: EvaluationInputs, story: RegressionGroup, row: Regression | None
) -> None:
    """Write down what is sure, so that no later look finds it again; tie what was found before to its regression."""
    regression_id = row.id if row is not None and row.confirmed else None
    for member in story.members:
        if not member.confirmed or not member.is_new:
            continue
        change = member.change
        session.add(
            BuildChangePoint(
                team_id=session.team_id,
                id=new_id(),
                service_id=ground.service_id,
                branch=ground.branch,
                kind=member.kind,
                subject=member.subject,
                build_id=ground.places[change.index].build.id,
                good_build_id=ground.places[max(change.low_index - 1, 0)].build.id,
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


def _draw(ground: EvaluationInputs, row: Regression) -> None:
    """Keep the few values that a row of the list draws."""
    line = ground.lines.get(row.kind)
    number = None if line is None else line.index(row.subject)
    if line is None or number is None or line.unit_of(row.subject) != row.unit:
        return
    values = line.values[number]
    since = ground.index_of(row.since_build_id)
    first = max(0, len(values) - SPARK)
    if since is not None and since < first + 4:
        first = max(0, since - SPARK // 2)  # an old step stays in the picture
    shown = values[first : first + SPARK]
    row.sparkline = {
        "values": [float(f"{value:.4g}") if value == value else None for value in shown.tolist()],  # noqa: PLR0124 - NaN is not itself
        "step_at": None if since is None else since - first,
        "levels": [level for level in (row.before, row.after) if level is not None],
    }


@dataclass(frozen=True)
class _BuildStatement:
    """What is said of a build."""

    state: BuildVerdictState
    sentence: str
    needs: dict[str, int | None] | None = None
    regression_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class _AllowedStatements:
    """What a look lets be said of builds."""

    seen: ScanResult
    verdicts: _BuildVerdicts
    now: datetime

    def of(self, row: BuildVerdict, *, is_asked: bool) -> _BuildStatement | None:
        """Return what is to be said of a build now; None if that is what was said before."""
        if row.build_id in self.verdicts.changed:
            found = self.verdicts.changed[row.build_id]
            return _BuildStatement(
                BuildVerdictState.CHANGED, found.sentence, None, tuple(sorted({*row.regression_ids, str(found.id)}))
            )
        if row.state == BuildVerdictState.CHANGED:
            return None
        if row.build_id in self.verdicts.perhaps:
            here = self.verdicts.perhaps[row.build_id]
            needs = {"builds": here.needs_builds, "profiles": here.needs_profiles}
            said = wording.describe_unconfirmed_change(here, here.needs_builds, here.needs_profiles)
            return _BuildStatement(BuildVerdictState.INCONCLUSIVE, said, needs)
        if is_asked and self.seen.too_few is not None:
            needs = {"builds": self.seen.too_few, "profiles": None}
            return _BuildStatement(BuildVerdictState.SKIPPED, wording.describe_missing_builds(self.seen.too_few), needs)
        if is_asked:
            return _BuildStatement(
                BuildVerdictState.PASSED, wording.describe_passed(self.seen.series, self.seen.detectable)
            )
        return (
            _BuildStatement(BuildVerdictState.PASSED, wording.describe_dismissed())
            if row.state == BuildVerdictState.INCONCLUSIVE
            else None
        )


def _tell(session: WriteSession, ground: EvaluationInputs, build: Build, told: _AllowedStatements) -> None:
    """Write down what is known of each build now; whoever tells others hears of those of which something else is known."""
    for place in ground.places:
        if place.is_own and (said := told.of(place.judgement, is_asked=place.build.id == build.id)) is not None:
            _say(session, place.judgement, said, told.now)


def _say(session: WriteSession, row: BuildVerdict, said: _BuildStatement, now: datetime) -> None:
    ids = list(said.regression_ids)
    is_news = row.evaluated_at is None or (row.state, row.regression_ids) != (said.state, ids)
    row.state, row.sentence, row.required_evidence, row.regression_ids = said.state, said.sentence, said.needs, ids
    if is_news:
        row.evaluated_at = now
        enqueue(session, BuildEvaluated(BuildId(row.build_id)))


def record_skipped_build(session: WriteSession, row: BuildVerdict, sentence: str, now: datetime) -> None:
    """Say that a build can not be judged, and why."""
    _say(session, row, _BuildStatement(BuildVerdictState.SKIPPED, sentence), now)
