"""Check the addresses of repositories, and make git connect only to the checked IP addresses.

Git gets the IP addresses by `http.curloptResolve` and follows no redirects, which also disables the alternates of the dumb
protocol. Secrets are passed in the environment of the process, not as arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import certifi

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import SPELLED, parse_url
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.errors import AddressNotAllowed
from slowpath.core.github_app import INSTALLATION_TOKENS, READ_CODE, find_api_url, is_app_credential, make_git_header
from slowpath.core.settings import Settings

LOCAL: Final = "file://"


@dataclass(frozen=True)
class ResolvedRemote:
    """A checked address, with the git options that restrict connections to it."""

    url: str
    options: Sequence[str]
    """`name=value` for `-c`, without secrets."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


class AllowedRemotes:
    """Allows https addresses of `AllowlistedEgressClient`, http only for listed hosts, and configured local folders."""

    def __init__(
        self, outside: AllowlistedEgressClient, local: Sequence[Path] = (), authorities: str | None = None
    ) -> None:
        """Set the rules; `authorities` is a file of trusted certificates."""
        self._outside = outside
        self._local = [folder.resolve() for folder in local]
        self._authorities = authorities or certifi.where()

    def check(self, url: str) -> None:
        """Check an address without resolving its host. Raises `AddressNotAllowed`."""
        if url.startswith(LOCAL):
            self._local_path(url)
            return
        self._outside.check(url)
        self._check_scheme(url)

    def opened(self, url: str, authorization: str | None) -> ResolvedRemote:
        """Resolve and check an address. Raises `AddressNotAllowed`, `UpstreamUnavailable`."""
        if url.startswith(LOCAL):
            return ResolvedRemote(LOCAL + str(self._local_path(url)), ["protocol.file.allow=always"])
        self._check_scheme(url)
        parsed, addresses = self._outside.looked_up(url)
        options = [f"protocol.{parsed.scheme}.allow=always"]
        if parsed.literal is None:
            text = ",".join(f"[{one}]" if ":" in one else one for one in addresses)
            options.append(f"http.curloptResolve={parsed.host}:{parsed.port}:{text}")
        host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
        checked_url = f"{parsed.scheme}://{host}:{parsed.port}{parsed.path}"
        environment = {"GIT_SSL_CAINFO": self._authorities}
        if authorization is not None:
            if is_app_credential(authorization):
                authorization = self._get_installation_header(url, authorization)
            environment |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"http.{parsed.scheme}://{host}:{parsed.port}/.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: {authorization}",
            }
        return ResolvedRemote(checked_url, options, environment)

    def _get_installation_header(self, url: str, credential: str) -> str:
        """Return the header with a token that may read this repository for an hour."""
        api_url = find_api_url(url)
        with (
            self._outside.opened(api_url) as peer,
            INSTALLATION_TOKENS.use(
                credential, peer, api_url=api_url, repository=url, permissions=READ_CODE, now=SystemClock().now()
            ) as token,
        ):
            return make_git_header(token)

    def _check_scheme(self, url: str) -> None:
        parsed = parse_url(url)
        if parsed.scheme == "http" and not self._outside.lists(parsed):
            raise AddressNotAllowed(
                "Repositories must use https; http is allowed only for hosts on the operator's allowlist.",
                slug="address-scheme",
                remedy="Use https://, or let an operator add the host to SLOWPATH_EGRESS_ALLOWLIST.",
            )

    def _local_path(self, url: str) -> Path:
        text = url.removeprefix(LOCAL)
        if SPELLED.fullmatch(text) and text.startswith("/") and not set(text) & set("%?#\\"):
            path = Path(text).resolve()
            if any(path.is_relative_to(folder) for folder in self._local):
                return path
        raise AddressNotAllowed(
            "Local repositories must be below a folder that the operator allows.",
            slug="address-local",
            remedy="An operator can add the folder to SLOWPATH_LOCAL_REPOSITORIES.",
        )


def create_remotes(settings: Settings, outside: AllowlistedEgressClient) -> AllowedRemotes:
    """Return the rules for repository addresses as configured."""
    return AllowedRemotes(outside, [Path(one) for one in settings.local_repositories.split(":") if one])
