"""A fake of a Prometheus-compatible API: responds by path, and records the requests."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from slowpath.adapters.egress_policy import parse_url
from slowpath.core.ports import HttpResponse

Responses = Mapping[str, tuple[int, object]]


@dataclass
class PrometheusFake:
    """Returns the given responses."""

    responses: Responses
    asked: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        assert max_bytes > 0
        assert seconds > 0
        self.asked.append((path, dict(query), dict(headers or {})))
        status, content = self.responses.get(path, (404, "nothing here"))
        return HttpResponse(status, content if isinstance(content, bytes) else json.dumps(content).encode())

    def send(
        self,
        method: Literal["POST", "PUT", "PATCH"],
        path: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        max_bytes: int,
        seconds: float,
    ) -> HttpResponse:
        raise AssertionError(f"{method} {path}: nothing is ever sent to a source")


@dataclass
class FakeEgress:
    """Leads to one peer, whatever the address."""

    peer: PrometheusFake
    urls: list[str] = field(default_factory=list)

    def check(self, url: str) -> None:
        parse_url(url)

    @contextmanager
    def opened(self, url: str) -> Iterator[PrometheusFake]:
        parse_url(url)
        self.urls.append(url)
        yield self.peer


def success(data: object) -> tuple[int, object]:
    return 200, {"status": "success", "data": data}
