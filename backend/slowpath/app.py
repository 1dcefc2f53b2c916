"""Create the FastAPI app: connect adapters to ports, mount routers, map errors.

`python -m slowpath.app` prints the OpenAPI description, from which the client is generated.
"""

import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.routing import BaseRoute
from starlette.types import Lifespan

from slowpath.adapters.egress import create_outside
from slowpath.adapters.event_listener import ValkeyEventListener
from slowpath.adapters.git_mirrors import create_mirrors
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.limits_throttle import create_throttle
from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.adapters.oidc_issuer import CachingIdTokenVerifier, create_issuer
from slowpath.adapters.postgres import assert_safe_role, create_postgres_engine, create_replica
from slowpath.adapters.saml_provider import create_saml_provider
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from slowpath.core.encryption import create_sealer
from slowpath.core.logs import configure_logs
from slowpath.core.ports import BlobStore, Clock, RateLimiter
from slowpath.core.settings import Settings, read_settings
from slowpath.evidence.artifacts import endpoints as uploads_endpoints
from slowpath.evidence.artifacts.jobs import DecodeArtifact
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.artifacts.service.storage_accounting import AccountingBlobStore
from slowpath.evidence.exec_traces import endpoints as traces_endpoints
from slowpath.evidence.exec_traces.jobs import ExtractTraceExcerpt
from slowpath.evidence.exec_traces.service import trace_excerpts
from slowpath.evidence.executables import endpoints as executables_endpoints
from slowpath.evidence.growth_logs import endpoints as growth_endpoints
from slowpath.evidence.metric_sources import endpoints as sources_endpoints
from slowpath.evidence.metric_sources.service.federated_query import FederatedQueries
from slowpath.evidence.metric_sources.service.watched_samples import create_interactive_reader
from slowpath.evidence.metrics import endpoints as metrics_endpoints
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from slowpath.evidence.profiles import endpoints as profiles_endpoints
from slowpath.evidence.profiles.jobs import BuildProfileView, ExportProfileSet, OpenProfileSet, StoreRemainingChunks
from slowpath.evidence.profiles.service import profile_exports, profile_sets, profile_views
from slowpath.evidence.spans import endpoints as spans_endpoints
from slowpath.inventory.catalog import endpoints as catalog_endpoints
from slowpath.inventory.repositories import endpoints as commits_endpoints
from slowpath.inventory.webhooks import endpoints as hooks_endpoints
from slowpath.job_subjects import NAMED_SUBJECTS
from slowpath.operations.example_data import endpoints as example_endpoints
from slowpath.operations.example_data.service import example_protection
from slowpath.operations.retention import endpoints as keeping_endpoints
from slowpath.platform.accounts import endpoints as accounts_endpoints
from slowpath.platform.accounts.rules.provider_flow import parse_domain_teams
from slowpath.platform.http import cli_packages, health
from slowpath.platform.http.anonymous_work import AnonymousWork
from slowpath.platform.http.body_limits import body_limits_of
from slowpath.platform.http.bytes_in_flight import BytesInFlight
from slowpath.platform.http.former_paths import FormerPaths
from slowpath.platform.http.frontend_assets import install_pages
from slowpath.platform.http.openapi_description import install_openapi
from slowpath.platform.http.problems import install_problems
from slowpath.platform.http.request_context import RequestContextMiddleware
from slowpath.platform.http.request_guard import RequestGuard
from slowpath.platform.http.secret_paths import SecretPaths
from slowpath.platform.http.turns import CHECKS_AT_ONCE, MOST_WAITING_CHECKS, Turns
from slowpath.platform.jobs import endpoints as work_endpoints
from slowpath.platform.scim import endpoints as scim_endpoints
from slowpath.sharing.discussions import endpoints as discussions_endpoints
from slowpath.sharing.discussions.rules import SubjectKind
from slowpath.sharing.discussions.service.discussion_subjects import Finders
from slowpath.sharing.embedded_panels import endpoints as embedded_panels_endpoints
from slowpath.sharing.grafana import endpoints as grafana_endpoints
from slowpath.sharing.inbox import endpoints as inbox_endpoints
from slowpath.sharing.inbox.endpoints import slack_interactions
from slowpath.sharing.mcp_server import endpoints as mcp_endpoints
from slowpath.sharing.notifications import endpoints as notifications_endpoints
from slowpath.sharing.reports import endpoints as reports_endpoints
from slowpath.sharing.reports.service import reports
from slowpath.sharing.search import endpoints as search_endpoints
from slowpath.sharing.subscriptions import endpoints as subscriptions_endpoints
from slowpath.verdicts.bisects import endpoints as bisects_endpoints
from slowpath.verdicts.budgets import endpoints as budgets_endpoints
from slowpath.verdicts.comparison_previews import endpoints as previews_endpoints
from slowpath.verdicts.comparisons import endpoints as comparisons_endpoints
from slowpath.verdicts.comparisons.jobs import BuildDiffView, ComputeComparison, ExportComparison
from slowpath.verdicts.comparisons.service import retry_state
from slowpath.verdicts.compiler_evidence import endpoints as compiler_evidence_endpoints
from slowpath.verdicts.compiler_evidence.jobs import DisassembleFunction
from slowpath.verdicts.compiler_evidence.service import assemblies
from slowpath.verdicts.function_sources import endpoints as function_sources_endpoints
from slowpath.verdicts.gap_explanations import endpoints as explanations_endpoints
from slowpath.verdicts.gap_explanations.jobs import ExplainGap
from slowpath.verdicts.gap_explanations.service import gap_explanations
from slowpath.verdicts.regressions import endpoints as regressions_endpoints

