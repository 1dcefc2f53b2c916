"""Waiting times of pages: first response of a very large view, search and subtrees in it, application shell, first view."""

import gzip
import re
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import httpx

from bench.benchmark_results import BenchmarkResult
from bench.captures import EXAMPLE, ROOT
from bench.comparison_client import ComparisonTiming, compare, newcomer, upload
from bench.generated_profiles import sides
from bench.signed_in_browser import measure_in_browser
from bench.stack_benchmarks import beside_stack
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from support.demo_user import DemoUser

NAME = "page"
STACKS = 100_000  # 1.3 million nodes
REPEATS = 15
FIRST_NODES = 8_192
FIRST_BYTES = 1_000_000
SENT_NODES = 500_000
SHELL_BYTES = 250_000
FIRST_VIEW_MS = 1_000
DIST = ROOT / "frontend" / "dist"


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes two minutes."""
    yield _shell()
    yield from beside_stack("bench.page_latency")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    person = newcomer()
    yield from _first_view(person)
    base, candidate = sides(STACKS, 1, pooled=True)
    large = compare(person, upload(person, base), upload(person, candidate))
    yield from _parts(person, large)


def _parts(person: DemoUser, large: ComparisonTiming) -> Iterator[BenchmarkResult]:
    """Yield the results for a view of more than 500,000 nodes."""
    view = next(view for view in large.comparison["views"] if view["state"] == "done")
    path = f"/comparisons/{large.comparison['id']}/views/{view['id']}"
    first, rest = _packed(person, f"{path}/chunks/first"), _packed(person, f"{path}/chunks/rest")
    columns = read_columns(gzip.decompress(first), "slowpath.diff")
    nodes = columns.header["nodes_total"]
    sent = columns.header["nodes_sent"]
    size = f"a view of {nodes:,} nodes"
    yield BenchmarkResult(
        NAME, f"{size}: nodes in the first answer", sent, goal=f"<= {FIRST_NODES}", met=sent <= FIRST_NODES
    )
    yield BenchmarkResult(
        NAME,
        f"{size}: kB gzipped of the first answer",
        len(first) / 1e3,
        goal="<= 1000",
        met=len(first) <= FIRST_BYTES,
    )
    further = read_columns(gzip.decompress(rest), "slowpath.diff").header["nodes_sent"]
    yield BenchmarkResult(
        NAME,
        f"{size}: nodes sent in both answers",
        sent + further,
        goal="all, or 500,000",
        met=sent + further == min(nodes, SENT_NODES),
    )
    yield BenchmarkResult(NAME, f"{size}: kB gzipped of the rest", len(rest) / 1e3)
    hidden = _exact(columns)
    yield BenchmarkResult(
        NAME, f"{size}: worst error of what marked blocks hide", hidden, goal="0 (1e-9)", met=hidden < 1e-9
    )
    yield BenchmarkResult(NAME, f"{size}: ms of GET first", _ms(lambda: _packed(person, f"{path}/chunks/first")))
    found = _search(person, path, ".")
    everything = found["nodes"] == nodes - 1
    yield BenchmarkResult(NAME, f"{size}: nodes a search goes over", found["nodes"] + 1, goal="all", met=everything)
    yield BenchmarkResult(NAME, f"{size}: ms of a search", _ms(lambda: _search(person, path, "Method00(1|2).*")))
    deep = int(columns.arrays["node_id"][columns.arrays["hidden_nodes"].argmax()])
    yield BenchmarkResult(
        NAME, f"{size}: ms of a subtree", _ms(lambda: person.http.get(f"/api/v1{path}/subtree?node_id={deep}"))
    )


def _exact(columns: ColumnFile) -> float:
    """Return the largest difference between a node's total and the sum of its self value, shown children and hidden block, as a share."""
    ids, parents = columns.arrays["node_id"].tolist(), columns.arrays["node_parent"].tolist()
    worst = 0.0
    for side in ("base", "candidate"):
        total, own, hidden = (
            columns.arrays[name].tolist() for name in (f"{side}_total", f"{side}_self", f"hidden_{side}")
        )
        left = {node: total[i] - own[i] - hidden[i] for i, node in enumerate(ids)}
        for i in range(1, len(ids)):
            left[parents[i]] -= total[i]
        worst = max(worst, *(abs(each) / total[0] for each in left.values()))
    return worst


def _packed(person: DemoUser, path: str) -> bytes:
    """A part of a view as sent."""
    with person.http.stream("GET", f"/api/v1{path}", headers={"Accept-Encoding": "gzip"}) as answer:
        answer.raise_for_status()
        return b"".join(answer.iter_raw())


def _search(person: DemoUser, path: str, pattern: str) -> dict[str, Any]:
    found: dict[str, Any] = person.call("GET", f"{path}/search", params={"pattern": pattern, "regex": True})
    return found


def _ms(ask: Callable[[], bytes | dict[str, Any] | httpx.Response]) -> float:
    """Return the median milliseconds of a response, without the first one."""
    ask()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        ask()
        times.append((time.perf_counter() - began) * 1e3)
    return median(times)


def _shell() -> BenchmarkResult:
    """Return the bytes needed before the page shows anything: document, scripts, styles and their imports."""
    document = (DIST / "index.html").read_text()
    waiting = re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css))"', document)
    seen: dict[str, int] = {"/index.html": len(gzip.compress(document.encode(), 6))}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            content = (DIST / name.lstrip("/")).read_bytes()
            seen[name] = len(gzip.compress(content, 6))
            waiting += imported(content.decode(), name) if name.endswith(".js") else []
    size = sum(seen.values())
    return BenchmarkResult(
        NAME, f"kB gzipped of the app shell, {len(seen)} files", size / 1e3, goal="<= 250", met=size <= SHELL_BYTES
    )


def imported(script: str, name: str) -> list[str]:
    """Return the static imports of a built script, as paths from the root."""
    folder = name.rpartition("/")[0]
    found = re.findall(r"""(?:\bfrom|\bimport)\s*["']\./([^"']+\.js)["']""", script)
    return [f"{folder}/{each}" for each in found]


def _first_view(person: DemoUser) -> Iterator[BenchmarkResult]:
    """Yield the loading times of the example's comparison in a browser with an empty cache."""
    sets = [upload(person, sorted((EXAMPLE / each).glob("*.pb.gz"))) for each in ("inlined", "helper")]
    made = compare(person, *sets)
    seen = measure_in_browser(person, "first_view.mjs", f"comparisons/{made.comparison['id']}")
    if seen is None:
        return
    for what, value in (("findings", seen["findings_ms"]), ("graph", seen["graph_ms"])):
        yield BenchmarkResult(
            NAME,
            f"ms from navigation to the {what} of the example, nothing cached",
            value,
            goal=f"< {FIRST_VIEW_MS}",
            met=value < FIRST_VIEW_MS,
        )
