"""List the repositories at a code host that the credentials of a known repository can read."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, urlsplit

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.github_app import READ_CODE, is_app_credential
from slowpath.core.ports import EgressConnection
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.read_models import HostRepositories, HostRepository
from slowpath.inventory.repositories.rules import HostApi
from slowpath.inventory.repositories.service.host_access import (
    MAX_ANSWER_BYTES,
    SECONDS,
    HostAccess,
    authorize,
    read_json,
)

MOST_PAGES: Final = 10
PER_PAGE: Final = 100
NAME: Final = re.compile(r"~?[\w.-]{1,255}(?:/[\w.-]{1,255}){1,20}", re.ASCII)
BRANCH: Final = re.compile(r"[^\x00-\x20\x7f]{1,250}")
MOST_DESCRIPTION: Final = 300


def list_known_urls(session: ReadSession) -> frozenset[str]:
    """Return the URLs of the repositories that the team has."""
    return frozenset(queries.repository_urls(session))


def list_host_repositories(
    peer: EgressConnection, access: HostAccess, known_urls: Collection[str], now: datetime
) -> HostRepositories:
    """Request the list, at most 1,000 repositories. Raises `InvalidGitCredentials`, and what `peer.get` raises.

    At Bitbucket Cloud it is that of the repository's workspace: it has no list across workspaces.
    """
    found: dict[str, HostRepository] = {}
    path = _PATHS[access.api].format(workspace=quote(access.repository.partition("/")[0], safe=""))
    if is_app_credential(access.secret):
        path = "/installation/repositories"
    with authorize(peer, access, READ_CODE, is_one=False, now=now) as headers:
        for page in range(1, MOST_PAGES + 1):
            answer = peer.get(path, _list_query(access.api, page), headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
            listed = _list_entries(read_json(answer, access, "repositories"), access)
            for one in listed:
                parsed = _parse(one, access, known_urls)
                if parsed is not None:
                    found.setdefault(parsed.url, parsed)
            if not listed:  # a host may return fewer per page than requested
                return HostRepositories(list(found.values()), is_complete=True)
    return HostRepositories(list(found.values()), is_complete=False)


def _list_query(api: HostApi, page: int) -> list[tuple[str, str]]:
    if api == "bitbucket-server":
        return [("limit", str(PER_PAGE)), ("start", str((page - 1) * PER_PAGE))]
    return [*_QUERIES[api], ("page", str(page))]


def _list_entries(content: object, access: HostAccess) -> list[Any]:
    listed = content.get("repositories") or content.get("values") if isinstance(content, dict) else content
    if listed is None and isinstance(content, dict) and ("values" in content or "repositories" in content):
        listed = []
    if not isinstance(listed, list):
        host = urlsplit(access.api_url).netloc
        raise UpstreamUnavailable(f"{host} answered without a list of repositories.", slug="answer-no-list")
    return listed[:PER_PAGE]


def _parse(one: object, access: HostAccess, known_urls: Collection[str]) -> HostRepository | None:
    """Return a repository of the host's answer; None unless it has a name and an address at this host."""
    if not isinstance(one, dict):
        return None
    name = one.get("path_with_namespace") or one.get("full_name") or _name_server_repository(one)
    url = one.get("http_url_to_repo") or one.get("clone_url")
    if access.api == "bitbucket" and isinstance(name, str):
        url = f"{access.origin}/{name}.git"  # the listed address contains a user
    elif access.api == "bitbucket-server" and isinstance(name, str):
        url = f"{access.origin}/scm/{name}.git"
    main = one.get("mainbranch")
    branch = one.get("default_branch") or (main.get("name") if isinstance(main, dict) else None)
    description = one.get("description")
    if not isinstance(name, str) or not NAME.fullmatch(name) or not isinstance(url, str):
        return None
    if not url.startswith(f"{access.origin}/") or not url.removesuffix(".git").endswith(f"/{name}"):
        return None  # credentials are for this host only
    bare = url.removesuffix(".git")
    return HostRepository(
        name,
        url,
        " ".join(description.split())[:MOST_DESCRIPTION] if isinstance(description, str) else "",
        branch if isinstance(branch, str) and BRANCH.fullmatch(branch) else None,
        bool({bare, f"{bare}.git"} & set(known_urls)),
    )


def _name_server_repository(one: Mapping[str, Any]) -> str | None:
    """Return project and name of a repository of Bitbucket Data Center."""
    project = one.get("project")
    key = project.get("key") if isinstance(project, dict) else None
    slug = one.get("slug")
    return f"{key.lower()}/{slug}" if isinstance(key, str) and isinstance(slug, str) else None


_PATHS: Final[Mapping[HostApi, str]] = {
    "github": "/user/repos",
    "gitlab": "/api/v4/projects",
    "gitea": "/api/v1/user/repos",
    "bitbucket": "/2.0/repositories/{workspace}",
    "bitbucket-server": "/rest/api/1.0/repos",
}
_QUERIES: Final[Mapping[HostApi, list[tuple[str, str]]]] = {
    "github": [("per_page", str(PER_PAGE)), ("sort", "pushed")],
    "gitlab": [
        ("per_page", str(PER_PAGE)), ("membership", "true"), ("simple", "true"), ("order_by", "last_activity_at"),
    ],
    "gitea": [("limit", str(PER_PAGE))],
    "bitbucket": [("pagelen", str(PER_PAGE)), ("role", "member"), ("sort", "-updated_on")],
}  # fmt: skip
