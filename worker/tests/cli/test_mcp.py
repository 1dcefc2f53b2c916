"""Tools over real files, with the worker beside the app; and `slowpath mcp` between a client and a server."""

import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from fastapi.testclient import TestClient
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath_cli.main import main
from tests.cli.test_build_gate import working
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.jobs.conftest import bench as plain_bench  # noqa: F401 - as above
from tests.support.app_under_test import AppUnderTest
from tests.support.served_app import served
from tests.tasks.conftest import PROFILES, bench, settings  # noqa: F401 - as above
from tests.tasks.test_decode_handlers import put, run_all

pytestmark = [pytest.mark.database, pytest.mark.processes]
Found = TypeVar("Found")
TRACE = Path(__file__).parents[2] / "decode" / "testdata" / "traces" / "go125-svc.trace"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def server(app: AppUnderTest, bench: Bench) -> Iterator[str]:  # noqa: F811 - a fixture's name
    with served(app) as address, working(bench):
        yield address


@pytest.fixture
def token(people: AccountsFactory, team: SomeTeam) -> str:  # noqa: F811 - a fixture's name
    return people.token(team, TokenScope.WRITE).secret


def over_http(server: str, token: str, do: Callable[[Client], Coroutine[Any, Any, Found]]) -> Found:
    async def connected() -> Found:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{server}/mcp", http_client=http)) as client,  # noqa: F811
        ):
            return await do(client)

    return anyio.run(connected)


async def call(client: Client, name: str, **arguments: object) -> str:  # noqa: F811
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    return content.text


def test_profiles_and_traces_are_explained(client: TestClient, bench: Bench, server: str, token: str) -> None:  # noqa: F811
    base, candidate = (
        put(client, (PROFILES / name).read_bytes()) for name in ("go-cpu-1.26.pb.gz", "x-tools-cpu.pb.gz")
    )
    trace = put(client, TRACE.read_bytes())

    async def do(client: Client) -> dict[str, str]:
        sides = {side: {"artifact_ids": [each["id"]]} for side, each in (("base", base), ("candidate", candidate))}
        compared = await call(client, "compare", **sides)
        comparison_id = compared.partition("comparison_id: ")[2].split()[0]
        top = await call(client, "top_functions", artifact_ids=[base["id"]], limit=3)
        function = top.partition("\n1. ")[2].split('"')[1]
        return {
            "compared": compared,
            "again": await call(client, "get_comparison", comparison_id=comparison_id),
            "top": top,
            "exact": await call(client, "function_diff", comparison_id=comparison_id, function=function),
            "part": await call(client, "function_diff", comparison_id=comparison_id, function="RUNTIME."),
            "waits": await call(client, "longest_waits", artifact_id=trace["id"], limit=2),
        }

    answers = over_http(server, token, do)

    assert "state: done\n" in answers["compared"]
    assert "\nverdict: " in answers["compared"]
    assert answers["again"].splitlines()[:4] == answers["compared"].splitlines()[:4]
    assert "3 of " in answers["top"]
    assert "\n3. " in answers["top"]
    assert "\n4. " not in answers["top"]
    assert "functions are left out: set a higher limit" in answers["top"]
    assert answers["exact"].count("function: ") == 1
    assert "  base: self " in answers["exact"]
    assert "base source: " in answers["exact"]
    assert answers["part"].count("function: ") == 10
    assert "waited " in answers["waits"]
    assert "\n2. " in answers["waits"]
    assert "\n3. " not in answers["waits"]
    run_all(bench)


def test_the_command_offers_the_same_tools_over_stdio(server: str, token: str) -> None:
    environment = {"SLOWPATH_URL": server, "SLOWPATH_TOKEN": token, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "slowpath_cli.main", "mcp"], env=environment, cwd=ROOT
    )

    async def do(client: Client) -> tuple[list[str], str | None, str]:  # noqa: F811
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, client.instructions, await call(client, "list_services")

    async def connected() -> tuple[list[str], str | None, str]:
        async with Client(command) as client:  # noqa: F811
            return await do(client)

    assert anyio.run(connected) == over_http(server, token, do)


def test_without_a_server_the_command_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLOWPATH_URL", "SLOWPATH_SERVER", "SLOWPATH_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    assert main(["mcp", "--server", "http://127.0.0.1:9"]) == 2
    assert main(["mcp", "--server", "http://127.0.0.1:9", "--token", "x"]) == 3
    assert "http://127.0.0.1:9 does not respond as an MCP server" in capsys.readouterr().err
