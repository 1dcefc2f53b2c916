"""Folder of the mirrors of all teams on this machine."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from slowpath.adapters.git_history import MirrorHistory
from slowpath.adapters.git_mirror import GitLimits, GitMirror
from slowpath.adapters.git_remotes import AllowedRemotes
from slowpath.core.ids import RepositoryId, TeamId
from slowpath.core.settings import Settings


class LocalGitMirrors:
    """Mirrors below one folder, one folder per team and one per repository in it."""

    def __init__(self, folder: Path, remotes: AllowedRemotes, limits: GitLimits) -> None:
        """Store mirrors in `folder`, fetched from `remotes` within `limits`."""
        self._folder, self._remotes, self._limits = folder, remotes, limits

    def get_mirror(self, team_id: TeamId, repository_id: RepositoryId) -> GitMirror:
        """Return the mirror of a repository, whether or not it was fetched."""
        return GitMirror(self.team_folder(team_id) / str(repository_id), self._remotes, self._limits)

    def get_history(
        self,
        team_id: TeamId,
        repository_id: RepositoryId,
        label: str,
        check: Callable[[], None],
        fetch: Callable[[], None],
    ) -> MirrorHistory:
        """Return the commit graph of a mirror; `fetch` is called once if a commit is missing."""
        return MirrorHistory(label, self.get_mirror(team_id, repository_id), check, fetch)

    def delete_team(self, team_id: TeamId) -> None:
        """Delete all mirrors of a team."""
        shutil.rmtree(self.team_folder(team_id), ignore_errors=True)

    def team_folder(self, team_id: TeamId) -> Path:
        """Return the folder of a team's mirrors."""
        return self._folder / str(team_id)


def create_mirrors(settings: Settings, remotes: AllowedRemotes) -> LocalGitMirrors:
    """Return the mirrors as configured."""
    scratch = settings.scratch_dir or Path(tempfile.gettempdir())
    limits = GitLimits(settings.max_repository_bytes, settings.git_seconds)
    return LocalGitMirrors(settings.git_dir or scratch / "slowpath-git", remotes, limits)