FEATURES = (
    accounts_endpoints,
    work_endpoints,
    scim_endpoints,
    catalog_endpoints,
    commits_endpoints,
    hooks_endpoints,
    uploads_endpoints,
    profiles_endpoints,
    traces_endpoints,
    spans_endpoints,
    metrics_endpoints,
    sources_endpoints,
    growth_endpoints,
    executables_endpoints,
    explanations_endpoints,
    compiler_evidence_endpoints,
    comparisons_endpoints,
    previews_endpoints,
    function_sources_endpoints,
    regressions_endpoints,
    budgets_endpoints,
    discussions_endpoints,
    bisects_endpoints,
    reports_endpoints,
    notifications_endpoints,
    mcp_endpoints,
    inbox_endpoints,
    search_endpoints,
    embedded_panels_endpoints,
    grafana_endpoints,
    subscriptions_endpoints,
    keeping_endpoints,
    example_endpoints,
)

COMPRESSED_BYTES = 2_000
"""Smaller responses are not compressed. Cookies are SameSite, so no other site can measure the sizes of responses."""

STREAMED = re.compile(
    "|".join(
        f"(?:{one.STREAMED.pattern})"
        for one in (uploads_endpoints, metrics_endpoints, spans_endpoints, hooks_endpoints, slack_interactions)
    )
)
"""Requests whose bodies the route streams and limits."""

WAIT_AGAIN = {
    DecodeArtifact.name: artifacts.mark_artifact_pending,
    OpenProfileSet.name: profile_sets.reset_set,
    BuildProfileView.name: profile_views.reset_view,
    StoreRemainingChunks.name: profile_views.reset_view,
    ExportProfileSet.name: profile_exports.reset_export,
    ComputeComparison.name: retry_state.reset_comparison,
    BuildDiffView.name: retry_state.reset_view,
    ExportComparison.name: retry_state.reset_export,
    ExtractTraceExcerpt.name: trace_excerpts.mark_excerpt_pending,
    DisassembleFunction.name: assemblies.mark_assembly_pending,
    ExplainGap.name: gap_explanations.mark_explanation_pending,
}
"""Functions that mark the subject of a job as waiting when the job is retried directly."""

