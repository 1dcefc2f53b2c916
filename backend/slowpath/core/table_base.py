"""The table base: names of constraints, and the mixin for rows of a team.

Every key of a team's row begins with the team, so foreign keys cannot refer to rows of other teams, and tables can be
partitioned by team later. Row-level security is defined in `migrations/baseline.sql`.
"""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import DateTime, ForeignKey, MetaData, Uuid, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from slowpath.core.ids import TeamId, new_id


class Table(DeclarativeBase):
    """Base of all mapped classes."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
        UUID: Uuid(),
    }


class TeamScoped:
    """A row that belongs to exactly one team: primary key (team_id, id)."""

    team_id: Mapped[TeamId] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True, sort_order=-2)
    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id, sort_order=-1)
    created_at: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), server_default=func.clock_timestamp(), sort_order=90
    )
