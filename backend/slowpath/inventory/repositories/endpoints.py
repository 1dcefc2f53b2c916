"""HTTP endpoints of repositories, commits and commit ranges."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request, Response

from slowpath.core.errors import (
    AddressNotAllowed,
    Conflict,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    TooLarge,
    Unavailable,
    UpstreamUnavailable,
)
from slowpath.core.git_ports import GitRemotePolicy
from slowpath.core.ids import DeployId, RepositoryId, ServiceId
from slowpath.inventory.repositories.schemas.commit_schemas import (
    CommitDetailOut,
    CommitDiffOut,
    CommitPeopleOut,
    CommitRangeIn,
    CommitsIn,
    CommitsRecordedOut,
    DeploymentPeopleOut,
    JobStartedOut,
    RepositoryCommit,
)
from slowpath.inventory.repositories.schemas.repository_schemas import (
    HostRepositoriesOut,
    RepositoryCredentialsIn,
    RepositoryIn,
    RepositoryOut,
    RepositoryRef,
    RepositoryUpdate,
    ServiceSourceIn,
    Sha,
)
from slowpath.inventory.repositories.service import (
    commit_graph,
    host_access,
    host_repositories,
    people,
    pull_requests,
    repositories,
    suspect_commits,
)
from slowpath.inventory.repositories.service.repositories import GitCredentials, ServiceSource
from slowpath.platform.accounts.access import MayManage, MayRead, MayWrite, take_check_turn
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import (
    DatabaseOf,
    Mirrors,
    Now,
    Reading,
    Seals,
    WayOut,
    Writing,
    scope_of,
)

router = APIRouter(prefix="/api/v1", tags=["repositories"])


def remotes_of(request: Request) -> GitRemotePolicy:
    """Return the rules for repository URLs that the app configures."""
    found: GitRemotePolicy = request.app.state.remotes
    return found


Places = Annotated[GitRemotePolicy, Depends(remotes_of)]
ShaOf = Annotated[Sha, Path(description="a commit SHA of 40 hexadecimal digits")]


@router.get(
    "/repositories",
    operation_id="repositories:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def list_repositories(caller: MayRead, session: Reading, paging: Paging) -> Page[RepositoryOut]:
    """List repositories, newest first."""
    rows = repositories.list_repositories(session, paging.after, paging.limit + 1)
    return paging.page(rows, RepositoryOut.of, lambda found: (found.row.created_at, found.row.id))


@router.post(
    "/repositories",
    operation_id="repositories:create",
    openapi_extra=body_up_to(896 * KIB, members=3_000),
    status_code=201,
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def create_repository(
    body: RepositoryIn, caller: MayManage, session: Writing, remotes: Places, sealer: Seals
) -> RepositoryOut:
    """Create a repository. A repository with a URL is fetched immediately."""
    row = repositories.create_repository(
        session,
        sealer,
        remotes,
        label=body.name,
        url=body.url,
        kind=body.kind,
        web_url=str(body.web_url).rstrip("/") if body.web_url else None,
        file_template=body.file_template,
        sign_in=_sign_in(body.credentials) or GitCredentials("none"),
        credentials_of=RepositoryId(body.credentials_of) if body.credentials_of else None,
        services=_built(body.services),
    )
    facts = {"name": row.label, "url": row.url, "credentials": row.credentials}
    record_audit_event(session, caller, "repository.created", "repository", row.id, facts)
    return RepositoryOut.of(repositories.get_repository_with_services(session, row))


@router.get(
    "/repositories/{repository_id}",
    operation_id="repositories:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_repository(repository_id: UUID, caller: MayRead, session: Reading) -> RepositoryOut:
    """Return one repository."""
    return RepositoryOut.of(
        repositories.get_repository_with_services(
            session, repositories.get_repository(session, RepositoryId(repository_id))
        )
    )


@router.patch(
    "/repositories/{repository_id}",
    operation_id="repositories:update",
    openapi_extra=body_up_to(896 * KIB, members=3_000),
    responses=document_problems(NotFound, Conflict, InvalidRequest, AddressNotAllowed),
)
def change_repository(
    repository_id: UUID,
    change: RepositoryUpdate,
    caller: MayManage,
    session: Writing,
    remotes: Places,
    sealer: Seals,
) -> RepositoryOut:
    """Update a repository."""
    changes = change.model_dump(exclude_unset=True, mode="json")
    values = {
        "label" if name == "name" else name: changes[name]
        for name in ("name", "url", "kind", "web_url")
        if changes.get(name)
    }
    if "web_url" in values:
        values["web_url"] = str(values["web_url"]).rstrip("/")
    if "file_template" in changes:
        values["file_template"] = changes["file_template"]
    row = repositories.update_repository(
        session,
        sealer,
        remotes,
        RepositoryId(repository_id),
        values=values,
        sign_in=_sign_in(change.credentials),
        services=None if change.services is None else _built(change.services),
    )
    facts = {**values, **({"credentials": row.credentials} if change.credentials else {})}
    record_audit_event(session, caller, "repository.updated", "repository", row.id, facts)
    session.flush()
    return RepositoryOut.of(repositories.get_repository_with_services(session, row))


@router.delete(
    "/repositories/{repository_id}",
    operation_id="repositories:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_repository(repository_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a repository with all its commits."""
    row = repositories.delete_repository(session, RepositoryId(repository_id))
    record_audit_event(session, caller, "repository.deleted", "repository", repository_id, {"name": row.label})


