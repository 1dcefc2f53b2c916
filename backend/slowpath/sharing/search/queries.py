"""SELECT statements of the search.

Each type is searched newest first along its index, up to a limit, so that the cost does not grow with the data. Trigram
indexes are of no use: under row-level security PostgreSQL evaluates the policy before operators that are not leakproof.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    String,
    Text,
    and_,
    cast,
    column,
    func,
    literal,
    or_,
    select,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import InstrumentedAttribute

from slowpath.analysis.kinds.registry import CPU_PROFILE
from slowpath.commit_names import COMMIT_DIGITS
from slowpath.core.db_sessions import ReadSession
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.inventory.repositories.tables import Commit
from slowpath.sharing.reports.tables import Report
from slowpath.sharing.search.rules import (
    LEAST_COMPARED_LENGTH,
    LEAST_SIMILARITY,
    MOST_COMPARED,
    MOST_FUNCTION_SERVICES,
    MOST_SEARCHED,
    SearchType,
)
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.rules import ComparisonOrigin
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.tables import BuildMeasurement, Regression

FUNCTION_KIND: Final = "profile.function"
Shown = Select[UUID, str, str, str]


def _listed_parts(*parts: Any) -> ColumnElement[str]:  # noqa: ANN401 - columns of texts
    """Return the parts that are not null or empty, as one line."""
    return func.concat_ws(", ", *(func.nullif(part, "") for part in parts))


@dataclass(frozen=True)
class SearchSource:
    """The objects of one type: what is shown of them, the text that is searched, and the time that sorts them."""

    id: InstrumentedAttribute[UUID]
    title: ColumnElement[str] | InstrumentedAttribute[str]
    subtitle: ColumnElement[str] | InstrumentedAttribute[str]
    path: ColumnElement[str]
    text: ColumnElement[str]
    at: InstrumentedAttribute[datetime] | InstrumentedAttribute[datetime | None]
    conditions: tuple[ColumnElement[bool], ...] = ()
    with_service: bool = False
    """Whether the text contains names of the object's service."""

    def select_newest(self, session: ReadSession, count: int) -> Shown:
        """Return the SELECT of the newest objects: conditions on the text are evaluated before the rest is made."""
        table: Any = self.id.class_
        oldest = select(self.at).where(table.team_id == session.team_id).order_by(self.at.desc()).offset(count - 1)
        found = select(self.id, self.title, self.subtitle, self.path).where(
            table.team_id == session.team_id,
            self.at >= func.coalesce(oldest.limit(1).scalar_subquery(), text("timestamptz '-infinity'")),
            *self.conditions,
        )
        if not self.with_service:
            return found
        return found.join(Service, and_(Service.team_id == table.team_id, Service.id == table.service_id))


def _path(folder: str, id_: Any) -> ColumnElement[str]:  # noqa: ANN401 - a column
    return func.concat(f"/{folder}/", cast(id_, String))


REGRESSION_NAME: Final = func.concat("Regression ", cast(Regression.number, Text))
EVENT_NAME: Final = func.concat("Event ", cast(ProductionEvent.number, Text))
BISECT_NAME: Final = func.concat("Bisect ", cast(Bisect.number, Text))
CULPRIT_SHA: Final = Bisect.summary["culprit"]["sha"].as_string()
REPORT_NAME: Final = func.concat("Report ", cast(Report.number, Text))

