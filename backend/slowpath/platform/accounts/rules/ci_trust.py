"""Which CI jobs a trust accepts, by the claims of their ID tokens.

Only claims that the code host sets are compared: a job cannot choose its repository, branch or environment.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from slowpath.platform.accounts.rules.account_limits import RateLimit

GITHUB_ISSUER = "https://token.actions.githubusercontent.com"
MAX_TRUSTS = 100
TOKEN_SECONDS = 900
"""How long an exchanged token is valid; a longer job exchanges again."""
EXCHANGES_BY_ADDRESS = RateLimit(120, 60)
EXCHANGES_BY_TRUST = RateLimit(60, 60)
MAX_CLAIM = 500


class CiProvider(StrEnum):
    """The code hosts whose ID tokens are understood."""

    GITHUB = "github"
    GITLAB = "gitlab"


@dataclass(frozen=True)
class CiJob:
    """What the code host states of a CI job; `branch` is None for tags and pull requests."""

    subject: str
    repository: str
    branch: str | None
    environment: str | None


def find_issuer(id_token: str) -> str | None:
    """Return the issuer that an unverified token names; None for what is not a JWT."""
    try:
        payload = id_token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        issuer = claims["iss"]
    except (IndexError, KeyError, TypeError, binascii.Error, ValueError, RecursionError):
        return None
    return issuer if isinstance(issuer, str) and len(issuer) <= MAX_CLAIM else None


def read_job(provider: CiProvider, claims: Mapping[str, Any]) -> CiJob | None:
    """Return the job of verified claims; None if one is missing."""
    is_github = provider is CiProvider.GITHUB
    subject, repository = claims.get("sub"), claims.get("repository" if is_github else "project_path")
    ref, environment = claims.get("ref"), claims.get("environment")
    if not isinstance(subject, str) or not isinstance(repository, str) or not subject or not repository:
        return None
    branch = None
    if claims.get("ref_type") == "branch" and isinstance(ref, str):
        branch = ref.removeprefix("refs/heads/") if is_github else ref
        if is_github and branch == ref:
            branch = None  # refs/pull/7/merge of a pull request
    return CiJob(subject[:MAX_CLAIM], repository, branch, environment if isinstance(environment, str) else None)


def is_trusted(job: CiJob, *, repository: str, branch: str | None, environment: str | None) -> bool:
    """Return whether a trust accepts a job. Repositories are compared without case, as code hosts do."""
    return (
        job.repository.casefold() == repository.casefold()
        and branch in {None, job.branch}
        and environment in {None, job.environment}
    )
