"""The API as tools use it: typed answers, waiting for jobs, links to pages."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar
from uuid import UUID

from anyio import current_time, sleep, to_thread
from pydantic import BaseModel

from slowpath.analysis.kinds.profiles.views.function_costs import FunctionCosts
from slowpath.platform.http.caller_api import CallerApi, Query
from slowpath.sharing.mcp_server.errors import InvalidToolCall
from slowpath.sharing.mcp_server.rules import pause_after
from slowpath.sharing.mcp_server.schemas.list_answers import ListPageRead, ServiceRead
from slowpath.sharing.mcp_server.wording import quoted

Answer = TypeVar("Answer", bound=BaseModel)
MOST_PAGES = 20
LARGEST_PAGE = 200


class TeamApi:
    """The API of the caller's team."""

    def __init__(self, api: CallerApi, home: str) -> None:
        """Call the API; `home` is the address of the team's pages."""
        self._api = api
        self._home = home

    def link(self, path: str) -> str:
        """Return the address of a page of the team."""
        return f"{self._home}{path}"

    async def read(self, answer: type[Answer], path: str, query: Query | None = None) -> Answer:
        """Return a resource. Raises `ApiRefusal`."""
        return answer.model_validate_json(await self._api.get(path, query))

    async def read_functions(self, view_path: str) -> FunctionCosts:
        """Return the functions of a finished view. Raises `ApiRefusal`."""
        content = await self._api.get(f"{view_path}/chunks/functions")
        return await to_thread.run_sync(FunctionCosts.parse, content)

    async def send(self, answer: type[Answer], path: str, body: Mapping[str, object] | None = None) -> Answer:
        """Send a request and return its response. Raises `ApiRefusal`."""
        return answer.model_validate_json(await self._api.post(path, body))

    async def list_services(self) -> list[ServiceRead]:
        """Return the services of the team, at most 4,000."""
        found: list[ServiceRead] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self.read(ListPageRead[ServiceRead], "/services", {"limit": LARGEST_PAGE, "cursor": cursor})
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    async def get_service_names(self) -> dict[UUID, str]:
        """Return the slugs of services by id."""
        return {service.id: service.slug for service in await self.list_services()}

    async def get_service_id(self, slug: str) -> UUID:
        """Return the id of a service. Raises `InvalidToolCall` if there is none with this slug."""
        services = await self.list_services()
        found = next((service.id for service in services if service.slug == slug), None)
        if found is None:
            known = ", ".join(quoted(service.slug) for service in services[:30]) or "none"
            raise InvalidToolCall(f"No service has the slug {quoted(slug)}. Services: {known}.")
        return found


async def wait_for(
    read: Callable[[], Awaitable[Answer]], is_finished: Callable[[Answer], bool], wait_seconds: float
) -> Answer:
    """Return a resource once it is finished, or as it is after the time."""
    end, looks = current_time() + wait_seconds, 0
    while True:
        found = await read()
        looks += 1
        pause = pause_after(looks)
        if is_finished(found) or current_time() + pause > end:
            return found
        await sleep(pause)
