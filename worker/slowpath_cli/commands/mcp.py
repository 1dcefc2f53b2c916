"""`slowpath mcp`: an MCP server over stdio that forwards to a Slowpath server, for clients that cannot use HTTP."""

import argparse
import os
import sys
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError, stdio_server
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from slowpath_cli.commands.server_arguments import server_of

BAD_ARGUMENTS = 2
NO_SERVER = 3
SECONDS = 60.0
"""A tool waits 25 seconds at most for a result."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `slowpath mcp`."""
    parser.add_argument("--server", "--url", dest="server", metavar="URL", help="the server (default: $SLOWPATH_URL)")
    parser.add_argument("--token", metavar="T", help="the API token (default: $SLOWPATH_TOKEN)")


def run(options: argparse.Namespace) -> int:
    """Forward messages until the client closes stdin."""
    server = options.server or server_of(os.environ)
    token = options.token or os.environ.get("SLOWPATH_TOKEN")
    if not server or not token:
        print("slowpath: set --server and --token, or $SLOWPATH_URL and $SLOWPATH_TOKEN", file=sys.stderr)
        return BAD_ARGUMENTS
    code = 0
    try:
        anyio.run(_forward, f"{server.rstrip('/')}/mcp", token)
    except* (MCPError, httpx2.HTTPError) as errors:
        print(f"slowpath: {server} does not respond as an MCP server: {_first(errors)}", file=sys.stderr)
        code = NO_SERVER
    return code


async def _forward(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), cache=None) as client,
        stdio_server() as (read_stream, write_stream),
    ):
        server = _make_server(client)
        await server.run(read_stream, write_stream, server.create_initialization_options())


def _make_server(client: Client) -> Server[Any]:
    async def list_tools(_context: object, params: PaginatedRequestParams | None) -> ListToolsResult:
        return await client.list_tools(cursor=params.cursor if params else None)

    async def call_tool(_context: object, params: CallToolRequestParams) -> CallToolResult:
        return await client.call_tool(params.name, params.arguments)

    return Server(
        "slowpath", title="Slowpath", instructions=client.instructions, on_list_tools=list_tools, on_call_tool=call_tool
    )


def _first(errors: BaseExceptionGroup[Exception]) -> BaseException:
    found: BaseException = errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
