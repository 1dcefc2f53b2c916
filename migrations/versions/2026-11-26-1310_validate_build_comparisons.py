"""Validate the constraints of comparisons of builds, without blocking writes. Code of any version can run with them."""

from alembic import op

revision = "20261126_1310"
down_revision = "20261126_1300"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE comparison VALIDATE CONSTRAINT ck_comparison_origin")
    op.execute("ALTER TABLE build_verdict VALIDATE CONSTRAINT fk_build_verdict_team_id_comparison_id")
    op.execute("ALTER TABLE build_verdict VALIDATE CONSTRAINT fk_build_verdict_team_id_compared_build_id")


def downgrade() -> None:
    """Leave them valid: the version before drops them."""
