"""What can go wrong with hooks."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound


class WebhookNotFound(NotFound):
    """No such hook (in this team, or of this kind)."""

    slug = "hook-not-found"
    title = "No such webhook"


class InvalidWebhookSignature(NotAuthenticated):
    """Whoever sent the message does not know the hook's secret, or it was changed on the way."""

    slug = "signature-wrong"
    title = "The signature is invalid"


class TooManySignatureFailures(LimitExceeded):
    """Too many invalid signatures in a short time."""

    slug = "too-many-signatures"
    title = "Too many invalid signatures"


class TooManyWebhooks(LimitExceeded):
    """The team has reached its limit of webhooks."""

    slug = "too-many-hooks"
    title = "Too many webhooks"


class MalformedDelivery(InvalidRequest):
    """The message lacks what every message of its kind has."""

    slug = "message-refused"
    title = "The delivery is malformed"


class InvalidWebhookSecret(InvalidRequest):
    """A secret that can not be used, or that can not be read any more."""

    slug = "hook-secret-refused"
    title = "The secret or token cannot be used"


class ReconciliationNotConfigured(Conflict):
    """The hook can not ask what it missed: it does not know where, or with which token."""

    slug = "nothing-to-reconcile"
    title = "Reconciliation is not configured"
