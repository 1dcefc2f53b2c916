"""What a team allows outside of Slowpath: share links, sites that embed panels, and links to Grafana."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.sharing.reports import queries


@dataclass(frozen=True)
class TeamShareSettings:
    """The settings of a team."""

    are_links_allowed: bool = True
    embedding_origins: tuple[str, ...] = ()
    dashboard_url: str = ""


def get_share_settings(session: ReadSession) -> TeamShareSettings:
    """Return the settings of the team."""
    row = queries.find_share_settings(session)
    if row is None:
        return TeamShareSettings()
    return TeamShareSettings(row.are_links_allowed, tuple(row.embedding_origins), row.dashboard_url)


def update_share_settings(session: WriteSession, values: Mapping[str, Any]) -> None:
    """Change some of the settings. Without share links, all of them are disabled until they are allowed again."""
    if values:
        queries.update_share_settings(session, values)
