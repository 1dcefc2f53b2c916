"""What can go wrong with files."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound, TooLarge


class ArtifactNotFound(NotFound):
    """No such artifact in this team."""

    slug = "artifact-not-found"
    title = "No such artifact"


class UploadNotFound(NotFound):
    """No such upload in this team, or its time is over."""

    slug = "upload-not-found"
    title = "No such upload"


class ArtifactTooLarge(TooLarge):
    """The file is over the limit."""

    slug = "artifact-too-large"
    title = "The file is too large"


class StorageQuotaExceeded(TooLarge):
    """The team stores as much as it may."""

    slug = "team-full"
    title = "The team stores as much as it may"


class EmptyArtifact(InvalidRequest):
    """The file has no bytes."""

    slug = "artifact-empty"
    title = "The file is empty"


class InvalidUploadPart(InvalidRequest):
    """A part does not fit its upload."""

    slug = "part-refused"
    title = "The part does not fit"


class UploadIncomplete(Conflict):
    """Parts are missing."""

    slug = "upload-incomplete"
    title = "Parts are missing"


class UploadComplete(Conflict):
    """The upload is complete and takes no more parts."""

    slug = "upload-complete"
    title = "The upload is complete"


class ArtifactNotRetryable(Conflict):
    """The artifact is decoded, or still on its way."""

    slug = "nothing-to-try-again"
    title = "Nothing to try again"


class MalformedBody(InvalidRequest):
    """The body is not what its headers say."""

    slug = "body-not-understood"
    title = "The body was not understood"


class BuildNotFoundForArtifact(NotFound):
    """The build named for a file does not exist in this team."""

    slug = "build-not-found"
    title = "No such build"