STORED: Final[Mapping[SearchType, SearchSource]] = {
    SearchType.SERVICE: SearchSource(
        Service.id,
        Service.name,
        Service.description,
        _path("services", Service.id),
        func.concat_ws(" ", Service.name, Service.slug, Service.description, Service.main_package),
        Service.created_at,
    ),
    SearchType.REGRESSION: SearchSource(  # by ix_regression_newest
        Regression.id,
        Regression.title,
        _listed_parts(REGRESSION_NAME, Service.name, func.replace(Regression.state, "-", " ")),
        _path("regressions", Regression.id),
        func.concat_ws(
            " ",
            REGRESSION_NAME,
            Regression.title,
            Regression.subject,
            Service.name,
            Service.slug,
            Regression.since_commit,
        ),
        Regression.created_at,
        (Regression.number.is_not(None),),
        with_service=True,
    ),
    SearchType.BUILD: SearchSource(  # by ix_build_newest
        Build.id,
        func.coalesce(func.nullif(Build.display_name, ""), func.left(Build.commit, COMMIT_DIGITS)),
        _listed_parts(Service.name, Build.branch, Build.title),
        _path("builds", Build.id),
        func.concat_ws(
            " ", Build.commit, Build.display_name, Build.branch, Build.title, Build.author, Service.name, Service.slug
        ),
        Build.created_at,
        with_service=True,
    ),
    SearchType.COMMIT: SearchSource(  # by ix_commit_committed
        Commit.id,
        Commit.title,
        _listed_parts(func.left(Commit.sha, COMMIT_DIGITS), Commit.author_name),
        func.concat("/repositories/", cast(Commit.repository_id, String), "/commits/", Commit.sha),
        func.concat_ws(" ", Commit.sha, Commit.title, Commit.author_name),
        Commit.committed_at,
    ),
    SearchType.COMPARISON: SearchSource(  # those that a build caused are found by their build
        Comparison.id,
        Comparison.name,
        _listed_parts(Comparison.headline),
        _path("comparisons", Comparison.id),
        func.concat_ws(" ", Comparison.name, Comparison.headline, Comparison.base_label, Comparison.candidate_label),
        Comparison.created_at,
        (Comparison.origin != ComparisonOrigin.BUILD,),
    ),
    SearchType.PRODUCTION_EVENT: SearchSource(  # by ix_production_event_newest
        ProductionEvent.id,
        ProductionEvent.title,
        _listed_parts(EVENT_NAME, Service.name, func.replace(ProductionEvent.state, "-", " ")),
        _path("events", ProductionEvent.id),
        func.concat_ws(" ", EVENT_NAME, ProductionEvent.title, Service.name, Service.slug, ProductionEvent.commit),
        ProductionEvent.started_at,
        (ProductionEvent.number.is_not(None),),
        with_service=True,
    ),
    SearchType.BISECT: SearchSource(  # by ix_bisect_newest
        Bisect.id,
        Bisect.title,
        _listed_parts(BISECT_NAME, Service.name, func.replace(Bisect.state, "-", " ")),
        _path("bisects", Bisect.id),
        func.concat_ws(
            " ", BISECT_NAME, Bisect.title, Service.name, Service.slug, Bisect.good_sha, Bisect.bad_sha, CULPRIT_SHA
        ),
        Bisect.created_at,
        (Bisect.commit_comparison.is_(None), Bisect.experiment_of.is_(None)),
        with_service=True,
    ),
    SearchType.REPORT: SearchSource(  # by ix_report_newest
        Report.id,
        Report.title,
        REPORT_NAME,
        _path("reports", Report.id),
        func.concat_ws(" ", REPORT_NAME, Report.title),
        Report.created_at,
    ),
    SearchType.ARTIFACT: SearchSource(  # by ix_artifact_newest
        Artifact.id,
        Artifact.name,
        _listed_parts(Artifact.kind, Artifact.folder),
        _path("artifacts", Artifact.id),
        func.concat_ws(" ", Artifact.name, Artifact.kind, Artifact.folder),
        Artifact.created_at,
    ),
}
"""Types that are rows of a table. Functions are read from the measurements of builds."""


def select_containing(
    session: ReadSession, searched: SearchType, words: Sequence[str], limit: int
) -> Sequence[Row[UUID, str, str, str]]:
    """Return (id, title, subtitle, path) of objects whose text contains all words: in the title first, then the newest."""
    of_type = STORED[searched]
    found = of_type.select_newest(session, MOST_SEARCHED).where(*_contains(of_type.text, words))
    return session.execute(found.order_by(*_best_titles(of_type.title, words), of_type.at.desc()).limit(limit)).all()


