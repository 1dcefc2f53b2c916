"""Errors of webhooks."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound


class WebhookNotFound(NotFound):
    """No such webhook (in this team, or of this kind)."""

    slug = "hook-not-found"
    title = "No such webhook"


class InvalidWebhookSignature(NotAuthenticated):
    """The sender does not have the webhook's secret, or the delivery was changed in transit."""

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
    """The delivery lacks a required part."""

    slug = "message-refused"
    title = "The delivery is malformed"


class InvalidWebhookSecret(InvalidRequest):
    """The secret is invalid, or cannot be decrypted any more."""

    slug = "hook-secret-refused"
    title = "The secret or token cannot be used"


class ReconciliationNotConfigured(Conflict):
    """Reconciliation is not possible: the API or its token is unknown."""

    slug = "nothing-to-reconcile"
    title = "Reconciliation is not configured"
