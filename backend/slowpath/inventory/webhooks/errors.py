"""What can go wrong with hooks."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound


class WebhookNotFound(NotFound):
    """No such hook (in this team, or of this kind)."""

    slug = "hook-not-found"
    title = "No such hook"


class InvalidWebhookSignature(NotAuthenticated):
    """Whoever sent the message does not know the hook's secret, or it was changed on the way."""

    slug = "signature-wrong"
    title = "The signature is not right"


class TooManySignatureFailures(LimitExceeded):
    """Too many wrong signatures in a short time."""

    slug = "too-many-signatures"
    title = "Too many wrong signatures"


class TooManyWebhooks(LimitExceeded):
    """The team has as many hooks as it may."""

    slug = "too-many-hooks"
    title = "Too many hooks"


class MalformedDelivery(InvalidRequest):
    """The message lacks what every message of its kind has."""

    slug = "message-refused"
    title = "The message can not be taken"


class InvalidWebhookSecret(InvalidRequest):
    """A secret that can not be used, or that can not be read any more."""

    slug = "hook-secret-refused"
    title = "The secret or token can not be used"


class ReconciliationNotConfigured(Conflict):
    """The hook can not ask what it missed: it does not know where, or with which token."""

    slug = "nothing-to-reconcile"
    title = "Missed messages can not be looked for"
