"""Wire shapes of webhooks. A secret is returned once, an API token never."""

from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from slowpath.inventory.webhooks.rules import MOST_SERVICES, DeliveryState, HookKind
from slowpath.inventory.webhooks.tables import Webhook, WebhookDelivery
from slowpath.platform.http.problems import StoredProblem

HookName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Target = Annotated[
    str, StringConstraints(max_length=255, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){1,20}$")
]
Services = Annotated[list[UUID], Field(max_length=MOST_SERVICES)]
Secret = Annotated[SecretStr, Field(max_length=4_000)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


class ProviderApiIn(BaseModel):
    """The API that lists deliveries, for reconciliation."""

    model_config = ConfigDict(extra="forbid")

    url: Url = Field(examples=["https://api.github.com", "https://gitlab.com/api/v4"])
    token: Secret = Field(description="must allow to read and write webhooks of the repository; GitLab: scope api")


class WebhookIn(BaseModel):
    """A new webhook."""

    model_config = ConfigDict(extra="forbid")

    name: HookName
    kind: HookKind
    repository_id: UUID | None = Field(None, description="the repository whose pushes are recorded")
    service_ids: Services = Field(
        [], description="the services that deliveries are about; empty: those built from the repository"
    )
    secret: Secret | None = Field(None, description="your secret; missing: a secret is generated")
    target: Target | None = Field(
        None, description="owner/name or group/subgroup/name; missing: taken from the first delivery"
    )
    api: ProviderApiIn | None = None


class WebhookUpdate(BaseModel):
    """Changes to a webhook."""

    model_config = ConfigDict(extra="forbid")

    name: HookName | None = None
    repository_id: UUID | None = None
    service_ids: Services | None = None
    target: Target | None = None
    api: ProviderApiIn | None = None

    def values(self) -> dict[str, Any]:
        """Return the values that were sent; null removes a repository or a target."""
        changes = self.model_dump(exclude_unset=True, exclude={"api", "name"})
        if self.service_ids is None:
            changes.pop("service_ids", None)
        return changes | ({"label": self.name} if self.name else {})


class WebhookOut(BaseModel):
    """A webhook."""

    id: UUID
    name: str
    kind: HookKind
    address: str = Field(description="URL to enter at the code host")
    repository_id: UUID | None
    service_ids: list[UUID]
    target: str | None
    api_url: str | None
    last_delivery_at: datetime | None
    reconciled_at: datetime | None
    missed_count: int = Field(description="deliveries requested again at the last reconciliation")
    problem: StoredProblem
    created_at: datetime

    @classmethod
    def of(cls, row: Webhook, public_url: str) -> Self:
        """Return the wire shape of a webhook."""
        return cls.model_validate(
            {
                "id": row.id,
                "name": row.label,
                "kind": row.kind,
                "address": f"{public_url.rstrip('/')}/api/v1/webhooks/{row.id}/{row.kind}",
                "repository_id": row.repository_id,
                "service_ids": row.service_ids,
                "target": row.provider_target,
                "api_url": row.api_url,
                "last_delivery_at": row.last_delivery_at,
                "reconciled_at": row.reconciled_at,
                "missed_count": row.missed_count,
                "problem": row.problem,
                "created_at": row.created_at,
            }
        )


class WebhookCreatedOut(BaseModel):
    """A webhook with its secret, which only this response contains."""

    webhook: WebhookOut
    secret: str


class WebhookDeliveryOut(BaseModel):
    """A delivery and the result of its processing."""

    id: UUID
    delivery_id: str
    event: str
    state: DeliveryState
    outcome: str
    size_bytes: int
    created_at: datetime
    processed_at: datetime | None

    @classmethod
    def of(cls, row: WebhookDelivery) -> Self:
        """Return the wire shape of a delivery."""
        same = ("id", "delivery_id", "event", "state", "size_bytes", "created_at")
        return cls.model_validate(
            {name: getattr(row, name) for name in same} | {"outcome": row.outcome, "processed_at": row.processed_at}
        )


class DeliveryAcceptedOut(BaseModel):
    """The stored delivery."""

    delivery_id: str
    state: DeliveryState
    known: bool = Field(description="this delivery, or one with the same content, was already received")
