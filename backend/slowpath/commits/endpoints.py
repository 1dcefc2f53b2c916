"""Repositories, their commits, and what came between two builds."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from slowpath.accounts.access import MayManage, MayRead, MayWrite
from slowpath.accounts.service import audit
from slowpath.analysis.suspicion import Regressed
from slowpath.commits.rules import MOST_BETWEEN
from slowpath.commits.schemas import (
    Begun,
    BuiltFromIn,
    CommitDiffOut,
    CommitPage,
    CommitsBetween,
    CommitsIn,
    CommitsRecorded,
    RangeIn,
    RepositoryBrief,
    RepositoryChange,
    RepositoryCommit,
    RepositoryCredentialsIn,
    RepositoryIn,
    RepositoryOut,
    Sha,
    Spelled,
)
from slowpath.commits.service import history, keeping, suspecting
from slowpath.commits.service.keeping import BuiltFrom, SignIn
from slowpath.core.errors import AddressRefused, Conflict, NotFound, Refused, TooMany
from slowpath.core.git import Remotes
from slowpath.core.ids import RepositoryId, ServiceId
from slowpath.core.sealing import Sealer
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["commits"])


def remotes_of(request: Request) -> Remotes:
    """Return the rules for addresses of repositories plugged in by the app."""
    found: Remotes = request.app.state.remotes
    return found


def sealer_of(request: Request) -> Sealer:
    """Return the sealer plugged in by the app."""
    found = request.app.state.sealer
    assert isinstance(found, Sealer)
    return found


Places = Annotated[Remotes, Depends(remotes_of)]
Seals = Annotated[Sealer, Depends(sealer_of)]
ShaOf = Annotated[Sha, Path(description="forty hexadecimal digits")]
Functions = Annotated[list[Annotated[str, Query(max_length=1_000)]], Query(alias="function", max_length=50)]
Files = Annotated[list[Annotated[str, Query(max_length=1_000)]], Query(alias="file", max_length=50)]


@router.get("/repositories", operation_id="repositories:list", openapi_extra=FREEZABLE, responses=problems(Refused))
def list_repositories(caller: MayRead, session: Reading, paging: Paging) -> Page[RepositoryOut]:
    """List repositories, newest first."""
    rows = keeping.repositories(session, paging.after, paging.limit + 1)
    return paging.page(rows, RepositoryOut.of, lambda kept: (kept.row.created_at, kept.row.id))


@router.post(
    "/repositories",
    operation_id="repositories:create",
    openapi_extra=body_up_to(896 * KIB, members=3_000),
    status_code=201,
    responses=problems(NotFound, Conflict, Refused, TooMany),
)
def create_repository(
    wanted: RepositoryIn, caller: MayManage, session: Writing, remotes: Places, sealer: Seals
) -> RepositoryOut:
    """Add a repository. If it has an address it is fetched at once."""
    row = keeping.add(
        session,
        sealer,
        remotes,
        label=wanted.name,
        url=wanted.url,
        kind=wanted.kind,
        web_url=str(wanted.web_url).rstrip("/") if wanted.web_url else None,
        sign_in=_sign_in(wanted.credentials) or SignIn("none"),
        services=_built(wanted.services),
    )
    facts = {"name": row.label, "url": row.url, "credentials": row.credentials}
    audit(session, caller, "repository.created", "repository", row.id, facts)
    return RepositoryOut.of(keeping.kept(session, row))


@router.get(
    "/repositories/{repository_id}",
    operation_id="repositories:get",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound),
)
def get_repository(repository_id: UUID, caller: MayRead, session: Reading) -> RepositoryOut:
    """Tell of a repository."""
    return RepositoryOut.of(keeping.kept(session, keeping.find(session, RepositoryId(repository_id))))


@router.patch(
    "/repositories/{repository_id}",
    operation_id="repositories:change",
    openapi_extra=body_up_to(896 * KIB, members=3_000),
    responses=problems(NotFound, Conflict, Refused, AddressRefused),
)
def change_repository(
    repository_id: UUID,
    change: RepositoryChange,
    caller: MayManage,
    session: Writing,
    remotes: Places,
    sealer: Seals,
) -> RepositoryOut:
    """Change a repository."""
    said = change.model_dump(exclude_unset=True, mode="json")
    values = {
        "label" if name == "name" else name: said[name] for name in ("name", "url", "kind", "web_url") if said.get(name)
    }
    if "web_url" in values:
        values["web_url"] = str(values["web_url"]).rstrip("/")
    row = keeping.change(
        session,
        sealer,
        remotes,
        RepositoryId(repository_id),
        values=values,
        sign_in=_sign_in(change.credentials),
        services=None if change.services is None else _built(change.services),
    )
    facts = {**values, **({"credentials": row.credentials} if change.credentials else {})}
    audit(session, caller, "repository.changed", "repository", row.id, facts)
    session.flush()
    return RepositoryOut.of(keeping.kept(session, row))


@router.delete(
    "/repositories/{repository_id}", operation_id="repositories:delete", status_code=204, responses=problems(NotFound)
)
def delete_repository(repository_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a repository, with all that is known of its commits."""
    row = keeping.delete(session, RepositoryId(repository_id))
    audit(session, caller, "repository.deleted", "repository", repository_id, {"name": row.label})