def select_similar(
    session: ReadSession, searched: SearchType, words: Sequence[str], limit: int
) -> Sequence[Row[UUID, str, str, str]]:
    """Return (id, title, subtitle, path) of objects with words that are similar to all words, the most similar first."""
    of_type = STORED[searched]
    found = of_type.select_newest(session, MOST_COMPARED).where(*_is_similar(of_type.text, words))
    return session.execute(
        found.order_by(_similarity(of_type.text, words).desc(), of_type.at.desc()).limit(limit)
    ).all()


def select_names_containing(
    session: ReadSession, names: Sequence[str], words: Sequence[str], limit: int
) -> Sequence[str]:
    """Return the names that contain all words."""
    name = _listed(names)
    found = select(name).where(*_contains(name, words)).order_by(*_best_titles(name, words), name)
    return session.scalars(found.limit(limit)).all()


def select_similar_names(session: ReadSession, names: Sequence[str], words: Sequence[str], limit: int) -> Sequence[str]:
    """Return the names with words that are similar to all words, the most similar first."""
    name = _listed(names)
    found = select(name).where(*_is_similar(name, words)).order_by(_similarity(name, words).desc(), name)
    return session.scalars(found.limit(limit)).all()


def select_measured_functions(session: ReadSession) -> Sequence[Row[UUID, str, UUID | None, bytes]]:
    """Return (build, service, CPU profile or null, packed measurement) of the newest measured build of each service.

    By ix_build_service, uq_build_measurement_kind and ix_artifact_build.
    """
    newest = (
        select(Build.id, BuildMeasurement.content)
        .join(BuildMeasurement, and_(BuildMeasurement.team_id == Build.team_id, BuildMeasurement.build_id == Build.id))
        .where(Build.team_id == Service.team_id, Build.service_id == Service.id, BuildMeasurement.kind == FUNCTION_KIND)
        .order_by(Build.created_at.desc(), Build.id.desc())
        .limit(1)
        .correlate(Service)
        .lateral()
    )
    profile = (
        select(Artifact.id)
        .where(
            Artifact.team_id == session.team_id,
            Artifact.build_id == newest.c.id,
            Artifact.kind == CPU_PROFILE,
            Artifact.state == ArtifactState.DECODED,
        )
        .order_by(Artifact.created_at, Artifact.id)
        .limit(1)
        .correlate(newest)
        .scalar_subquery()
    )
    found = (
        select(newest.c.id, Service.name, profile, newest.c.content)
        .join(newest, true())
        .where(Service.team_id == session.team_id)
        .order_by(Service.name)
        .limit(MOST_FUNCTION_SERVICES)
    )
    return session.execute(found).all()


def _listed(names: Sequence[str]) -> ColumnElement[str]:
    listed = func.unnest(cast(literal(list(names), ARRAY(Text)), ARRAY(Text)))
    named: ColumnElement[str] = listed.table_valued(column("name", Text)).render_derived().c.name
    return named


def _contains(text: ColumnElement[str], words: Sequence[str]) -> list[ColumnElement[bool]]:
    return [text.icontains(word, autoescape=True) for word in words]


def _best_titles(
    title: ColumnElement[str] | InstrumentedAttribute[str], words: Sequence[str]
) -> list[ColumnElement[bool]]:
    """Sort titles that begin with the text first, then those that contain it."""
    text = " ".join(words)
    return [title.istartswith(text, autoescape=True).desc(), title.icontains(text, autoescape=True).desc()]


def _is_similar(text: ColumnElement[str], words: Sequence[str]) -> list[ColumnElement[bool]]:
    return [
        or_(text.icontains(word, autoescape=True), func.word_similarity(word, text) >= LEAST_SIMILARITY)
        if len(word) >= LEAST_COMPARED_LENGTH
        else text.icontains(word, autoescape=True)
        for word in words
    ]


def _similarity(text: ColumnElement[str], words: Sequence[str]) -> ColumnElement[float]:
    return func.word_similarity(" ".join(words), text)
