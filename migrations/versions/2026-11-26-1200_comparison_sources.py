"""Comparisons store where the artifacts of each side come from; builds, deployments and comparisons are found faster.

Users change a side without choosing the other one again, and search 10,000 builds without waiting. Code before this
version ignores the column, so it can run with this schema.
"""

from alembic import op

revision = "20261126_1200"
down_revision = "20261126_1100"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE comparison ADD COLUMN sources jsonb DEFAULT '{}' NOT NULL")
    op.execute("CREATE INDEX ix_comparison_created_by ON comparison (team_id, created_by, created_at)")
    op.execute("CREATE INDEX ix_build_service ON build (team_id, service_id, created_at, id)")
    op.execute("CREATE INDEX ix_build_branch ON build (team_id, service_id, branch, created_at, id)")
    op.execute("CREATE INDEX ix_deployment_started ON deployment (team_id, started_at, id)")
    op.execute("CREATE INDEX ix_deployment_build ON deployment (team_id, build_id)")


def downgrade() -> None:
    op.execute("DROP INDEX ix_deployment_build")
    op.execute("DROP INDEX ix_deployment_started")
    op.execute("DROP INDEX ix_build_branch")
    op.execute("DROP INDEX ix_build_service")
    op.execute("DROP INDEX ix_comparison_created_by")
    op.execute("ALTER TABLE comparison DROP COLUMN sources")
