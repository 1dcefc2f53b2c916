"""Validate the reference of artifacts to their archive, in a transaction of its own, so that no read waits for it."""

from alembic import op

revision = "20261126_1410"
down_revision = "20261126_1400"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE artifact VALIDATE CONSTRAINT fk_artifact_team_id_archive_id")


def downgrade() -> None:
    """Nothing: a valid constraint needs no change."""
