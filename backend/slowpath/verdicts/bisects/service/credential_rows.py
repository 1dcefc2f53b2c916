"""The check of the credentials of the repositories that a search reads."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from slowpath.verdicts.bisects.rules.preflight import PreflightCheck, PreflightFix, RangeReport, RepositoryCredentials

SOON: Final = timedelta(days=14)
"""Time before the end of a token from which it is a warning."""


def make_rows(report: RangeReport | None, now: datetime) -> list[PreflightCheck]:
    """Return the check of the credentials as of now; none if no repository has credentials."""
    found = () if report is None else report.credentials
    if not found:
        return []
    refused = [one for one in found if one.state == "refused" or _is_over(one, now)]
    if refused:
        details = " ".join(_describe_refused(one) for one in refused)
        title = "Credentials are refused"
        return [_row("missing", title, f"{len(found) - len(refused)} of {len(found)}", details, refused)]
    soon = [one for one in found if one.expires_at is not None and _end(one) - now < SOON]
    if soon:
        details = " ".join(f"The token of {one.label} expires on {_day(one)}." for one in soon)
        days = min((_end(one) - now).days for one in soon)
        value = "today" if days == 0 else "1 day" if days == 1 else f"{days} days"
        return [_row("warning", "A token expires soon", value, details, soon)]
    unknown = [one for one in found if one.state == "unknown"]
    if unknown:
        details = " ".join(f"{one.label}: {one.detail}" for one in unknown)
        return [_row("warning", "Credentials could not be checked", "", details, ())]
    return [PreflightCheck("credentials", "ok", "Credentials work", f"{len(found)} of {len(found)}", _validity(found))]


def _row(state: str, title: str, value: str, details: str, of: Sequence[RepositoryCredentials]) -> PreflightCheck:
    fixes = [PreflightFix("set-credentials", f"Enter another token for {one.label}", one.repository_id) for one in of]
    again = PreflightFix("run-again", "Check again")
    return PreflightCheck(
        "credentials", "missing" if state == "missing" else "warning", title, value, details, (*fixes, again)
    )


def _validity(found: Sequence[RepositoryCredentials]) -> str:
    first = min((one for one in found if one.expires_at is not None), key=_end, default=None)
    if first is None:
        return "The code hosts state no end of their validity."
    return f"The first token to expire is that of {first.label}, on {_day(first)}."


def _describe_refused(one: RepositoryCredentials) -> str:
    if one.state == "refused":
        return f"{one.label}: {one.detail}"
    return f"The token of {one.label} expired on {_day(one)}."


def _is_over(one: RepositoryCredentials, now: datetime) -> bool:
    return one.expires_at is not None and _end(one) <= now


def _end(one: RepositoryCredentials) -> datetime:
    return datetime.fromisoformat(one.expires_at or "")


def _day(one: RepositoryCredentials) -> str:
    return f"{_end(one):%Y-%m-%d %H:%M} UTC"