@router.post(
    "/repositories/{repository_id}/fetch",
    operation_id="repositories:fetch",
    status_code=202,
    responses=problems(NotFound, Conflict),
)
def fetch_repository(repository_id: UUID, caller: MayWrite, session: Writing) -> RepositoryOut:
    """Have a repository fetched."""
    keeping.fetch(session, RepositoryId(repository_id))
    return RepositoryOut.of(keeping.kept(session, keeping.find(session, RepositoryId(repository_id))))


@router.post(
    "/repositories/{repository_id}/commits",
    operation_id="commits:record",
    openapi_extra=body_up_to(2048 * KIB, members=20_000),
    responses=problems(NotFound, Refused),
)
def record_commits(repository_id: UUID, told: CommitsIn, caller: MayWrite, session: Writing) -> CommitsRecorded:
    """Write down facts of commits. Telling of one again fills what was open and changes nothing else."""
    new = history.record(session, RepositoryId(repository_id), [one.facts() for one in told.commits])
    return CommitsRecorded(new=new)


@router.get(
    "/repositories/{repository_id}/commits/{sha}",
    operation_id="commits:get",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def get_commit(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Reading) -> CommitPage:
    """Tell of a commit."""
    row = suspecting.find(session, RepositoryId(repository_id), sha)
    repository = keeping.find(session, RepositoryId(repository_id))
    tags = sorted(name for name, tagged in repository.tags.items() if tagged == row.sha)
    return CommitPage(repository=RepositoryBrief.of(repository), commit=RepositoryCommit.of(row, repository), tags=tags)


@router.get(
    "/repositories/{repository_id}/commits/{sha}/diff",
    operation_id="commits:diff",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def get_diff(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Reading) -> CommitDiffOut:
    """Tell what a commit changes line by line, if that has been read."""
    return CommitDiffOut.of(suspecting.diff_of(session, suspecting.find(session, RepositoryId(repository_id), sha)))


@router.post(
    "/repositories/{repository_id}/commits/{sha}/diff",
    operation_id="commits:read-diff",
    status_code=202,
    responses=problems(NotFound, Conflict, Refused),
)
def read_diff(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Writing) -> CommitDiffOut:
    """Have it read what a commit changes line by line."""
    row = suspecting.find(session, RepositoryId(repository_id), sha)
    suspecting.read_diff(session, row)
    session.flush()
    return CommitDiffOut.of(suspecting.diff_of(session, row))


@router.get(
    "/services/{service_id}/commits",
    operation_id="commits:between",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def commits_between(
    service_id: UUID,
    caller: MayRead,
    session: Reading,
    good: Annotated[Spelled, Query()],
    bad: Annotated[Spelled, Query()],
    function: Functions = [],  # noqa: B006 - FastAPI copies defaults
    file: Files = [],  # noqa: B006 - FastAPI copies defaults
    limit: Annotated[int, Query(ge=1, le=MOST_BETWEEN)] = 500,
) -> CommitsBetween:
    """Tell which commits are in a bad build and not in a good one, and how suspicious each is.

    `function` and `file` name what got slower, as profiles name it.
    """
    regressed = Regressed(function, file)
    return CommitsBetween.of(suspecting.suspects(session, ServiceId(service_id), good, bad, regressed, limit=limit))


@router.post(
    "/services/{service_id}/commits/closures",
    operation_id="commits:read-closures",
    responses=problems(NotFound, Conflict, Refused),
)
def read_closures(service_id: UUID, wanted: RangeIn, caller: MayWrite, session: Writing, response: Response) -> Begun:
    """Have it found out which commits of a range change the service's binary."""
    job_id = suspecting.read_closures(session, ServiceId(service_id), wanted.good, wanted.bad)
    response.status_code = 200 if job_id is None else 202
    return Begun(job_id=job_id)


def _built(said: list[BuiltFromIn]) -> list[BuiltFrom]:
    return [BuiltFrom(ServiceId(one.service_id), one.directory, one.main_package) for one in said]


def _sign_in(given: RepositoryCredentialsIn | None) -> SignIn | None:
    if given is None:
        return None
    token, password = given.token, given.password
    return SignIn(
        given.kind,
        token.get_secret_value() if token else "",
        given.username or "",
        password.get_secret_value() if password else "",
    )
