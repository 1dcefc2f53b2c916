"""What can go wrong with decoded profiles."""

from slowpath.core.errors import NotFound


class ProfileNotFound(NotFound):
    """The artifact is not a decoded profile of this team."""

    slug = "profile-not-found"
    title = "No such profile"
