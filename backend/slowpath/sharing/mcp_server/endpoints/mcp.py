"""The endpoint of the Model Context Protocol: streamable HTTP without sessions.

Each request is complete: the token is checked, the tools are those that the caller may use, and nothing is stored
between two requests. Both generations of the protocol are served by the reference SDK.
"""

from typing import Any, Final

from fastapi import APIRouter, Request, Response
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from slowpath.platform.accounts.access import Anyone, Caller, MayRead
from slowpath.platform.accounts.rules.roles import ROLE_FOR, SCOPES_FOR, Permission
from slowpath.platform.accounts.service.teams import get_team
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.caller_api import CallerApi
from slowpath.platform.http.request_dependencies import database, scope_of, settings
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi
from slowpath.sharing.mcp_server.endpoints.tool_registry import TOOLS, ToolAnswer
from slowpath.sharing.mcp_server.wording import INSTRUCTIONS, quoted

router = APIRouter(tags=["mcp"])
PATH: Final = "/mcp"
MAX_BODY_BYTES: Final = 64 * KIB


class McpResponse(Response):
    """The response of the SDK to the request."""

    def __init__(self, server: Server[Any]) -> None:
        """Answer with this server."""
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


@router.post(PATH, include_in_schema=False, openapi_extra=body_up_to(MAX_BODY_BYTES), response_class=McpResponse)
def answer_message(request: Request, caller: MayRead) -> Response:
    """Answer one message of an MCP client."""
    with database(request).reading(scope_of(request)) as session:
        home = f"{settings(request).public_url.rstrip('/')}/t/{get_team(session).slug}"
    return McpResponse(_make_server(TeamApi(CallerApi(request), home), can_write=_can_write(caller)))


@router.get(PATH, include_in_schema=False)
@router.delete(PATH, include_in_schema=False)
def refuse_session(_access: Anyone) -> None:
    """Refuse a stream from the server and the end of a session: there are none. Raises 405."""
    raise HTTPException(405, "The MCP server has no sessions: send each message with POST.", {"Allow": "POST"})


def _can_write(caller: Caller) -> bool:
    if caller.token_id is not None:
        return bool(caller.scopes & SCOPES_FOR[Permission.WRITE])
    return caller.role.reaches(ROLE_FOR[Permission.WRITE])


def _make_server(api: TeamApi, *, can_write: bool) -> Server[Any]:
    async def list_tools(_context: object, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[tool.described for tool in TOOLS.values() if can_write or tool.is_read_only])

    async def call_tool(_context: object, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            answer = ToolAnswer(f"There is no tool {quoted(params.name)}. Tools: {', '.join(TOOLS)}.", is_error=True)
        else:
            answer = await tool.call(api, params.arguments or {})
        return CallToolResult(content=[TextContent(type="text", text=answer.text)], is_error=answer.is_error)

    return Server(
        "slowpath", title="Slowpath", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
