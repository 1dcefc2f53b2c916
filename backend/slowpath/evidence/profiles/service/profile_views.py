"""Views of a profile set: request, record, read."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy.exc import IntegrityError

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.views.profile_set_document import ProfileSetKind
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, ProfileSetId, ProfileViewId, TeamId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.evidence.profiles import queries
from slowpath.evidence.profiles.errors import NoProfiles, ProfileSetNotReady, TooManyViews, ViewNotFound
from slowpath.evidence.profiles.jobs import BuildProfileView, StoreRemainingChunks
from slowpath.evidence.profiles.rules import MAX_VIEWS_A_SET, Granularity, ProfileSetState, ProfileViewKey, ViewState
from slowpath.evidence.profiles.service import profile_sets, stored_exports, stored_views
from slowpath.evidence.profiles.tables import ProfileSet, ProfileView

_KINDS = TypeAdapter(tuple[ProfileSetKind, ...])


def list_kinds(row: ProfileSet) -> tuple[ProfileSetKind, ...]:
    """Return the kinds of a set. Raises `ProfileSetNotReady`."""
    if row.state != ProfileSetState.DONE or row.kinds is None:
        raise ProfileSetNotReady(
            f"The profile set is not ready: its state is {row.state}.", remedy="Wait for its job, or retry it."
        )
    return _KINDS.validate_python(row.kinds)


def find_unit(kinds: Sequence[ProfileSetKind], kind: str, sample_type: str) -> str | None:
    """Return the unit of a sample type of a kind; None if the set does not have it."""
    of_kind = (each for each in kinds if each.kind == kind)
    return next((one.unit for each in of_kind for one in each.sample_types if one.type == sample_type), None)


def get_sample_type(session: ReadSession, set_id: ProfileSetId, kind: str, wanted: str | None) -> str:
    """Return the wanted sample type of a kind of a set, by default its default one.

    Raises `ProfileSetNotFound`, `ProfileSetNotReady`, `NoProfiles`.
    """
    kinds = list_kinds(profile_sets.get_set(session, set_id))
    found = next((each.default_sample_type for each in kinds if each.kind == kind), None)
    if found is None:
        raise NoProfiles(f"The profile set has no {kind} profiles.", remedy="Use a kind listed in the set.")
    if wanted is not None and find_unit(kinds, kind, wanted) is None:
        raise NoProfiles(
            f"The {kind} profiles of the set have no {wanted}.", remedy="Use a sample type listed in the set."
        )
    return wanted or found


def request_view(session: WriteSession, set_id: ProfileSetId, key: ProfileViewKey) -> ProfileView:
    """Return the view of a set; enqueue its job unless it is computed or enqueued already.

    Raises `ProfileSetNotFound`, `ProfileSetNotReady`, `ViewNotFound`, `TooManyViews`.
    """
    owner = profile_sets.get_set(session, set_id)
    unit = find_unit(list_kinds(owner), key.kind, key.sample_type)
    if unit is None:
        raise ViewNotFound(
            f"The profile set has no {key.sample_type} of {key.kind} profiles.",
            remedy="Use a kind and a sample type listed in the set.",
        )
    row = get_or_insert_view(session, set_id, key, unit)
    if row.state not in stored_views.OPEN_OR_DONE:
        row.state, row.problem = ViewState.WAITING, None
        row.job_id = enqueue(session, BuildProfileView(set_id, ProfileViewId(row.id)))
    return row


def get_or_insert_view(session: WriteSession, set_id: ProfileSetId, key: ProfileViewKey, unit: str) -> ProfileView:
    """Return the row of a view, a new one if there is none. Raises `TooManyViews`."""
    found = queries.select_view_by_key(session, set_id, key)
    if found is not None:
        return found
    number = len(queries.select_views(session, set_id))
    if number >= MAX_VIEWS_A_SET:
        raise TooManyViews(
            "The profile set has too many views.",
            limit=MAX_VIEWS_A_SET,
            actual=number,
            unit="views",
            remedy="Use a view of the set, or open its artifacts as sets of their own.",
        )
    created = ProfileView(
        team_id=session.team_id,
        id=new_id(),
        set_id=set_id,
        kind=key.kind,
        sample_type=key.sample_type,
        unit=unit,
        granularity=key.granularity,
        labels=[asdict(matcher) for matcher in key.labels],
        labels_digest=key.labels_digest,
        position=number,
        state=ViewState.NOT_BUILT,
    )
    try:
        with session.begin_nested():
            session.add(created)
    except IntegrityError:
        found = queries.select_view_by_key(session, set_id, key)  # of a concurrent request
        if found is None:
            raise
        return found
    return created


def list_views(session: ReadSession, set_id: ProfileSetId) -> Sequence[ProfileView]:
    """Return the views of a set that were requested, oldest first."""
    return queries.select_views(session, set_id)


def get_view(session: ReadSession, set_id: ProfileSetId, view_id: UUID) -> ProfileView:
    """Return a view. Raises `ProfileSetNotFound`, `ViewNotFound`."""
    profile_sets.get_set(session, set_id)
    row = queries.select_view(session, set_id, view_id)
    if row is None:
        raise ViewNotFound("The profile set has no view with this ID.")
    return row


def get_view_key(row: ProfileView) -> ProfileViewKey:
    """Return the key of a stored view."""
    return ProfileViewKey(row.kind, row.sample_type, Granularity(row.granularity), parse_labels(row.labels))


def parse_labels(stored: Sequence[Any]) -> tuple[LabelMatcher, ...]:
    """Return the label matchers of stored JSON."""
    return tuple(LabelMatcher(each["key"], each["value"]) for each in stored)


def make_view_key(team_id: TeamId, set_id: ProfileSetId, view_id: ProfileViewId, part: str) -> BlobKey:
    """Return the blob key of a part of a view."""
    return BlobKey(f"{profile_sets.blob_prefix(team_id, set_id)}/{view_id}/{part}")


def get_summary_key(view: ProfileView) -> BlobKey:
    """Return the blob key of the summary of a finished view. Raises `ViewNotReady`."""
    stored_views.get_chunk_key(view, "first")
    assert view.summary_key is not None
    return BlobKey(view.summary_key)


def reset_view(session: WriteSession, job: JobRow) -> None:
    """Mark the failed view of a job as waiting."""
    types = {each.name: each for each in (BuildProfileView, StoreRemainingChunks)}
    asked = types[job.name].from_payload(job.payload)
    stored_exports.reset(queries.select_view(session, asked.set_id, asked.view_id))
