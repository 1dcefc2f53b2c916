"""The main package that the builds of a bisect have."""

from dataclasses import replace

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.inventory.repositories.errors import RepositoryNotLinked
from slowpath.inventory.repositories.service import commit_graph as commits
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, from_json
from slowpath.verdicts.bisects.tables import Bisect


def resolve_main_package(session: ReadSession, row: Bisect) -> BisectSettings:
    """Return the settings of a bisect, with the directory and main package of its service if they have no package."""
    settings = from_json(row.settings)
    if settings.main_package is not None:
        return settings
    try:
        built = commits.get_service_source(session, ServiceId(row.service_id))
    except RepositoryNotLinked:
        return settings
    if built.repository_id != row.repository_id or settings.directory not in {"", built.directory}:
        return settings
    return replace(settings, directory=built.directory, main_package=built.main_package)
