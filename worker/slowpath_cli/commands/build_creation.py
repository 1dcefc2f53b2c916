"""Create the build that uploaded files belong to, where it is named by service and commit."""

from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.commands.build_arguments import BuildArguments


def find_or_create_build(server: UploadClient, build: str | BuildArguments | None) -> str | None:
    """Return the ID of the build; service and build are created if they are new. Raises `CollectError`."""
    if not isinstance(build, BuildArguments):
        return build
    return str(server.send_build(build.service, build.commit, build.facts)["id"])
