"""Wire shapes of subscriptions and schedules of mails."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from slowpath.sharing.notifications.rules import NotificationEvent
from slowpath.sharing.notifications.schemas import Events
from slowpath.sharing.subscriptions.read_models import SubscriptionState, UnsubscribePreview
from slowpath.sharing.subscriptions.rules import MailFrequency, MailTimes, SeverityName
from slowpath.sharing.subscriptions.tables import ServiceSubscription

ClockTime = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
ZoneName = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_+/-]+$")]
Hour = Annotated[int, Field(strict=True, ge=0, le=23)]
Weekday = Annotated[int, Field(strict=True, ge=0, le=6)]


class SubscriptionIn(BaseModel):
    """What a subscription includes; what is missing or null stays, or is the default of a new one."""

    model_config = ConfigDict(extra="forbid")

    events: Events | None = None
    min_severity: SeverityName | None = Field(None, description="of production events; other events have no severity")


class SubscriptionOut(BaseModel):
    """The subscription of the caller that applies to a service, and the number of subscribers."""

    service_id: UUID
    is_subscribed: bool = Field(description="true also if the caller is subscribed to all services")
    is_of_all_services: bool
    events: list[NotificationEvent]
    min_severity: SeverityName
    subscribers: int

    @classmethod
    def of(cls, state: SubscriptionState) -> Self:
        """Return the wire shape of a subscription."""
        own = state.subscription
        return cls.model_validate(
            {
                "service_id": state.service_id,
                "is_subscribed": own is not None,
                "is_of_all_services": own is not None and own.service_id is None,
                "events": own.events if own else [],
                "min_severity": own.min_severity if own else "low",
                "subscribers": state.subscribers,
            }
        )


class OwnSubscriptionOut(BaseModel):
    """One subscription of the caller."""

    service_id: UUID | None = Field(description="null: all services without a subscription of the caller")
    events: list[NotificationEvent]
    min_severity: SeverityName

    @classmethod
    def of(cls, row: ServiceSubscription) -> Self:
        """Return the wire shape of a subscription."""
        return cls.model_validate(
            {"service_id": row.service_id, "events": row.events, "min_severity": row.min_severity}
        )


class OwnSubscriptionList(BaseModel):
    """The subscriptions of the caller, that to all services first."""

    items: list[OwnSubscriptionOut]


class MailScheduleIn(BaseModel):
    """When the caller wants the mails of their subscriptions."""

    model_config = ConfigDict(extra="forbid")

    frequency: MailFrequency
    digest_hour: Hour = Field(9, description="hour of a daily or weekly digest, in `time_zone`")
    digest_weekday: Weekday = Field(0, description="day of a weekly digest: 0 is Monday")
    quiet_from: ClockTime | None = Field(None, description="start of the quiet hours, in `time_zone`")
    quiet_to: ClockTime | None = None
    is_high_severity_immediate: StrictBool = Field(
        True, description="whether production events of high severity are mailed at once, whatever the rest says"
    )
    time_zone: ZoneName = Field(description="IANA name; used as long as the account of the caller has no time zone")

    def to_times(self) -> MailTimes:
        """Return the value."""
        return MailTimes(**self.model_dump())


class MailScheduleOut(BaseModel):
    """When the caller gets the mails of their subscriptions."""

    is_stored: bool = Field(description="false: never set, mails are sent at once")
    frequency: MailFrequency
    digest_hour: int
    digest_weekday: int
    quiet_from: str | None
    quiet_to: str | None
    is_high_severity_immediate: bool
    time_zone: str

    @classmethod
    def of(cls, times: MailTimes | None) -> Self:
        """Return the wire shape of a schedule."""
        return cls(is_stored=times is not None, **vars(times or MailTimes()))


class UnsubscribeOut(BaseModel):
    """What an unsubscribe link ends."""

    is_subscribed: bool = Field(description="false: the subscription has ended")
    team_name: str = Field(description="empty if the subscription has ended")
    service_name: str | None = Field(description="null: all services, or the subscription has ended")

    @classmethod
    def of(cls, preview: UnsubscribePreview) -> Self:
        """Return the wire shape of a preview."""
        return cls(**vars(preview))