DISCUSSABLE: Finders = {SubjectKind.REPORT: reports.subject}
"""Functions that find subjects in packages that depend on discussions: reports."""


def create_app() -> FastAPI:
    """Return the app for production: settings from the environment, real implementations in every port."""
    settings = read_settings()
    configure_logs("web", settings.log_format)
    engine = create_postgres_engine(settings)
    assert_safe_role(engine)
    scratch = settings.scratch_dir or Path(tempfile.gettempdir())
    scratch.mkdir(parents=True, exist_ok=True)
    database, throttle = Database(engine, replica=create_replica(settings)), create_throttle(settings)
    rows = Database(create_postgres_engine(settings, pool_size=2))
    blobs = AccountingBlobStore(ObstoreBlobs(settings.blob_url, scratch), rows)
    return build_app(settings, database, blobs, SystemClock(), throttle)


def build_app(settings: Settings, database: Database, blobs: BlobStore, clock: Clock, throttle: RateLimiter) -> FastAPI:
    """Return the app with these implementations."""
    events = ValkeyEventListener(settings.broker_url.get_secret_value())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with events.running():
            yield
        database.dispose()

    app = build_schema_app(lifespan)
    app.state.settings = settings
    app.state.database = database
    app.state.blobs = blobs
    app.state.clock = clock
    app.state.throttle = throttle
    app.state.events = events
    app.state.outside = create_outside(settings)
    app.state.remotes = create_remotes(settings, create_outside(settings))
    app.state.mirrors = create_mirrors(settings, app.state.remotes)
    app.state.sealer = create_sealer(settings)
    app.state.issuer = create_issuer(settings)
    app.state.saml_provider = create_saml_provider(settings)
    app.state.id_tokens = CachingIdTokenVerifier(app.state.outside)
    parse_domain_teams(settings.sign_in_domains)  # an invalid value is reported at the start, not at the first sign-in
    app.state.series_memory = SeriesCache()
    app.state.beyond = FederatedQueries(app.state.outside, app.state.sealer)
    app.state.watched = create_interactive_reader(app.state.beyond)
    app.state.wait_again = WAIT_AGAIN
    app.state.named_subjects = NAMED_SUBJECTS
    app.state.in_flight = in_flight = BytesInFlight()
    app.state.turns = Turns()
    app.state.check_turns = Turns(CHECKS_AT_ONCE, MOST_WAITING_CHECKS, "checks")
    app.state.discussable = DISCUSSABLE
    app.state.change_guard = example_protection.require_no_part
    app.add_middleware(
        RequestGuard,
        streamed=STREAMED,
        limits=body_limits_of(app),
        anonymous=AnonymousWork(settings.anonymous_requests_per_minute),
        in_flight=in_flight,
    )
    app.add_middleware(
        GZipMiddleware,
        minimum_size=COMPRESSED_BYTES,
        compresslevel=1,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream"),
    )
    app.add_middleware(SecretPaths)
    app.add_middleware(FormerPaths)
    app.add_middleware(RequestContextMiddleware, https=settings.public_url.startswith("https://"))
    install_pages(app, settings.frontend_dist)
    return app


def build_schema_app(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """Return the app with routes and errors but no implementations: enough to describe the API."""
    app = FastAPI(
        title="Slowpath",
        version="1",
        description="Detects latency regressions of Go services and finds their causes.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    install_problems(app)
    app.router.routes.extend(_routes())
    install_openapi(app)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return the routes of all features. They hold no state but what FastAPI derives from their signatures.

    It derives that at the first use of a route, in half a second for all of them: apps of one process share it.
    """
    router = APIRouter()
    router.include_router(health.router)
    router.include_router(cli_packages.router)
    for feature in FEATURES:
        router.include_router(feature.router)
    return tuple(router.routes)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(build_schema_app().openapi(), indent=2) + "\n")
