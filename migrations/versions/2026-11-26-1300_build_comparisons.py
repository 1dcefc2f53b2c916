"""A build is compared with an earlier build as soon as its evidence arrives; its verdict has that answer too.

Code before this version ignores the new columns and lists the comparisons of builds among the others, so it can run with both.
"""

from alembic import op

revision = "20261126_1300"
down_revision = "20261126_1200"
branch_labels = None
depends_on = None


QUICK = "-- squawk-ignore constraint-missing-not-valid, adding-foreign-key-constraint\n"
"""The column was just added with one value in every row: validating it reads the table once, within the lock of the column."""


def upgrade() -> None:
    op.execute("ALTER TABLE comparison ADD COLUMN origin varchar NOT NULL DEFAULT 'manual'")
    op.execute(
        f"{QUICK}ALTER TABLE comparison ADD CONSTRAINT ck_comparison_origin"
        " CHECK (origin in ('manual', 'regression', 'build'))"
    )
    op.execute("CREATE INDEX ix_comparison_listed ON comparison (team_id, created_at, id) WHERE origin <> 'build'")
    op.execute(
        "ALTER TABLE build_verdict ADD COLUMN series_answer jsonb, ADD COLUMN ancestor_answer jsonb,"
        " ADD COLUMN comparison_id uuid, ADD COLUMN compared_build_id uuid"
    )
    op.execute(
        f"{QUICK}ALTER TABLE build_verdict ADD CONSTRAINT fk_build_verdict_team_id_comparison_id"
        " FOREIGN KEY (team_id, comparison_id) REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id)"
    )
    op.execute(
        f"{QUICK}ALTER TABLE build_verdict ADD CONSTRAINT fk_build_verdict_team_id_compared_build_id"
        " FOREIGN KEY (team_id, compared_build_id) REFERENCES build (team_id, id)"
        " ON DELETE SET NULL (compared_build_id)"
    )
    op.execute("CREATE INDEX ix_build_verdict_comparison ON build_verdict (team_id, comparison_id)")
    op.execute("CREATE INDEX ix_build_verdict_compared ON build_verdict (team_id, compared_build_id)")


def downgrade() -> None:
    op.execute(
        "ALTER TABLE build_verdict DROP COLUMN series_answer, DROP COLUMN ancestor_answer,"
        " DROP COLUMN comparison_id, DROP COLUMN compared_build_id"
    )
    op.execute("DROP INDEX ix_comparison_listed")
    op.execute("ALTER TABLE comparison DROP COLUMN origin")
