"""HTTP endpoints of profile sets, their views and exports."""

from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Response

from slowpath.analysis.kinds.profiles.views.profile_set_document import ProfileViewSummary
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, ProfileExportId, ProfileSetId
from slowpath.evidence.profiles.access import add_content_endpoint, add_view_endpoints
from slowpath.evidence.profiles.rules import ProfileViewKey
from slowpath.evidence.profiles.schemas import (
    ProfileExportIn,
    ProfileExportOut,
    ProfileSetIn,
    ProfileSetOut,
    ProfileViewIn,
    ProfileViewOut,
    make_profile_set_out,
    make_profile_view_out,
    parse_labels,
)
from slowpath.evidence.profiles.service import profile_exports, profile_sets, profile_views, stored_views
from slowpath.evidence.profiles.service.profile_exports import ExportedSamples
from slowpath.evidence.profiles.tables import ProfileExport, ProfileSet, ProfileView
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["profile sets"])

LABELS_BODY: Final = body_up_to(512 * KIB)
"""Twenty label matchers of 1,000 characters each, with escapes."""
SUMMARY: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Where the cost of the view is", "model": ProfileViewSummary}
}


def _make_out(session: ReadSession, row: ProfileSet) -> ProfileSetOut:
    set_id = ProfileSetId(row.id)
    return make_profile_set_out(
        row, profile_sets.list_set_artifacts(session, set_id), profile_views.list_views(session, set_id)
    )


def _get_view(set_id: UUID, profile_view_id: UUID, caller: MayRead, session: Reading) -> ProfileView:
    return profile_views.get_view(session, ProfileSetId(set_id), profile_view_id)


@router.post(
    "/profile-sets",
    operation_id="profile-sets:create",
    openapi_extra=body_up_to(64 * KIB, members=2_000),
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def open_profile_set(body: ProfileSetIn, caller: MayRead, session: Writing) -> ProfileSetOut:
    """Open 1 to 200 artifacts together. The same artifacts, in any order, are the same set.

    Artifacts still being decoded delay its kinds and views.
    """
    return _make_out(session, profile_sets.open_set(session, [ArtifactId(each) for each in body.artifact_ids]))


@router.get(
    "/profile-sets/{set_id}",
    operation_id="profile-sets:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_profile_set(set_id: UUID, caller: MayRead, session: Reading) -> ProfileSetOut:
    """Return a set: its artifacts, kinds, conditions and the views requested so far."""
    return _make_out(session, profile_sets.get_set(session, ProfileSetId(set_id)))


@router.post(
    "/profile-sets/{set_id}/views",
    operation_id="profile-views:create",
    openapi_extra=LABELS_BODY,
    status_code=202,
    responses=document_problems(NotFound, Conflict, LimitExceeded),
)
def create_profile_view(set_id: UUID, body: ProfileViewIn, caller: MayRead, session: Writing) -> ProfileViewOut:
    """Enqueue the computation of a view. A finished or enqueued one is returned unchanged."""
    key = ProfileViewKey(body.kind, body.sample_type, body.granularity, parse_labels(body.labels))
    return make_profile_view_out(profile_views.request_view(session, ProfileSetId(set_id), key))


@router.get(
    "/profile-sets/{set_id}/views/{profile_view_id}",
    operation_id="profile-views:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_profile_view(caller: MayRead, view: Annotated[ProfileView, Depends(_get_view)]) -> ProfileViewOut:
    """Return the state of a view."""
    return make_profile_view_out(view)


@router.get(
    "/profile-sets/{set_id}/views/{profile_view_id}/summary",
    operation_id="profile-views:summary",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, Conflict, Unavailable), **SUMMARY},
    response_class=Response,
)
def get_summary(caller: MayRead, view: Annotated[ProfileView, Depends(_get_view)], blobs: Blobs) -> Response:
    """Return where the cost of a view is: headline, total, runtime categories with attributed callers, labels."""
    content = blobs.read(profile_views.get_summary_key(view))
    headers = {**stored_views.CACHED, "Content-Encoding": "gzip"}
    return Response(content, media_type="application/json", headers=headers)


add_view_endpoints(router, "/profile-sets/{set_id}/views/{profile_view_id}", "profile-views", _get_view)


@router.post(
    "/profile-sets/{set_id}/exports",
    operation_id="profile-exports:create",
    openapi_extra=LABELS_BODY,
    status_code=202,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def create_export(set_id: UUID, body: ProfileExportIn, caller: MayRead, session: Writing) -> ProfileExportOut:
    """Enqueue an export: one kind merged as pprof or `default.pgo`, for other viewers, functions as CSV, or stack sizes.

    `stack-sizes` is what the hottest paths need of the stack of the executable, as JSON (`slowpath.stack_sizes/1`).
    `pgo-check` is what is known of `default.pgo` before it is used (`slowpath.pgo_check/1`): the hot paths near the next stack
    size in the executable of the profiles, else in the newest of their service. No build is made for it.
    """
    samples = ExportedSamples(body.kind, body.sample_type, parse_labels(body.labels))
    row = profile_exports.create_export(session, ProfileSetId(set_id), body.format, samples)
    record_audit_event(session, caller, "export.created", "export", row.id, {"format": row.format})
    return ProfileExportOut.model_validate(row)


def _get_export(set_id: UUID, profile_export_id: UUID, caller: MayRead, session: Reading) -> ProfileExport:
    return profile_exports.get_export_of_set(session, ProfileSetId(set_id), ProfileExportId(profile_export_id))


@router.get(
    "/profile-sets/{set_id}/exports/{profile_export_id}",
    operation_id="profile-exports:get",
    responses=document_problems(NotFound),
)
def get_export(caller: MayRead, export: Annotated[ProfileExport, Depends(_get_export)]) -> ProfileExportOut:
    """Return the state of an export."""
    return ProfileExportOut.model_validate(export)


add_content_endpoint(
    router, "/profile-sets/{set_id}/exports/{profile_export_id}/content", "profile-exports", _get_export
)
