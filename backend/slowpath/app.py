"""The front hall: makes the FastAPI app, plugs adapters into ports, mounts routers, maps errors.

`python -m slowpath.app` prints the description of the API, from which the client is generated.
"""

import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.types import Lifespan

from slowpath.accounts import endpoints as accounts_endpoints
from slowpath.accounts.rules.signing_in import domain_teams
from slowpath.adapters.blobs import ObstoreBlobs
from slowpath.adapters.clock import SystemClock
from slowpath.adapters.events import Events
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.oidc import create_issuer
from slowpath.adapters.outside import create_outside
from slowpath.adapters.postgres import assert_safe_role, create_postgres_engine
from slowpath.adapters.throttle import create_throttle
from slowpath.bisects import endpoints as bisects_endpoints
from slowpath.catalog import endpoints as catalog_endpoints
from slowpath.commits import endpoints as commits_endpoints
from slowpath.comparisons import endpoints as comparisons_endpoints
from slowpath.comparisons.jobs import CompareSets, CutView, MakeExport
from slowpath.comparisons.service import waiting
from slowpath.core.logs import configure_logs
from slowpath.core.ports import BlobStore, Clock, Throttle
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import Database
from slowpath.core.settings import Settings, read_settings
from slowpath.discussions import endpoints as discussions_endpoints
from slowpath.discussions.rules import SubjectKind
from slowpath.discussions.service.subjects import Finders
from slowpath.explanations import endpoints as explanations_endpoints
from slowpath.explanations.jobs import ExplainGap
from slowpath.explanations.service import asking
from slowpath.growth import endpoints as growth_endpoints
from slowpath.hooks import endpoints as hooks_endpoints
from slowpath.keeping import endpoints as keeping_endpoints
from slowpath.keeping.jobs import ExportTeam
from slowpath.keeping.service import taking_away
from slowpath.metrics import endpoints as metrics_endpoints
from slowpath.metrics.service.memory import SeriesMemory
from slowpath.notifications import endpoints as notifications_endpoints
from slowpath.regressions import endpoints as regressions_endpoints
from slowpath.reports import endpoints as reports_endpoints
from slowpath.reports.service import writing as reports
from slowpath.sources import endpoints as sources_endpoints
from slowpath.sources.service.through import ReadThroughs
from slowpath.spans import endpoints as spans_endpoints
from slowpath.traces import endpoints as traces_endpoints
from slowpath.traces.jobs import CutTrace
from slowpath.traces.service import cutting
from slowpath.uploads import endpoints as uploads_endpoints
from slowpath.uploads.jobs import DecodeArtifact
from slowpath.uploads.service import reading
from slowpath.uploads.service.weighing import WeighedBlobs
from slowpath.web import health
from slowpath.web.anonymous_work import AnonymousWork
from slowpath.web.body_limits import body_limits_of
from slowpath.web.bytes_in_flight import BytesInFlight
from slowpath.web.description import install_description
from slowpath.web.guard import Guard
from slowpath.web.middleware import RequestContext
from slowpath.web.pages import install_pages
from slowpath.web.problems import install_problems
from slowpath.web.secret_paths import SecretPaths
from slowpath.web.turns import Turns
from slowpath.work import endpoints as work_endpoints

FEATURES = (
    accounts_endpoints,
    work_endpoints,
    catalog_endpoints,
    commits_endpoints,
    hooks_endpoints,
    uploads_endpoints,
    traces_endpoints,
    spans_endpoints,
    metrics_endpoints,
    sources_endpoints,
    growth_endpoints,
    explanations_endpoints,
    comparisons_endpoints,
    regressions_endpoints,
    discussions_endpoints,
    bisects_endpoints,
    reports_endpoints,
    notifications_endpoints,
    keeping_endpoints,
)

STREAMED = re.compile(
    "|".join(
        f"(?:{one.STREAMED.pattern})"
        for one in (uploads_endpoints, metrics_endpoints, spans_endpoints, hooks_endpoints)
    )
)
"""The requests whose bodies are bounded where they are read."""

WAIT_AGAIN = {
    DecodeArtifact.name: reading.wait_again,
    CompareSets.name: waiting.comparison_again,
    CutView.name: waiting.view_again,
    MakeExport.name: waiting.export_again,
    CutTrace.name: cutting.wait_again,
    ExplainGap.name: asking.wait_again,
    ExportTeam.name: taking_away.wait_again,
}
"""How what a job is about is shown as waiting, when the job is tried again by its own address."""

DISCUSSABLE: Finders = {SubjectKind.REPORT: reports.subject}
"""How that is found which can be talked about and stands above discussions: reports."""


def create_app() -> FastAPI:
    """Return the app as it serves: settings from the environment, real twins in every port."""
    settings = read_settings()
    configure_logs("web", settings.log_format)
    engine = create_postgres_engine(settings)
    assert_safe_role(engine)
    scratch = settings.scratch_dir or Path(tempfile.gettempdir())
    scratch.mkdir(parents=True, exist_ok=True)
    database, throttle = Database(engine), create_throttle(settings)
    blobs = WeighedBlobs(ObstoreBlobs(settings.blob_url, scratch), database)
    return assemble(settings, database, blobs, SystemClock(), throttle)


def assemble(settings: Settings, database: Database, blobs: BlobStore, clock: Clock, throttle: Throttle) -> FastAPI:
    """Return the app with these twins plugged in."""
    events = Events(settings.sqlalchemy_url)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with events.running():
            yield
        database.engine.dispose()

    app = described(lifespan)
    app.state.settings = settings
    app.state.database = database
    app.state.blobs = blobs
    app.state.clock = clock
    app.state.throttle = throttle
    app.state.events = events
    app.state.outside = create_outside(settings)
    app.state.remotes = create_remotes(settings, create_outside(settings))
    app.state.sealer = create_sealer(settings)
    app.state.issuer = create_issuer(settings)
    domain_teams(settings.oidc_domains)  # what can not be read is told now, not when somebody signs in
    app.state.series_memory = SeriesMemory()
    app.state.beyond = ReadThroughs(app.state.outside, app.state.sealer)
    app.state.wait_again = WAIT_AGAIN
    app.state.in_flight = in_flight = BytesInFlight()
    app.state.turns = Turns()
    app.state.discussable = DISCUSSABLE
    app.add_middleware(
        Guard,
        streamed=STREAMED,
        limits=body_limits_of(app),
        anonymous=AnonymousWork(settings.anonymous_requests_per_minute),
        in_flight=in_flight,
    )
    app.add_middleware(SecretPaths)
    app.add_middleware(RequestContext, https=settings.public_url.startswith("https://"))
    install_pages(app, settings.frontend_dist)
    return app


def described(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """Return the app with its routes and errors and nothing plugged in: enough to describe the API."""
    app = FastAPI(
        title="Slowpath",
        version="1",
        description="Finds out why a Go service got slower.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    install_problems(app)
    app.include_router(health.router)
    for feature in FEATURES:
        app.include_router(feature.router)
    install_description(app)
    return app


if __name__ == "__main__":
    sys.stdout.write(json.dumps(described().openapi(), indent=2) + "\n")