@router.get(
    "/repositories/{repository_id}/host-repositories",
    dependencies=[Depends(take_check_turn, scope="function")],
    operation_id="repositories:list-at-host",
    responses=document_problems(
        NotFound, Conflict, InvalidRequest, AddressNotAllowed, TooLarge, UpstreamUnavailable, Unavailable
    ),
)
def list_host_repositories(
    repository_id: UUID,
    caller: MayManage,
    request: Request,
    database: DatabaseOf,
    clock: Now,
    outside: WayOut,
    sealer: Seals,
) -> HostRepositoriesOut:
    """List the repositories at the code host of a repository that its credentials can read, at most 1,000."""
    with database.reading(
        scope_of(request)
    ) as session:  # closed before the requests to the host, which can take seconds
        access = host_access.get_host_access(session, RepositoryId(repository_id), sealer)
        known = host_repositories.list_known_urls(session)
    with outside.opened(access.api_url) as peer:
        return HostRepositoriesOut.of(host_repositories.list_host_repositories(peer, access, known, clock.now()))


@router.post(
    "/repositories/{repository_id}/fetch",
    operation_id="repositories:fetch",
    status_code=202,
    responses=document_problems(NotFound, Conflict),
)
def fetch_repository(repository_id: UUID, caller: MayWrite, session: Writing) -> RepositoryOut:
    """Enqueue a fetch of a repository."""
    repositories.enqueue_fetch(session, RepositoryId(repository_id))
    return RepositoryOut.of(
        repositories.get_repository_with_services(
            session, repositories.get_repository(session, RepositoryId(repository_id))
        )
    )


@router.post(
    "/repositories/{repository_id}/commits",
    operation_id="commits:record",
    openapi_extra=body_up_to(2048 * KIB, members=20_000),
    responses=document_problems(NotFound, InvalidRequest),
)
def record_commits(repository_id: UUID, sent: CommitsIn, caller: MayWrite, session: Writing) -> CommitsRecordedOut:
    """Record commit metadata. Sending a commit again only fills missing fields."""
    new = commit_graph.record_commits(session, RepositoryId(repository_id), [one.facts() for one in sent.commits])
    return CommitsRecordedOut(new=new)


@router.get(
    "/repositories/{repository_id}/commits/{sha}",
    operation_id="commits:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def get_commit(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Reading) -> CommitDetailOut:
    """Return one commit."""
    row = suspect_commits.get_commit(session, RepositoryId(repository_id), sha)
    repository = repositories.get_repository(session, RepositoryId(repository_id))
    tags = sorted(name for name, tagged in repository.tags.items() if tagged == row.sha)
    return CommitDetailOut(
        repository=RepositoryRef.of(repository), commit=RepositoryCommit.of(row, repository), tags=tags
    )


@router.get(
    "/repositories/{repository_id}/commits/{sha}/diff",
    operation_id="commits:diff",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def get_diff(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Reading) -> CommitDiffOut:
    """Return the line changes of a commit, if they were extracted."""
    return CommitDiffOut.of(
        suspect_commits.get_diff(session, suspect_commits.get_commit(session, RepositoryId(repository_id), sha))
    )


@router.post(
    "/repositories/{repository_id}/commits/{sha}/diff",
    operation_id="commits:load-diff",
    status_code=202,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def read_diff(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Writing) -> CommitDiffOut:
    """Enqueue the extraction of the line changes of a commit, and the request for its pull request at the code host."""
    row = suspect_commits.get_commit(session, RepositoryId(repository_id), sha)
    pull_requests.enqueue_lookup(session, RepositoryId(repository_id), row.sha)
    suspect_commits.read_diff(session, row)
    session.flush()
    return CommitDiffOut.of(suspect_commits.get_diff(session, row))


@router.get(
    "/repositories/{repository_id}/commits/{sha}/people",
    operation_id="commits:people",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def get_people(repository_id: UUID, sha: ShaOf, caller: MayRead, session: Reading, mirrors: Mirrors) -> CommitPeopleOut:
    """Return author and reviewers of a commit, and the owners of the files that it changes."""
    return CommitPeopleOut.of(people.get_people(session, mirrors, RepositoryId(repository_id), sha))


@router.get(
    "/deployments/{deployment_id}/people",
    operation_id="deployments:people",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def get_deployment_people(
    deployment_id: UUID, caller: MayRead, session: Reading, mirrors: Mirrors
) -> DeploymentPeopleOut:
    """Return the authors of the commits since the former deployment, and the owners of the files that they change."""
    return DeploymentPeopleOut.of(people.get_deployment_people(session, mirrors, DeployId(deployment_id)))


@router.post(
    "/services/{service_id}/package-closures",
    operation_id="package-closures:compute",
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def read_closures(
    service_id: UUID, body: CommitRangeIn, caller: MayWrite, session: Writing, response: Response
) -> JobStartedOut:
    """Enqueue a job that finds the commits of a range that change the service's binary."""
    job_id = suspect_commits.read_closures(session, ServiceId(service_id), body.good, body.bad)
    response.status_code = 200 if job_id is None else 202
    return JobStartedOut(job_id=job_id)


def _built(changes: list[ServiceSourceIn]) -> list[ServiceSource]:
    return [ServiceSource(ServiceId(one.service_id), one.directory, one.main_package) for one in changes]


def _sign_in(given: RepositoryCredentialsIn | None) -> GitCredentials | None:
    if given is None:
        return None
    token, password = given.token, given.password
    return GitCredentials(
        given.kind,
        token.get_secret_value() if token else "",
        given.username or "",
        password.get_secret_value() if password else "",
    )
