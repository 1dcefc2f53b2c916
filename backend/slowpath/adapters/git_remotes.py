"""Addresses from which repositories are fetched: checked as every address is, and handed to git so that it connects there only.

Git gets the addresses that were checked (`http.curloptResolve`) and may follow no redirect, which also switches off the
alternates of the dumb protocol. Secrets go through the environment of the child, never through its arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import certifi

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import SPELLED, parse_url
from slowpath.core.errors import AddressNotAllowed
from slowpath.core.settings import Settings

LOCAL: Final = "file://"


@dataclass(frozen=True)
class ResolvedRemote:
    """An address that was checked, and how git is told to reach it and nothing else."""

    url: str
    options: Sequence[str]
    """`name=value` for `-c`: nothing secret."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


class AllowedRemotes:
    """Asks where `AllowlistedEgressClient` asks: by https; by http only hosts that the operator lists; local folders if set."""

    def __init__(
        self, outside: AllowlistedEgressClient, local: Sequence[Path] = (), authorities: str | None = None
    ) -> None:
        """Fetch by these rules; `authorities` is a file of certificates to trust."""
        self._outside = outside
        self._local = [folder.resolve() for folder in local]
        self._authorities = authorities or certifi.where()

    def check(self, url: str) -> None:
        """Raise `AddressNotAllowed` for an address that is refused by its spelling alone; nothing is looked up."""
        if url.startswith(LOCAL):
            self._local_path(url)
            return
        self._outside.check(url)
        self._check_scheme(url)

    def opened(self, url: str, authorization: str | None) -> ResolvedRemote:
        """Resolve and check an address. Raises `AddressNotAllowed`, `DidNotAnswer`."""
        if url.startswith(LOCAL):
            return ResolvedRemote(LOCAL + str(self._local_path(url)), ["protocol.file.allow=always"])
        self._check_scheme(url)
        place, addresses = self._outside.looked_up(url)
        options = [f"protocol.{place.scheme}.allow=always"]
        if place.literal is None:
            spelled = ",".join(f"[{one}]" if ":" in one else one for one in addresses)
            options.append(f"http.curloptResolve={place.host}:{place.port}:{spelled}")
        host = f"[{place.host}]" if ":" in place.host else place.host
        whole = f"{place.scheme}://{host}:{place.port}{place.path}"
        environment = {"GIT_SSL_CAINFO": self._authorities}
        if authorization is not None:
            environment |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"http.{place.scheme}://{host}:{place.port}/.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: {authorization}",
            }
        return ResolvedRemote(whole, options, environment)

    def _check_scheme(self, url: str) -> None:
        place = parse_url(url)
        if place.scheme == "http" and not self._outside.lists(place):
            raise AddressNotAllowed(
                "Repositories are fetched by https; by http only from hosts that the operator lists.",
                slug="address-scheme",
                remedy="Write https://, or have the host listed in SLOWPATH_EGRESS_ALLOWLIST.",
            )

    def _local_path(self, url: str) -> Path:
        spelled = url.removeprefix(LOCAL)
        if SPELLED.fullmatch(spelled) and spelled.startswith("/") and not set(spelled) & set("%?#\\"):
            path = Path(spelled).resolve()
            if any(path.is_relative_to(folder) for folder in self._local):
                return path
        raise AddressNotAllowed(
            "Local repositories are read only below folders that the operator lists.",
            slug="address-local",
            remedy="The operator can list a folder in SLOWPATH_LOCAL_REPOSITORIES.",
        )


def create_remotes(settings: Settings, outside: AllowlistedEgressClient) -> AllowedRemotes:
    """Return the addresses of repositories as the operator set them."""
    return AllowedRemotes(outside, [Path(one) for one in settings.local_repositories.split(":") if one])
