"""The address of Valkey or Redis: one server, or the servers that Sentinel watches.

`BROKER_URL` is `redis://host:port/0`, or `sentinel://user:password@host:26379,host:26379/primary?db=0`. User and password
are those of the servers; `sentinel_password` (and `sentinel_user`) in the query those of the Sentinels. `sentinels://` is the
same with TLS to the Sentinels and the servers, with the files `ssl_ca_certs`, `ssl_certfile` and `ssl_keyfile` in the query, as
`rediss://` has them.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.sentinel import Sentinel

SENTINEL: Final = "sentinel"
SENTINEL_TLS: Final = "sentinels"
SENTINEL_PORT: Final = 26379
SCHEMES: Final = {"valkey": "redis", "valkeys": "rediss", "redis+socket": "unix", "redis+unix": "unix"}
TLS_FILES: Final = {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}
QUERY: Final = {"db", "sentinel_user", "sentinel_password"}


@dataclass(frozen=True)
class SentinelAddress:
    """Sentinels, the name under which they watch the servers, and how to sign in."""

    sentinels: tuple[tuple[str, int], ...]
    primary: str
    username: str | None = None
    password: str | None = None
    database: int = 0
    sentinel_username: str | None = None
    sentinel_password: str | None = None
    tls_files: tuple[tuple[str, str], ...] | None = None
    """Files of TLS by name, which may be none; None without TLS."""

    @property
    def tls(self) -> dict[str, Any]:
        """Return the arguments of TLS; certificates are always verified."""
        if self.tls_files is None:
            return {}
        return {"ssl_cert_reqs": "required", "ssl_check_hostname": True, **dict(self.tls_files)}

    @property
    def client_tls(self) -> dict[str, Any]:
        """Return the arguments of TLS for a client that has the switch `ssl`."""
        return {"ssl": True, **self.tls} if self.tls else {}

    @property
    def sign_in(self) -> dict[str, str]:
        """Return user and password of the servers."""
        return _present(username=self.username, password=self.password)

    @property
    def sentinel_sign_in(self) -> dict[str, str]:
        """Return user and password of the Sentinels."""
        return _present(username=self.sentinel_username, password=self.sentinel_password)

    @property
    def celery_url(self) -> str:
        """Return the URLs of the Sentinels as Celery reads them; only the first has user, password and database."""
        user, password = quote(self.username or "", safe=""), quote(self.password or "", safe="")
        sign_in = f"{user}:{password}@" if user or password else ""
        first, *rest = (f"{_bracketed(host)}:{port}" for host, port in self.sentinels)
        return ";".join([f"sentinel://{sign_in}{first}/{self.database}", *(f"sentinel://{each}" for each in rest)])

    @property
    def limits_url(self) -> str:
        """Return the URL as the rate limits read it, without user and password."""
        return (
            f"redis+sentinel://{','.join(f'{_bracketed(host)}:{port}' for host, port in self.sentinels)}/{self.primary}"
        )


def read_sentinel_address(url: str) -> SentinelAddress | None:
    """Return the Sentinels of a URL; None if it names one server. Raises `ValueError`."""
    parts = urlsplit(url)
    if parts.scheme not in {SENTINEL, SENTINEL_TLS}:
        return None
    sign_in, _, hosts = parts.netloc.rpartition("@")
    user, _, password = sign_in.partition(":")
    sentinels = tuple(_read_host(host.strip()) for host in hosts.split(",") if host.strip())
    primary, query = parts.path.strip("/"), {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if not sentinels or not primary or "/" in primary:
        raise ValueError("BROKER_URL must be sentinel://host:26379,host:26379/name, with the name of the primary")
    known = QUERY | TLS_FILES if parts.scheme == SENTINEL_TLS else QUERY
    if unknown := sorted(query.keys() - known):
        raise ValueError(f"BROKER_URL has the unknown parameter {unknown[0]}; there is {', '.join(sorted(known))}")
    return SentinelAddress(
        sentinels,
        primary,
        unquote(user) or None,
        unquote(password) or None,
        int(query.get("db", 0)),
        query.get("sentinel_user"),
        query.get("sentinel_password"),
        tuple((name, query[name]) for name in sorted(TLS_FILES & query.keys()))
        if parts.scheme == SENTINEL_TLS
        else None,
    )


@contextmanager
def connected(broker_url: str, **timeouts: Any) -> Iterator[Redis]:  # noqa: ANN401 - arguments of the client
    """Provide a client of the server, or of the present primary; connections to a former one fail."""
    address = read_sentinel_address(broker_url)
    if address is None:
        with Redis.from_url(_client_url(broker_url), **timeouts) as client:
            yield client
        return
    sentinel = Sentinel(**_sentinel_arguments(address, timeouts))  # type: ignore[no-untyped-call]  # the library has few types
    try:
        with sentinel.master_for(address.primary) as client:  # type: ignore[no-untyped-call]  # as above
            yield client
    finally:
        for each in sentinel.sentinels:
            each.close()


@asynccontextmanager
async def connected_async(broker_url: str, **timeouts: Any) -> AsyncIterator[AsyncRedis]:  # noqa: ANN401 - as above
    """Provide an asynchronous client of the server, or of the present primary; connections to a former one fail."""
    address = read_sentinel_address(broker_url)
    if address is None:
        async with AsyncRedis.from_url(_client_url(broker_url), **timeouts) as client:
            yield client
        return
    sentinel = AsyncSentinel(**_sentinel_arguments(address, timeouts))  # type: ignore[no-untyped-call]  # as above
    try:
        async with sentinel.master_for(address.primary) as client:
            yield client
    finally:
        for each in sentinel.sentinels:
            await each.aclose()


def _client_url(broker_url: str) -> str:
    """Return the URL as the client names its scheme."""
    parts = urlsplit(broker_url)
    return parts._replace(scheme=SCHEMES.get(parts.scheme, parts.scheme)).geturl()


def _sentinel_arguments(address: SentinelAddress, timeouts: dict[str, Any]) -> dict[str, Any]:
    of_sockets = {name: value for name, value in timeouts.items() if name.startswith("socket_")}
    return {
        "sentinels": address.sentinels,
        "sentinel_kwargs": {**of_sockets, **address.sentinel_sign_in, **address.client_tls},
        "db": address.database,
        **address.client_tls,
        **address.sign_in,
        **timeouts,
    }


def _present(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}


def _read_host(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(f"BROKER_URL names a Sentinel without a host: {text!r}")
    return parts.hostname, parts.port or SENTINEL_PORT


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
