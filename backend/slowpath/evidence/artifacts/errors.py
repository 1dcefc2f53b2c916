"""Errors of artifacts and uploads."""

from slowpath.core.errors import Conflict, InvalidRequest, NotFound, TooLarge


class ArtifactNotFound(NotFound):
    """The team has no such artifact."""

    slug = "artifact-not-found"
    title = "No such artifact"


class UploadNotFound(NotFound):
    """The team has no such upload, or it has expired."""

    slug = "upload-not-found"
    title = "No such upload"


class ArtifactTooLarge(TooLarge):
    """The file exceeds the size limit."""

    slug = "artifact-too-large"
    title = "The file is too large"


class StorageQuotaExceeded(TooLarge):
    """The team has used its storage quota."""

    slug = "team-full"
    title = "The storage quota of the team is used up"


class EmptyArtifact(InvalidRequest):
    """The file has no bytes."""

    slug = "artifact-empty"
    title = "The file is empty"


class InvalidUploadPart(InvalidRequest):
    """A part has the wrong number or size for its upload."""

    slug = "part-refused"
    title = "The part has the wrong number or size"


class UploadIncomplete(Conflict):
    """Parts are missing."""

    slug = "upload-incomplete"
    title = "Parts are missing"


class UploadComplete(Conflict):
    """The upload is complete and accepts no more parts."""

    slug = "upload-complete"
    title = "The upload is complete"


class ArtifactNotRetryable(Conflict):
    """The artifact is decoded, or its decoding is not finished."""

    slug = "nothing-to-try-again"
    title = "The artifact cannot be retried"


class MalformedBody(InvalidRequest):
    """The body does not match its headers, or cannot be parsed."""

    slug = "body-not-understood"
    title = "The body cannot be parsed"


class BuildNotFoundForArtifact(NotFound):
    """The team has no build with the ID given for a file."""

    slug = "build-not-found"
    title = "No such build"
